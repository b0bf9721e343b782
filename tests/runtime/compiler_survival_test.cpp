// The host survives whatever happens in a worker: aborts, crashes, hangs, memory blow-ups, kills. And it is
// left as it was: descriptors, signals, children. These tests look at this process and at /proc.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sys/wait.h>

#include "runtime/compiler.h"
#include "runtime/file_descriptor.h"
#include "runtime/worker_path.h"
#include "runtime/worker_process.h"
#include "tests/runtime/compiler_support.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

/// An instruction that gfx950 has and gfx942 has not: instruction selection ends the process.
constexpr std::string_view kPermlaneKernel = R"(
declare { i32, i32 } @llvm.amdgcn.permlane32.swap(i32, i32, i1 immarg, i1 immarg)
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %x) {
  %pair = call { i32, i32 } @llvm.amdgcn.permlane32.swap(i32 %x, i32 %x, i1 false, i1 false)
  %v = extractvalue { i32, i32 } %pair, 0
  store i32 %v, ptr addrspace(1) %p
  ret void
})";

std::set<int> open_descriptors(const std::string& process) {
  // The iteration itself holds one descriptor open; it is sorted out below.
  std::set<int> descriptors;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + process + "/fd")) {
    descriptors.insert(std::stoi(entry.path().filename()));
  }
  if (process == "self") {
    std::erase_if(descriptors, [](int descriptor) { return fcntl(descriptor, F_GETFD) < 0; });
  }
  return descriptors;
}

/// 'R', 'S', 'Z', …; ' ' when there is no such process.
char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t after_name = text.rfind(") ");
  return after_name == std::string::npos ? ' ' : text[after_name + 2];
}

bool ends_soon(pid_t process) {
  for (int round = 0; round < 1000; ++round) {
    if (const char state = state_of(process); state == ' ' || state == 'Z') return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

CompileRequest good_request() {
  return test::request_for(test::looping_kernel(), "gfx950");
}

const std::vector<std::byte>& good_bytes() {
  static const std::vector<std::byte> bytes = [] {
    CompilerPool pool(test::one_worker());
    return pool.compile(good_request()).value().hsaco;
  }();
  return bytes;
}

void check_serves(CompilerPool& pool) {
  const auto result = pool.compile(good_request());
  if (!result) FAIL(result.error().message + "\n" + result.error().log);
  CHECK(result->hsaco == good_bytes());
}

Error failure_of(CompilerPool& pool, const CompileRequest& request) {
  auto result = pool.compile(request);
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::compiler_failed);
  return std::move(result).error();
}

}  // namespace

TEST_CASE("an abort in instruction selection is an error with its log, and the next request is served") {
  CompilerPool pool(test::one_worker());
  check_serves(pool);
  for (int round = 0; round < 3; ++round) {
    const Error error = failure_of(pool, test::request_for(kPermlaneKernel, "gfx942"));
    CHECK_THAT(error.message, ContainsSubstring("signal 6") && ContainsSubstring("Cannot select"));
    CHECK_THAT(error.log, ContainsSubstring("LLVM ERROR: Cannot select") &&
                              ContainsSubstring("llvm.amdgcn.permlane32.swap"));
    check_serves(pool);
  }
  CHECK(pool.compile(test::request_for(kPermlaneKernel, "gfx950")));
}

TEST_CASE("a crash is an error, and the next request is served") {
  // Nested deeper than the parser's stack.
  std::string nested = "@g = addrspace(1) global i8 0\n@h = addrspace(1) global ptr addrspace(1) ";
  constexpr int kDepth = 300'000;
  for (int level = 0; level < kDepth; ++level) nested += "getelementptr (i8, ptr addrspace(1) ";
  nested += "@g";
  for (int level = 0; level < kDepth; ++level) nested += ", i64 1)";
  CompilerPool pool(test::one_worker());
  const Error error = failure_of(pool, test::request_for(nested, "gfx950"));
  CHECK_THAT(error.message, ContainsSubstring("signal 11") || ContainsSubstring("exited with status"));
  check_serves(pool);
}

TEST_CASE("a worker that does not answer in time is ended, and the next request is served") {
  CompilerPoolOptions options = test::one_worker();
  options.time_limit = 3s;
  CompilerPool pool(options);
  check_serves(pool);
  const pid_t worker = pool.idle_workers().at(0);
  REQUIRE(kill(worker, SIGSTOP) == 0);  // hangs from now on
  const Error error = failure_of(pool, good_request());
  CHECK_THAT(error.message, ContainsSubstring("did not finish within 3000 ms"));
  CHECK(state_of(worker) == ' ');
  check_serves(pool);
}

TEST_CASE("a compile that takes too long is ended in the middle") {
  CompilerPoolOptions options = test::one_worker();
  options.time_limit = 500ms;
  CompilerPool pool(options);
  CHECK_THAT(failure_of(pool, test::request_for(test::slow_kernel(), "gfx950")).message,
             ContainsSubstring("did not finish within 500 ms"));
  CHECK(pool.idle_workers().empty());
}

TEST_CASE("a worker that prints more than a pipe holds does not block, and its words are in the log") {
  // One line of standard error for each feature that does not exist.
  std::string features;
  for (int index = 0; index < 3000; ++index) features += ",+no-such-feature-" + std::to_string(index);
  const std::string ir =
      "define amdgpu_kernel void @k() \"target-features\"=\"" + features.substr(1) + "\" { ret void }\n";
  CompilerPool pool(test::one_worker());
  const auto result = pool.compile(test::request_for(ir, "gfx950"));
  REQUIRE(result);
  CHECK_THAT(result->log,
             ContainsSubstring("no-such-feature-0'") && ContainsSubstring("no-such-feature-2999'"));
  check_serves(pool);
}

TEST_CASE("a compile that needs too much memory is an error that says so, and the next request is served") {
#ifdef WAVESMITH_SANITIZED
  SKIP("a sanitizer's shadow memory exceeds any limit");
#else
  // 600 MB of initialized data in the object.
  const std::string big =
      "@big = addrspace(1) global { i8, [600000000 x i8] } { i8 1, [600000000 x i8] zeroinitializer }\n";
  CompilerPoolOptions options = test::one_worker();
  options.memory_limit_bytes = std::uint64_t{256} << 20;
  CompilerPool pool(options);
  const Error error = failure_of(pool, test::request_for(big, "gfx950"));
  CHECK_THAT(error.message, ContainsSubstring("limited to 256 MiB"));
  check_serves(pool);
#endif
}

TEST_CASE("a worker killed between requests is replaced") {
  CompilerPool pool(test::one_worker());
  check_serves(pool);
  const pid_t worker = pool.idle_workers().at(0);
  REQUIRE(kill(worker, SIGKILL) == 0);
  check_serves(pool);  // at whatever point of its end the worker is now
  CHECK(pool.idle_workers().at(0) != worker);
}

TEST_CASE("writing to a dead worker does not raise SIGPIPE") {
  const auto path = find_compiler_worker();
  REQUIRE(path);
  auto worker = WorkerProcess::start(*path, 0, "");
  REQUIRE(worker);
  kill((*worker)->process_id(), SIGKILL);
  REQUIRE(ends_soon((*worker)->process_id()));
  const auto answer = (*worker)->exchange(protocol::encode(good_request()), 10s);
  REQUIRE_FALSE(answer);
  CHECK_THAT(answer.error().message, ContainsSubstring("signal 9"));
}

TEST_CASE("many threads share few workers and each gets its own answer") {
  CompilerPoolOptions options;
  options.workers = 2;
  CompilerPool pool(options);
  const auto bytes_for = [&](const char* target) {
    return pool.compile(test::request_for(test::looping_kernel(), target));
  };
  const std::vector<const char*> targets = {"gfx950", "gfx942", "gfx1100", "gfx1201"};
  std::vector<std::vector<std::byte>> expected;
  for (const char* target : targets) expected.push_back(bytes_for(target).value().hsaco);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < targets.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t round = 0; round < 20; ++round) {
        const std::size_t which = (thread + round) % targets.size();
        const auto result = bytes_for(targets[which]);
        right += result && result->hsaco == expected[which] ? 1 : 0;
        // Now and then a worker dies under the others' feet.
        if (round % 7 == thread) right -= pool.compile(test::request_for(kPermlaneKernel, "gfx942")) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 80);
  CHECK(pool.idle_workers().size() <= 2);
}

TEST_CASE("cold and warm workers and repeated requests give the same bytes") {
  CompilerPool warm(test::one_worker());
  for (int round = 0; round < 10; ++round) {
    check_serves(warm);
    // Something else in between must leave no trace.
    CHECK(warm.compile(test::request_for(test::two_kernels(5), round % 2 == 0 ? "gfx1201" : "gfx942")));
  }
  for (int round = 0; round < 3; ++round) {
    CompilerPool cold(test::one_worker());
    check_serves(cold);
  }
}

TEST_CASE("a worker inherits nothing of the host but its own four descriptors") {
  const FileDescriptor inheritable(open("/dev/null", O_RDONLY));  // without close-on-exec, on purpose
  const FileDescriptor high(fcntl(inheritable.get(), F_DUPFD, 700));
  CompilerPool pool(test::one_worker());
  check_serves(pool);
  CHECK(open_descriptors(std::to_string(pool.idle_workers().at(0))) == std::set{0, 1, 2, 3});
}

TEST_CASE("no descriptor and no child process is left behind") {
  good_bytes();
  const std::set<int> before = open_descriptors("self");
  {
    CompilerPool pool(test::one_worker());
    check_serves(pool);
    const std::set<int> with_worker = open_descriptors("self");
    for (int round = 0; round < 3; ++round) {
      failure_of(pool, test::request_for(kPermlaneKernel, "gfx942"));
      check_serves(pool);
    }
    CHECK(open_descriptors("self").size() == with_worker.size());
  }
  CHECK(open_descriptors("self") == before);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("the host's signal handlers and mask stay as they are, whatever they are") {
  struct sigaction before_pipe{}, before_child{}, after{};
  sigaction(SIGPIPE, nullptr, &before_pipe);
  sigaction(SIGCHLD, nullptr, &before_child);
  sigset_t mask_before, mask_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  CompilerPool pool(test::one_worker());
  check_serves(pool);
  sigaction(SIGPIPE, nullptr, &after);
  CHECK(after.sa_handler == before_pipe.sa_handler);
  sigaction(SIGCHLD, nullptr, &after);
  CHECK(after.sa_handler == before_child.sa_handler);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  for (int signal = 1; signal < 32; ++signal)
    CHECK(sigismember(&mask_before, signal) == sigismember(&mask_after, signal));

  // A host that lets the system collect children gets errors and results all the same.
  signal(SIGCHLD, SIG_IGN);
  failure_of(pool, test::request_for(kPermlaneKernel, "gfx942"));
  check_serves(pool);
  sigaction(SIGCHLD, &before_child, nullptr);
}

TEST_CASE("a host without standard input can compile") {
  const FileDescriptor saved(fcntl(0, F_DUPFD_CLOEXEC, 100));
  close(0);
  {
    CompilerPool pool(test::one_worker());
    check_serves(pool);
    CHECK(open_descriptors(std::to_string(pool.idle_workers().at(0))) == std::set{0, 1, 2, 3});
  }
  dup2(saved.get(), 0);
}

TEST_CASE("after a fork parent and child both compile") {
  CompilerPool pool(test::one_worker());
  check_serves(pool);
  const pid_t worker = pool.idle_workers().at(0);
  const pid_t child = fork();
  if (child == 0) {
    const auto result = pool.compile(good_request());
    const bool own_worker = pool.idle_workers().size() == 1 && pool.idle_workers()[0] != worker;
    _exit(result && result->hsaco == good_bytes() && own_worker ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  check_serves(pool);
  CHECK(pool.idle_workers() == std::vector{worker});
}

TEST_CASE("workers end with their pool and with a host that dies") {
  pid_t worker = 0;
  {
    CompilerPool pool(test::one_worker());
    check_serves(pool);
    worker = pool.idle_workers().at(0);
  }
  CHECK(state_of(worker) == ' ');

  // Two hosts that die without a word: one with an idle worker, one in the middle of a compile that takes a
  // minute.
  for (const bool busy : {false, true}) {
    int report[2];
    REQUIRE(pipe(report) == 0);
    const pid_t host = fork();
    if (host == 0) {
      const auto started = WorkerProcess::start(find_compiler_worker().value(), 0, "");
      worker = started.value()->process_id();
      if (busy) {
        std::thread([&] {
          const std::string frame = protocol::encode(test::request_for(test::slow_kernel(), "gfx950"));
          static_cast<void>(started.value()->exchange(frame, 0ms));
        }).detach();
        std::this_thread::sleep_for(1s);  // the worker has the request by now and is far from done
      }
      _exit(write(report[1], &worker, sizeof worker) == sizeof worker ? 0 : 1);  // no destructor runs
    }
    const bool reported = read(report[0], &worker, sizeof worker) == sizeof worker;
    close(report[0]);
    close(report[1]);
    waitpid(host, nullptr, 0);
    REQUIRE(reported);
    CHECK(ends_soon(worker));
  }
}

TEST_CASE("a worker that cannot be started is an error of the environment that names it") {
  const auto error_with = [](const std::string& path) {
    CompilerPoolOptions options = test::one_worker();
    options.worker_path = path;
    CompilerPool pool(options);
    for (int round = 0; round < 2; ++round) {  // the pool has room for a second attempt
      auto result = pool.compile(good_request());
      REQUIRE_FALSE(result);
      CHECK(result.error().kind == ErrorKind::environment);
      CHECK_THAT(result.error().message, ContainsSubstring(path));
    }
  };
  error_with("/no/such/worker");
  error_with("/dev/null");
  error_with("/bin/true");  // starts, but is no worker
}

TEST_CASE("the worker is found beside the library in built and installed trees") {
  const auto candidates = worker_candidates("/prefix/lib/x86_64-linux-gnu");
  const auto has = [&](const char* path) { return std::ranges::find(candidates, path) != candidates.end(); };
  CHECK(candidates.front() == "/prefix/lib/x86_64-linux-gnu/wavesmith-compiler");
  CHECK(has("/prefix/libexec/wavesmith/wavesmith-compiler"));
  CHECK_FALSE(has("/libexec/wavesmith/wavesmith-compiler"));
  const auto in_build = worker_candidates("/build/tests/runtime");
  CHECK(std::ranges::find(in_build, "/build/runtime/compiler/wavesmith-compiler") != in_build.end());

  // For real: a copy of a program that asks for the worker, in a tree like an installed one.
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("bin"));
  std::filesystem::create_directories(folder.file("libexec/wavesmith"));
  const std::string worker = folder.file("libexec/wavesmith/wavesmith-compiler");
  test::write_text(worker, "#!/bin/sh\n");
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  std::filesystem::copy(WAVESMITH_LOCATE_WORKER, folder.file("bin/locate"));
  CHECK(test::run(folder.file("bin/locate")) == worker);
}
