// Packed f32: two values in a register pair. op_sel says which half of each source the low result takes,
// op_sel_hi the same for the high one; neg_lo and neg_hi flip signs for either. Source: VOP3P in the CDNA4
// guide.
#include <cmath>

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

/// The lanes of one half of a source.
const u32* select_half(Wave& wave, const Instruction& i, unsigned k, bool high, bool negate,
                       LaneBuffer& buffer) {
  const Operand& op = i.operands[1 + k];
  if (op.kind == OperandKind::vector && !negate) return wave.row(op.reg + (high ? 1u : 0u));
  const u32 sign = negate ? 0x80000000u : 0u;
  if (op.kind == OperandKind::vector) {
    const u32* row = wave.row(op.reg + (high ? 1u : 0u));
    for (u32 lane = 0; lane < kLanes; ++lane) buffer.lane[lane] = row[lane] ^ sign;
    return buffer.lane.data();
  }
  if (op.kind == OperandKind::constant && high) {
    wave.fail(i, "the high half of a constant is selected, which the hardware does not define");
  }
  buffer.lane.fill(static_cast<u32>(wave.read64(op) >> (high ? 32 : 0)) ^ sign);
  return buffer.lane.data();
}

bool selected(unsigned bits, unsigned k) {
  return (bits >> k & 1) != 0;
}

template <auto F, unsigned Sources>
struct PackedBody {
  template <bool FlushSources, bool FlushResults>
  static WAVESMITH_INLINE void loop(const Source<f32> (&low)[3], const Source<f32> (&high)[3],
                                    Result<u64>& d) {
    const auto read = [&](const Source<f32>& s, u32 lane) WAVESMITH_INLINE_LAMBDA {
      return FlushSources ? flush_denormal(s[lane]) : s[lane];
    };
    const auto half = [&](const Source<f32>(&s)[3], u32 lane) WAVESMITH_INLINE_LAMBDA {
      f32 value;
      if constexpr (Sources == 2) {
        const f32 a = read(s[0], lane), b = read(s[1], lane);
        value = settle_nan<f32>(F(a, b), a, b);
      } else {
        const f32 a = read(s[0], lane), b = read(s[1], lane), c = read(s[2], lane);
        value = settle_nan<f32>(F(a, b, c), a, b, c);
      }
      return std::bit_cast<u32>(FlushResults ? flush_denormal(value) : value);
    };
    // Both halves of a lane are read before either is written: a source may be the destination.
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u32 first = half(low, lane), second = half(high, lane);
      d.low()[lane] = first;
      d.high()[lane] = second;
    }
  }

  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    const Modifiers& m = i.modifiers;
    LaneBuffer buffers[2][3];
    Source<f32> low[3] = {}, high[3] = {};
    for (unsigned k = 0; k < Sources; ++k) {
      low[k] = {select_half(wave, i, k, selected(m.op_sel, k), selected(m.neg_lo, k), buffers[0][k])};
      high[k] = {select_half(wave, i, k, selected(m.op_sel_hi, k), selected(m.neg_hi, k), buffers[1][k])};
    }
    const FloatMode<f32> mode(wave.mode);
    Result<u64> d(wave, i);
    {
      const RoundingScope rounding(mode.round);
      if (mode.flush_sources && mode.flush_results) {
        loop<true, true>(low, high, d);
      } else if (mode.flush_sources) {
        loop<true, false>(low, high, d);
      } else if (mode.flush_results) {
        loop<false, true>(low, high, d);
      } else {
        loop<false, false>(low, high, d);
      }
      if (m.clamp) {
        for (u32* row : {d.low(), d.high()}) {
          for (u32 lane = 0; lane < kLanes; ++lane) {
            row[lane] = std::bit_cast<u32>(
                modify_result(std::bit_cast<f32>(row[lane]), m, wave.mode, !mode.flush_results));
          }
        }
      }
    }
    d.finish();
  }
};

/// D.low = S0[op_sel[0]], D.high = S1[op_sel[1]].
struct PackedMove {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[2];
    const u32* low = select_half(wave, i, 0, selected(i.modifiers.op_sel, 0), false, buffers[0]);
    const u32* high = select_half(wave, i, 1, selected(i.modifiers.op_sel, 1), false, buffers[1]);
    Result<u64> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, low[lane] | u64{high[lane]} << 32);
    d.finish();
  }
};

constexpr auto add = [](f32 a, f32 b) { return a + b; };
constexpr auto multiply = [](f32 a, f32 b) { return a * b; };
constexpr auto fused = [](f32 a, f32 b, f32 c) { return std::fma(a, b, c); };

constexpr TraitSet kPacked = traits(Trait::packed);
constexpr Row kRows[] = {
    {"v_pk_add_f32", kVop3, "v2f32 = v2f32 v2f32", both<PackedBody<add, 2>>, Unit::valu, kPackedFloat,
     kPacked, kCdna},
    {"v_pk_mul_f32", kVop3, "v2f32 = v2f32 v2f32", both<PackedBody<multiply, 2>>, Unit::valu, kPackedFloat,
     kPacked, kCdna},
    {"v_pk_fma_f32", kVop3, "v2f32 = v2f32 v2f32 v2f32", both<PackedBody<fused, 3>>, Unit::valu, kPackedFloat,
     kPacked, kCdna},
    {"v_pk_mov_b32", kVop3, "v2f32 = v2f32 v2f32", both<PackedMove>, Unit::valu,
     Accepts::op_sel | Accepts::op_sel_hi, kPacked, kCdna},
};

}  // namespace

std::span<const Row> vector_packed_single() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
