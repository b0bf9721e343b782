// Finding and storing records in a folder: DIR/requests/ab/KEY, DIR/objects/cd/ID, DIR/temporary, DIR/locks.
#include "runtime/jit/disk_cache.h"

#include <cstdlib>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include "runtime/jit/quiet_thread.h"

namespace wavesmith::runtime {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

CachePlace cache_place() {
  if (variable("WAVESMITH_CACHE") == "0") return {{}, "WAVESMITH_CACHE=0"};
  if (const auto own = variable("WAVESMITH_CACHE_DIR"); !own.empty())
    return {std::string(own), "WAVESMITH_CACHE_DIR"};
  // The XDG specification has relative paths ignored.
  if (const auto xdg = variable("XDG_CACHE_HOME"); xdg.starts_with('/'))
    return {fmt::format("{}/wavesmith", xdg), "XDG_CACHE_HOME"};
  // A home at / is what containers give users without one.
  if (const auto home = variable("HOME"); home.starts_with('/') && home != "/")
    return {fmt::format("{}/.cache/wavesmith", home), "HOME"};
  return {{}, "none of WAVESMITH_CACHE_DIR, XDG_CACHE_HOME and HOME names a folder"};
}

std::string record_folder(const std::string& directory, RecordKind kind) {
  return fmt::format("{}/{}s", directory, name_of(kind));
}

std::string record_path(const std::string& directory, RecordKind kind, std::string_view name) {
  return fmt::format("{}/{}/{}", record_folder(directory, kind), name.substr(0, 2), name);
}

std::string temporary_folder(const std::string& directory) {
  return directory + "/temporary";
}

std::string lock_folder(const std::string& directory) {
  return directory + "/locks";
}

DiskCache::DiskCache(std::string directory, Access access, Warnings& warnings)
    : directory_(std::move(directory)), access_(access), warnings_(warnings) {}

std::optional<Record> DiskCache::find(RecordKind kind, std::string_view name) {
  const std::string path = record_path(directory_, kind, name);
  const FileBytes file = read_whole_file(path);
  if (file.error) {
    // A file where a folder should be is as good as nothing there; storing says so.
    if (file.error != std::errc::no_such_file_or_directory && file.error != std::errc::not_a_directory)
      warnings_.once(directory_ + " read",
                     fmt::format("the cache entry {} cannot be read: {}", path, file.error.message()));
    return std::nullopt;
  }
  Expected<Record> record = decode(file.bytes);
  // An intact entry under another's name is as wrong as a broken one.
  if (record && (record->kind != kind || record->name != name))
    record = fail(ErrorKind::check_failed, "the entry is another's");
  if (!record) {
    ++damaged_;
    const bool removed = access_ == Access::read_write && unlink(path.c_str()) == 0;
    warnings_.once(directory_ + " damaged",
                   fmt::format("{} in {}; {}", record.error().message, path,
                               removed ? "it was removed and is made anew" : "it is not used"));
    return std::nullopt;
  }
  if (access_ == Access::read_write) utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return *std::move(record);
}

bool DiskCache::store(const Record& record) {
  return !told(replace_file(record_path(directory_, record.kind, record.name), encode(record),
                            temporary_folder(directory_)));
}

/// Warns of an error; whether there was one.
bool DiskCache::told(const std::error_code& error) {
  if (error)
    warnings_.once(
        directory_ + " write",
        fmt::format("the cache {} cannot be written: {}; kernels are not kept", directory_, error.message()));
  return static_cast<bool>(error);
}

DiskCache::Draft::Draft(DiskCache& cache, const Record& record)
    : cache_(cache),
      bytes_(encode(record)),
      file_(record_path(cache.directory_, record.kind, record.name), temporary_folder(cache.directory_)),
      writer_(start_quiet_thread([this] { write(); })) {}

DiskCache::Draft::~Draft() {
  if (writer_.joinable()) writer_.join();
}

void DiskCache::Draft::write() {
  try {
    error_ = file_.write(bytes_);
  } catch (const std::bad_alloc&) {
    error_ = std::make_error_code(std::errc::not_enough_memory);
  }
}

bool DiskCache::Draft::publish() {
  if (writer_.joinable())
    writer_.join();
  else
    write();
  return !cache_.told(error_ ? error_ : file_.publish());
}

std::unique_ptr<FileLock> DiskCache::lock(std::string_view name, std::chrono::milliseconds patience) const {
  return std::make_unique<FileLock>(fmt::format("{}/{}", lock_folder(directory_), name), patience);
}

}  // namespace wavesmith::runtime
