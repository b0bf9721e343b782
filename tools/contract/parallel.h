// A loop whose turns run beside one another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace wavesmith::contract {

/// One for each CPU where `jobs` is 0.
[[nodiscard]] inline unsigned jobs_or_cpus(unsigned jobs) {
  return jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

/// Calls work(i) for each i below `count`, `jobs` at a time; `work` does not throw.
inline void for_each_index(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 1; i < std::min<std::size_t>(jobs, count); ++i) threads.emplace_back(run);
  run();
}

}  // namespace wavesmith::contract
