// Runs one attention_dense code object on the simulator and judges its output by the float64 oracle.
// verify_attention() is the only entry; accuracy.h has the judgement, data.h the tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "generator/attention_dense/plan.h"
#include "tools/verify/accuracy.h"

namespace wavesmith::verify {

struct AttentionCase {
  std::int64_t batch = 1, seqlen_q = 0, seqlen_kv = 0;
  bool bhsd = false;                   ///< order of the axes; else bshd
  std::optional<float> softmax_scale;  ///< 1 / sqrt(head size) where absent
  std::uint64_t seed = 1;
  /// Standard deviation of Q and K. 1 never makes the lazy rescale act; 2 does in a quarter of the tiles.
  double sigma = 2;
};

struct AttentionRun {
  Accuracy accuracy;
  simulator::Report report;
  std::vector<std::uint16_t> output;  ///< the whole O buffer, gaps included
  [[nodiscard]] bool ok() const { return !report.fault && accuracy.ok(); }
};

/// Q and K have rows, heads and batches with poison between them and nothing mapped behind them; V and O too.
///
/// Errors: a launch that plan_launch() refuses, tensors of more than 2^30 elements, a code object that cannot
/// be loaded, an instruction that the simulator does not implement. A fault during execution is in the
/// report, and the accuracy is that of what had been written.
[[nodiscard]] Expected<AttentionRun> verify_attention(const generator::attention_dense::Plan& plan,
                                                      std::span<const std::byte> code_object,
                                                      const AttentionCase& shape,
                                                      const simulator::Options& options = {});

}  // namespace wavesmith::verify
