// The server: takes requests as they arrive, keeps every stream busy, and never waits for a compiler. Models
// whose kernel is not ready keep their requests; the others go on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "batch.hpp"
#include "options.hpp"
#include "wavesmith.hpp"
#include "workload.hpp"

namespace serving {

struct Summary {
  std::size_t served = 0, failed = 0, dropped = 0;  ///< requests: done; without a kernel; left at a signal
  std::size_t batches = 0;
  std::size_t batches_beside_compiles = 0;  ///< finished while another model's kernel was being compiled
  double largest_error = 0;
  double longest_prepare = 0;              ///< seconds that one call took: nothing here waits for a compile
  wavesmith_status status = WAVESMITH_OK;  ///< of the kernel that could not be made
};

class Server {
 public:
  /// Opens the device and starts nothing else.
  explicit Server(const Options& options);

  /// Serves until all are done, or `stop` is set and what is in flight is done.
  Summary run(std::vector<Request> arriving, const std::atomic<bool>& stop);

  /// The Jit's counts.
  [[nodiscard]] wavesmith_statistics statistics() const;

 private:
  [[nodiscard]] double now() const;
  void admit(std::vector<Request>& arriving, std::size_t& next);
  [[nodiscard]] bool ready(Model& model);
  void give_up(Model& model);
  [[nodiscard]] bool launch_batch(Model& model);
  [[nodiscard]] bool finish_oldest();
  [[nodiscard]] bool anything_waits() const;
  [[nodiscard]] bool anything_compiles() const;

  Options options_;
  std::chrono::steady_clock::time_point start_;
  example::Launcher launcher_;
  example::Jit jit_;
  std::vector<Model> models_;
  std::vector<std::unique_ptr<BatchSlot>> slots_;  ///< destroyed first: their streams use all of the above
  Summary summary_;
};

}  // namespace serving
