// What the memory tests share: a reference for how bytes and registers correspond, told from the ending of a
// mnemonic as the ISA guides define it; EXEC patterns; a check that every implemented form was driven.
// Nothing here uses the executor's own notion of an element.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "snippet.h"

namespace wavesmith::simulator::testing {

/// One lane's element of a load or store.
struct Element {
  enum class Kind {
    dwords,
    zero_extended,
    sign_extended,
    low_half,
    low_half_signed,
    high_half,
    high_half_signed
  };
  unsigned bytes = 4;
  Kind kind = Kind::dwords;

  unsigned registers() const { return bytes <= 4 ? 1 : bytes / 4; }
  bool half() const { return kind >= Kind::low_half; }
};

/// "dwordx2", "ubyte_d16_hi", "b96", "u8_d16", "short", …: the words behind load, store, read, write or lds.
Element element_named(std::string_view name);

/// Register `dword` after a load of `bytes` over `old`. Other halves are zeroed or kept.
std::uint32_t loaded(Element element, std::span<const std::byte> bytes, unsigned dword, std::uint32_t old,
                     bool keeps_other_half);

/// The bytes that a store of these registers writes.
std::vector<std::byte> stored(Element element, std::span<const std::uint32_t> registers);

/// "v8" or "v[8:11]"; `letter` 's' or 'a' for the others.
std::string registers(unsigned first, unsigned count, char letter = 'v');

/// Lane masks that tests go through: all, none, single ones, halves, scattered.
std::span<const std::uint64_t> exec_patterns();
inline bool active(std::uint64_t exec, std::uint32_t lane) {
  return (exec >> lane & 1) != 0;
}

using Random = std::mt19937_64;
Lanes32 random_lanes(Random& random);
std::vector<std::byte> random_bytes(Random& random, std::size_t count);
inline std::uint32_t below(Random& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

/// Implemented forms of a processor whose mnemonic begins so.
std::vector<ImplementedForm> forms_of(std::string_view processor, std::string_view prefix);

/// Scratch of 64 bytes for each lane is set from v100 … v115 before a snippet and read back to v120 … v135
/// behind it; EXEC of the part in between comes from s[10:11].
inline constexpr unsigned kScratchDwords = 16, kScratchIn = 100, kScratchOut = 120;
std::string with_scratch(std::string_view snippet);

/// Distinct 128-byte lines of byte ranges.
class Lines {
 public:
  void add(std::uint64_t address, std::uint64_t bytes);
  std::uint64_t count() const { return lines_.size(); }

 private:
  std::set<std::uint64_t> lines_;
};

}  // namespace wavesmith::simulator::testing
