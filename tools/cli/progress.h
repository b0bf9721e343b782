// A progress bar on standard error, where that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace wavesmith::cli {

/// Draws nothing during the first half second, so that short work leaves no trace; removes itself at the end.
/// Calls must not overlap.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace wavesmith::cli
