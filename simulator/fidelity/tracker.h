// Follows approximate and uncertain values through registers, LDS and scratch of one workgroup and notes
// where one becomes an address, decides a branch or decides which lanes are active. A register row is one
// value, so is a dword of LDS and a wave's whole scratch; what goes through global memory is lost, and so is
// what depends on a value only because a branch did. The inner loop calls before(), the LDS counters call
// note_lds().
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/fidelity/flow.h"
#include "simulator/fidelity/uses.h"
#include "simulator/hazards/lds_check.h"

namespace wavesmith::simulator {

struct Wave;
struct Workgroup;

class InexactTracker {
 public:
  /// For a workgroup that is about to start; `table` and `log` outlive it.
  void start(const Workgroup& group, const FlowTable& table, InexactUseLog& log);

  void before(Wave& wave, const Instruction& instruction);

  /// The instruction in execution touches LDS: each of the lanes `bytes` at its offset.
  void note_lds(const Instruction& instruction, std::uint64_t lanes,
                std::span<const std::uint32_t, 64> offset, LdsUse use, std::uint32_t bytes);

 private:
  struct State {
    bool any = false;  ///< something inexact has been in its registers
    Origins scc = 0, scratch = 0;
    std::array<Origins, 144> scalar{};
    std::vector<Origins> rows;
  };

  /// What an instruction depends on.
  struct Inputs {
    Origins values = 0, address = 0;
    Origins beside_exec = 0;  ///< values that do not come from EXEC
  };

  Inputs inputs(const State& state, const Instruction& instruction, const Flow& flow) const;
  void follow(Wave& wave, State& state, const Instruction& instruction, const Flow& flow);
  void follow_exec(Wave& wave, State& state, const Instruction& instruction, const Flow& flow,
                   const Inputs& in);
  void decide(Wave& wave, const State& state, const Instruction& instruction, const Flow& flow,
              const Inputs& in);
  void note(const Wave& wave, const Instruction& instruction, InexactUseKind kind, Origins origins);

  const FlowTable* table_ = nullptr;
  InexactUseLog* log_ = nullptr;
  std::vector<State> waves_;
  std::vector<Origins> lds_;  ///< by dword
  bool any_in_lds_ = false;
  Origins data_ = 0;          ///< what the instruction in execution stores
  State* current_ = nullptr;  ///< of the wave in execution
};

}  // namespace wavesmith::simulator
