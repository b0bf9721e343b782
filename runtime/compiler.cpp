// CompilerPool: which worker serves a request. What happens between host and worker is in worker_process.h.
#include "runtime/compiler.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include <unistd.h>

#include "runtime/compiler_protocol.h"
#include "runtime/worker_path.h"
#include "runtime/worker_process.h"

namespace wavesmith::runtime {

namespace {

std::unexpected<Error> unreadable(const WorkerAnswer& answer) {
  return fail(ErrorKind::compiler_failed, "the compiler worker's answer cannot be read",
              answer.standard_error);
}

}  // namespace

CompilerPool::CompilerPool(CompilerPoolOptions options) : options_(std::move(options)), owner_(getpid()) {
  if (options_.workers == 0) options_.workers = std::max(1U, std::thread::hardware_concurrency());
  // The worker runs in another folder.
  std::string& comgr = options_.comgr_library;
  if (comgr.contains('/')) comgr = std::filesystem::absolute(comgr).string();
}

CompilerPool::~CompilerPool() = default;

Expected<WorkerAnswer> CompilerPool::ask(const std::string& frame) {
  auto worker = acquire();
  if (!worker) return std::unexpected(std::move(worker).error());
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
  if (answer->kind != protocol::FrameKind::error) return answer;
  auto error = protocol::decode_error(answer->payload);
  if (!error) return unreadable(*answer);
  error->log += answer->standard_error;
  return std::unexpected(std::move(*error));
}

Expected<CompileResult> CompilerPool::compile(const CompileRequest& request) {
  if (auto target = check_request(request); !target) return std::unexpected(std::move(target).error());
  auto answer = ask(protocol::encode(request));
  if (!answer) return std::unexpected(std::move(answer).error());
  std::optional<CompileResult> result;
  if (answer->kind == protocol::FrameKind::result) result = protocol::decode_result(answer->payload);
  if (!result) return unreadable(*answer);
  result->log += answer->standard_error;
  return std::move(*result);
}

Expected<CompilerInfo> CompilerPool::describe(Backend backend) {
  if (backend != Backend::comgr) {
    auto worker = acquire();
    if (!worker) return std::unexpected(std::move(worker).error());
    CompilerInfo info = (*worker)->hello().llvm;
    release(std::move(*worker));
    return info;
  }
  {
    const std::lock_guard lock(mutex_);
    if (comgr_) return *comgr_;
  }
  auto answer = ask(protocol::encode(protocol::Query{.backend = backend}));
  if (!answer) return std::unexpected(std::move(answer).error());
  std::optional<CompilerInfo> info;
  if (answer->kind == protocol::FrameKind::info) info = protocol::decode_info(answer->payload);
  if (!info) return unreadable(*answer);
  const std::lock_guard lock(mutex_);
  comgr_ = *info;
  return std::move(*info);
}

Expected<std::string> CompilerPool::identity(Backend backend) {
  auto info = describe(backend);
  if (!info) return std::unexpected(std::move(info).error());
  return std::move(info->identity);
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
  return WorkerProcess::start(path, options_.memory_limit_bytes, options_.comgr_library);
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
