// Starting, asking and ending a worker program. The worker gets exactly five descriptors: /dev/null as
// standard input, one pipe as standard output and error, and the connection; everything else of the host is
// closed in it.
#include "runtime/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>

#include <sys/socket.h>
#include <sys/wait.h>
extern "C" {
#include <sys/pidfd.h>  // glibc 2.36 forgot the linkage specification
}

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runtime/worker_exchange.h"

extern char** environ;

namespace wavesmith::runtime {
namespace {

using std::chrono::milliseconds;

/// Loading LLVM takes 0.05 s; a machine that needs longer than this is in trouble.
constexpr milliseconds kStartLimit{60'000};

std::string reason(int error) {
  return std::strerror(error);
}

/// Moves a descriptor above those that the worker's are set up at, in case the host runs with 0 to 3 closed.
FileDescriptor away_from_worker_descriptors(FileDescriptor descriptor) {
  if (!descriptor || descriptor.get() > protocol::kWorkerDescriptor) return descriptor;
  return FileDescriptor(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, protocol::kWorkerDescriptor + 1));
}

bool make_non_blocking(const FileDescriptor& descriptor) {
  const int flags = fcntl(descriptor.get(), F_GETFL);
  return flags >= 0 && fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK) == 0;
}

struct Ends {
  FileDescriptor host;
  FileDescriptor worker;
};

/// A socket pair or a pipe, close-on-exec so that programs the host starts meanwhile do not inherit it.
std::optional<Ends> make_ends(bool socket) {
  std::array<int, 2> pair{};
  const int made = socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data())
                          : pipe2(pair.data(), O_CLOEXEC);
  if (made != 0) return std::nullopt;
  Ends ends{.host = FileDescriptor(pair[0]), .worker = FileDescriptor(pair[1])};
  ends.host = away_from_worker_descriptors(std::move(ends.host));
  ends.worker = away_from_worker_descriptors(std::move(ends.worker));
  if (!ends.host || !ends.worker || !make_non_blocking(ends.host)) return std::nullopt;
  return ends;
}

/// What posix_spawn does in the child: descriptors, and signals as a program expects them whatever the host
/// does.
class SpawnPlan {
 public:
  SpawnPlan(int connection, int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, output, 2);
    posix_spawn_file_actions_adddup2(&actions_, connection, protocol::kWorkerDescriptor);
    posix_spawn_file_actions_addclosefrom_np(&actions_, protocol::kWorkerDescriptor + 1);

    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    // A process group of its own: an interrupt from the terminal is the host's to handle.
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  /// 0 or an error number.
  int spawn(const std::string& path, std::string memory_limit, std::string comgr, pid_t& process) const {
    std::string program = path;
    std::array<char*, 4> arguments = {program.data(), memory_limit.data(), comgr.data(), nullptr};
    return posix_spawn(&process, path.c_str(), &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// "was killed by signal 6 (Aborted)", "exited with status 1".
std::string describe(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return fmt::format("exited with status {}", info.si_status);
  return fmt::format("was killed by signal {} ({})", info.si_status, strsignal(info.si_status));
}

/// LLVM's own summary of a fatal error, which is one line among many.
std::string_view headline(std::string_view standard_error) {
  const std::size_t start = standard_error.find("LLVM ERROR:");
  if (start == std::string_view::npos) return {};
  return standard_error.substr(start, standard_error.find('\n', start) - start);
}

bool says_out_of_memory(std::string_view standard_error) {
  return standard_error.find("out of memory") != std::string_view::npos ||
         standard_error.find("bad_alloc") != std::string_view::npos;
}

}  // namespace

Expected<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::string& path,
                                                              std::uint64_t memory_limit_bytes,
                                                              const std::string& comgr) {
  const auto environment = [&](std::string_view what) {
    return fail(ErrorKind::environment, fmt::format("cannot start the compiler worker {}: {}", path, what));
  };
  std::optional<Ends> connection = make_ends(true);
  std::optional<Ends> output = make_ends(false);
  if (!connection || !output) return environment(reason(errno));

  std::unique_ptr<WorkerProcess> worker(new WorkerProcess);
  const SpawnPlan plan(connection->worker.get(), output->worker.get());
  pid_t process = -1;
  const int error = plan.spawn(path, fmt::format("--memory-limit={}", memory_limit_bytes),
                               fmt::format("--comgr={}", comgr), process);
  if (error != 0) return environment(reason(error));
  worker->owner_ = getpid();
  worker->process_ = process;
  worker->process_descriptor_ = FileDescriptor(pidfd_open(process, 0));
  worker->connection_ = std::move(connection->host);
  worker->standard_error_ = std::move(output->host);
  worker->memory_limit_bytes_ = memory_limit_bytes;
  connection.reset();  // the worker's ends: their closing in the worker must be seen here
  output.reset();

  auto answer = worker->exchange({}, kStartLimit);
  if (!answer) {
    Error failure = std::move(answer).error();
    failure.kind = ErrorKind::environment;
    failure.message = fmt::format("cannot start the compiler worker {}: {}", path, failure.message);
    return std::unexpected(std::move(failure));
  }
  auto hello =
      answer->kind == protocol::FrameKind::hello ? protocol::decode_hello(answer->payload) : std::nullopt;
  if (!hello) return environment("it does not speak this build's protocol");
  worker->hello_ = std::move(*hello);
  return worker;
}

WorkerProcess::~WorkerProcess() {
  if (process_ >= 0 && owner_ == getpid()) end_and_collect();
}

Expected<WorkerAnswer> WorkerProcess::exchange(std::string_view frame, milliseconds time_limit) {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  if (time_limit.count() > 0) deadline = std::chrono::steady_clock::now() + time_limit;
  Exchange done = exchange_frames(connection_.get(), standard_error_.get(), frame, deadline);
  switch (done.end) {
    case ExchangeEnd::answered:
      if (done.kind != protocol::FrameKind::hello) ++answers_;
      return WorkerAnswer{.kind = done.kind,
                          .payload = std::move(done.payload),
                          .standard_error = std::move(done.standard_error)};
    case ExchangeEnd::out_of_time:
      return failed(fmt::format("did not finish within {} ms and was ended", time_limit.count()),
                    std::move(done.standard_error));
    case ExchangeEnd::garbage:
      return failed("sent something that is not this build's protocol", std::move(done.standard_error));
    case ExchangeEnd::closed:
      break;
  }
  died_ = true;
  return failed({}, std::move(done.standard_error));
}

/// Ends the worker and makes the Error. An empty `what`: it died by itself, and how it did is the message.
std::unexpected<Error> WorkerProcess::failed(std::string_view what, std::string standard_error) {
  const std::string end = end_and_collect();
  drain(standard_error_.get(), standard_error);
  connection_.close();
  standard_error_.close();
  std::string message = fmt::format("the compiler worker {}", what.empty() ? std::string_view(end) : what);
  if (const std::string_view line = headline(standard_error); !line.empty())
    message += fmt::format(": {}", line);
  if (memory_limit_bytes_ != 0 && says_out_of_memory(standard_error)) {
    message += fmt::format("; its memory is limited to {} MiB", memory_limit_bytes_ >> 20);
  }
  return fail(ErrorKind::compiler_failed, std::move(message), std::move(standard_error));
}

/// Kills the worker, waits for its end and says how it ended. A worker whose connection closed is dying
/// already, and the kill would hide why; it gets a moment to do so.
std::string WorkerProcess::end_and_collect() {
  const idtype_t by = process_descriptor_ ? static_cast<idtype_t>(P_PIDFD) : P_PID;
  const auto id = static_cast<id_t>(process_descriptor_ ? process_descriptor_.get() : process_);
  const auto collect = [&](siginfo_t& info, int options) {
    info = {};
    int result = 0;
    do result = waitid(by, id, &info, WEXITED | options);
    while (result != 0 && errno == EINTR);
    return result;
  };
  siginfo_t info;
  pollfd end{.fd = process_descriptor_.get(), .events = POLLIN, .revents = 0};
  pollfd hangup{.fd = connection_.get(), .events = POLLRDHUP, .revents = 0};
  constexpr int kDyingMilliseconds = 2000;
  if (process_descriptor_ && poll(&hangup, 1, 0) > 0) poll(&end, 1, kDyingMilliseconds);
  if (collect(info, WNOHANG) == 0 && info.si_pid == 0) {
    if (process_descriptor_) pidfd_send_signal(process_descriptor_.get(), SIGKILL, nullptr, 0);
    if (!process_descriptor_) kill(process_, SIGKILL);
    if (collect(info, 0) != 0) info = {};
  }
  process_ = -1;
  process_descriptor_.close();
  // A host that ignores SIGCHLD or collects all children leaves nothing to say.
  return info.si_pid == 0 ? "ended" : describe(info);
}

}  // namespace wavesmith::runtime
