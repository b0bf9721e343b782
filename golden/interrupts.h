// Ctrl-C while there is something to clean up: Interrupts turns SIGINT, SIGTERM and SIGHUP into a flag, so
// that destructors run, and raises the signal again at its end, so that the caller sees how this program
// ended.
#pragma once

#include <array>

#include <signal.h>

namespace wavesmith::golden {

/// Make it before what has to be cleaned up; one at a time. Signals that were ignored stay ignored.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Whether one of the signals came while an Interrupts lived.
  [[nodiscard]] static bool came();

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace wavesmith::golden
