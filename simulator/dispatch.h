// One dispatch: what all its workgroups share, and the function that runs them on several threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "wavesmith/simulator.h"

#include "runtime/code_object.h"
#include "simulator/fidelity/uses.h"
#include "simulator/hazards/global_accesses.h"
#include "simulator/hazards/hazard_kind.h"
#include "simulator/lds_conflicts.h"
#include "simulator/memory.h"
#include "simulator/program.h"
#include "simulator/warnings.h"

namespace wavesmith::simulator {

/// Constant while the workgroups run.
struct Dispatch {
  const Program* program = nullptr;
  const Processor* processor = nullptr;
  const runtime::Kernel* kernel = nullptr;
  const Memory* memory = nullptr;
  const Options* options = nullptr;
  const FlowTable* flow = nullptr;              ///< where inexact values are followed, else null
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< workgroups
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< work-items
  std::uint32_t lds_bytes = 0;                  ///< fixed and dynamic
  std::uint64_t kernarg_address = 0;
  std::uint64_t packet_address = 0;  ///< AQL dispatch packet
  std::uint64_t queue_address = 0;

  std::uint32_t work_items() const { return block[0] * block[1] * block[2]; }
  std::uint32_t waves() const { return (work_items() + program->wave_size - 1) / program->wave_size; }
  std::uint64_t workgroups() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
};

/// What one thread counts. Sums over threads do not depend on how the workgroups were dealt out.
struct Tally {
  explicit Tally(std::size_t instructions) : counters(instructions), lds(instructions) {}
  std::vector<InstructionCounters> counters;  ///< by instruction of the program
  LdsCounter lds;
  WarningLog warnings;
  HazardLog hazards;
  GlobalAccesses global_accesses;
  InexactUseLog inexact_uses;
  std::uint64_t waves = 0;
};

struct DispatchResult {
  std::optional<Fault> fault;                 ///< of the lowest workgroup that has one
  std::vector<InstructionCounters> counters;  ///< empty after a fault
  WarningLog warnings;                        ///< the same
  HazardLog hazards;                          ///< the same, where they are checked
  InexactUseLog inexact_uses;                 ///< the same, where they are followed
  std::uint64_t waves = 0;
};

DispatchResult run_dispatch(const Dispatch& dispatch);

}  // namespace wavesmith::simulator
