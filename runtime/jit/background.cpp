// The queue and its threads.
#include "runtime/jit/background.h"

#include <utility>

#include "runtime/jit/quiet_thread.h"

namespace wavesmith::runtime {

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    queue_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Background::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  queue_.push_back(std::move(work));
  if (queue_.size() > idle_ && threads_.size() < most_threads_) {
    threads_.reserve(most_threads_);
    std::thread thread = start_quiet_thread([this] { run(); });
    if (thread.joinable()) threads_.push_back(std::move(thread));  // fewer than there might be are no failure
  }
  if (threads_.empty()) {
    queue_.pop_back();
    return false;
  }
  changed_.notify_one();
  return true;
}

void Background::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    --idle_;
    if (ending_) return;
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace wavesmith::runtime
