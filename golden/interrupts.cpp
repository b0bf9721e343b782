// The signal handler and its flag.
#include "golden/interrupts.h"

#include <csignal>
#include <cstddef>

namespace wavesmith::golden {
namespace {

volatile std::sig_atomic_t signal_that_came = 0;

void remember(int number) {
  signal_that_came = number;
}

}  // namespace

Interrupts::Interrupts() {
  signal_that_came = 0;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action{};
    action.sa_handler = remember;  // without SA_RESTART: a wait ends when the signal comes
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signals[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  if (signal_that_came != 0) static_cast<void>(std::raise(signal_that_came));
}

bool Interrupts::came() {
  return signal_that_came != 0;
}

}  // namespace wavesmith::golden
