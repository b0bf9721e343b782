// One running worker program (wavesmith-compiler) as its host sees it: started, spoken to in frames, ended.
// Internal to CompilerPool. Never forks, installs no signal handler and starts no thread: whoever calls
// exchange() does the waiting.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "wavesmith/error.h"

#include "runtime/compiler_protocol.h"
#include "runtime/file_descriptor.h"

namespace wavesmith::runtime {

/// An answer of the worker, and what it wrote to its standard error meanwhile.
struct WorkerAnswer {
  protocol::FrameKind kind{};
  std::string payload;
  std::string standard_error;
};

class WorkerProcess {
 public:
  /// Starts the program at `path` and waits for its hello. `memory_limit_bytes` 0: no limit. `comgr`: the
  /// library that its comgr backend opens; empty: it looks for one. A program that cannot be started or is no
  /// worker of this build is an Error of kind environment.
  [[nodiscard]] static Expected<std::unique_ptr<WorkerProcess>> start(const std::string& path,
                                                                      std::uint64_t memory_limit_bytes,
                                                                      const std::string& comgr);
  /// Kills the worker and collects it, unless this is a forked copy of the process that started it.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends a frame and waits for the answer; a time limit of 0 waits for ever. When the worker dies or runs
  /// out of time the Error, of kind compiler_failed, says how and carries all the worker wrote to its
  /// standard error; the worker is then not usable any more.
  [[nodiscard]] Expected<WorkerAnswer> exchange(std::string_view frame, std::chrono::milliseconds time_limit);

  /// Whether the worker ended of itself in an exchange, after it had answered others: then what it did before
  /// may be to blame, or somebody who killed it while it was idle, and a new worker may do better with the
  /// same request.
  [[nodiscard]] bool died_after_service() const { return died_ && answers_ > 0; }

  [[nodiscard]] const protocol::Hello& hello() const { return hello_; }
  [[nodiscard]] pid_t process_id() const { return process_; }

 private:
  WorkerProcess() = default;

  std::unexpected<Error> failed(std::string_view what, std::string standard_error);
  std::string end_and_collect();

  pid_t owner_ = -1;    ///< process that started the worker; a forked child only closes its descriptors
  pid_t process_ = -1;  ///< -1 once collected
  FileDescriptor
      process_descriptor_;  ///< names the process even if something else collected it; may be missing
  FileDescriptor connection_;
  FileDescriptor standard_error_;
  std::uint64_t memory_limit_bytes_ = 0;
  protocol::Hello hello_;
  std::uint64_t answers_ = 0;  ///< to requests
  bool died_ = false;
};

}  // namespace wavesmith::runtime
