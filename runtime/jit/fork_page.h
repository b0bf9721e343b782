// Tells a process from its forked children without a system call: a page of memory that the kernel clears in
// a child.
#pragma once

#include <atomic>

#include <sys/types.h>

namespace wavesmith::runtime {

class ForkPage {
 public:
  ForkPage();
  ~ForkPage();
  ForkPage(const ForkPage&) = delete;
  ForkPage& operator=(const ForkPage&) = delete;

  /// Whether this is the process that made the object, and no child of it.
  [[nodiscard]] bool same_process() const;

 private:
  std::atomic<int>* mark_ = nullptr;  ///< null where the kernel has no such pages; then the id has to do
  pid_t owner_;
};

}  // namespace wavesmith::runtime
