// Decides which wave of a workgroup runs next and for how long. make_scheduler is the entry; workgroup.cpp
// asks.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>

#include "wavesmith/simulator.h"

namespace wavesmith::simulator {

/// One stretch of execution of one wave. It ends early at a barrier, at the end of the wave and at a fault.
struct Turn {
  std::uint32_t wave = 0;
  std::uint64_t steps = ~std::uint64_t{0};
  bool stop_at_wait = false;  ///< also after a wait instruction
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Chooses among the waves that can run, given in rising order and never empty.
  virtual Turn next(std::span<const std::uint32_t> runnable) = 0;
};

/// Random numbers that are the workgroup's own, so that they are the same on any number of threads.
std::mt19937_64 seeded_engine(std::uint64_t seed, std::uint64_t workgroup);

/// A scheduler for one workgroup; `workgroup` is its flat index and enters the random choice, so that the
/// order is the same on any number of threads.
std::unique_ptr<Scheduler> make_scheduler(Schedule schedule, std::uint64_t seed, std::uint64_t workgroup);

}  // namespace wavesmith::simulator
