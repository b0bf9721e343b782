// The five schedules.
#include "simulator/scheduler.h"

namespace wavesmith::simulator {
namespace {

/// Each wave as far as it goes, the lowest first.
class WaveByWave final : public Scheduler {
 public:
  Turn next(std::span<const std::uint32_t> runnable) override { return {runnable.front()}; }
};

/// Takes turns in a cyclic order, from wave to wave upwards or downwards.
class Cyclic final : public Scheduler {
 public:
  Cyclic(bool rising, std::uint64_t steps, bool stop_at_wait)
      : rising_(rising), steps_(steps), stop_at_wait_(stop_at_wait) {}

  Turn next(std::span<const std::uint32_t> runnable) override {
    std::uint32_t chosen = rising_ ? runnable.front() : runnable.back();
    if (rising_) {
      for (const std::uint32_t wave : runnable) {
        if (static_cast<std::int64_t>(wave) > last_) {
          chosen = wave;
          break;
        }
      }
    } else {
      for (const std::uint32_t wave : runnable) {
        if (last_ >= 0 && static_cast<std::int64_t>(wave) < last_) chosen = wave;
      }
    }
    last_ = chosen;
    return {chosen, steps_, stop_at_wait_};
  }

 private:
  bool rising_;
  std::uint64_t steps_;
  bool stop_at_wait_;
  std::int64_t last_ = -1;
};

class Random final : public Scheduler {
 public:
  Random(std::uint64_t seed, std::uint64_t workgroup) : engine_(seeded_engine(seed, workgroup)) {}

  Turn next(std::span<const std::uint32_t> runnable) override {
    const std::uint32_t wave = runnable[engine_() % runnable.size()];
    return {wave, 1 + engine_() % kMostSteps};
  }

 private:
  static constexpr std::uint64_t kMostSteps = 32;
  std::mt19937_64 engine_;
};

}  // namespace

std::mt19937_64 seeded_engine(std::uint64_t seed, std::uint64_t workgroup) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(workgroup), static_cast<std::uint32_t>(workgroup >> 32)};
  return std::mt19937_64(sequence);
}

std::unique_ptr<Scheduler> make_scheduler(Schedule schedule, std::uint64_t seed, std::uint64_t workgroup) {
  constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  switch (schedule) {
    case Schedule::wave_by_wave:
      return std::make_unique<WaveByWave>();
    case Schedule::to_wait_rising:
      return std::make_unique<Cyclic>(true, unlimited, true);
    case Schedule::to_wait_falling:
      return std::make_unique<Cyclic>(false, unlimited, true);
    case Schedule::round_robin:
      return std::make_unique<Cyclic>(true, 1, false);
    case Schedule::random:
      return std::make_unique<Random>(seed, workgroup);
  }
  return std::make_unique<WaveByWave>();
}

}  // namespace wavesmith::simulator
