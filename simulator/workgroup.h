// A workgroup in execution: its waves, its LDS and its barrier. run_workgroup is the inner loop of the
// simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "simulator/dispatch.h"
#include "simulator/fidelity/tracker.h"
#include "simulator/hazards/checker.h"
#include "simulator/wave.h"

namespace wavesmith::simulator {

struct Workgroup {
  const Dispatch* dispatch = nullptr;
  Tally* tally = nullptr;
  std::array<std::uint32_t, 3> id{};
  std::uint64_t flat_id = 0;
  std::vector<std::byte> lds;                                 ///< exactly the bytes the workgroup asked for
  std::array<const LdsPhaseRow*, kLdsAccesses> lds_phases{};  ///< by LdsAccess, with the dispatch's options
  std::vector<std::unique_ptr<Wave>> waves;
  std::optional<Fault> fault;
  std::unique_ptr<InexactTracker> inexact;  ///< null where inexact values are not followed
  std::unique_ptr<HazardChecker> hazards;   ///< null where hazards are not checked
  std::mt19937_64 arrivals;                 ///< of Arrival::random
  bool shadow = false;                      ///< accompanies another (hazards/shadow.h) and counts nothing

  // The barrier is a counter of phases. A wave that arrives waits until its phase is over; the phase ends
  // when every wave that has not ended has arrived.
  std::uint64_t barrier_phase = 0;
  std::uint32_t arrived = 0;
  std::uint32_t alive = 0;

  /// s_barrier, or the signal half of a split barrier. True for the first wave to arrive.
  bool arrive(Wave& wave) {
    const bool first = arrived == 0;
    wave.barrier_phase = barrier_phase + 1;
    ++arrived;
    finish_phase();
    return first;
  }
  void leave() {
    --alive;
    finish_phase();
  }
  bool released(const Wave& wave) const { return barrier_phase >= wave.barrier_phase; }

  /// Host bytes of LDS, or null beyond its end.
  std::byte* lds_at(std::uint64_t offset, std::uint64_t bytes) {
    return offset <= lds.size() && lds.size() - offset >= bytes ? lds.data() + offset : nullptr;
  }

  /// Counts the cycles of one LDS access of `bytes` by each of the lanes, at byte offsets.
  void count_lds_cycles(const Instruction& instruction, std::uint64_t lanes,
                        std::span<const std::uint32_t, 64> offset, LdsAccess access, std::uint32_t bytes,
                        bool atomic = false);

 private:
  void finish_phase() {
    if (alive == 0 || arrived < alive) return;
    arrived = 0;
    ++barrier_phase;
  }
};

/// Prepares the workgroup of that flat index (x fastest), reusing storage from the one that ran before.
void start_workgroup(Workgroup& group, const Dispatch& dispatch, Tally& tally, std::uint64_t flat_id);

/// Runs it until all waves have ended or one has failed.
void run_workgroup(Workgroup& group);

/// Executes one wave until it stops for one of the reasons in Signal, or its turn is over.
void run_wave(Wave& wave, std::uint64_t steps, bool stop_at_wait);

}  // namespace wavesmith::simulator
