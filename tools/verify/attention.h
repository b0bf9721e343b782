// Runs one attention_dense code object on the simulator and judges its output by the float64 oracle.
// verify_attention() is the only entry; attention_case.h says on what, accuracy.h has the judgement,
// attention_tensors.h the tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "generator/attention_dense/launch.h"
#include "generator/attention_dense/plan.h"
#include "tools/verify/accuracy.h"
#include "tools/verify/attention_case.h"
#include "tools/verify/lse.h"
#include "tools/verify/report.h"

namespace wavesmith::verify {

struct AttentionRun {
  Accuracy accuracy;                      ///< of O, of all runs
  std::optional<LseAccuracy> lse;         ///< of all runs, where the kernel has that output
  std::size_t runs = 1;                   ///< with the seed and the ones after it
  simulator::Report report;               ///< of the first run, or of the one that was stopped
  std::vector<std::uint16_t> output;      ///< of the first run: the whole O buffer, gaps included
  std::vector<std::uint32_t> lse_output;  ///< the same of LSE
  /// Only what has a name, in the order [batch, query, head, column] and [batch, query, head], whatever the
  /// layout.
  std::vector<std::uint16_t> named_output;
  std::vector<std::uint32_t> named_lse;
  [[nodiscard]] bool ok() const { return clean(report) && accuracy.ok() && (!lse || lse->ok()); }
};

/// Reads of K and of V tiles from LDS, told apart by the steps of the code object's line table.
struct TileReads {
  LdsAccesses k, v;
};
[[nodiscard]] TileReads tile_reads(const simulator::Report& report);

/// Everything that can be refused before anything is compiled or run.
///
/// Errors: lists of lengths that the kernel does not take, of another size than batch or with a negative one;
/// what plan_launch() refuses; tensors of more than 2^30 elements; a sigma that is not above 0 and at most
/// 100.
[[nodiscard]] Expected<void> check_case(const generator::attention_dense::Plan& plan,
                                        const AttentionCase& shape);

/// The case's launch with no addresses yet. Errors: what plan_launch() refuses.
[[nodiscard]] Expected<generator::attention_dense::Launch> planned_launch(
    const generator::attention_dense::Plan& plan, const AttentionCase& shape);

/// Fewer rows than this say little about the size of an error, since all columns of a row share the roundings
/// of P: what has fewer (rows without a visible key do not count) is repeated with the next seeds.
inline constexpr std::int64_t least_rows = 256;

/// Sinks, where the kernel takes them, are normal with a standard deviation of twice `sigma`: as large as the
/// largest scores of some rows and far below those of others.
///
/// Tensors have poison between their rows, heads and batches and nothing mapped behind them. V is uniform
/// with unit variance: with rare large elements the largest error of kernel and reference alike would hang on
/// how a single one was rounded.
///
/// Tensors of different lengths are poison behind the end of each sequence, in the unused rest of a page and
/// in pages that nothing uses; the tables end with their last entry.
///
/// Errors: those of check_case() and check_sequences(), a code object that cannot be loaded, an instruction
/// that the simulator does not implement. A fault during execution is in the report, and the accuracy is that
/// of what had been written.
[[nodiscard]] Expected<AttentionRun> verify_attention(const generator::attention_dense::Plan& plan,
                                                      std::span<const std::byte> code_object,
                                                      const AttentionCase& shape,
                                                      const simulator::Options& options = {});

}  // namespace wavesmith::verify
