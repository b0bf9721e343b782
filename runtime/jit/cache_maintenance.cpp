// Walks over a cache folder's files.
#include "runtime/jit/cache_maintenance.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "runtime/jit/bundle.h"
#include "runtime/jit/cache_files.h"
#include "runtime/jit/disk_cache.h"

namespace wavesmith::runtime {
namespace {

namespace fs = std::filesystem;
using std::chrono::system_clock;

std::vector<std::string> children(const std::string& folder, std::error_code& error) {
  std::vector<std::string> paths;
  fs::directory_iterator entry(folder, error);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error))
    paths.push_back(entry->path().string());
  if (error == std::errc::no_such_file_or_directory) error.clear();
  std::ranges::sort(paths);
  return paths;
}

/// Empty where the file is gone by now.
std::optional<CacheFile> read_file(const std::string& path, RecordKind kind) {
  struct stat status{};
  FileBytes file = read_whole_file(path);
  if (file.error == std::errc::no_such_file_or_directory || stat(path.c_str(), &status) != 0)
    return std::nullopt;
  CacheFile found{
      .path = path,
      .kind = kind,
      .name = fs::path(path).filename().string(),
      .bytes = file.bytes.size(),
      .last_used = system_clock::from_time_t(status.st_mtim.tv_sec),
      .record = file.error ? fail(ErrorKind::check_failed, file.error.message()) : decode(file.bytes)};
  if (found.record && (found.record->kind != kind || found.record->name != found.name))
    found.record = fail(ErrorKind::check_failed, "the entry is another's");
  return found;
}

std::string_view object_of(const Record& request) {
  return request.value("code_object_id");
}

std::set<std::string, std::less<>> intact_objects(const std::vector<CacheFile>& files) {
  std::set<std::string, std::less<>> names;
  for (const CacheFile& file : files)
    if (file.kind == RecordKind::object && file.record) names.insert(file.name);
  return names;
}

std::uint64_t remove_leftovers(const std::string& directory) {
  return remove_abandoned_files(temporary_folder(directory)) + remove_abandoned_files(lock_folder(directory));
}

}  // namespace

Expected<std::vector<CacheFile>> read_cache(const std::string& directory) {
  std::vector<CacheFile> files;
  for (const RecordKind kind : {RecordKind::request, RecordKind::object}) {
    std::error_code error;
    for (const std::string& folder : children(record_folder(directory, kind), error)) {
      for (const std::string& path : children(folder, error))
        if (auto file = read_file(path, kind)) files.push_back(*std::move(file));
      if (error) break;
    }
    if (error)
      return fail(ErrorKind::environment,
                  fmt::format("the cache {} cannot be read: {}", directory, error.message()));
  }
  return files;
}

Expected<CacheCheck> check_cache(const std::string& directory, bool repair) {
  const auto files = read_cache(directory);
  if (!files) return std::unexpected(files.error());
  const auto objects = intact_objects(*files);
  CacheCheck check;
  for (const CacheFile& file : *files) {
    std::string what;
    if (!file.record)
      what = file.record.error().message;
    else if (file.kind == RecordKind::request && !objects.contains(object_of(*file.record)))
      what = fmt::format("its code object {} is not there", object_of(*file.record));
    if (what.empty()) {
      ++check.records;
      check.bytes += file.bytes;
      continue;
    }
    check.problems.push_back({file.path, std::move(what)});
    if (repair && unlink(file.path.c_str()) == 0) ++check.removed;
  }
  return check;
}

Expected<CachePruned> prune_cache(const std::string& directory, const CachePruning& limits) {
  auto files = read_cache(directory);
  if (!files) return std::unexpected(files.error());
  std::ranges::sort(*files, std::ranges::greater(), &CacheFile::last_used);
  CachePruned pruned;
  std::set<std::string, std::less<>> kept_objects;
  const auto now = system_clock::now();
  const auto decide = [&](const CacheFile& file, bool wanted) {
    const bool young = !limits.max_age || now - file.last_used <= *limits.max_age;
    const bool fits = !limits.max_bytes || pruned.kept_bytes + file.bytes <= *limits.max_bytes;
    if (wanted && young && fits) {
      ++pruned.kept;
      pruned.kept_bytes += file.bytes;
      if (file.kind == RecordKind::object) kept_objects.insert(file.name);
    } else if (unlink(file.path.c_str()) == 0) {
      ++pruned.removed;
    }
  };
  for (const CacheFile& file : *files)
    if (file.kind == RecordKind::object) decide(file, file.record.has_value());
  for (const CacheFile& file : *files)
    if (file.kind == RecordKind::request)
      decide(file, file.record && kept_objects.contains(object_of(*file.record)));
  pruned.abandoned = remove_leftovers(directory);
  return pruned;
}

Expected<std::uint64_t> clear_cache(const std::string& directory) {
  std::uint64_t removed = 0;
  // Requests first: none is left without its code object at any time.
  for (const RecordKind kind : {RecordKind::request, RecordKind::object}) {
    std::error_code error;
    for (const std::string& folder : children(record_folder(directory, kind), error)) {
      for (const std::string& path : children(folder, error)) {
        if (unlink(path.c_str()) == 0)
          ++removed;
        else if (errno != ENOENT)
          error = {errno, std::generic_category()};
        if (error) break;
      }
      if (error) break;
    }
    if (error)
      return fail(ErrorKind::environment,
                  fmt::format("the cache {} cannot be cleared: {}", directory, error.message()));
  }
  return removed + remove_leftovers(directory);
}

Expected<BundleMoved> export_bundle(const std::string& directory, const std::string& path) {
  auto files = read_cache(directory);
  if (!files) return std::unexpected(files.error());
  const auto objects = intact_objects(*files);
  BundleMoved moved;
  std::vector<Record> records;
  for (CacheFile& file : *files) {
    if (!file.record) {
      moved.damaged.push_back(fmt::format("{}: {}", file.path, file.record.error().message));
    } else if (file.kind == RecordKind::object || objects.contains(object_of(*file.record))) {
      moved.kernels += file.kind == RecordKind::request ? 1 : 0;
      records.push_back(*std::move(file.record));
    }
  }
  if (const auto written = write_bundle(path, records); !written) return std::unexpected(written.error());
  moved.records = records.size();
  return moved;
}

Expected<BundleMoved> import_bundle(const std::string& path, const std::string& directory) {
  Warnings unused([](std::string_view) {});
  const auto bundle = Bundle::open(path, unused);
  if (!bundle) return std::unexpected(bundle.error());
  BundleMoved moved;
  auto keys = (*bundle)->keys();
  // Code objects before the requests that name them.
  std::ranges::sort(keys, std::ranges::greater(), [](const Bundle::Key& key) { return key.first; });
  for (const Bundle::Key& key : keys) {
    const Expected<Record> record = (*bundle)->read(key);
    if (!record) {
      moved.damaged.push_back(
          fmt::format("{} {}: {}", name_of(key.first), key.second, record.error().message));
      continue;
    }
    const std::string to = record_path(directory, record->kind, record->name);
    if (const std::error_code error = replace_file(to, encode(*record), temporary_folder(directory)))
      return fail(ErrorKind::environment,
                  fmt::format("the cache {} cannot be written: {}", directory, error.message()));
    ++moved.records;
    moved.kernels += record->kind == RecordKind::request ? 1 : 0;
  }
  return moved;
}

}  // namespace wavesmith::runtime
