// What VMEM and DS handlers share: the sizes data moves in, capturing data at issue, moving one lane's bytes
// between memory and registers, and counting bytes and cache lines. Data of a pending operation is
// [dword][lane].
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "simulator/wave.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator::groups {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr u64 kCacheLineBytes = 128;

/// What one lane moves. Narrow values fill the register (u8 … i16) or one half of it; a store takes the low
/// bits of the register or of its high half.
enum class Piece : std::uint8_t {
  u8,
  i8,
  u16,
  i16,
  u8_low,
  i8_low,
  u16_low,
  u8_high,
  i8_high,
  u16_high,
  b32,
  b64,
  b96,
  b128,
};

constexpr u32 bytes_of(Piece piece) {
  switch (piece) {
    case Piece::u8:
    case Piece::i8:
    case Piece::u8_low:
    case Piece::i8_low:
    case Piece::u8_high:
    case Piece::i8_high:
      return 1;
    case Piece::u16:
    case Piece::i16:
    case Piece::u16_low:
    case Piece::u16_high:
      return 2;
    case Piece::b32:
      return 4;
    case Piece::b64:
      return 8;
    case Piece::b96:
      return 12;
    case Piece::b128:
      return 16;
  }
  return 0;
}
constexpr unsigned dwords_of(Piece piece) {
  return (bytes_of(piece) + 3) / 4;
}
constexpr bool is_high(Piece piece) {
  return piece == Piece::u8_high || piece == Piece::i8_high || piece == Piece::u16_high;
}
constexpr bool is_low(Piece piece) {
  return piece == Piece::u8_low || piece == Piece::i8_low || piece == Piece::u16_low;
}
constexpr bool is_signed(Piece piece) {
  return piece == Piece::i8 || piece == Piece::i16 || piece == Piece::i8_low || piece == Piece::i8_high;
}

/// Bits of the destination that a load leaves alone.
inline u32 kept_bits(const Wave& wave, Piece piece) {
  if (!is_high(piece) && !is_low(piece)) return 0;
  const bool zeroes =
      wave.processor->is_cdna() && wave.group->dispatch->options->d16_load == D16Load::zeroes_other_half;
  if (zeroes) return 0;
  return is_low(piece) ? 0xffff0000u : 0x0000ffffu;
}

/// A value of less than four bytes as the register shall hold it.
template <Piece P>
u32 narrow_value(const std::byte* host) {
  static_assert(bytes_of(P) < 4);
  u32 value = 0;
  std::memcpy(&value, host, bytes_of(P));
  constexpr unsigned width = 8 * bytes_of(P);
  if constexpr (is_signed(P))
    value = static_cast<u32>(static_cast<std::int32_t>(value << (32 - width)) >> (32 - width));
  if constexpr (is_low(P)) value &= 0xffffu;
  if constexpr (is_high(P)) value <<= 16;
  return value;
}

/// Puts one lane's bytes into its registers; `rows` is the first one.
template <Piece P>
void put_lane(u32* rows, u32 lane, const std::byte* host, u32 kept) {
  if constexpr (bytes_of(P) < 4) {
    rows[lane] = (rows[lane] & kept) | narrow_value<P>(host);
  } else {
    std::array<u32, dwords_of(P)> data;
    std::memcpy(data.data(), host, sizeof data);
    for (unsigned d = 0; d < dwords_of(P); ++d) rows[d * kLanes + lane] = data[d];
  }
}

/// Writes one lane's captured data to memory.
template <Piece P>
void take_lane(const PendingOp& op, u32 lane, std::byte* host) {
  if constexpr (bytes_of(P) < 4) {
    const u32 value = is_high(P) ? op.data[0][lane] >> 16 : op.data[0][lane];
    std::memcpy(host, &value, bytes_of(P));
  } else {
    std::array<u32, dwords_of(P)> data;
    for (unsigned d = 0; d < dwords_of(P); ++d) data[d] = op.data[d][lane];
    std::memcpy(host, data.data(), sizeof data);
  }
}

/// Copies `dwords` registers of an operand into the operation, all lanes.
inline void capture_data(Wave& wave, PendingOp& op, const Operand& operand, unsigned dwords,
                         unsigned at = 0) {
  for (unsigned d = 0; d < dwords; ++d)
    std::memcpy(op.data[at + d].data(), wave.row(operand.reg + d), sizeof op.data[0]);
}

/// Marks the destination of a load.
inline void set_load_destination(Wave& wave, PendingOp& op, const Operand& operand, Piece piece) {
  const Halves halves = kept_bits(wave, piece) == 0 ? Halves::both
                        : is_low(piece)             ? Halves::low
                                                    : Halves::high;
  wave.in_flight.set_destination(wave, op, operand, dwords_of(piece), halves);
}

/// The registers an operation's data goes to.
inline u32* destination_rows(Wave& wave, const PendingOp& op) {
  return wave.row(op.destination);
}

inline u64 lane_count(u64 lanes) {
  return static_cast<u64>(std::popcount(lanes));
}

//! \name Counting (vector_memory.cpp)

/// The cache lines that one instruction touches. Lanes mostly walk upwards, several to a line: then a look at
/// the highest line is enough.
class CacheLines {
 public:
  void add(u64 address, u32 bytes) {
    const u64 first = address / kCacheLineBytes, last = (address + bytes - 1) / kCacheLineBytes;
    add_line(first);
    if (last != first) add_line(last);
  }
  u32 count() const { return count_; }

 private:
  void add_line(u64 line) {
    if (count_ != 0 && line <= highest_ && (line == highest_ || seen(line))) return;
    lines_[count_++] = line;
    highest_ = count_ == 1 ? line : std::max(highest_, line);
  }
  bool seen(u64 line) const {
    const auto end = lines_.begin() + count_;
    return std::find(lines_.begin(), end, line) != end;
  }

  std::array<u64, 2 * kMaxDataDwords * kLanes> lines_;  // each dword by itself, across two lines
  u64 highest_ = 0;
  u32 count_ = 0;
};

/// Counts what lanes move in global memory.
void count_global(Wave& wave, const Instruction& i, const PendingOp& op, u64 lanes, u32 bytes);

}  // namespace wavesmith::simulator::groups
