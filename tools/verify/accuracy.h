// Judges the bits that a kernel wrote by the oracle's exact result, with the rounded reference as the measure
// of what error is acceptable. judge() is the only entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/oracle/attention.h"
#include "tools/verify/data.h"

namespace wavesmith::verify {

/// One element that is wrong: outside the tolerance, not a number, never written, or no output at all but
/// overwritten.
struct Mismatch {
  std::string where;  ///< "o[batch 0, query 3, head 1, column 5]"
  double expected = 0, actual = 0;
};

/// What the kernel gave against the oracle. Errors are absolute unless said otherwise; equal infinities are
/// no error, and a NaN makes every figure it enters NaN.
struct Accuracy {
  /// A computation with fp32 softmax that rounds P and O once to the element type is as good as a kernel can
  /// be; another order of the same roundings may be this much worse.
  static constexpr double max_factor = 1.5, rms_factor = 1.1;

  std::size_t elements = 0;
  double max_abs_error = 0;
  double max_rel_error = 0;  ///< against the row's largest |O|
  double rms_error = 0;
  double reference_max = 0, reference_rms = 0;  ///< errors of the rounded reference
  std::size_t mismatched = 0;                   ///< all of them; `mismatches` lists the first few
  std::vector<Mismatch> mismatches;

  [[nodiscard]] double tolerance() const { return max_factor * reference_max; }
  [[nodiscard]] double rms_tolerance() const { return rms_factor * reference_rms; }
  [[nodiscard]] bool ok() const { return mismatched == 0 && rms_error <= rms_tolerance(); }
};

/// What one run gave and should have given.
struct Sample {
  std::vector<std::uint16_t> output;  ///< the whole buffer of the tensor, which was all poison before the run
  oracle::Result exact, rounded;
};

/// Every named element of a sample's output is compared with `exact`; all others must still be poison.
/// Several samples of one shape are judged as if they were one larger tensor.
[[nodiscard]] Accuracy judge(const TensorShape& shape, oracle::ElementType type,
                             std::span<const Sample> samples);

}  // namespace wavesmith::verify
