// One entry of a cache: names, values and a payload as bytes that cannot be mistaken when a part of them was
// lost or changed. encode() and decode() are the file format of docs/runtime.md; disk_cache.h and bundle.h
// store such bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::runtime {

enum class RecordKind : std::uint8_t {
  request,  ///< which code object a request key stands for; no payload
  object,   ///< a code object, under its id
};

/// "request", "object".
[[nodiscard]] std::string_view name_of(RecordKind kind);

struct Record {
  RecordKind kind{};
  std::string name;  ///< request key or code object id: 64 lower-case hexadecimal digits
  std::map<std::string, std::string, std::less<>> values;
  std::vector<std::byte> payload;

  /// Empty where there is no such value.
  [[nodiscard]] std::string_view value(std::string_view name) const;

  friend bool operator==(const Record&, const Record&) = default;
};

/// Whether `name` is one that records may have: safe as a file name too.
[[nodiscard]] bool is_record_name(std::string_view name);

[[nodiscard]] std::string encode(const Record& record);

/// Errors: check_failed for bytes that are not exactly what encode() gave, whatever happened to them.
[[nodiscard]] Expected<Record> decode(std::string_view bytes);

/// Somewhere that records are read from.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  /// The record, or nothing: it is not there or not readable, or was damaged, which the source reports
  /// itself.
  [[nodiscard]] virtual std::optional<Record> find(RecordKind kind, std::string_view name) = 0;
};

}  // namespace wavesmith::runtime
