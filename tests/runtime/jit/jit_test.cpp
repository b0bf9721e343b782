// The Jit with real compilers: code objects are those of a compiler that is asked directly, a compiler that
// fails takes nobody down, a forked child goes on by itself, prepare() never waits.
#include "wavesmith/jit.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <sys/wait.h>

#include "generator/families.h"
#include "generator/identity.h"
#include "runtime/compiler.h"
#include "runtime/jit/cache_maintenance.h"
#include "tests/runtime/compiler_support.h"
#include "tests/runtime/jit/stand_in.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A kernel of few instructions for its kind; `heads` tells them apart.
JitRequest small_kernel(int heads) {
  JitRequest request;
  request.fields = {{"head_size", "64"},
                    {"num_query_heads", std::to_string(heads)},
                    {"num_kv_heads", std::to_string(heads)},
                    {"mask", "full"},
                    {"block_m", "128"},
                    {"block_n", "32"}};
  request.compiler = "llvm";
  return request;
}

JitOptions on(const std::string& directory) {
  JitOptions options;
  options.cache_directory = directory;
  options.workers = 2;
  return options;
}

const JitKernel& required(const Expected<JitKernelPointer>& kernel) {
  if (!kernel) FAIL(kernel.error().message << "\n" << kernel.error().log);
  REQUIRE(*kernel != nullptr);
  return **kernel;
}

/// What prepare() says once it does not say "not ready" any more.
Expected<JitKernelPointer> prepared(Jit& jit, const JitRequest& request) {
  for (int round = 0; round < 120'000; ++round) {
    auto kernel = jit.prepare(request);
    if (!kernel || *kernel != nullptr) return kernel;
    std::this_thread::sleep_for(1ms);
  }
  return fail(ErrorKind::environment, "not ready after two minutes");
}

/// A store whose texts a real compiler compiles.
struct CompilingStore {
  explicit CompilingStore(CompilerPoolOptions options) : pool(options) {}

  Expected<JitKernelPointer> get(const std::string& symbol, const std::string& ir,
                                 const std::string& target) {
    Recipe recipe = test::recipe_of(0);
    recipe.key = generator::sha256_hex(ir + target);
    recipe.symbol = symbol;
    recipe.target = target;
    recipe.compiler = pool.identity(Backend::llvm).value();
    recipe.emit = [ir] { return ir; };
    return store.get(recipe);
  }

  CompilerPool pool;
  Warnings warnings;
  KernelStore store{{},
                    [this](const Recipe& recipe, const std::string& ir) -> Expected<Made> {
                      auto result = pool.compile(test::request_for(ir, recipe.target));
                      if (!result) return std::unexpected(result.error());
                      return Made{.hsaco = std::move(result->hsaco), .compiler = std::move(result->compiler)};
                    },
                    describe_kernel,
                    warnings};
};

}  // namespace

TEST_CASE("jit: a code object is what the compiler makes of the text, and says what it needs") {
  const test::TemporaryFolder folder;
  Jit jit(on(folder.file("cache")));
  const JitRequest request = small_kernel(4);
  const JitKernel& kernel = required(jit.get(request));

  const auto resolved = generator::find_family(request.family)
                            ->resolve(request.fields, "", lowering::parse_target_id("gfx950").value());
  REQUIRE(resolved);
  const std::string ir = (*resolved)->emit(*lowering::find_flavour("llvm22"), {}).value();
  CompilerPool pool(test::one_worker());
  CHECK(kernel.hsaco == pool.compile(test::request_for(ir, "gfx950")).value().hsaco);
  CHECK(kernel.ir_sha256 == generator::sha256_hex(ir));
  CHECK(kernel.symbol == (*resolved)->symbol());
  CHECK(kernel.compiler == pool.identity(Backend::llvm).value());
  CHECK(kernel.flavour == "llvm22");
  CHECK(kernel.key == jit.key(request).value());

  test::write_bytes(folder.file("k.hsaco"), kernel.hsaco);
  const auto has = [&](std::string_view name, std::uint32_t value) {
    return test::run(fmt::format("{} --notes {} | grep -cE '\\.{}: +{}$' || true", WAVESMITH_READELF,
                                 folder.file("k.hsaco"), name, value)) == "1\n";
  };
  CHECK(has("vgpr_count", kernel.vgpr));
  CHECK(has("agpr_count", kernel.agpr));
  CHECK(has("sgpr_count", kernel.sgpr));
  CHECK(has("vgpr_spill_count", kernel.vgpr_spills));
  CHECK(has("group_segment_fixed_size", kernel.lds_bytes));
  CHECK(has("private_segment_fixed_size", kernel.scratch_bytes));
  CHECK(has("kernarg_segment_size", kernel.kernarg_bytes));
  CHECK(kernel.workgroup_size == 256);
  CHECK_FALSE(has("vgpr_count", kernel.vgpr + 1));
  REQUIRE_FALSE(kernel.arguments.empty());
  CHECK(kernel.arguments.front().offset == 0);
}

TEST_CASE("jit: threads that ask for the same kernels compile each once; another Jit finds them on disk") {
  const test::TemporaryFolder folder;
  constexpr int kThreads = 8, kKernels = 3;
  std::vector<std::vector<std::byte>> code(kKernels);
  {
    Jit jit(on(folder.file("cache")));
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kKernels; ++i) {
          const int heads = 1 + (i + thread) % kKernels;
          const auto kernel = jit.get(small_kernel(heads));
          right +=
              kernel && (*kernel)->symbol.find(fmt::format("_q{}_kv{}_", heads, heads)) != std::string::npos;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == kThreads * kKernels);
    CHECK(jit.statistics().compiles == kKernels);
    CHECK(jit.statistics().compile_milliseconds > 0);
    for (int i = 0; i < kKernels; ++i)
      code[static_cast<std::size_t>(i)] = required(jit.get(small_kernel(1 + i))).hsaco;
  }
  Jit jit(on(folder.file("cache")));
  std::vector<JitRequest> requests;
  for (int i = 0; i < kKernels; ++i) requests.push_back(small_kernel(1 + i));
  std::vector<std::size_t> progress;
  const auto warmed = jit.warm(requests, [&](std::size_t done) { progress.push_back(done); });
  CHECK(progress == std::vector<std::size_t>{1, 2, 3});
  for (std::size_t i = 0; i < warmed.size(); ++i) CHECK(required(warmed[i]).hsaco == code[i]);
  CHECK(jit.statistics().disk_hits == kKernels);
  CHECK(jit.statistics().compiles == 0);
  for (const JitRequest& request : requests) CHECK(jit.get(request));
  CHECK(jit.statistics().memory_hits == kKernels);
}

TEST_CASE("jit: prepare does not wait, and ends in the kernel; a failure is told once, a refusal at once") {
  const test::TemporaryFolder folder;
  Jit jit(on(folder.file("cache")));
  const auto first = jit.prepare(small_kernel(2));
  REQUIRE(first);
  CHECK(*first == nullptr);
  const JitKernelPointer kernel = prepared(jit, small_kernel(2)).value();
  CHECK(kernel->hsaco == required(jit.get(small_kernel(2))).hsaco);
  CHECK(jit.statistics().compiles == 1);
  CHECK(jit.prepare(small_kernel(2)).value() == kernel);

  const auto refused = jit.prepare(small_kernel(0));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::invalid_request);

  JitOptions broken = on("");
  broken.use_disk = false;
  broken.worker_path = "/nonexistent/worker";
  Jit without(broken);
  const auto failed = prepared(without, small_kernel(2));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::environment);
  CHECK_THAT(failed.error().message, ContainsSubstring("/nonexistent/worker"));
  CHECK(without.prepare(small_kernel(2)).value() == nullptr);  // a new attempt

  JitOptions tiny = on(folder.file("cache"));
  tiny.memory_bytes = 1;
  Jit forgetful(tiny);
  CHECK(prepared(forgetful, small_kernel(2)).value()->hsaco == kernel->hsaco);
  CHECK(prepared(forgetful, small_kernel(2)).value()->hsaco == kernel->hsaco);
}

TEST_CASE("jit: a compile that aborts leaves the host alive, its log in the error, and the next one served") {
  CompilingStore compiling(test::one_worker());
  // An instruction that gfx950 has and gfx942 has not: instruction selection ends the process.
  const std::string ir =
      "declare { i32, i32 } @llvm.amdgcn.permlane32.swap(i32, i32, i1 immarg, i1 immarg)\n"
      "define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %x) {\n"
      "  %pair = call { i32, i32 } @llvm.amdgcn.permlane32.swap(i32 %x, i32 %x, i1 false, i1 false)\n"
      "  %v = extractvalue { i32, i32 } %pair, 0\n  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\n";
  for (int round = 0; round < 2; ++round) {
    const auto kernel = compiling.get("k", ir, "gfx942");
    REQUIRE_FALSE(kernel);
    CHECK(kernel.error().kind == ErrorKind::compiler_failed);
    CHECK_THAT(kernel.error().log, ContainsSubstring("LLVM ERROR: Cannot select"));
  }
  CHECK(compiling.get("k", ir, "gfx950"));
  CHECK(compiling.store.statistics().failures == 2);
}

TEST_CASE("jit: a compile that hangs is ended, and the next one is served") {
  CompilerPoolOptions options = test::one_worker();
  options.time_limit = 1s;
  CompilingStore hanging(options);
  const auto kernel = hanging.get("slow", test::slow_kernel(), "gfx950");
  REQUIRE_FALSE(kernel);
  CHECK_THAT(kernel.error().message, ContainsSubstring("did not finish within 1000 ms"));
}

TEST_CASE("jit: a compile that needs too much memory is an error that says so, and the next one is served") {
#ifdef WAVESMITH_SANITIZED
  SKIP("a sanitizer's shadow memory exceeds any limit");
#else
  CompilerPoolOptions options = test::one_worker();
  options.memory_limit_bytes = std::uint64_t{256} << 20;
  CompilingStore eating(options);
  const std::string big =
      "@big = addrspace(1) global { i8, [600000000 x i8] } { i8 1, [600000000 x i8] zeroinitializer }\n";
  const auto kernel = eating.get("none", big, "gfx950");
  REQUIRE_FALSE(kernel);
  CHECK_THAT(kernel.error().message, ContainsSubstring("limited to 256 MiB"));
  CHECK(eating.get("looping", test::looping_kernel(), "gfx950"));
#endif
}

TEST_CASE("jit: a code object without the kernel that was asked for is not served") {
  CompilingStore compiling(test::one_worker());
  const auto kernel = compiling.get("other", test::looping_kernel(), "gfx950");
  REQUIRE_FALSE(kernel);
  CHECK(kernel.error().kind == ErrorKind::compiler_failed);
  CHECK_THAT(kernel.error().message, ContainsSubstring("other"));
}

TEST_CASE("jit: after a fork in the middle of compiles, parent and child both go on") {
#ifdef WAVESMITH_THREAD_SANITIZER
  SKIP("the thread sanitizer does not follow a child of a program with threads");
#else
  const test::TemporaryFolder folder;
  Jit jit(on(folder.file("cache")));
  const std::vector<std::byte> one = required(jit.get(small_kernel(1))).hsaco;
  std::atomic<bool> stop = false;
  // Locks, workers and flights are in use at the moment of the fork.
  std::thread busy([&] {
    for (int heads = 10; !stop; ++heads) static_cast<void>(jit.get(small_kernel(heads)));
  });
  std::thread hitting([&] {
    while (!stop) static_cast<void>(jit.get(small_kernel(1)));
  });
  std::vector<pid_t> children;
  for (int round = 0; round < 4; ++round) {
    std::this_thread::sleep_for(20ms);
    const pid_t child = fork();
    if (child == 0) {
      const auto known = jit.get(small_kernel(1));
      const auto fresh = jit.get(small_kernel(100 + round));
      const JitStatistics statistics = jit.statistics();
      const bool right = known && (*known)->hsaco == one && fresh && statistics.disk_hits == 1 &&
                         statistics.compiles == 1 && jit.prepare(small_kernel(1)).value() == *known;
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  stop = true;
  busy.join();
  hitting.join();
  CHECK(required(jit.get(small_kernel(200))).symbol.find("_q200_") != std::string::npos);
  // What the child compiled is on the disk.
  const std::uint64_t hits = jit.statistics().disk_hits;
  required(jit.get(small_kernel(100)));
  CHECK(jit.statistics().disk_hits == hits + 1);
#endif
}
