// Processes through posix_spawn and pipes.
#include "support.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <sys/wait.h>

namespace wavesmith::test {
namespace {

namespace fs = std::filesystem;

struct Pipe {
  int read_end, write_end;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
};

// Feeds and drains the three pipes together, so that no side waits for another.
void converse(int input, std::string_view bytes, int out, int err, Outcome& outcome) {
  std::array<pollfd, 3> ends{{{input, POLLOUT, 0}, {out, POLLIN, 0}, {err, POLLIN, 0}}};
  const auto close = [&](pollfd& end) {
    ::close(end.fd);
    end.fd = -1;
  };
  if (bytes.empty()) close(ends[0]);
  while (ends[0].fd >= 0 || ends[1].fd >= 0 || ends[2].fd >= 0) {
    ::poll(ends.data(), ends.size(), -1);
    if (ends[0].fd >= 0 && ends[0].revents != 0) {
      const ssize_t written = ::write(ends[0].fd, bytes.data(), bytes.size());
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
      if (written < 0 || bytes.empty()) close(ends[0]);
    }
    for (std::size_t i = 1; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      std::array<char, 65536> block;
      const ssize_t got = ::read(ends[i].fd, block.data(), block.size());
      if (got > 0)
        (i == 1 ? outcome.out : outcome.err).append(block.data(), static_cast<std::size_t>(got));
      else
        close(ends[i]);
    }
  }
}

}  // namespace

Outcome run(const std::vector<std::string>& words, const fs::path& folder, std::string_view input) {
  std::signal(SIGPIPE, SIG_IGN);  // of a program that does not read its input
  Pipe in, out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  // Programs get the usual SIGPIPE, whatever this process does.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  for (const int end : {in.read_end, out.write_end, err.write_end}) ::close(end);
  if (error != 0) {
    for (const int end : {in.write_end, out.read_end, err.read_end}) ::close(end);
    throw std::runtime_error("cannot start " + words[0]);
  }
  Outcome outcome{};
  converse(in.write_end, input, out.read_end, err.read_end, outcome);
  int status = 0;
  ::waitpid(child, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

Outcome cli(std::vector<std::string> words, const fs::path& folder, std::string_view input) {
  words.insert(words.begin(), WAVESMITH_PROGRAM);
  return run(words, folder, input);
}

Outcome shell(const std::string& line, const fs::path& folder) {
  const std::string set_up =
      "set -o pipefail; PATH=\"" + fs::path(WAVESMITH_PROGRAM).parent_path().string() + ":$PATH\"\n";
  return run({"bash", "-c", set_up + line}, folder);
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "wavesmith_test_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

nlohmann::json document(const std::string& text) {
  INFO(text);
  REQUIRE(text.ends_with("}\n"));
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  REQUIRE(json.is_object());
  return json;
}

std::vector<std::string> operator+(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> kernel_words(int head_size) {
  return {"attention-dense",
          "--head-size",
          std::to_string(head_size),
          "--num-query-heads",
          "32",
          "--num-kv-heads",
          "8"};
}

}  // namespace wavesmith::test
