// What a gate finds wrong with a kernel, told apart so that a planted fault can be required to be found as
// what it is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::contract {

/// What a kernel promises. docs/contract.md describes each.
enum class Gate : std::uint8_t {
  resolves,   ///< compiles for the exact target; symbol, arguments, LDS and workgroup as promised; no spill
  values,     ///< right within the tolerance of `verify`, without a hazard
  footprint,  ///< every promised element written, no other byte changed
  stability,  ///< the same bits again, under every schedule, elsewhere in memory, alone and with others
};
inline constexpr std::array<std::string_view, 4> gate_names{"resolves", "values", "footprint", "stability"};
[[nodiscard]] constexpr std::string_view name_of(Gate gate) {
  return gate_names[static_cast<std::size_t>(gate)];
}

enum class Symptom : std::uint8_t {
  not_resolved,  ///< not compiled, or not as promised; kind: "compile", "symbol", "arguments", "lds", …
  refused,       ///< the launch does not fit the kernel
  fault,         ///< the dispatch was stopped
  hazard,        ///< kind: as in the simulator
  wrong_values,  ///< kind: "o" or "lse"
  unwritten,     ///< an element of an output is as it was
  overwritten,   ///< a byte that is no output has changed
  other_bits,    ///< kind: what was different about the run, "repeat", "round_robin", "alone", …
};
inline constexpr std::array<std::string_view, 8> symptom_names{
    "not_resolved", "refused", "fault", "hazard", "wrong_values", "unwritten", "overwritten", "other_bits"};
[[nodiscard]] constexpr std::string_view name_of(Symptom symptom) {
  return symptom_names[static_cast<std::size_t>(symptom)];
}

struct Problem {
  Gate gate{};
  Symptom symptom{};
  std::string kind = {};         ///< see Symptom
  std::string instruction = {};  ///< disassembly, of hazards and faults
  std::string step = {};         ///< of the Plan, of hazards
  std::string what;              ///< one sentence
};

/// What a planted fault must be found as. Empty members match everything.
struct Sign {
  Gate gate{};
  Symptom symptom{};
  std::string_view kind = {};
  std::string_view mnemonic = {};  ///< start of the instruction's text
  std::string_view step = {};      ///< of the Plan

  [[nodiscard]] bool matches(const Problem& problem) const {
    return problem.gate == gate && problem.symptom == symptom && (kind.empty() || problem.kind == kind) &&
           problem.instruction.starts_with(mnemonic) && (step.empty() || problem.step == step);
  }
  /// "values: hazard lds_race at ds_read in qk"
  [[nodiscard]] std::string text() const;
};

}  // namespace wavesmith::contract
