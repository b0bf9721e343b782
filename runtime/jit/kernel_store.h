// Serves kernels by their recipes: memory, then shared folders and bundles, then the cache on disk, then the
// compiler, whose result goes back up. get() is the entry. How a text is compiled and a code object is read
// are functions given to it, so that the levels, the single flight and the locks can be tested without a
// compiler.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/jit.h"

#include "runtime/jit/disk_cache.h"
#include "runtime/jit/memory_cache.h"
#include "runtime/jit/recipe.h"
#include "runtime/jit/record.h"
#include "runtime/jit/warnings.h"

namespace wavesmith::runtime {

struct KernelStoreOptions {
  std::string directory = {};  ///< of the cache on disk; empty: none
  std::vector<std::string> shared_directories = {};
  std::vector<std::string> bundles = {};
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  /// How long another process may take for one compile before this one stops to wait for it.
  std::chrono::milliseconds lock_patience{120'000};
};

class KernelStore {
 public:
  using Compile = std::function<Expected<Made>(const Recipe&, const std::string& ir)>;
  /// Fills in `hsaco` and what it says of itself. Errors: it is no code object, or has no kernel `symbol`.
  using Describe =
      std::function<Expected<JitKernel>(std::vector<std::byte> hsaco, const std::string& symbol)>;

  /// `warnings` outlives this. A bundle that cannot be read is a warning.
  KernelStore(KernelStoreOptions options, Compile compile, Describe describe, Warnings& warnings);

  /// May be called from any thread. Errors: those of emission and compiler; compiler_failed where the code
  /// object is not what was asked for, or the compiler is not the recipe's any more.
  [[nodiscard]] Expected<JitKernelPointer> get(const Recipe& recipe);

  /// Null when it is not in memory; counts as a hit when it is.
  [[nodiscard]] JitKernelPointer find_in_memory(std::string_view key);

  [[nodiscard]] bool is_in_memory(std::string_view key) const;

  [[nodiscard]] JitStatistics statistics() const;

  /// How often a compiler turned out to be another than its recipe says.
  [[nodiscard]] std::uint64_t compiler_changes() const { return compiler_changes_; }

 private:
  /// Work on one key, and those who wait for it.
  struct Flight {
    std::condition_variable done;
    std::optional<Expected<JitKernelPointer>> result;
  };
  /// What a code object is identified by.
  struct Identity {
    std::string ir_sha256;
    std::string code_object_id;
  };

  Expected<JitKernelPointer> fetch(const Recipe& recipe);
  Expected<JitKernelPointer> make(const Recipe& recipe);
  Expected<JitKernelPointer> compile(const Recipe& recipe, const std::string& ir, const Identity& identity);
  [[nodiscard]] JitKernelPointer load(RecordSource& source, const Recipe& recipe) const;
  [[nodiscard]] JitKernelPointer load_object(RecordSource& source, const Recipe& recipe,
                                             const Identity& identity) const;
  [[nodiscard]] static JitKernelPointer identified(JitKernel kernel, const Recipe& recipe,
                                                   const Identity& identity);
  void keep(const Recipe& recipe, const Identity& identity, const std::vector<std::byte>& hsaco);
  void remember(const Recipe& recipe, const Identity& identity);
  void count(std::uint64_t JitStatistics::* counter);

  KernelStoreOptions options_;
  Compile compile_;
  Describe describe_;
  std::vector<std::unique_ptr<RecordSource>> shared_;
  std::unique_ptr<DiskCache> disk_;

  mutable std::mutex mutex_;  ///< of what follows
  MemoryCache memory_;
  std::unordered_map<std::string, std::shared_ptr<Flight>> flights_;
  JitStatistics statistics_;
  std::atomic<std::uint64_t> compiler_changes_ = 0;
};

/// Reads a code object's metadata: the Describe of every real store.
[[nodiscard]] Expected<JitKernel> describe_kernel(std::vector<std::byte> hsaco, const std::string& symbol);

}  // namespace wavesmith::runtime
