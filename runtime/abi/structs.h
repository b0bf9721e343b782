// Structures that grow: each begins with the size that its user was compiled with. A shorter one, of an older
// header, is read as if the rest were zero; a longer one, of a newer header, only where what this library
// does not know is zero. What is written is cut off or filled up with zeros in the same way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/abi/boundary.h"

namespace wavesmith::abi {

/// Far more than a structure will grow; a size beyond it is no size.
inline constexpr std::size_t most_growth = 4096;

/// `first` is the size that the structure had in the header's version 1.
[[nodiscard]] constexpr bool is_known_size(std::size_t size, std::size_t first) {
  return size >= first && size <= first + most_growth;
}

/// Refuses null and a size that no version had. Every structure still has the size of version 1.
template <class T>
[[nodiscard]] Outcome check_struct(const T* given, std::string_view field) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>);
  if (const Outcome there = not_null(given, field); !there) return there;
  if (is_known_size(given->struct_size, sizeof(T))) return {};
  return bad_argument(std::string(field) + ".struct_size", std::to_string(given->struct_size),
                      "the size of the structure, at least " + std::to_string(sizeof(T)));
}

/// Copies a caller's structure.
template <class T>
[[nodiscard]] Outcome read_struct(const T* given, T& own, std::string_view field) {
  if (const Outcome checked = check_struct(given, field); !checked) return checked;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  const std::size_t size = given->struct_size;
  if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, [](auto byte) { return byte != 0; }))
    return bad_argument(std::string(field) + ".struct_size", std::to_string(size),
                        "zero in every member behind the " + std::to_string(sizeof(T)) +
                            " bytes that this version of the library knows");
  std::memcpy(&own, bytes, std::min(size, sizeof(T)));
  return {};
}

/// Fills in a structure that check_struct() has accepted.
template <class T>
void write_struct(T own, T* given) {
  const std::size_t size = given->struct_size;
  own.struct_size = size;
  auto* bytes = reinterpret_cast<unsigned char*>(given);
  std::memcpy(bytes, &own, std::min(size, sizeof(T)));
  if (size > sizeof(T)) std::memset(bytes + sizeof(T), 0, size - sizeof(T));
}

/// Refuses a flag that is neither 0 nor 1.
[[nodiscard]] inline Outcome check_flag(std::int32_t value, std::string_view field) {
  if (value == 0 || value == 1) return {};
  return bad_argument(field, std::to_string(value), "0, 1");
}

/// Refuses a member that has no meaning yet.
[[nodiscard]] inline Outcome check_reserved(std::int32_t value, std::string_view field) {
  if (value == 0) return {};
  return bad_argument(field, std::to_string(value), "0");
}

}  // namespace wavesmith::abi
