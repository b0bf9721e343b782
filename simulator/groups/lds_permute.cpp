// DS instructions that move data between lanes through the LDS crossbar without touching LDS memory. They
// count on lgkmcnt; their cycles are not modelled. Source values and EXEC are those at issue. CDNA4 guide,
// DS_BPERMUTE_B32, DS_PERMUTE_B32, DS_SWIZZLE_B32.
#include "simulator/groups/groups.h"
#include "simulator/groups/lds_address.h"

namespace wavesmith::simulator::groups {
namespace {

bool is_active(const PendingOp& op, u32 lane) {
  return ((op.exec >> lane) & 1) != 0;
}

/// Result [0], computed at issue, goes to the lanes that were active.
void complete(Wave& wave, PendingOp& op) {
  u32* row = destination_rows(wave, op);
  for_each_lane(op.exec, [&](u32 lane) { row[lane] = op.data[0][lane]; });
}

void finish(Wave& wave, PendingOp& op) {
  wave.in_flight.set_destination(wave, op, op.instruction->operands[0], 1);
  wave.in_flight.issue(wave, op, QueueId::lds);
}

/// The lane an address names: bytes over four, wrapping at the wave size.
u32 lane_at(const Wave& wave, u32 address, const Instruction& i) {
  return (address + static_cast<u32>(i.modifiers.offset)) / 4 % wave.size;
}

/// Pull: each lane reads the lane that its address names; a lane that is not active gives 0.
void bpermute(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete);
  const u32* address = wave.row(i.operands[1].reg);
  const u32* data = wave.row(i.operands[2].reg);
  for (u32 lane = 0; lane < wave.size; ++lane) {
    const u32 source = lane_at(wave, address[lane], i);
    op.data[0][lane] = is_active(op, source) ? data[source] : 0;
  }
  finish(wave, op);
}

/// Push: each lane writes the lane that its address names; the highest writer wins, others read 0.
void permute(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete);
  const u32* address = wave.row(i.operands[1].reg);
  const u32* data = wave.row(i.operands[2].reg);
  op.data[0].fill(0);
  for_each_lane(op.exec, [&](u32 lane) { op.data[0][lane_at(wave, address[lane], i)] = data[lane]; });
  finish(wave, op);
}

u32 reverse_five_bits(u32 value) {
  u32 reversed = 0;
  for (u32 bit = 0; bit < 5; ++bit) reversed |= (value >> bit & 1) << (4 - bit);
  return reversed;
}

/// The source lane of ds_swizzle among 32, by the 16-bit pattern.
u32 swizzle_source(u32 lane, u32 pattern) {
  const u32 low = pattern & 31, middle = pattern >> 5 & 31, high = pattern >> 10 & 31;
  if (pattern >= 0xe000) {  // FFT
    return (reverse_five_bits(lane) >> std::popcount(low) | (lane & low)) & 31;
  }
  if (pattern >= 0xc000) {  // rotate; bit 10 is the direction
    const u32 by = (pattern >> 10 & 1) != 0 ? 0u - middle : middle;
    return ((lane & low) | ((lane + by) & ~low)) & 31;
  }
  if (pattern >= 0x8000) return (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);  // within four lanes
  return ((lane & low) | middle) ^ high;
}

void swizzle(Wave& wave, const Instruction& i) {
  PendingOp& op = wave.in_flight.begin(wave, i, complete);
  const u32* data = wave.row(i.operands[1].reg);
  for (u32 lane = 0; lane < wave.size; ++lane) {
    const u32 source = (lane & 32) | swizzle_source(lane & 31, i.simm16);
    op.data[0][lane] = is_active(op, source) ? data[source] : 0;
  }
  finish(wave, op);
}

constexpr Row row(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kPlain, operands, same(handler), Unit::lds, accepts(Accepts::offset), 0, kCdna};
}

constexpr Row kRows[] = {
    row("ds_bpermute_b32", "b32 = b32 b32", bpermute),
    row("ds_permute_b32", "b32 = b32 b32", permute),
    row("ds_swizzle_b32", "b32 = b32", swizzle),
};

}  // namespace

std::span<const Row> lds_permute() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
