// Threads of the Jit as the host should see them: they take no signals, and where none can be started there
// is none.
#pragma once

#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

namespace wavesmith::runtime {

/// Not joinable when no thread could be started. `work` does not throw.
template <class Work>
[[nodiscard]] std::thread start_quiet_thread(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(work));
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace wavesmith::runtime
