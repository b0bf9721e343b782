// Sources and results that are not a plain VGPR: broadcasts, source modifiers, DPP and SDWA. lanes.h declares
// them.
#include "simulator/groups/dpp.h"
#include "simulator/groups/lanes.h"

namespace wavesmith::simulator::groups {
namespace {

/// The sign bit that neg and abs act on; packed types have neg_lo and neg_hi instead.
u32 sign_bit(OperandType type) {
  switch (type) {
    case OperandType::b16:
    case OperandType::f16:
    case OperandType::bf16:
      return 0x8000u;
    case OperandType::v2f16:
    case OperandType::v2bf16:
    case OperandType::v2f32:
      return 0;
    default:
      return 0x80000000u;
  }
}

/// The lanes of one dword of an operand, before modifiers.
const u32* raw_source(Wave& wave, const Instruction& i, unsigned operand, unsigned half, LaneBuffer& buffer) {
  const Operand& op = i.operands[operand];
  if (op.kind == OperandKind::vector) {
    const u32* row = wave.row(op.reg + half);
    if (!i.has_dpp || operand != i.destinations) return row;
    dpp_gather(wave, i, row, buffer.lane);
    return buffer.lane.data();
  }
  const u32 value = op.width >= 2 ? static_cast<u32>(wave.read64(op) >> (32 * half)) : wave.read32(op);
  buffer.lane.fill(value);
  return buffer.lane.data();
}

u32 sdwa_extract(u32 value, unsigned select, bool sign_extend) {
  if (select == 6) return value;
  const unsigned bits = select < 4 ? 8 : 16;
  const unsigned shift = select < 4 ? select * 8 : (select - 4) * 16;
  const u32 field = value >> shift & ((1u << bits) - 1);
  if (!sign_extend) return field;
  return static_cast<u32>(static_cast<i32>(field << (32 - bits)) >> (32 - bits));
}

}  // namespace

const u32* gather_source(Wave& wave, const Instruction& i, unsigned operand, LaneBuffer& buffer) {
  const Operand& op = i.operands[operand];
  const u32* lanes = raw_source(wave, i, operand, 0, buffer);
  if (i.has_sdwa) {
    const Sdwa& sdwa = i.modifiers.sdwa;
    const unsigned select = operand == i.destinations ? sdwa.src0_sel : sdwa.src1_sel;
    const bool selected = operand <= i.destinations + 1u;
    for (u32 lane = 0; lane < kLanes; ++lane) {
      buffer.lane[lane] = selected ? sdwa_extract(lanes[lane], select, op.sext) : lanes[lane];
    }
    lanes = buffer.lane.data();
  }
  if (op.high_half) {
    for (u32 lane = 0; lane < kLanes; ++lane) buffer.lane[lane] = lanes[lane] >> 16;
    lanes = buffer.lane.data();
  }
  const u32 sign = sign_bit(op.type);
  const u32 clear = op.abs ? sign : 0, flip = op.neg ? sign : 0;
  if ((clear | flip) == 0) return lanes;
  for (u32 lane = 0; lane < kLanes; ++lane) buffer.lane[lane] = (lanes[lane] & ~clear) ^ flip;
  return buffer.lane.data();
}

const u32* gather_source64(Wave& wave, const Instruction& i, unsigned operand, unsigned half,
                           LaneBuffer& buffer) {
  const Operand& op = i.operands[operand];
  const u32* lanes = raw_source(wave, i, operand, half, buffer);
  const u32 sign = half == 1 ? sign_bit(op.type) : 0;
  const u32 clear = op.abs ? sign : 0, flip = op.neg ? sign : 0;
  if ((clear | flip) == 0) return lanes;
  for (u32 lane = 0; lane < kLanes; ++lane) buffer.lane[lane] = (lanes[lane] & ~clear) ^ flip;
  return buffer.lane.data();
}

void scatter_result(Wave& wave, const Instruction& i, unsigned operand, const LaneBuffer& result, u64 lanes) {
  u32* row = wave.row(i.operands[operand].reg);
  const Sdwa& sdwa = i.modifiers.sdwa;
  const bool whole = !i.has_sdwa || sdwa.dst_sel == 6;
  const unsigned bits = sdwa.dst_sel < 4 ? 8 : 16;
  const unsigned shift = sdwa.dst_sel < 4 ? sdwa.dst_sel * 8u : (sdwa.dst_sel - 4u) * 16u;
  for_each_lane(lanes, [&](u32 lane) {
    const u32 value = result.lane[lane];
    if (whole) {
      row[lane] = value;
      return;
    }
    const u32 mask = ((1u << bits) - 1) << shift;
    const u32 field = value << shift & mask;
    switch (sdwa.dst_unused) {
      case 0:
        row[lane] = field;
        break;
      case 1:
        row[lane] = static_cast<u32>(static_cast<i32>(value << (32 - bits)) >> (32 - bits - shift));
        break;
      default:
        row[lane] = (row[lane] & ~mask) | field;
        break;
    }
  });
}

u64 dpp_write_mask(const Wave& wave, const Instruction& i) {
  return wave.exec() & dpp_lanes(wave, i).written;
}

}  // namespace wavesmith::simulator::groups
