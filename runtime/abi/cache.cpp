// Looking after a cache directory.
#include <chrono>
#include <string>
#include <utility>

#include "runtime/abi/boundary.h"
#include "runtime/abi/structs.h"
#include "runtime/jit/cache_maintenance.h"

namespace wavesmith::abi {
namespace {

/// A report may be left out where the status says enough.
Outcome check_report(const wavesmith_cache_report* report, bool needed) {
  if (report == nullptr && !needed) return {};
  return check_struct(report, "report");
}

void write_report(const wavesmith_cache_report& own, wavesmith_cache_report* report) {
  if (report != nullptr) write_struct(own, report);
}

/// Export and import.
template <class Move>
wavesmith_status move_bundle(const char* from, const char* from_name, const char* to, const char* to_name,
                             wavesmith_cache_report* report, const Move& move) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(from, from_name); !there) return there;
    if (Outcome there = not_null(to, to_name); !there) return there;
    if (Outcome checked = check_report(report, false); !checked) return checked;
    Expected<runtime::BundleMoved> moved = move(std::string(from), std::string(to));
    if (!moved) return std::unexpected(Problem(std::move(moved).error()));
    write_report({.struct_size = 0,
                  .records = moved->records,
                  .bytes = 0,
                  .problems = moved->damaged.size(),
                  .removed = 0},
                 report);
    return {};
  });
}

}  // namespace
}  // namespace wavesmith::abi

using namespace wavesmith;
using namespace wavesmith::abi;

extern "C" {

wavesmith_status wavesmith_cache_check(const char* directory, int32_t repair,
                                       wavesmith_cache_report* report) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(directory, "directory"); !there) return there;
    if (Outcome flag = check_flag(repair, "repair"); !flag) return flag;
    if (Outcome checked = check_report(report, true); !checked) return checked;
    Expected<runtime::CacheCheck> check = runtime::check_cache(directory, repair == 1);
    if (!check) return std::unexpected(Problem(std::move(check).error()));
    write_report({.struct_size = 0,
                  .records = check->records,
                  .bytes = check->bytes,
                  .problems = check->problems.size(),
                  .removed = check->removed},
                 report);
    if (check->problems.empty()) return {};
    std::string message;
    for (const auto& problem : check->problems)
      message += (message.empty() ? "" : "\n") + problem.path + ": " + problem.what;
    return std::unexpected(Problem(Error{ErrorKind::check_failed, std::move(message), {}, {}}));
  });
}

wavesmith_status wavesmith_cache_prune(const char* directory, uint64_t max_bytes, uint64_t max_seconds,
                                       wavesmith_cache_report* report) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(directory, "directory"); !there) return there;
    if (Outcome checked = check_report(report, false); !checked) return checked;
    runtime::CachePruning limits;
    if (max_bytes != WAVESMITH_UNLIMITED) limits.max_bytes = max_bytes;
    // Longer than any clock's range is no bound either.
    constexpr std::uint64_t most_seconds = 100ULL * 365 * 24 * 3600;
    if (max_seconds <= most_seconds) limits.max_age = std::chrono::seconds(max_seconds);
    Expected<runtime::CachePruned> pruned = runtime::prune_cache(directory, limits);
    if (!pruned) return std::unexpected(Problem(std::move(pruned).error()));
    write_report({.struct_size = 0,
                  .records = pruned->kept,
                  .bytes = pruned->kept_bytes,
                  .problems = 0,
                  .removed = pruned->removed},
                 report);
    return {};
  });
}

wavesmith_status wavesmith_cache_export(const char* directory, const char* bundle,
                                        wavesmith_cache_report* report) noexcept {
  return move_bundle(directory, "directory", bundle, "bundle", report, runtime::export_bundle);
}

wavesmith_status wavesmith_cache_import(const char* bundle, const char* directory,
                                        wavesmith_cache_report* report) noexcept {
  return move_bundle(bundle, "bundle", directory, "directory", report, runtime::import_bundle);
}
}
