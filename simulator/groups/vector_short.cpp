// 16-bit integer VALU instructions that are not packed, and those that put halves and bytes together. VOP1
// and VOP2 results have a zero high half; VOP3 instructions with op_sel keep the half they do not write.
// Source: the instruction descriptions of the CDNA3 and CDNA4 guides.
#include <algorithm>
#include <limits>

#include "simulator/groups/groups.h"
#include "simulator/groups/vector_half.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

using s16 = std::int16_t;
using u16 = std::uint16_t;

/// F of sources of type T, in 64 bits; wraps to 16 bits or saturates to T under clamp.
template <class T, auto F, unsigned Sources, OtherHalf Other>
struct ShortBody {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[3];
    const u32* lanes[3] = {};
    for (unsigned k = 0; k < Sources; ++k) lanes[k] = source32(wave, i, 1 + k, buffers[k]);
    const u32* old = wave.row(i.operands[0].reg);
    const bool high = (i.modifiers.op_sel & 8) != 0;
    Result<u32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const auto s = [&](unsigned k) WAVESMITH_INLINE_LAMBDA { return i64{static_cast<T>(lanes[k][lane])}; };
      i64 value;
      if constexpr (Sources == 2) {
        value = F(s(0), s(1));
      } else {
        value = F(s(0), s(1), s(2));
      }
      if (i.modifiers.clamp) {
        value = std::clamp<i64>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
      }
      const u32 bits = static_cast<u32>(value) & 0xffffu;
      if (Other == OtherHalf::zero) {
        d.set(lane, bits);
      } else {
        d.set(lane, high ? (old[lane] & 0xffffu) | bits << 16 : (old[lane] & 0xffff0000u) | bits);
      }
    }
    d.finish();
  }
};

constexpr auto add = [](i64 a, i64 b) { return a + b; };
constexpr auto subtract = [](i64 a, i64 b) { return a - b; };
constexpr auto subtract_reversed = [](i64 a, i64 b) { return b - a; };
constexpr auto multiply = [](i64 a, i64 b) { return a * b; };
constexpr auto multiply_add = [](i64 a, i64 b, i64 c) { return a * b + c; };
constexpr auto shift_left = [](i64 n, i64 a) { return a << (n & 15); };
constexpr auto shift_right = [](i64 n, i64 a) { return a >> (n & 15); };
constexpr auto least = [](i64 a, i64 b) { return a < b ? a : b; };
constexpr auto greatest = [](i64 a, i64 b) { return a < b ? b : a; };
constexpr auto least3 = [](i64 a, i64 b, i64 c) { return least(least(a, b), c); };
constexpr auto greatest3 = [](i64 a, i64 b, i64 c) { return greatest(greatest(a, b), c); };
constexpr auto median3 = [](i64 a, i64 b, i64 c) { return greatest(least(a, b), least(greatest(a, b), c)); };

/// 32-bit D = S0.16 * S1.16 + S2.32.
template <class T, class D>
struct WideMultiplyAdd {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[3];
    const u32 *a = source32(wave, i, 1, buffers[0]), *b = source32(wave, i, 2, buffers[1]),
              *c = source32(wave, i, 3, buffers[2]);
    Result<u32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      i64 value = i64{static_cast<T>(a[lane])} * static_cast<T>(b[lane]) + static_cast<D>(c[lane]);
      if (i.modifiers.clamp) {
        value = std::clamp<i64>(value, std::numeric_limits<D>::min(), std::numeric_limits<D>::max());
      }
      d.set(lane, static_cast<u32>(value));
    }
    d.finish();
  }
};

/// Any function of three bits on halves: bit s0*4 + s1*2 + s2 of the truth table.
struct TruthTable {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[3];
    const u32 *a = source32(wave, i, 1, buffers[0]), *b = source32(wave, i, 2, buffers[1]),
              *c = source32(wave, i, 3, buffers[2]);
    alignas(64) u32 halves[kLanes];
    for (u32 lane = 0; lane < kLanes; ++lane) {
      u32 bits = 0;
      for (unsigned term = 0; term < 8; ++term) {
        if ((i.modifiers.bitop3 >> term & 1) == 0) continue;
        bits |= ((term & 4) != 0 ? a[lane] : ~a[lane]) & ((term & 2) != 0 ? b[lane] : ~b[lane]) &
                ((term & 1) != 0 ? c[lane] : ~c[lane]);
      }
      halves[lane] = bits & 0xffffu;
    }
    write_halves<OtherHalf::kept>(wave, i, halves);
  }
};

/// D = {S1.f16, S0.f16}.
struct PackPair {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer ba, bb;
    const u32 *a = source32(wave, i, 1, ba), *b = source32(wave, i, 2, bb);
    const bool flush = wave.mode.flush_f16_f64_sources() || wave.mode.flush_f16_f64_results();
    Result<u32> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u32 low = flush ? flush_half(a[lane]) : a[lane] & 0xffffu;
      const u32 high = flush ? flush_half(b[lane]) : b[lane] & 0xffffu;
      d.set(lane, low | high << 16);
    }
    d.finish();
  }
};

constexpr u32 saturate(i32 value, i32 low, i32 high) {
  return static_cast<u32>(value < low ? low : value > high ? high : value) & 0xffu;
}
constexpr auto saturate_pair = [](u32 a) {
  return saturate(static_cast<s16>(a), 0, 255) | saturate(static_cast<s16>(a >> 16), 0, 255) << 8;
};

/// Two values shifted right and saturated to a byte each; op_sel[3] chooses the half of the result.
template <i32 Low, i32 High>
struct ShiftPackBytes {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<i32> ba, bb, bn;
    const Source<i32> a = source<i32>(wave, i, 1, ba), b = source<i32>(wave, i, 2, bb),
                      n = source<i32>(wave, i, 3, bn);
    alignas(64) u32 halves[kLanes];
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const i32 count = n[lane] & 31;
      halves[lane] = saturate(a[lane] >> count, Low, High) | saturate(b[lane] >> count, Low, High) << 8;
    }
    write_halves<OtherHalf::kept>(wave, i, halves);
  }
};

constexpr AcceptSet kClampedSelected = Accepts::clamp | Accepts::op_sel;
constexpr TraitSet kKeepsHalf = traits(Trait::reads_destination);

template <class T, auto F>
constexpr Row binary(std::string_view mnemonic, AcceptSet accepted = kIntegerModifiers) {
  return {mnemonic, kVop12, "b16 = b16 b16", both<ShortBody<T, F, 2, OtherHalf::zero>>, Unit::valu, accepted,
          0,        kCdna};
}
template <class T, auto F>
constexpr Row selected2(std::string_view mnemonic) {
  return {mnemonic,        kVop3,
          "b16 = b16 b16", both<ShortBody<T, F, 2, OtherHalf::kept>>,
          Unit::valu,      kClampedSelected,
          kKeepsHalf,      kCdna};
}
template <class T, auto F>
constexpr Row selected3(std::string_view mnemonic) {
  return {mnemonic,
          kVop3,
          "b16 = b16 b16 b16",
          both<ShortBody<T, F, 3, OtherHalf::kept>>,
          Unit::valu,
          kClampedSelected,
          kKeepsHalf,
          kCdna};
}

constexpr Row kRows[] = {
    binary<u16, add>("v_add_u16", kClampedInteger),
    binary<u16, subtract>("v_sub_u16", kClampedInteger),
    binary<u16, subtract_reversed>("v_subrev_u16", kClampedInteger),
    binary<u16, multiply>("v_mul_lo_u16"),
    binary<u16, shift_left>("v_lshlrev_b16"),
    binary<u16, shift_right>("v_lshrrev_b16"),
    binary<s16, shift_right>("v_ashrrev_i16"),
    binary<u16, least>("v_min_u16"),
    binary<u16, greatest>("v_max_u16"),
    binary<s16, least>("v_min_i16"),
    binary<s16, greatest>("v_max_i16"),
    selected2<s16, add>("v_add_i16"),
    selected2<s16, subtract>("v_sub_i16"),
    selected3<u16, multiply_add>("v_mad_u16"),
    selected3<s16, multiply_add>("v_mad_i16"),
    selected3<u16, least3>("v_min3_u16"),
    selected3<s16, least3>("v_min3_i16"),
    selected3<u16, greatest3>("v_max3_u16"),
    selected3<s16, greatest3>("v_max3_i16"),
    selected3<u16, median3>("v_med3_u16"),
    selected3<s16, median3>("v_med3_i16"),
    {"v_mad_u32_u16", kVop3, "b32 = b16 b16 b32", both<WideMultiplyAdd<u16, u32>>, Unit::valu,
     kClampedSelected, 0, kCdna},
    {"v_mad_i32_i16", kVop3, "b32 = b16 b16 b32", both<WideMultiplyAdd<s16, i32>>, Unit::valu,
     kClampedSelected, 0, kCdna},
    {"v_bitop3_b16", kVop3, "b16 = b16 b16 b16", both<TruthTable>, Unit::valu,
     Accepts::bitop3 | Accepts::op_sel, kKeepsHalf, kGfx950Only},
    {"v_pack_b32_f16", kVop3, "v2f16 = f16 f16", both<PackPair>, Unit::valu,
     Accepts::neg | Accepts::abs | Accepts::op_sel, 0, kCdna},
    {"v_sat_pk_u8_i16", kVop12, "b16 = b32", lanes1<u32, u32, saturate_pair>, Unit::valu, kIntegerModifiers,
     0, kCdna},
    {"v_ashr_pk_i8_i32", kVop3, "b16 = b32 b32 b32", both<ShiftPackBytes<-128, 127>>, Unit::valu,
     accepts(Accepts::op_sel), kKeepsHalf, kGfx950Only},
    {"v_ashr_pk_u8_i32", kVop3, "b16 = b32 b32 b32", both<ShiftPackBytes<0, 255>>, Unit::valu,
     accepts(Accepts::op_sel), kKeepsHalf, kGfx950Only},
};

}  // namespace

std::span<const Row> vector_short() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
