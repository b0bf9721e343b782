// A folder of records that any number of processes share, and the rule for where that folder is. Records are
// found by what was hashed, so that a file never has to change: DiskCache finds and stores them;
// cache_maintenance.h lists, checks and removes them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "runtime/jit/cache_files.h"
#include "runtime/jit/record.h"
#include "runtime/jit/warnings.h"

namespace wavesmith::runtime {

/// Where the cache of this process is by its environment: $WAVESMITH_CACHE_DIR, else wavesmith in
/// $XDG_CACHE_HOME or $HOME/.cache.
struct CachePlace {
  std::string directory;  ///< empty: there is none
  std::string reason;     ///< which variable decided
};
[[nodiscard]] CachePlace cache_place();

/// \name Parts of a cache folder
/// @{
[[nodiscard]] std::string record_folder(const std::string& directory, RecordKind kind);
[[nodiscard]] std::string record_path(const std::string& directory, RecordKind kind, std::string_view name);
[[nodiscard]] std::string temporary_folder(const std::string& directory);
[[nodiscard]] std::string lock_folder(const std::string& directory);
/// @}

class DiskCache final : public RecordSource {
 public:
  enum class Access {
    read_only,   ///< nothing in the folder is changed, damaged entries included
    read_write,  ///< missing folders are made
  };

  /// `warnings` outlives this.
  DiskCache(std::string directory, Access access, Warnings& warnings);

  /// A damaged record is counted and, where that is allowed, removed. Makes a record that is found the one
  /// that was used last.
  [[nodiscard]] std::optional<Record> find(RecordKind kind, std::string_view name) override;

  /// False, after a warning, where it cannot be written.
  bool store(const Record& record);

  /// An entry that a thread of its own writes while other work goes on; nobody finds it before publish().
  class Draft {
   public:
    Draft(DiskCache& cache, const Record& record);
    ~Draft();
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    /// False, after a warning, where it cannot be written.
    bool publish();

   private:
    void write();

    DiskCache& cache_;
    std::string bytes_;
    NewFile file_;
    std::error_code error_;
    std::thread writer_;  ///< not joinable: it is written by publish()
  };

  /// A lock that other processes' locks of that name exclude.
  [[nodiscard]] std::unique_ptr<FileLock> lock(std::string_view name,
                                               std::chrono::milliseconds patience) const;

  [[nodiscard]] std::uint64_t damaged() const { return damaged_; }
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  bool told(const std::error_code& error);

  std::string directory_;
  Access access_;
  Warnings& warnings_;
  std::atomic<std::uint64_t> damaged_ = 0;
};

}  // namespace wavesmith::runtime
