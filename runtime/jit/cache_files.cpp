// The system calls behind cache_files.h.
#include "runtime/jit/cache_files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace wavesmith::runtime {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::error_code last_error() {
  return {errno, std::generic_category()};
}

void make_parent(const std::string& path) {
  std::error_code ignored;  // opening the file says the same, better
  fs::create_directories(fs::path(path).parent_path(), ignored);
}

/// Opens, and when a folder is missing makes it and opens again.
FileDescriptor open_in_folder(const std::string& path, int flags) {
  constexpr mode_t mode = 0644;
  FileDescriptor file(open(path.c_str(), flags | O_CLOEXEC, mode));
  if (!file && errno == ENOENT) {
    make_parent(path);
    file = FileDescriptor(open(path.c_str(), flags | O_CLOEXEC, mode));
  }
  return file;
}

/// 0 or an error number; the lock is on the open file, so that it ends with the last descriptor of it.
int try_lock(const FileDescriptor& file) {
  int result = 0;
  do result = flock(file.get(), LOCK_EX | LOCK_NB);
  while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

/// Whether the path still names the open file: its last holder removes it.
bool still_named(const FileDescriptor& file, const std::string& path) {
  struct stat opened{}, named{};
  return fstat(file.get(), &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

bool write_all(const FileDescriptor& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

FileBytes read_whole_file(const std::string& path) {
  FileBytes result;
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // no waiting at a pipe
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0) {
    result.error = last_error();
    return result;
  }
  if (!S_ISREG(status.st_mode)) {
    result.error = std::make_error_code(std::errc::invalid_argument);
    return result;
  }
  result.bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < result.bytes.size()) {
    const ssize_t got = read(file.get(), result.bytes.data() + done, result.bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) result.error = last_error();
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  result.bytes.resize(done);
  return result;
}

NewFile::~NewFile() {
  if (!name_.empty()) unlink(name_.c_str());
}

std::error_code NewFile::write(std::string_view bytes) {
  static std::atomic<unsigned> number = 0;  // with the process id: no other writer of this machine has it
  std::string name = fmt::format("{}/{}-{}-{:x}", temporary_, getpid(), number++,
                                 std::chrono::steady_clock::now().time_since_epoch().count());
  file_ = open_in_folder(name, O_WRONLY | O_CREAT | O_EXCL);
  if (!file_) return last_error();
  name_ = std::move(name);
  static_cast<void>(try_lock(file_));  // shows that the writer lives
  return write_all(file_, bytes) && fsync(file_.get()) == 0 ? std::error_code() : last_error();
}

std::error_code NewFile::publish() {
  if (rename(name_.c_str(), path_.c_str()) != 0) {
    make_parent(path_);
    if (rename(name_.c_str(), path_.c_str()) != 0) return last_error();
  }
  name_.clear();
  return {};
}

std::error_code replace_file(const std::string& path, std::string_view bytes, const std::string& temporary) {
  NewFile file(path, temporary);
  const std::error_code error = file.write(bytes);
  return error ? error : file.publish();
}

FileLock::FileLock(std::string path, std::chrono::milliseconds patience) : path_(std::move(path)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (auto pause = 1ms;; pause = std::min(2 * pause, 32ms)) {
    if (!file_) file_ = open_in_folder(path_, O_RDWR | O_CREAT);
    if (!file_) return;
    const int error = try_lock(file_);
    if (error == 0) {
      if (still_named(file_, path_)) {
        state_ = State::held;
        return;
      }
      file_.close();  // the holder removed it meanwhile; its successor is another file
      continue;
    }
    if (error != EWOULDBLOCK) return;
    if (std::chrono::steady_clock::now() >= deadline) {
      state_ = State::busy;
      return;
    }
    std::this_thread::sleep_for(pause);
  }
}

FileLock::~FileLock() {
  if (state_ != State::held) return;
  unlink(path_.c_str());
  // Not left to close(): a child that was forked meanwhile has the file open as well.
  flock(file_.get(), LOCK_UN);
}

std::size_t remove_abandoned_files(const std::string& folder) {
  std::size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string();
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // no waiting at a pipe
    if (!file || try_lock(file) != 0 || !still_named(file, path)) continue;
    if (unlink(path.c_str()) == 0) ++removed;
  }
  return removed;
}

}  // namespace wavesmith::runtime
