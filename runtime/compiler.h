// Compiling LLVM IR text to a code object from any program: CompilerPool hands requests
// (compiler_interface.h) to a few worker programs, so that LLVM is never in this process and nothing it does
// there can take this process down.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "wavesmith/error.h"

#include "runtime/compiler_interface.h"

namespace wavesmith::runtime {

class WorkerProcess;
struct WorkerAnswer;

struct CompilerPoolOptions {
  std::size_t workers = 0;  ///< most workers at a time; 0: one per hardware thread
  std::string worker_path;  ///< the worker program; empty: found relative to this library (worker_path.h)
  /// The library that the comgr backend opens, by path or name; empty: libamd_comgr.so.3, then .so.2, of the
  /// loader's folders and ROCm's.
  std::string comgr_library;
  std::chrono::milliseconds time_limit{120'000};              ///< for one request; 0: none
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;  ///< for one worker; 0: none
};

/// Worker programs that compile, started when they are first needed and kept for later requests. Every member
/// may be called from any thread; a call blocks its own thread only. The host is never forked, gets no signal
/// handler and no thread, and its file descriptors stay out of the workers. After a fork of the host, each
/// side uses workers of its own.
class CompilerPool {
 public:
  explicit CompilerPool(CompilerPoolOptions options = {});
  /// Ends the workers. No call may be in progress.
  ~CompilerPool();
  CompilerPool(const CompilerPool&) = delete;
  CompilerPool& operator=(const CompilerPool&) = delete;

  /// Compiles, waiting for a free worker if all are busy. Errors: invalid_request for what check_request
  /// refuses and for text that contradicts the request; compiler_failed for text that the compiler rejects
  /// and for a worker that dies, hangs or needs too much memory, with everything it wrote in `log`;
  /// environment when no worker can be started. After every error the next request is served as usual.
  [[nodiscard]] Expected<CompileResult> compile(const CompileRequest& request);

  /// What a backend is (automatic: llvm). Starts a worker if none is there; asks it once. Errors: environment
  /// where there is no such compiler, with what the loader said.
  [[nodiscard]] Expected<CompilerInfo> describe(Backend backend);

  /// CompilerInfo::identity of a backend, as CompileResult::compiler reports it.
  [[nodiscard]] Expected<std::string> identity(Backend backend);

  /// Process ids of the idle workers, for diagnostics.
  [[nodiscard]] std::vector<pid_t> idle_workers() const;

 private:
  using Worker = std::unique_ptr<WorkerProcess>;

  Expected<Worker> acquire();
  Expected<Worker> start_worker();
  /// Sends a frame to a free worker; a second worker gets it where the first may have died of earlier work.
  Expected<WorkerAnswer> ask(const std::string& frame);
  void release(Worker worker);
  void forget_one();

  CompilerPoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<CompilerInfo> comgr_;  ///< once it was asked for and is there
  std::vector<Worker> idle_;           ///< most recently used last
  std::size_t workers_ = 0;            ///< idle, busy and starting
  pid_t owner_;                        ///< process that the members above describe
};

}  // namespace wavesmith::runtime
