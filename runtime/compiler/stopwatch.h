// The time between the steps of a compile.
#pragma once

#include <chrono>
#include <utility>

namespace wavesmith::runtime {

/// Milliseconds since the last lap.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace wavesmith::runtime
