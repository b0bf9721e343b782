// Lane addresses of DS instructions: captured and checked at issue, so that what retires later need not look.
// Beyond the end of LDS a read gives 0 and a write is dropped on hardware; here both are faults.
#pragma once

#include "simulator/groups/vector_memory.h"

namespace wavesmith::simulator::groups {

/// What the check of an address demands.
struct LdsRule {
  u32 bytes;                 ///< that each lane reaches from its address
  u32 alignment;             ///< a power of two
  bool alignment_is_strict;  ///< misalignment is a fault instead of a warning
};

/// The rule of a plain read or write. 96 bits count as 128 for alignment.
constexpr LdsRule lds_rule(u32 bytes) {
  return {bytes, bytes == 12 ? 16 : bytes, false};
}
constexpr LdsRule strict_lds_rule(u32 bytes, u32 alignment) {
  return {bytes, alignment, true};
}

/// Describes the first lane that breaks the rule; lane addresses are base[lane] + offset.
void report_lds_address(Wave& wave, const PendingOp& op, const u32* base, u32 offset, LdsRule rule);

/// op.lds[lane] = base[lane] + offset, with `rule` checked for the active lanes.
inline void capture_lds_address(Wave& wave, PendingOp& op, const u32* base, u32 offset, LdsRule rule) {
  const auto size = static_cast<u32>(wave.group->lds.size());
  const u32 limit = size - rule.bytes;  // only looked at when it is not negative
  u32 beyond = size < rule.bytes ? ~0u : 0u;
  u32 bits = 0;
  // LDS is far smaller than 2 GiB: the top bit tells a sum that is too large, and a difference below zero.
  if (op.exec == ~u64{0}) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u32 at = base[lane] + offset;
      op.lds[lane] = at;
      bits |= at;
      beyond |= base[lane] | at | (limit - at);
    }
  } else {
    for (u32 lane = 0; lane < kLanes; ++lane) op.lds[lane] = base[lane] + offset;
    for_each_lane(op.exec, [&](u32 lane) {
      bits |= op.lds[lane];
      beyond |= base[lane] | op.lds[lane] | (limit - op.lds[lane]);
    });
    if (op.exec == 0) beyond = 0;
  }
  if ((beyond >> 31) != 0 || (bits & (rule.alignment - 1)) != 0) {
    report_lds_address(wave, op, base, offset, rule);
  }
}

/// The same for the usual address operand: VGPR plus the 16-bit offset of the instruction.
inline void capture_lds_address(Wave& wave, PendingOp& op, const Operand& address, LdsRule rule) {
  capture_lds_address(wave, op, wave.row(address.reg), static_cast<u32>(op.instruction->modifiers.offset),
                      rule);
}

/// Counts bytes and cycles of one access of every active lane at op.lds.
inline void count_lds(Wave& wave, const PendingOp& op, LdsAccess access, u32 bytes, bool atomic = false) {
  const Instruction& i = *op.instruction;
  wave.counted(i).bytes += bytes * lane_count(op.exec);
  wave.group->count_lds_cycles(i, op.exec, op.lds, access, bytes, atomic);
}

constexpr LdsAccess read_access(u32 bytes) {
  return bytes == 16   ? LdsAccess::read_b128
         : bytes == 12 ? LdsAccess::read_b96
         : bytes == 8  ? LdsAccess::read_b64
                       : LdsAccess::read_b32;
}
constexpr LdsAccess write_access(u32 bytes) {
  return bytes == 16   ? LdsAccess::write_b128
         : bytes == 12 ? LdsAccess::write_b96
         : bytes == 8  ? LdsAccess::write_b64
                       : LdsAccess::write_b32;
}

// The names of gfx9 and gfx10.
inline constexpr GfxSet kLdsTargets = kCdna | kGfx10;
inline constexpr FormSet kPlain = static_cast<FormSet>(Form::plain);

}  // namespace wavesmith::simulator::groups
