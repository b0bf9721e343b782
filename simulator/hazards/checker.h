// Looks for hazards while a workgroup executes. One HazardChecker belongs to each workgroup in execution of a
// dispatch that asked for it (Options::hazards); the inner loop calls before() and after() around every
// instruction, the LDS counters call note_lds(), queues of memory operations call retired().
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "simulator/hazards/lds_check.h"
#include "simulator/hazards/matrix_waits.h"
#include "simulator/hazards/shadow.h"
#include "simulator/hazards/store_conflicts.h"
#include "simulator/hazards/wait_states.h"

namespace wavesmith::simulator {

struct Workgroup;

class HazardChecker {
 public:
  /// For a workgroup that is about to start.
  void start(const Workgroup& group);

  void before(Wave& wave, const Instruction& instruction);
  void after(Wave& wave, const Instruction& instruction);

  /// The instruction in execution touches LDS: each of the lanes `bytes` at its offset.
  void note_lds(const Instruction& instruction, std::uint64_t lanes,
                std::span<const std::uint32_t, 64> offset, LdsUse use, std::uint32_t bytes) {
    lds_.note(instruction, lanes, offset, use, bytes);
  }
  /// A wait has proven the operation complete.
  void retired(Wave& wave, const PendingOp& op) { lds_.retired(wave, op); }
  /// The oldest operation of a queue took effect early, behind the instruction in execution.
  void arrived(const Wave& wave, QueueId queue) {
    if (shadow_) shadow_->arrived(wave, queue);
  }

 private:
  LdsCheck lds_;
  MatrixWaits matrix_;
  WaitStates waits_;
  StoreConflicts stores_;
  std::unique_ptr<Shadow> shadow_;  ///< null where Options::uninitialized is off

  /// Who arrived first at the barrier phase that is being waited for.
  struct FirstAtBarrier {
    const Instruction* instruction = nullptr;
    std::uint64_t phase = 0;
    std::uint32_t wave = 0;
  };
  FirstAtBarrier barrier_;

  void check_barrier(Wave& wave, const Instruction& instruction);
};

}  // namespace wavesmith::simulator
