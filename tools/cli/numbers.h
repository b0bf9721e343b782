// Numbers from the words of a command line.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace wavesmith::cli {

/// The whole text as a number: decimal digits, a minus sign where the type has one, a fraction and exponent
/// for floating types.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The same with hexadecimal digits behind 0x.
[[nodiscard]] inline std::optional<std::uint64_t> parse_address(std::string_view text) {
  if (!text.starts_with("0x")) return parse_number<std::uint64_t>(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (text.size() < 3 || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace wavesmith::cli
