// The golden file (ir_sha256.json): what a flavour's text of each case hashes to. read_goldens() and
// goldens_text() are inverse: the text of what was read is the file, byte for byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "wavesmith/error.h"

namespace wavesmith::golden {

inline constexpr std::string_view golden_file_name = "ir_sha256.json";
inline constexpr std::string_view golden_schema = "wavesmith.golden.ir/1";

/// What is pinned of one case in one flavour.
struct Entry {
  std::string symbol;
  std::string sha256;       ///< of the emitted text, 64 lower-case hexadecimal digits
  std::uint64_t bytes = 0;  ///< length of the emitted text

  friend bool operator==(const Entry&, const Entry&) = default;
};

using Entries = std::map<std::string, Entry, std::less<>>;    ///< by case id
using Goldens = std::map<std::string, Entries, std::less<>>;  ///< by flavour

/// Reads the text of a golden file. Errors (check_failed): anything that is not exactly the schema, with its
/// place; a key that stands twice; a wrong hash or length form. `name` is for messages.
[[nodiscard]] Expected<Goldens> parse_goldens(std::string_view text, std::string_view name);

/// Sorted keys, two spaces, trailing newline.
[[nodiscard]] std::string goldens_text(const Goldens& goldens);

}  // namespace wavesmith::golden
