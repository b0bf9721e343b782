// A bundle: the records of a cache in one file, to be handed on and read in place. Bundle reads one,
// write_bundle() makes one.
#pragma once

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

#include "runtime/file_descriptor.h"
#include "runtime/jit/record.h"
#include "runtime/jit/warnings.h"

namespace wavesmith::runtime {

class Bundle final : public RecordSource {
 public:
  using Key = std::pair<RecordKind, std::string>;

  /// Reads the index alone. `warnings` outlives this. Errors: environment where the file cannot be read,
  /// check_failed where its index is not what was written.
  [[nodiscard]] static Expected<std::unique_ptr<Bundle>> open(const std::string& path, Warnings& warnings);

  /// A damaged record is told of and not there.
  [[nodiscard]] std::optional<Record> find(RecordKind kind, std::string_view name) override;

  /// The record, or what is wrong with it.
  [[nodiscard]] Expected<Record> read(const Key& key) const;

  [[nodiscard]] std::vector<Key> keys() const;

 private:
  struct Place {
    std::uint64_t offset;
    std::uint64_t bytes;
  };

  Bundle(std::string path, FileDescriptor file, Warnings& warnings)
      : path_(std::move(path)), file_(std::move(file)), warnings_(warnings) {}

  std::string path_;
  FileDescriptor file_;
  Warnings& warnings_;
  std::map<Key, Place> index_;
};

/// Writes or replaces the file. Errors: environment.
[[nodiscard]] Expected<void> write_bundle(const std::string& path, std::span<const Record> records);

}  // namespace wavesmith::runtime
