// The levels and the single flight of one process, with the stand-in compiler.
#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "runtime/jit/background.h"
#include "runtime/jit/cache_maintenance.h"
#include "tests/runtime/jit/stand_in.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using Catch::Matchers::ContainsSubstring;
using test::StandInStore;

TEST_CASE("store: 64 threads ask for 100 kernels in random order, each is compiled once and right") {
  constexpr int kThreads = 64, kKernels = 100;
  const test::TemporaryFolder folder;
  StandInStore served(folder.file("cache"));
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      std::vector<int> order(kKernels);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::shuffle(order, std::mt19937(thread));
      for (const int index : order) right += served.serves(index) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == kThreads * kKernels);
  const auto compiles = served.compiler.compiles();
  CHECK(compiles.size() == kKernels);
  for (const auto& [text, count] : compiles) CHECK(count == 1);
  const JitStatistics statistics = served.store.statistics();
  CHECK(statistics.compiles == kKernels);
  CHECK(statistics.memory_kernels == kKernels);
  CHECK(statistics.memory_hits + statistics.joined == (kThreads - 1) * kKernels);
  CHECK(served.heard.texts().empty());
}

TEST_CASE("store: a failed compile is each waiting thread's answer, and the next request tries again") {
  constexpr int kThreads = 8;
  std::atomic<int> compiles = 0;
  std::atomic<bool> broken = true;
  Warnings warnings;
  KernelStore* self = nullptr;
  KernelStore store(
      {},
      [&](const Recipe&, const std::string& ir) -> Expected<Made> {
        ++compiles;
        // Until everybody waits, so that all of them get this answer.
        while (broken && self->statistics().joined < kThreads - 1) std::this_thread::yield();
        if (broken) return fail(ErrorKind::compiler_failed, "it broke", "the log");
        return Made{.hsaco = test::code_of(ir), .compiler = test::kStandInCompiler};
      },
      test::describe_stand_in, warnings);
  self = &store;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&] {
      const auto kernel = store.get(test::recipe_of(1));
      failures += !kernel && kernel.error().message == "it broke" && kernel.error().log == "the log" ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == kThreads);
  CHECK(compiles == 1);
  broken = false;
  CHECK(store.get(test::recipe_of(1)));
  CHECK(compiles == 2);
  CHECK(store.statistics().failures == 1);
}

TEST_CASE("store: an exception in the middle is an error, and the key is free again") {
  bool broken = true;
  Warnings warnings;
  KernelStore store(
      {},
      [&](const Recipe&, const std::string& ir) -> Expected<Made> {
        if (broken) throw std::bad_alloc();
        return Made{.hsaco = test::code_of(ir), .compiler = test::kStandInCompiler};
      },
      test::describe_stand_in, warnings);
  const auto kernel = store.get(test::recipe_of(1));
  REQUIRE_FALSE(kernel);
  CHECK(kernel.error().kind == ErrorKind::environment);
  broken = false;
  CHECK(store.get(test::recipe_of(1)));
}

TEST_CASE("store: memory is bounded, what was used last stays, what is held stays alive") {
  const JitKernel one = [] {
    JitKernel kernel;
    kernel.hsaco = test::code_of(test::text_of(0));
    return kernel;
  }();
  // Room for three; names make each a little bigger.
  StandInStore served("", {.memory_bytes = 3 * (bytes_of(one) + 100)});
  const auto held = served.store.get(test::recipe_of(0));
  REQUIRE(held);
  for (int index = 1; index < 3; ++index) CHECK(served.serves(index));
  CHECK(served.serves(0));  // 1 is now the oldest
  CHECK(served.serves(3));
  CHECK(served.store.is_in_memory(test::recipe_of(0).key));
  CHECK_FALSE(served.store.is_in_memory(test::recipe_of(1).key));
  for (int index = 4; index < 50; ++index) {
    CHECK(served.serves(index));
    CHECK(served.store.statistics().memory_bytes <= 3 * (bytes_of(one) + 100));
    CHECK(served.store.statistics().memory_kernels <= 3);
  }
  CHECK((*held)->hsaco == one.hsaco);
  CHECK(served.store.statistics().evictions == 47);
  CHECK(served.compiler.total() == 50);
  CHECK(served.serves(1));
  CHECK(served.compiler.total() == 51);

  StandInStore tiny("", {.memory_bytes = 10});
  CHECK(tiny.serves(1));
  CHECK(tiny.store.statistics().memory_kernels == 0);
}

TEST_CASE("store: a hit on disk neither emits nor compiles, and is as it was") {
  const test::TemporaryFolder folder;
  JitKernelPointer first;
  {
    StandInStore served(folder.file("cache"));
    first = served.store.get(test::recipe_of(7)).value();
  }
  StandInStore served(folder.file("cache"));
  Recipe recipe = test::recipe_of(7);
  recipe.emit = []() -> Expected<std::string> { return fail(ErrorKind::compiler_failed, "emitted"); };
  const auto second = served.store.get(recipe);
  REQUIRE(second);
  CHECK((*second)->hsaco == first->hsaco);
  CHECK((*second)->code_object_id == first->code_object_id);
  CHECK((*second)->key == first->key);
  CHECK(served.store.statistics().disk_hits == 1);
  CHECK(served.compiler.total() == 0);
}

TEST_CASE("store: requests of one text share a code object, other texts and compilers never do") {
  const test::TemporaryFolder folder;
  const auto with = [](const char* key, int text, const char* compiler = test::kStandInCompiler) {
    Recipe recipe = test::recipe_of(text);
    recipe.key = generator::sha256_hex(key);
    recipe.compiler = compiler;
    return recipe;
  };
  StandInStore served(folder.file("cache"));
  const auto a = served.store.get(with("a", 1)).value(), b = served.store.get(with("b", 1)).value(),
             c = served.store.get(with("c", 2)).value();
  CHECK(a->code_object_id == b->code_object_id);
  CHECK(a->key != b->key);
  CHECK(c->code_object_id != a->code_object_id);
  CHECK(c->hsaco != a->hsaco);
  CHECK(served.compiler.total() == 2);
  CHECK(served.store.statistics().same_code_hits == 1);
  // Another process's request, under the second key.
  StandInStore other(folder.file("cache"));
  CHECK(other.store.get(with("b", 1)).value()->hsaco == a->hsaco);
  CHECK(other.compiler.total() == 0);
  // A code object of another compiler is another one.
  const auto changed = other.store.get(with("d", 1, "stand-in 2"));
  REQUIRE_FALSE(changed);
  CHECK_THAT(changed.error().message, ContainsSubstring("stand-in 2") && ContainsSubstring("stand-in 1"));
  CHECK(other.store.compiler_changes() == 1);
  CHECK(other.compiler.total() == 1);
}

TEST_CASE(
    "store: shared folders and bundles come first, are never written, and missing ones cost a warning") {
  const test::TemporaryFolder folder;
  {
    StandInStore served(folder.file("shared"));
    CHECK(served.serves(1));
    StandInStore other(folder.file("other"));
    CHECK(other.serves(2));
    const auto moved = export_bundle(folder.file("other"), folder.file("bundle"));
    REQUIRE(moved);
    CHECK(moved->kernels == 1);
    CHECK(moved->records == 2);
  }
  KernelStoreOptions options{.shared_directories = {folder.file("nowhere"), folder.file("shared")},
                             .bundles = {folder.file("bundle"), folder.file("no_bundle")}};
  StandInStore served(folder.file("cache"), options);
  for (int index = 1; index < 4; ++index) CHECK(served.serves(index));
  CHECK(served.store.statistics().shared_hits == 2);
  CHECK(served.compiler.total() == 1);
  CHECK_FALSE(std::filesystem::exists(folder.file("nowhere")));
  const auto shared = read_cache(folder.file("shared"));
  REQUIRE(shared);
  CHECK(shared->size() == 2);
  REQUIRE(served.heard.texts().size() == 1);
  CHECK_THAT(served.heard.texts()[0], ContainsSubstring("no_bundle"));
  // A damaged entry of a shared folder is left where it is.
  const std::string path = (*shared)[1].path;
  test::write_text(path, "broken");
  StandInStore again("", options);
  CHECK(again.serves(1));
  CHECK(again.compiler.total() == 1);
  CHECK(std::filesystem::file_size(path) == 6);
}

TEST_CASE(
    "background: work is done in the end, by few threads, and what has not begun is dropped at the end") {
  std::atomic<int> done = 0, running = 0, most = 0;
  std::atomic<bool> begun = false, go = false;
  {
    Background background(2);
    for (int i = 0; i < 100; ++i)
      static_cast<void>(background.add([&] {
        const int now = ++running;
        int before = most;
        while (before < now && !most.compare_exchange_weak(before, now)) {
        }
        --running;
        ++done;
      }));
    while (done < 100) std::this_thread::yield();
    for (int i = 0; i < 10; ++i)
      static_cast<void>(background.add([&] {
        begun = true;
        while (!go) std::this_thread::yield();
        ++done;
      }));
    while (!begun) std::this_thread::yield();
    go = true;
  }
  CHECK(most <= 2);
  CHECK(done >= 101);
}
