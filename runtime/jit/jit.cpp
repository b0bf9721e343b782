// Jit: the resolver, the store and the compilers of one process. A forked child finds the page of its
// parent's state cleared and makes a state of its own; the parent's, whose locks may be held by threads that
// the child does not have, is never touched again there.
#include "wavesmith/jit.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "runtime/compiler.h"
#include "runtime/jit/background.h"
#include "runtime/jit/disk_cache.h"
#include "runtime/jit/fork_page.h"
#include "runtime/jit/kernel_store.h"
#include "runtime/jit/quiet_thread.h"
#include "runtime/jit/request_resolver.h"
#include "runtime/jit/warnings.h"

namespace wavesmith {

using namespace runtime;

namespace {

std::size_t worker_count(const JitOptions& options) {
  return options.workers != 0 ? options.workers : std::max(1U, std::thread::hardware_concurrency());
}

CompilerPoolOptions pool_options(const JitOptions& options) {
  return {.workers = worker_count(options),
          .worker_path = options.worker_path,
          .comgr_library = options.comgr_library,
          .time_limit = options.compile_time_limit,
          .memory_limit_bytes = options.compile_memory_bytes};
}

KernelStoreOptions store_options(const JitOptions& options) {
  KernelStoreOptions store{.directory = options.cache_directory,
                           .shared_directories = options.shared_directories,
                           .bundles = options.bundles,
                           .memory_bytes = options.memory_bytes};
  // Another process's compile has the same limit; without one it still may have been stopped for good.
  if (options.compile_time_limit.count() > 0) store.lock_patience = options.compile_time_limit;
  return store;
}

/// No exception leaves the Jit: what is out of memory or threads is an error.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return fail(ErrorKind::environment, fmt::format("the kernel cannot be made: {}", error.what()));
  }
}

/// Failures and kernels too big for the memory, until the next prepare() asks: results that are nowhere else.
constexpr std::size_t kMostUncollected = 256;

}  // namespace

struct Jit::State {
  explicit State(const JitOptions& options)
      : warnings(options.warn),
        pool(pool_options(options)),
        store(
            store_options(options),
            [this](const Recipe& recipe, const std::string& ir) { return compile(recipe, ir); },
            describe_kernel, warnings),
        resolver([this](Backend backend, std::string_view flavour, std::string_view target) {
          return choose_compiler(pool, backend, flavour, target);
        }),
        background(worker_count(options)) {}

  Expected<Made> compile(const Recipe& recipe, const std::string& ir) {
    CompileRequest request;
    request.ir = ir;
    request.target = recipe.target;
    request.code_object_version = recipe.code_object_version;
    request.backend = recipe.backend;
    Expected<CompileResult> result = pool.compile(request);
    if (!result) return std::unexpected(std::move(result).error());
    return Made{.hsaco = std::move(result->hsaco), .compiler = std::move(result->compiler)};
  }

  Expected<JitKernelPointer> get(const JitRequest& request) {
    return guarded([&] { return resolve_and_get(request); });
  }

  Expected<JitKernelPointer> resolve_and_get(const JitRequest& request) {
    for (bool again = true;; again = false) {
      const std::uint64_t changes = store.compiler_changes();
      const auto recipe = resolver.resolve(request);
      if (!recipe) return std::unexpected(recipe.error());
      auto kernel = store.get(**recipe);
      // A compiler that was upgraded under a running program makes another key.
      if (kernel || !again || store.compiler_changes() == changes) return kernel;
      resolver.forget();
    }
  }

  Expected<JitKernelPointer> prepare(const JitRequest& request) {
    std::string text;
    write_request_text(request, text);
    const auto recipe = resolver.find(text);
    if (recipe)
      if (JitKernelPointer kernel = store.find_in_memory(recipe->key)) return kernel;
    const std::lock_guard lock(mutex);
    const auto result = std::ranges::find(uncollected, text, [](const auto& entry) { return entry.first; });
    if (result != uncollected.end()) {
      Expected<JitKernelPointer> collected = std::move(result->second);
      uncollected.erase(result);
      return collected;
    }
    if (preparing.contains(text)) return nullptr;
    if (!recipe)
      if (auto checked = RequestResolver::check(request); !checked)
        return std::unexpected(std::move(checked).error());
    preparing.insert(text);
    if (background.add([this, request, text] { finish_preparing(request, text); })) return nullptr;
    preparing.erase(text);
    return fail(ErrorKind::environment, "no thread can be started to prepare the kernel");
  }

  /// The background's part of prepare().
  void finish_preparing(const JitRequest& request, const std::string& text) {
    Expected<JitKernelPointer> result = get(request);
    const std::lock_guard lock(mutex);
    preparing.erase(text);
    if (result && store.is_in_memory((*result)->key)) return;
    if (uncollected.size() >= kMostUncollected) uncollected.pop_front();
    uncollected.emplace_back(text, std::move(result));
  }

  ForkPage page;
  State* parent = nullptr;  ///< of the process that this one was forked from: never used, never freed
  Warnings warnings;
  CompilerPool pool;
  KernelStore store;
  RequestResolver resolver;
  std::mutex mutex;  ///< of the next two
  std::unordered_set<std::string> preparing;
  std::deque<std::pair<std::string, Expected<JitKernelPointer>>> uncollected;
  Background background;  ///< last: its threads use all of the above
};

Jit::Jit(JitOptions options) : options_(std::move(options)) {
  if (!options_.use_disk)
    options_.cache_directory.clear();
  else if (options_.cache_directory.empty())
    options_.cache_directory = cache_place().directory;
  // The program may go to another folder.
  const auto make_absolute = [](std::string& path) {
    std::error_code error;
    if (path.empty()) return;
    const auto absolute = std::filesystem::absolute(path, error);
    if (!error) path = absolute.string();
  };
  make_absolute(options_.cache_directory);
  std::ranges::for_each(options_.shared_directories, make_absolute);
  std::ranges::for_each(options_.bundles, make_absolute);
  state_ = new State(options_);
}

Jit::~Jit() {
  State* state = state_.load();
  if (state->page.same_process()) delete state;
}

Jit::State& Jit::state() const {
  State* current = state_.load(std::memory_order_acquire);
  if (current->page.same_process()) return *current;
  auto own = std::make_unique<State>(options_);
  own->parent = current;
  if (state_.compare_exchange_strong(current, own.get(), std::memory_order_acq_rel)) return *own.release();
  return *current;  // another thread of the child was faster
}

Expected<JitKernelPointer> Jit::get(const JitRequest& request) {
  return state().get(request);
}

Expected<JitKernelPointer> Jit::prepare(const JitRequest& request) {
  State& own = state();
  return guarded([&] { return own.prepare(request); });
}

std::vector<Expected<JitKernelPointer>> Jit::warm(std::span<const JitRequest> requests,
                                                  const std::function<void(std::size_t)>& progress) {
  State& own = state();
  std::vector<Expected<JitKernelPointer>> results(requests.size(), JitKernelPointer());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < requests.size(); i = next++) {
      results[i] = own.get(requests[i]);
      const std::lock_guard lock(mutex);
      ++done;
      if (progress) progress(done);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(worker_count(options_), requests.size()); ++i) {
    threads.emplace_back();
    threads.back() = start_quiet_thread(work);
  }
  work();
  for (std::thread& thread : threads)
    if (thread.joinable()) thread.join();
  return results;
}

Expected<std::string> Jit::key(const JitRequest& request) {
  const auto recipe = state().resolver.resolve(request);
  if (!recipe) return std::unexpected(recipe.error());
  return (*recipe)->key;
}

JitStatistics Jit::statistics() const {
  return state().store.statistics();
}

}  // namespace wavesmith
