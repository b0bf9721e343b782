// Files of a cache that several processes use at a time: read whole, replaced in one step, and locks that die
// with the process that holds them. Nothing here knows what is in the files.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/file_descriptor.h"

namespace wavesmith::runtime {

/// A file's bytes. `error` is no_such_file_or_directory where there is none.
struct FileBytes {
  std::string bytes;
  std::error_code error;
};
[[nodiscard]] FileBytes read_whole_file(const std::string& path);

/// A file that is written to a new file in the folder `temporary`, on the same file system, and renamed to
/// `path` once all of it is on the disk: whoever reads `path` finds all of it or what was there before. The
/// temporary file is locked while its writer lives. Folders that are missing are made. What is not published
/// leaves nothing.
class NewFile {
 public:
  NewFile(std::string path, std::string temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Returns once the bytes are on the disk.
  [[nodiscard]] std::error_code write(std::string_view bytes);
  [[nodiscard]] std::error_code publish();

 private:
  std::string path_;
  std::string temporary_;
  std::string name_;  ///< of the temporary file, while there is one
  FileDescriptor file_;
};

/// Both steps.
[[nodiscard]] std::error_code replace_file(const std::string& path, std::string_view bytes,
                                           const std::string& temporary);

/// An advisory lock: a locked file that is removed with the lock. The kernel releases it when its process
/// ends, however it ends.
class FileLock {
 public:
  enum class State {
    held,
    unavailable,  ///< the file system has no locks, or the file cannot be made
    busy,         ///< somebody else held it all the time
  };

  /// Waits at most `patience` for the lock of the file `path`, whose folder is made where it is missing.
  FileLock(std::string path, std::chrono::milliseconds patience);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  [[nodiscard]] State state() const { return state_; }

 private:
  std::string path_;
  FileDescriptor file_;
  State state_ = State::unavailable;
};

/// Removes the files of a folder that nobody holds a lock on: what writers and holders that were killed left
/// behind. Their number.
std::size_t remove_abandoned_files(const std::string& folder);

}  // namespace wavesmith::runtime
