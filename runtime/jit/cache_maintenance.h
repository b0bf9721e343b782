// Looking after a cache folder, while other processes may use it: what is in it, whether it is intact, making
// it smaller, and moving it in bundles. A folder that does not exist is an empty cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/jit/record.h"

namespace wavesmith::runtime {

/// A file of a cache.
struct CacheFile {
  std::string path;
  RecordKind kind{};
  std::string name;
  std::uint64_t bytes = 0;
  std::chrono::system_clock::time_point last_used;
  Expected<Record> record;  ///< or what is wrong with it
};

/// Every record, read and checked, in the order of their names. Errors: environment where a folder cannot be
/// read.
[[nodiscard]] Expected<std::vector<CacheFile>> read_cache(const std::string& directory);

struct CacheCheck {
  std::uint64_t records = 0;  ///< that are intact
  std::uint64_t bytes = 0;    ///< that these take
  struct Problem {
    std::string path;
    std::string what;
  };
  std::vector<Problem> problems;  ///< damaged files, and requests whose code object is not there
  std::uint64_t removed = 0;
};
/// Checks every record, and that each request's code object is there. `repair` removes what is wrong.
[[nodiscard]] Expected<CacheCheck> check_cache(const std::string& directory, bool repair);

struct CachePruning {
  std::optional<std::uint64_t> max_bytes = {};       ///< keep at most so many bytes, those used last
  std::optional<std::chrono::seconds> max_age = {};  ///< keep what was used within that time
};
struct CachePruned {
  std::uint64_t removed = 0;    ///< records
  std::uint64_t abandoned = 0;  ///< temporary files and locks whose process ended
  std::uint64_t kept = 0;
  std::uint64_t kept_bytes = 0;
};
/// Removes damaged records, what `limits` excludes, and what dead processes left. A code object goes with its
/// requests.
[[nodiscard]] Expected<CachePruned> prune_cache(const std::string& directory, const CachePruning& limits);

/// Removes every record and what dead processes left, and nothing else. How many files.
[[nodiscard]] Expected<std::uint64_t> clear_cache(const std::string& directory);

struct BundleMoved {
  std::uint64_t records = 0;
  std::uint64_t kernels = 0;         ///< requests among them
  std::vector<std::string> damaged;  ///< what is wrong with the records that were left out
};
/// Writes all intact records to a bundle. Errors: environment.
[[nodiscard]] Expected<BundleMoved> export_bundle(const std::string& directory, const std::string& path);
/// Stores the bundle's intact records. Errors: check_failed for no bundle; environment where the folder
/// cannot be written.
[[nodiscard]] Expected<BundleMoved> import_bundle(const std::string& path, const std::string& directory);

}  // namespace wavesmith::runtime
