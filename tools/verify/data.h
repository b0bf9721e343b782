// Test data for verification: full-mantissa random numbers in a tensor whose every byte outside the named
// elements is poison, so that a stray read shows as NaN and a stray write as a changed byte. pages.h makes
// the pages of a cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generator/attention_dense/launch.h"
#include "simulator/oracle/attention.h"
#include "tools/verify/pages.h"

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
  std::int64_t batch = 1;
  std::int64_t tokens = 0;  ///< of each batch element; the longest one's where `lengths` differ
  std::int64_t heads = 1, head_size = 0;
  generator::attention_dense::Strides strides;  ///< strides.batch: of pages where there are any
  std::vector<std::int64_t> lengths = {};       ///< tokens of each batch element; empty: `tokens` of each
  std::vector<std::int64_t> starts = {};        ///< first token of each batch element; packed ones alone
  Pages pages = {};

  [[nodiscard]] std::int64_t length(std::int64_t b) const {
    return lengths.empty() ? tokens : lengths[static_cast<std::size_t>(b)];
  }
  [[nodiscard]] bool packed() const { return !starts.empty(); }
  [[nodiscard]] bool paged() const { return pages.size != 0; }

  /// Of a token below length(b). Of pages that lie apart, those between the kept ones do not count.
  [[nodiscard]] std::int64_t offset(std::int64_t b, std::int64_t t, std::int64_t h) const {
    if (paged()) return pages.slot(b, t) * strides.batch + t % pages.size * strides.token + h * strides.head;
    const std::int64_t first =
        packed() ? starts[static_cast<std::size_t>(b)] * strides.token : b * strides.batch;
    return first + t * strides.token + h * strides.head;
  }
  /// Elements from the buffer's start to just past the last one that there is room for: that of the last
  /// batch element's longest possible sequence, of the last packed token, of the last kept page. Nothing is
  /// allocated behind it.
  [[nodiscard]] std::int64_t extent() const;
};

/// Unnamed elements of a tensor.
struct Gaps {
  std::int64_t tokens = 0;  ///< rows after each batch element's, each page's, or (heads outside) each head's
  std::int64_t elements = 0;  ///< after each token's heads; not with heads outside tokens
};

/// Strides of [batch, token, head, column], or of [batch, head, token, column].
[[nodiscard]] generator::attention_dense::Strides strides_with_gaps(bool heads_outside_tokens,
                                                                    std::int64_t tokens, std::int64_t heads,
                                                                    std::int64_t head_size, const Gaps& gaps);

/// A shape with unnamed elements between rows, heads and batches: `spare_tokens` rows after each sequence
/// and, for [batch, token, head, column], 16 elements after each token's heads.
[[nodiscard]] TensorShape shape_with_gaps(bool heads_outside_tokens, std::int64_t batch, std::int64_t tokens,
                                          std::int64_t heads, std::int64_t head_size,
                                          std::int64_t spare_tokens);
inline constexpr std::int64_t gap_after_heads = 16;  ///< elements, as in shape_with_gaps()

/// Bits of a NaN of either 16-bit type, with a pattern that no arithmetic produces.
inline constexpr std::uint16_t poison_bits = 0xFFA5;

/// A 16-bit tensor and, for the oracle, the same values as floats.
struct TensorData {
  TensorShape shape;
  std::vector<std::uint16_t> bits;
  /// At the same places as `bits`; of packed and paged tensors as a dense [batch, token, head, column], NaN
  /// behind the end of a sequence.
  std::vector<float> values;

  [[nodiscard]] oracle::Tensor view() const;
};

/// All poison.
[[nodiscard]] TensorData poisoned(const TensorShape& shape);
/// Named elements are normal with the given standard deviation; the rest is poison.
[[nodiscard]] TensorData normal(const TensorShape& shape, oracle::ElementType type, double sigma,
                                Random& random);
/// The same with elements spread evenly between -limit and limit.
[[nodiscard]] TensorData uniform(const TensorShape& shape, oracle::ElementType type, double limit,
                                 Random& random);

/// Makes a batch element poison, as if it had no name.
void poison_sequence(TensorData& tensor, std::int64_t b);

/// The named elements of a buffer of that shape, in the order [batch, token, head, column].
[[nodiscard]] std::vector<std::uint16_t> named_elements(const TensorShape& shape,
                                                        std::span<const std::uint16_t> bits);

}  // namespace wavesmith::verify
