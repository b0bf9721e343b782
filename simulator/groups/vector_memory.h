// What VMEM and DS handlers share: capturing addresses and data at issue, moving dwords when an operation
// retires, and counting bytes and cache lines. Data of a pending operation is [dword][lane].
#pragma once

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

/// Copies `dwords` registers of an operand into the operation, all lanes.
inline void capture_data(Wave& wave, PendingOp& op, const Operand& operand, unsigned dwords,
                         unsigned at = 0) {
  for (unsigned d = 0; d < dwords; ++d)
    std::memcpy(op.data[at + d].data(), wave.row(operand.reg + d), sizeof op.data[0]);
}

/// Counts what the active lanes move, and the distinct cache lines they touch.
inline void count_global(Wave& wave, const Instruction& i, const PendingOp& op, u32 bytes) {
  InstructionCounters& counters = wave.counted(i);
  counters.bytes += u64{bytes} * static_cast<u64>(std::popcount(op.exec));
  // Lanes mostly walk upwards, so comparing with the lines seen last finds nearly all repeats; a full set is
  // kept for the others.
  std::array<u64, 2 * kLanes> lines;
  u32 count = 0;
  for_each_lane(op.exec, [&](u32 lane) {
    const u64 last = (op.address[lane] + bytes - 1) / kCacheLineBytes;
    for (u64 line = op.address[lane] / kCacheLineBytes; line <= last; ++line) {
      bool seen = false;
      for (u32 k = count; k-- > 0 && !seen;) seen = lines[k] == line;
      if (!seen) lines[count++] = line;
    }
  });
  counters.cache_lines += count;
}

/// The registers an operation's data goes to.
inline u32* destination_row(Wave& wave, const PendingOp& op, unsigned dword) {
  return wave.row(op.destination + dword);
}

}  // namespace wavesmith::simulator::groups
