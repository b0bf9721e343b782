// Address arithmetic of MUBUF. Sources: CDNA4 guide 9.1.5 (addresses, range check, swizzling), LLVM's
// documentation of buffer resources (saturating check, each dword of a wide access by itself).
#include "simulator/groups/buffer_address.h"

#include <limits>

#include "simulator/groups/lanes.h"

namespace wavesmith::simulator::groups {
namespace {

// gfx9 interleaves elements of four bytes.
constexpr u32 kElementBytes = 4;

/// What of an address is the same for all lanes.
struct Terms {
  BufferResource resource;
  const u32* offset = nullptr;  ///< VGPR offsets, or null
  const u32* index = nullptr;   ///< VGPR indices, or null
  u64 scalar_offset = 0;
  u32 immediate = 0;

  u64 lane_offset(u32 lane) const { return u64{offset != nullptr ? offset[lane] : 0} + immediate; }
  u64 lane_index(u32 lane) const {
    return u64{index != nullptr ? index[lane] : 0} + (resource.add_thread ? lane : 0);
  }
  /// The range check counts elements when there are any to count, else bytes. The scalar offset is not in it.
  bool structured() const {
    return resource.stride != 0 && (index != nullptr || resource.add_thread || resource.swizzle);
  }
};

Terms terms_of(const Wave& wave, const Instruction& i, const Operand& vaddr, const Operand& resource,
               const Operand& scalar_offset) {
  Terms terms;
  terms.resource = read_resource(wave, resource);
  terms.scalar_offset = wave.read32(scalar_offset);
  terms.immediate = static_cast<u32>(i.modifiers.offset);
  const bool index = has_vector_index(i.form);
  if (index) terms.index = wave.row(vaddr.reg);
  if (has_vector_offset(i.form)) terms.offset = wave.row(vaddr.reg + (index ? 1u : 0u));
  return terms;
}

u64 swizzled(const BufferResource& r, u64 index, u64 offset) {
  const u64 row = index / r.index_stride * r.stride + offset / kElementBytes * kElementBytes;
  return row * r.index_stride + index % r.index_stride * kElementBytes + offset % kElementBytes;
}

void form_addresses(PendingOp& op, const Terms& t) {
  const u64 base = t.resource.base + t.scalar_offset;
  if (t.resource.swizzle) {
    for (u32 lane = 0; lane < kLanes; ++lane)
      op.address[lane] = base + swizzled(t.resource, t.lane_index(lane), t.lane_offset(lane));
  } else if (t.index == nullptr && !t.resource.add_thread && t.offset != nullptr) {
    const u64 start = base + t.immediate;
    for (u32 lane = 0; lane < kLanes; ++lane) op.address[lane] = start + t.offset[lane];
  } else {
    for (u32 lane = 0; lane < kLanes; ++lane)
      op.address[lane] = base + t.lane_index(lane) * t.resource.stride + t.lane_offset(lane);
  }
}

/// Lanes whose VGPR offset is below a limit.
u64 lanes_below(const u32* offset, u32 limit) {
  alignas(64) std::array<std::uint8_t, kLanes> below;
  for (u32 lane = 0; lane < kLanes; ++lane) below[lane] = offset[lane] < limit ? 1 : 0;
  return pack_mask(below);
}

/// Lanes whose dword at `displacement` from the access's offset is inside a raw buffer.
u64 lanes_in_bytes(const Terms& t, u32 displacement) {
  const u64 constant = u64{t.immediate} + displacement;
  if (constant >= t.resource.records) return 0;
  const u32 limit = static_cast<u32>(t.resource.records - constant);
  return t.offset == nullptr ? ~u64{0} : lanes_below(t.offset, limit);
}

u64 lanes_in_elements(const Terms& t) {
  u64 lanes = 0;
  for (u32 lane = 0; lane < kLanes; ++lane)
    lanes |= u64{t.lane_index(lane) < t.resource.records ? 1u : 0u} << lane;
  return lanes;
}

void check_range(PendingOp& op, const Terms& t, unsigned dwords, RangeCheck check) {
  if (t.structured()) {
    op.in_range.fill(op.exec & lanes_in_elements(t));
    return;
  }
  // The last dword has the tightest limit: where it is in range, all are.
  const u64 last = op.exec & lanes_in_bytes(t, 4 * (dwords - 1));
  op.in_range.fill(last);
  if (check == RangeCheck::whole || last == op.exec) return;
  for (unsigned d = 0; d + 1 < dwords; ++d) op.in_range[d] = op.exec & lanes_in_bytes(t, 4 * d);
}

void check_alignment(Wave& wave, const PendingOp& op) {
  u64 bits = 0;
  if (op.in_range[0] == ~u64{0}) {
    for (u32 lane = 0; lane < kLanes; ++lane) bits |= op.address[lane];
  } else {
    for_each_lane(op.in_range[0], [&](u32 lane) { bits |= op.address[lane]; });
  }
  if ((bits & 3) == 0) return;
  for (u64 lanes = op.in_range[0]; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<u32>(std::countr_zero(lanes));
    if ((op.address[lane] & 3) == 0) continue;
    wave.warn(*op.instruction, WarningKind::misaligned_buffer, lane, op.address[lane]);
    return;
  }
}

}  // namespace

BufferResource read_resource(const Wave& wave, const Operand& operand) {
  const u32* words = &wave.scalar[operand.reg];
  BufferResource r;
  r.base = words[0] | u64{words[1] & 0xffffu} << 32;
  r.stride = words[1] >> 16 & 0x3fff;
  r.swizzle = words[1] >> 31 != 0;
  r.records = words[2];
  r.index_stride = 8u << (words[3] >> 21 & 3);
  r.add_thread = (words[3] >> 23 & 1) != 0;
  if (r.add_thread) r.stride |= (words[3] >> 15 & 0xf) << 14;
  return r;
}

void capture_buffer_address(Wave& wave, PendingOp& op, const Operand& vaddr, const Operand& resource,
                            const Operand& scalar_offset, u32 bytes, RangeCheck check) {
  const Terms terms = terms_of(wave, *op.instruction, vaddr, resource, scalar_offset);
  op.dword_step = terms.resource.swizzle ? kElementBytes * terms.resource.index_stride : 4;
  form_addresses(op, terms);
  check_range(op, terms, (bytes + 3) / 4, check);
  if (bytes >= 4) check_alignment(wave, op);
}

void count_buffer(Wave& wave, const PendingOp& op, u32 bytes) {
  const unsigned dwords = (bytes + 3) / 4;
  const u64 whole = whole_lanes(op, dwords);
  CacheLines lines;
  for_each_lane(whole, [&](u32 lane) { lines.add(op.address[lane], bytes); });
  u64 moved = bytes * lane_count(whole);
  for (unsigned d = 0; whole != op.exec && d < dwords; ++d) {
    const u64 single = op.in_range[d] & ~whole;
    for_each_lane(single, [&](u32 lane) { lines.add(op.address[lane] + u64{d} * op.dword_step, 4); });
    moved += 4 * lane_count(single);
  }
  InstructionCounters& counters = wave.counted(*op.instruction);
  counters.bytes += moved;
  counters.cache_lines += lines.count();
}

}  // namespace wavesmith::simulator::groups
