// How far each instruction is what the hardware does: which ones are not exact, in what, by how much and why.
// report.cpp counts with it, flow.h follows the values of what is not exact. docs/simulator.md lists the
// facts.
#pragma once

#include <optional>
#include <string>

#include "wavesmith/simulator.h"

#include "simulator/instruction.h"
#include "simulator/target.h"

namespace wavesmith::simulator {

/// Why an instruction is not exact.
struct Inexactness {
  Fidelity fidelity = Fidelity::exact;
  Concern concern = Concern::values;
  /// Only where lanes were inactive.
  bool partial_exec_only = false;
  std::string bound = {};   ///< empty: unknown
  std::string reason = {};  ///< one sentence
  std::string option = {};  ///< "name = choice"; empty where there is no switch
};

/// Empty for an instruction that is exact. What depends on special values alone (which NaN, denormals,
/// ranges) does not count.
[[nodiscard]] std::optional<Inexactness> inexactness(const Instruction& instruction,
                                                     const Processor& processor, const Options& options);

/// What of a report concerns fidelity, but for the uses of inexact values. `instructions` holds the counters.
[[nodiscard]] FidelityReport count_fidelity(std::span<const Instruction> code,
                                            std::span<const InstructionCounters> counters,
                                            const Processor& processor, const Options& options,
                                            std::uint32_t wave_size);

}  // namespace wavesmith::simulator
