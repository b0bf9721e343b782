// Several processes on one folder: each kernel is compiled once among them, a process that is killed at any
// point leaves nothing that is wrong or that anybody waits for.
#include <chrono>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include <spawn.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <sys/wait.h>

#include "runtime/jit/cache_maintenance.h"
#include "runtime/jit/disk_cache.h"
#include "tests/runtime/jit/stand_in.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using namespace std::chrono_literals;

namespace {

struct Work {
  std::string folder, log;
  int first, count, seed, microseconds;
};

pid_t start(const Work& work) {
  std::vector<std::string> words{WAVESMITH_CACHE_PROCESS, work.folder, work.log};
  for (const int value : {work.first, work.count, work.seed, work.microseconds})
    words.push_back(std::to_string(value));
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = -1;
  REQUIRE(posix_spawn(&child, pointers[0], nullptr, nullptr, pointers.data(), environ) == 0);
  return child;
}

/// The exit status; -1 for a process that was killed.
int finish(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// How often each text was compiled.
std::map<std::string, int> compiles(const std::string& log) {
  std::map<std::string, int> counts;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) ++counts[line];
  return counts;
}

}  // namespace

TEST_CASE("processes: eight on one empty folder compile each kernel once, and nothing is damaged") {
  constexpr int kKernels = 40;
  const test::TemporaryFolder folder;
  const Work work{folder.file("cache"), folder.file("log"), 0, kKernels, 0, 2000};
  std::vector<pid_t> children;
  for (int seed = 0; seed < 8; ++seed) {
    Work own = work;
    own.seed = seed;
    children.push_back(start(own));
  }
  for (const pid_t child : children) CHECK(finish(child) == 0);
  const auto counts = compiles(work.log);
  CHECK(counts.size() == kKernels);
  for (const auto& [text, count] : counts) {
    CAPTURE(text);
    CHECK(count == 1);
  }
  const auto check = check_cache(work.folder, false);
  REQUIRE(check);
  CHECK(check->problems.empty());
  CHECK(check->records == 2 * kKernels);
  // Neither locks nor temporary files are left.
  CHECK(prune_cache(work.folder, {})->abandoned == 0);
}

TEST_CASE("processes: killed at 200 random points they leave no damage, and no lock that anybody waits for") {
  const test::FastFolder folder;
  Work work{folder.file("cache"), folder.file("log"), 0, 8, 1, 200};
  const auto started = std::chrono::steady_clock::now();
  REQUIRE(finish(start(work)) == 0);
  // Follows how fast the machine is at the moment, so that most are killed, at any point of their work.
  double whole =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - started).count();
  std::mt19937 random(3);
  int killed = 0, runs = 0;
  for (; killed < 200 && runs < 2000; ++runs) {
    work.first = 6 * runs;  // two known kernels, six new ones
    work.seed = runs;
    const pid_t child = start(work);
    std::this_thread::sleep_for(
        std::chrono::duration<double, std::micro>(whole * std::uniform_real_distribution<>()(random)));
    kill(child, SIGKILL);
    const int status = finish(child);
    CHECK(status <= 0);
    killed += status == -1 ? 1 : 0;
    whole *= status == -1 ? 1.03 : 0.9;
  }
  CHECK(killed == 200);
  const auto check = check_cache(work.folder, false);
  REQUIRE(check);
  for (const auto& problem : check->problems) FAIL_CHECK(problem.path << ": " << problem.what);
  CHECK(check->records > 100);
  // Every request is served, by several at a time, whatever locks and files were left.
  work.first = 0;
  work.count = 6 * runs + 2;
  work.microseconds = 0;
  const pid_t one = start(work), other = start(work);
  CHECK(finish(one) == 0);
  CHECK(finish(other) == 0);
  CHECK(check_cache(work.folder, false)->problems.empty());
  static_cast<void>(prune_cache(work.folder, {}));
  CHECK(prune_cache(work.folder, {})->abandoned == 0);
}

TEST_CASE("processes: a lock that is never released costs patience, not the request") {
  const test::TemporaryFolder folder;
  test::StandInStore served(folder.file("cache"), {.lock_patience = 20ms});
  const auto kernel = served.store.get(test::recipe_of(1));
  REQUIRE(kernel);
  REQUIRE(clear_cache(folder.file("cache")));
  const FileLock held(lock_folder(folder.file("cache")) + "/" + (*kernel)->code_object_id, 0ms);
  REQUIRE(held.state() == FileLock::State::held);
  test::StandInStore waiting(folder.file("cache"), {.lock_patience = 20ms});
  CHECK(waiting.serves(1));
  CHECK(waiting.compiler.total() == 1);
}

TEST_CASE("processes: a lock excludes, and goes with the process that held it") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("locks/one");
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const FileLock lock(path, 0ms);
    const char word = lock.state() == FileLock::State::held ? 'y' : 'n';
    if (write(ready[1], &word, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char word = 0;
  REQUIRE(read(ready[0], &word, 1) == 1);
  CHECK(word == 'y');
  CHECK(FileLock(path, 5ms).state() == FileLock::State::busy);
  kill(holder, SIGKILL);
  CHECK(finish(holder) == -1);
  CHECK(FileLock(path, 0ms).state() == FileLock::State::held);
  CHECK_FALSE(std::filesystem::exists(path));
  close(ready[0]);
  close(ready[1]);
}
