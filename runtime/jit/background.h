// A few threads that do work nobody waits for, in the order in which it came.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace wavesmith::runtime {

class Background {
 public:
  explicit Background(std::size_t threads) : most_threads_(threads) {}
  /// Drops what has not begun and waits for what has.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Starts a thread where all are busy and there may be one more. `work` does not throw. False when there is
  /// no thread at all to do it.
  [[nodiscard]] bool add(std::function<void()> work);

 private:
  void run();

  std::size_t most_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wavesmith::runtime
