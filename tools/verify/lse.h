// Judges the logarithms of the softmax denominators that a kernel stored (f32, [batch, head, query]) by the
// oracle's. judge_lse() is the only entry; accuracy.h judges O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "generator/attention_dense/launch.h"
#include "tools/verify/accuracy.h"

namespace wavesmith::verify {

/// Where the logarithms lie in their buffer; elements between the named ones are poison.
struct LseShape {
  std::int64_t batch = 1, heads = 1;
  std::int64_t queries = 0;  ///< of each batch element; the longest one's where `lengths` differ
  generator::attention_dense::LseStrides strides;
  std::vector<std::int64_t> lengths = {};  ///< queries of each batch element; empty: `queries` of each
  std::vector<std::int64_t> starts = {};   ///< first query of each batch element; packed ones alone

  [[nodiscard]] std::int64_t length(std::int64_t b) const {
    return lengths.empty() ? queries : lengths[static_cast<std::size_t>(b)];
  }
  [[nodiscard]] std::int64_t offset(std::int64_t b, std::int64_t h, std::int64_t q) const {
    return (starts.empty() ? b * strides.batch : starts[static_cast<std::size_t>(b)]) + h * strides.head + q;
  }
  [[nodiscard]] std::int64_t extent() const;
};

/// With unnamed elements after the queries of each head and the heads of each batch element.
[[nodiscard]] LseShape lse_shape_with_gaps(std::int64_t batch, std::int64_t heads, std::int64_t queries);

/// The named elements of a buffer of that shape, in the order [batch, query, head].
[[nodiscard]] std::vector<std::uint32_t> named_elements(const LseShape& shape,
                                                        std::span<const std::uint32_t> bits);

/// Bits of an f32 NaN with a pattern that no arithmetic produces.
inline constexpr std::uint32_t lse_poison_bits = 0xFFA5'FFA5;

struct LseAccuracy {
  /// Scores are sums of products in f32, and m + log2(l) is one more; each rounding is at most 2^-24 of what
  /// is summed, which is at most scale * |q| * |k|. Room for four of those in full, and as many of the sum of
  /// exponentials.
  static constexpr double unit = 0x1p-22;

  std::size_t elements = 0;
  double max_abs_error = 0;  ///< equal infinities are no error
  double max_share = 0;      ///< largest error as a part of what its row is allowed
  double tolerance = 0;      ///< of the row that is allowed most
  std::size_t mismatched = 0;
  std::vector<Mismatch> mismatches;  ///< the first few

  [[nodiscard]] bool ok() const { return mismatched == 0; }
};

struct LseSample {
  std::vector<std::uint32_t> output;  ///< the whole buffer, all poison before the run
  std::vector<double> exact;          ///< [batch, query, head], as the oracle has them
  /// What bounds each of them, in the same order: scale * |q| * (the largest |k| of its head), or the sink.
  std::vector<double> magnitude;
};

/// Every named element is compared with `exact`, -infinity only with itself; all others must still be poison.
[[nodiscard]] LseAccuracy judge_lse(const LseShape& shape, std::span<const LseSample> samples);

/// LseSample::magnitude for a problem.
[[nodiscard]] std::vector<double> score_bounds(const oracle::Problem& problem);

}  // namespace wavesmith::verify
