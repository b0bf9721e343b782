// Test data for verification: full-mantissa random numbers in a tensor whose every byte outside the named
// elements is poison, so that a stray read shows as NaN and a stray write as a changed byte.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generator/attention_dense/launch.h"
#include "simulator/oracle/attention.h"

namespace wavesmith::verify {

/// Reproducible on every host: the same seed gives the same bits.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform();  ///< (0, 1)
  double normal();   ///< mean 0, standard deviation 1

 private:
  std::uint64_t state_;
};

/// How the elements of one tensor lie in its buffer.
struct TensorShape {
  std::int64_t batch = 1, tokens = 0, heads = 1, head_size = 0;
  generator::attention_dense::Strides strides;

  [[nodiscard]] std::int64_t offset(std::int64_t b, std::int64_t t, std::int64_t h) const {
    return b * strides.batch + t * strides.token + h * strides.head;
  }
  /// Elements from the buffer's start to just past the last named one; nothing is allocated behind it.
  [[nodiscard]] std::int64_t extent() const;
};

/// A shape with unnamed elements between rows, heads and batches: `spare_tokens` rows after each sequence
/// and, for [batch, token, head, column], 16 elements after each token's heads.
[[nodiscard]] TensorShape shape_with_gaps(bool heads_outside_tokens, std::int64_t batch, std::int64_t tokens,
                                          std::int64_t heads, std::int64_t head_size,
                                          std::int64_t spare_tokens);

/// Bits of a NaN of either 16-bit type, with a pattern that no arithmetic produces.
inline constexpr std::uint16_t poison_bits = 0xFFA5;

/// A 16-bit tensor and, for the oracle, the same values as floats.
struct TensorData {
  TensorShape shape;
  std::vector<std::uint16_t> bits;
  std::vector<float> values;

  [[nodiscard]] oracle::Tensor view() const {
    return {values, shape.strides.batch, shape.strides.token, shape.strides.head};
  }
};

/// All poison.
[[nodiscard]] TensorData poisoned(const TensorShape& shape);
/// Named elements are normal with the given standard deviation; the rest is poison.
[[nodiscard]] TensorData normal(const TensorShape& shape, oracle::ElementType type, double sigma,
                                Random& random);
/// The same with elements spread evenly between -limit and limit.
[[nodiscard]] TensorData uniform(const TensorShape& shape, oracle::ElementType type, double limit,
                                 Random& random);

}  // namespace wavesmith::verify
