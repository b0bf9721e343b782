// The reference for elements, from the ISA guides' definitions of each load and store.
#include "memory_cases.h"

#include <bit>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

namespace wavesmith::simulator::testing {

Element element_named(std::string_view name) {
  using enum Element::Kind;
  static const std::map<std::string_view, Element> known = {
      {"ubyte", {1, zero_extended}},
      {"u8", {1, zero_extended}},
      {"byte", {1, zero_extended}},
      {"b8", {1, zero_extended}},
      {"sbyte", {1, sign_extended}},
      {"i8", {1, sign_extended}},
      {"ushort", {2, zero_extended}},
      {"u16", {2, zero_extended}},
      {"short", {2, zero_extended}},
      {"b16", {2, zero_extended}},
      {"sshort", {2, sign_extended}},
      {"i16", {2, sign_extended}},
      {"ubyte_d16", {1, low_half}},
      {"u8_d16", {1, low_half}},
      {"sbyte_d16", {1, low_half_signed}},
      {"i8_d16", {1, low_half_signed}},
      {"short_d16", {2, low_half}},
      {"u16_d16", {2, low_half}},
      {"ubyte_d16_hi", {1, high_half}},
      {"u8_d16_hi", {1, high_half}},
      {"byte_d16_hi", {1, high_half}},
      {"b8_d16_hi", {1, high_half}},
      {"sbyte_d16_hi", {1, high_half_signed}},
      {"i8_d16_hi", {1, high_half_signed}},
      {"short_d16_hi", {2, high_half}},
      {"u16_d16_hi", {2, high_half}},
      {"b16_d16_hi", {2, high_half}},
      {"dword", {4, dwords}},
      {"b32", {4, dwords}},
      {"dwordx2", {8, dwords}},
      {"b64", {8, dwords}},
      {"dwordx3", {12, dwords}},
      {"b96", {12, dwords}},
      {"dwordx4", {16, dwords}},
      {"b128", {16, dwords}},
  };
  const auto found = known.find(name);
  if (found == known.end()) throw std::runtime_error("no reference for the element " + std::string(name));
  return found->second;
}

std::uint32_t loaded(Element element, std::span<const std::byte> bytes, unsigned dword, std::uint32_t old,
                     bool keeps_other_half) {
  std::uint32_t value = 0;
  const unsigned count = element.bytes < 4 ? element.bytes : 4;
  for (unsigned b = 0; b < count; ++b)
    value += std::to_integer<std::uint32_t>(bytes[4 * dword + b]) << (8 * b);
  const std::uint32_t sign = value >> (8 * count - 1);
  const std::uint32_t half = element.bytes == 1 && sign == 1 ? value + 0xff00 : value;  // of a signed byte
  const std::uint32_t other = keeps_other_half ? old : 0;
  using enum Element::Kind;
  switch (element.kind) {
    case dwords:
    case zero_extended:
      return value;
    case sign_extended:
      return sign == 0 ? value : value - (element.bytes == 1 ? 0x100u : 0x10000u);
    case low_half:
      return other / 0x10000 * 0x10000 + value;
    case low_half_signed:
      return other / 0x10000 * 0x10000 + half;
    case high_half:
      return value * 0x10000 + other % 0x10000;
    case high_half_signed:
      return half * 0x10000 + other % 0x10000;
  }
  return 0;
}

std::vector<std::byte> stored(Element element, std::span<const std::uint32_t> registers) {
  std::vector<std::byte> bytes(element.bytes);
  for (unsigned b = 0; b < element.bytes; ++b) {
    const unsigned from = element.kind == Element::Kind::high_half ? b + 2 : b;
    bytes[b] = static_cast<std::byte>(registers[from / 4] >> (8 * (from % 4)));
  }
  return bytes;
}

std::string registers(unsigned first, unsigned count, char letter) {
  if (count == 1) return fmt::format("{}{}", letter, first);
  return fmt::format("{}[{}:{}]", letter, first, first + count - 1);
}

std::span<const std::uint64_t> exec_patterns() {
  static constexpr std::uint64_t patterns[] = {~std::uint64_t{0},
                                               0,
                                               1,
                                               std::uint64_t{1} << 63,
                                               0x00000000ffffffff,
                                               0xffffffff00000000,
                                               0x5555aaaa0f0ff00f,
                                               0x8000000000000001};
  return patterns;
}

Lanes32 random_lanes(Random& random) {
  return lanes([&](std::uint32_t) { return static_cast<std::uint32_t>(random()); });
}

std::vector<std::byte> random_bytes(Random& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < count; ++i, left >>= 8) {
    if (i % 8 == 0) left = random();
    bytes[i] = static_cast<std::byte>(left);
  }
  return bytes;
}

std::vector<ImplementedForm> forms_of(std::string_view processor, std::string_view prefix) {
  std::vector<ImplementedForm> forms;
  for (ImplementedForm& form : implemented_forms(processor)) {
    if (form.mnemonic.starts_with(prefix)) forms.push_back(std::move(form));
  }
  return forms;
}

std::string with_scratch(std::string_view snippet) {
  std::string text = "s_mov_b64 exec, -1\n";
  for (unsigned d = 0; d < kScratchDwords; ++d)
    text += fmt::format("scratch_store_dword off, v{}, off offset:{}\n", kScratchIn + d, 4 * d);
  text += fmt::format("s_mov_b64 exec, s[10:11]\n{}\ns_mov_b64 exec, -1\n", snippet);
  for (unsigned d = 0; d < kScratchDwords; ++d)
    text += fmt::format("scratch_load_dword v{}, off, off offset:{}\n", kScratchOut + d, 4 * d);
  return text + "s_waitcnt vmcnt(0)";
}

void Lines::add(std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t at = address; at < address + bytes; ++at) lines_.insert(at / 128);
}

}  // namespace wavesmith::simulator::testing
