// CompilerPool: which worker serves a request. What happens between host and worker is in worker_process.h.
#include "runtime/compiler.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <unistd.h>

#include "runtime/compiler_protocol.h"
#include "runtime/worker_path.h"
#include "runtime/worker_process.h"

namespace wavesmith::runtime {

CompilerPool::CompilerPool(CompilerPoolOptions options) : options_(std::move(options)), owner_(getpid()) {
  if (options_.workers == 0) options_.workers = std::max(1U, std::thread::hardware_concurrency());
}

CompilerPool::~CompilerPool() = default;

Expected<CompileResult> CompilerPool::compile(const CompileRequest& request) {
  if (auto target = check_request(request); !target) return std::unexpected(std::move(target).error());

  auto worker = acquire();
  if (!worker) return std::unexpected(std::move(worker).error());
  const std::string frame = protocol::encode(request);
  auto answer = (*worker)->exchange(frame, options_.time_limit);
  if (!answer && (*worker)->died_after_service()) {
    worker = start_worker();  // in the place of the old one
    if (!worker) {
      forget_one();
      return std::unexpected(std::move(worker).error());
    }
    answer = (*worker)->exchange(frame, options_.time_limit);
  }
  if (!answer) {
    worker->reset();
    forget_one();
    return std::unexpected(std::move(answer).error());
  }
  release(std::move(*worker));

  if (answer->kind == protocol::FrameKind::result) {
    if (auto result = protocol::decode_result(answer->payload)) {
      result->log += answer->standard_error;
      return std::move(*result);
    }
  }
  if (answer->kind == protocol::FrameKind::error) {
    if (auto error = protocol::decode_error(answer->payload)) {
      error->log += answer->standard_error;
      return std::unexpected(std::move(*error));
    }
  }
  return fail(ErrorKind::compiler_failed, "the compiler worker's answer cannot be read",
              answer->standard_error);
}

Expected<std::string> CompilerPool::identity(Backend backend) {
  if (backend == Backend::comgr) {
    return std::unexpected(
        Error::refused({{"compiler", "comgr", "llvm or auto; this build has no comgr backend"}}));
  }
  auto worker = acquire();
  if (!worker) return std::unexpected(std::move(worker).error());
  std::string identity = (*worker)->hello().llvm;
  release(std::move(*worker));
  return identity;
}

std::vector<pid_t> CompilerPool::idle_workers() const {
  const std::lock_guard lock(mutex_);
  std::vector<pid_t> ids;
  for (const Worker& worker : idle_) ids.push_back(worker->process_id());
  return ids;
}

/// An idle worker, or a new one if there may be one more, or whichever comes back first.
Expected<CompilerPool::Worker> CompilerPool::acquire() {
  std::unique_lock lock(mutex_);
  if (owner_ !=
      getpid()) {  // a fork: the workers are the parent's, and so are those that its threads keep busy
    idle_.clear();
    workers_ = 0;
    owner_ = getpid();
  }
  while (true) {
    if (!idle_.empty()) {
      Worker worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
    if (workers_ < options_.workers) {
      ++workers_;
      lock.unlock();
      auto worker = start_worker();
      if (!worker) forget_one();
      return worker;
    }
    changed_.wait(lock);
  }
}

Expected<CompilerPool::Worker> CompilerPool::start_worker() {
  std::string path = options_.worker_path;
  if (path.empty()) {
    auto found = find_compiler_worker();
    if (!found) return std::unexpected(std::move(found).error());
    path = std::move(*found);
  }
  return WorkerProcess::start(path, options_.memory_limit_bytes);
}

void CompilerPool::release(Worker worker) {
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }
  changed_.notify_one();
}

void CompilerPool::forget_one() {
  {
    const std::lock_guard lock(mutex_);
    --workers_;
  }
  changed_.notify_one();
}

}  // namespace wavesmith::runtime
