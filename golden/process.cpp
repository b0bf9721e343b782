// Programs through posix_spawn, each in a process group of its own, so that an interrupt reaches all that it
// started (ninja's compilers) and none outlives it.
#include "golden/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/wait.h>

#include "golden/interrupts.h"

namespace wavesmith::golden {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds grace{5};  // between the request to end and the kill

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  int read_end = -1, write_end = -1;
};

std::vector<std::string> environment_of(const Process& process) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text(*line);
    const std::string_view name = text.substr(0, text.find('='));
    if (!process.environment.contains(std::string(name)) &&
        std::ranges::find(process.without, name) == process.without.end())
      lines.emplace_back(text);
  }
  for (const auto& [name, value] : process.environment) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The child, or an errno.
std::expected<pid_t, int> spawn(const Process& process, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  if (!process.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, process.folder.c_str());
  // Programs get the usual signals, whatever this process does with them.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t set;
  sigemptyset(&set);
  posix_spawnattr_setsigmask(&attributes, &set);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  posix_spawnattr_setsigdefault(&attributes, &set);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> words = process.words, lines = environment_of(process);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words[0].c_str(), &actions, &attributes, pointers(words).data(),
                                   pointers(lines).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return std::unexpected(error);
  return child;
}

// Reads what is there; closes the end at its end.
void drain(pollfd& end, std::string& into, const std::function<void(std::string_view)>& on_output) {
  if (end.fd < 0 || end.revents == 0) return;
  std::array<char, std::size_t{1} << 16> block;
  const ssize_t got = ::read(end.fd, block.data(), block.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    end.fd = -1;  // poll() passes it over
    return;
  }
  const std::string_view fresh(block.data(), static_cast<std::size_t>(got));
  into += fresh;
  if (on_output) on_output(fresh);
}

}  // namespace

Expected<Finished> run_process(const Process& process) {
  Pipe out, err;
  const auto failed = [&](int error) {
    return fail(ErrorKind::environment, fmt::format("{} cannot be started: {}", process.words[0],
                                                    std::generic_category().message(error)));
  };
  if (out.write_end < 0 || err.write_end < 0) return failed(errno);
  const std::expected<pid_t, int> child = spawn(process, out, err);
  if (!child) return failed(child.error());
  Pipe::close_end(out.write_end);
  Pipe::close_end(err.write_end);

  Finished finished;
  std::array<pollfd, 2> ends{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
  bool told = false;
  Clock::time_point kill_at;
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    constexpr int milliseconds = 100;  // a signal just before poll() is seen this much later
    const int ready = ::poll(ends.data(), ends.size(), milliseconds);
    if (ready > 0) {
      drain(ends[0], finished.out, process.on_output);
      drain(ends[1], finished.err, {});
    }
    if (process.to_the_end || !Interrupts::came()) continue;
    if (!told) {
      told = true;
      kill_at = Clock::now() + grace;
      ::kill(-*child, SIGTERM);
    } else if (Clock::now() >= kill_at) {
      ::kill(-*child, SIGKILL);
    }
  }
  int status = 0;
  while (::waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  if (told) return fail(ErrorKind::environment, fmt::format("{} was interrupted", process.words[0]));
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

}  // namespace wavesmith::golden
