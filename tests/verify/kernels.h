// Kernels that the tests of this folder run: compiled with a line table, so that counters know their Plan
// step.
#pragma once

#include <cstddef>
#include <vector>

#include "generator/attention_dense/plan.h"
#include "tools/verify/attention.h"

namespace wavesmith::test {

namespace dense = generator::attention_dense;

struct Kernel {
  dense::Plan plan;
  std::vector<std::byte> code;
};

/// For gfx950, by the LLVM of the compiler worker. Throws, with the compiler's output, when the spec is
/// refused or does not compile.
[[nodiscard]] Kernel compiled(const dense::Spec& spec);

/// Looks for hazards. Throws when nothing could be run. Two threads: tests run beside one another.
[[nodiscard]] verify::AttentionRun run(const Kernel& kernel, const verify::AttentionCase& shape,
                                       simulator::Options options = {});

/// Executions and other counters of the instructions that the line table gives to a step, summed.
[[nodiscard]] simulator::InstructionCounters counted(const simulator::Report& report, std::string_view step,
                                                     std::string_view mnemonic);

}  // namespace wavesmith::test
