// The JIT that a serving program embeds: turns a request (family, spec fields, target, options) into a code
// object, compiled at most once and served from memory, shared folders and bundles, or a cache on disk. Jit
// is the entry; compilers run in worker programs, never in this process. docs/runtime.md has identities,
// levels, locks and file formats.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith {

/// What to compile. Everything in it is part of the kernel's identity.
struct JitRequest {
  std::string family = "attention-dense";
  /// Spec fields by name, values as on the command line: {"head_size", "64"}, {"lse", "true"}.
  std::map<std::string, std::string, std::less<>> fields;
  std::string preset;                ///< empty, or a named set of fields that `fields` override
  std::string target;                ///< LLVM's syntax, "gfx950:sramecc+"; empty: the family's first
  std::string symbol;                ///< name of the kernel; empty: its own
  std::string flavour = "auto";      ///< dialect of LLVM IR; auto: the compiler's
  std::string compiler = "auto";     ///< auto, comgr, llvm
  unsigned code_object_version = 5;  ///< 5 or 6
  bool line_table = false;           ///< name each instruction's Plan step; code unchanged

  friend bool operator==(const JitRequest&, const JitRequest&) = default;
};

/// One explicit argument of a kernel.
struct JitArgument {
  std::string name;
  std::string kind;          ///< the metadata's word: "global_buffer", "by_value"
  std::uint32_t offset = 0;  ///< bytes from the start of the arguments
  std::uint32_t bytes = 0;
};

/// A code object and what it is. Immutable and shared between threads; it outlives its eviction and the Jit.
struct JitKernel {
  std::vector<std::byte> hsaco;  ///< the linked code object
  std::string symbol;            ///< of the kernel in it
  std::string target;
  std::string flavour;
  std::string compiler;        ///< identity of the compiler: version and build
  std::string key;             ///< SHA-256 of the request, hexadecimal
  std::string ir_sha256;       ///< of the LLVM IR text
  std::string code_object_id;  ///< SHA-256 over IR text, flavour, target, options and compiler

  std::vector<JitArgument> arguments;  ///< explicit ones, in order
  std::uint32_t kernarg_bytes = 0;     ///< hidden arguments included
  std::uint32_t vgpr = 0;              ///< AGPRs included where they share the file
  std::uint32_t agpr = 0;
  std::uint32_t sgpr = 0;
  std::uint32_t vgpr_spills = 0;
  std::uint32_t sgpr_spills = 0;
  std::uint32_t lds_bytes = 0;       ///< of a workgroup
  std::uint32_t scratch_bytes = 0;   ///< of a work-item
  std::uint32_t workgroup_size = 0;  ///< work-items: required, else the largest allowed
};
using JitKernelPointer = std::shared_ptr<const JitKernel>;

struct JitOptions {
  /// The cache on disk. Empty: $WAVESMITH_CACHE_DIR, $XDG_CACHE_HOME/wavesmith or $HOME/.cache/wavesmith, and
  /// none with WAVESMITH_CACHE=0; read once, when the Jit is made.
  std::string cache_directory;
  bool use_disk = true;
  /// Folders of the same layout and bundle files, searched before the cache and never written.
  std::vector<std::string> shared_directories;
  std::vector<std::string> bundles;
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;  ///< most that code objects in memory take
  std::size_t workers = 0;    ///< most compiles at a time; 0: one per hardware thread
  std::string worker_path;    ///< the compiler worker program; empty: found relative to this library
  std::string comgr_library;  ///< the library of the comgr compiler; empty: looked for
  std::chrono::milliseconds compile_time_limit{120'000};        ///< for one compile; 0: none
  std::uint64_t compile_memory_bytes = std::uint64_t{4} << 30;  ///< for one worker; 0: none
  /// Told once about each thing that costs only speed: a cache that cannot be written, a damaged entry or
  /// bundle. May be called from any thread. Empty: a line on standard error.
  std::function<void(std::string_view)> warn;
};

/// Counts since the Jit was made (in a forked child: since its first call).
struct JitStatistics {
  std::uint64_t memory_hits = 0;
  std::uint64_t shared_hits = 0;  ///< from shared folders and bundles
  std::uint64_t disk_hits = 0;
  std::uint64_t same_code_hits = 0;  ///< not known by its key, but its IR text had been compiled before
  std::uint64_t compiles = 0;        ///< that succeeded
  std::uint64_t failures = 0;        ///< emissions and compiles that did not
  std::uint64_t joined = 0;          ///< calls that waited for another thread's work on the same key
  std::uint64_t damaged = 0;         ///< entries on disk that were not what was written
  std::uint64_t evictions = 0;       ///< from memory
  std::uint64_t memory_kernels = 0;  ///< now in memory
  std::uint64_t memory_bytes = 0;    ///< that they take
  double emit_milliseconds = 0;      ///< of all compiles
  double compile_milliseconds = 0;   ///< of all compiles, as the caller waits for them
};

/// Every member may be called from any thread. No thread, worker or file is made before it is needed. After a
/// fork the child starts with an empty memory, workers and locks of its own; parent and child both go on.
class Jit {
 public:
  explicit Jit(JitOptions options = {});
  /// Ends the workers; waits for what prepare() has begun to compile. No call may be in progress.
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  /// The kernel, compiled if it is nowhere yet. Concurrent calls for one kernel compile it once; a failure is
  /// the answer to all of them, and the next call tries again. Errors: invalid_request with every field that
  /// is refused; compiler_failed with the compiler's log; environment where there is no compiler.
  [[nodiscard]] Expected<JitKernelPointer> get(const JitRequest& request);

  /// The same without waiting for a file or a compiler: null while the kernel is not ready, which the call
  /// begins to change in the background. A failure is the answer of one later call; the one after it starts
  /// anew.
  [[nodiscard]] Expected<JitKernelPointer> prepare(const JitRequest& request);

  /// get() for each, as many at a time as there are workers. `progress`, if any, is called with the number
  /// done, never by two threads at a time.
  [[nodiscard]] std::vector<Expected<JitKernelPointer>> warm(
      std::span<const JitRequest> requests, const std::function<void(std::size_t done)>& progress = {});

  /// JitKernel::key of a request, without compiling. Errors: those of get().
  [[nodiscard]] Expected<std::string> key(const JitRequest& request);

  [[nodiscard]] JitStatistics statistics() const;

  /// The cache on disk; empty where there is none.
  [[nodiscard]] const std::string& cache_directory() const { return options_.cache_directory; }

 private:
  struct State;
  State& state() const;

  JitOptions options_;  ///< the environment's part filled in
  mutable std::atomic<State*> state_;
};

}  // namespace wavesmith
