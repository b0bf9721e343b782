// Packed pairs of 16-bit values: f16 and integer arithmetic of VOP3P. op_sel says which half of each source
// the low result takes, op_sel_hi the same for the high one; neg_lo and neg_hi flip signs for either. Source:
// VOP3P in the CDNA3 and CDNA4 guides.
#include <cmath>

#include "simulator/groups/groups.h"
#include "simulator/groups/vector_half.h"
#include "simulator/groups/vector_rows.h"
#include "simulator/groups/vector_select.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };
constexpr auto fused = [](auto a, auto b, auto c) { return fused_sticky(a, b, c); };

/// What source k of one half of the result is taken from.
struct Choice {
  unsigned shift;  ///< 16 for the high half
  u32 flip;        ///< the sign bit, when it is negated
};
Choice choice(const Modifiers& m, unsigned k, bool high) {
  const unsigned select = high ? m.op_sel_hi : m.op_sel, negate = high ? m.neg_hi : m.neg_lo;
  return {(select >> k & 1) != 0 ? 16u : 0u, (negate >> k & 1) != 0 ? 0x8000u : 0u};
}

/// Clamp of an f16 result.
u32 clamp_half(u32 half, const Modifiers& m, const Mode& mode) {
  Modifiers only_clamp;
  only_clamp.clamp = m.clamp;
  return float_to_half(modify_result(half_to_float(half), only_clamp, mode, true));
}

/// Both halves by F; `Accumulates`: the destination is the last source.
template <auto F, unsigned Sources, bool Accumulates>
struct PackedHalf {
  template <bool Wide>
  struct Body {
    static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
      LaneBuffer buffers[3];
      const u32* lanes[3] = {};
      for (unsigned k = 0; k < Sources; ++k) {
        const bool destination = Accumulates && k + 1 == Sources;
        lanes[k] = destination ? wave.row(i.operands[0].reg) : source32(wave, i, 1 + k, buffers[k]);
      }
      alignas(64) u32 halves[2][kLanes];
      for (const bool high : {false, true}) {
        Floats s[3];
        for (unsigned k = 0; k < Sources; ++k) {
          const Choice from = Accumulates ? Choice{high ? 16u : 0u, 0} : choice(i.modifiers, k, high);
          widen_halves<Wide>(lanes[k], from.shift, from.flip, s[k]);
        }
        apply_to_halves<Wide, F, Sources>(wave.mode, s, halves[high]);
      }
      Result<u32> d(wave, i);
      if (i.modifiers.clamp) {
        for (auto& half : halves) {
          for (u32& bits : half) bits = clamp_half(bits, i.modifiers, wave.mode);
        }
      }
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, halves[0][lane] | halves[1][lane] << 16);
      d.finish();
    }
  };
};

/// F in and out of IEEE mode.
template <auto F>
struct PackedSelection {
  template <bool Wide>
  struct Body {
    static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
      if (wave.mode.ieee()) {
        PackedHalf<in_ieee_mode<F, true>, 2, false>::template Body<Wide>::run(wave, i);
      } else {
        PackedHalf<in_ieee_mode<F, false>, 2, false>::template Body<Wide>::run(wave, i);
      }
    }
  };
};

/// Integers: F computes in 32 bits; the result wraps, or saturates to T under clamp.
template <class T, auto F, unsigned Sources>
struct PackedInteger {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[3];
    const u32* lanes[3] = {};
    for (unsigned k = 0; k < Sources; ++k) lanes[k] = source32(wave, i, 1 + k, buffers[k]);
    Result<u32> d(wave, i);
    Choice from[2][3];
    for (unsigned k = 0; k < Sources; ++k) {
      for (const bool high : {false, true}) from[high][k] = choice(i.modifiers, k, high);
    }
    const auto half = [&](u32 lane, const Choice(&c)[3]) WAVESMITH_INLINE_LAMBDA {
      const auto read = [&](unsigned k) WAVESMITH_INLINE_LAMBDA {
        return static_cast<i32>(static_cast<T>(lanes[k][lane] >> c[k].shift));
      };
      i32 value;
      if constexpr (Sources == 2) {
        value = F(read(0), read(1));
      } else {
        value = F(read(0), read(1), read(2));
      }
      constexpr i32 least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
      const i32 limited = value < least ? least : value > most ? most : value;
      return static_cast<u32>(i.modifiers.clamp ? limited : value) & 0xffffu;
    };
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, half(lane, from[0]) | half(lane, from[1]) << 16);
    d.finish();
  }
};

constexpr auto add_integer = [](i32 a, i32 b) { return a + b; };
constexpr auto subtract_integer = [](i32 a, i32 b) { return a - b; };
constexpr auto multiply_low = [](i32 a, i32 b) {
  return static_cast<i32>((static_cast<u32>(a) * static_cast<u32>(b)) & 0xffffu);
};
constexpr auto shift_left = [](i32 n, i32 a) { return a << (n & 15); };
constexpr auto shift_right = [](i32 n, i32 a) { return a >> (n & 15); };
constexpr auto least = [](i32 a, i32 b) { return a < b ? a : b; };
constexpr auto greatest = [](i32 a, i32 b) { return a < b ? b : a; };

/// The product of unsigned halves and a sum need 33 bits.
template <class T>
struct PackedMultiplyAdd {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[3];
    const u32* lanes[3] = {};
    for (unsigned k = 0; k < 3; ++k) lanes[k] = source32(wave, i, 1 + k, buffers[k]);
    Result<u32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      u32 both_halves = 0;
      for (const bool high : {false, true}) {
        i64 s[3];
        for (unsigned k = 0; k < 3; ++k) {
          s[k] = static_cast<T>(lanes[k][lane] >> choice(i.modifiers, k, high).shift);
        }
        i64 value = s[0] * s[1] + s[2];
        if (i.modifiers.clamp) {
          value = std::clamp<i64>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
        }
        both_halves |= (static_cast<u32>(value) & 0xffffu) << (high ? 16 : 0);
      }
      d.set(lane, both_halves);
    }
    d.finish();
  }
};

using s16 = std::int16_t;
using u16 = std::uint16_t;

template <auto F, unsigned Sources>
constexpr Handlers packed = both_widths<PackedHalf<F, Sources, false>::template Body>;
template <auto F>
constexpr Handlers packed_selection = both_widths<PackedSelection<F>::template Body>;

constexpr Row float2_row(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic,   kVop3,        "v2f16 = v2f16 v2f16", handlers,
          Unit::valu, kPackedFloat, traits(Trait::packed), kCdna};
}
constexpr Row float3_row(std::string_view mnemonic, Handlers handlers, GfxSet targets = kCdna) {
  return {mnemonic,   kVop3,        "v2f16 = v2f16 v2f16 v2f16", handlers,
          Unit::valu, kPackedFloat, traits(Trait::packed),       targets};
}
constexpr Row integer2_row(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic,   kVop3,          "b32 = b32 b32",       handlers,
          Unit::valu, kPackedInteger, traits(Trait::packed), kCdna};
}
constexpr Row integer3_row(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic,   kVop3,          "b32 = b32 b32 b32",   handlers,
          Unit::valu, kPackedInteger, traits(Trait::packed), kCdna};
}

constexpr Row kRows[] = {
    float2_row("v_pk_add_f16", packed<add, 2>),
    float2_row("v_pk_mul_f16", packed<multiply, 2>),
    float3_row("v_pk_fma_f16", packed<fused, 3>),
    float2_row("v_pk_min_f16", packed_selection<minimum2>),
    float2_row("v_pk_max_f16", packed_selection<maximum2>),
    float3_row("v_pk_minimum3_f16", packed<lower3, 3>, kGfx950Only),
    float3_row("v_pk_maximum3_f16", packed<higher3, 3>, kGfx950Only),
    {"v_pk_fmac_f16", kE32E64, "v2f16 = v2f16 v2f16", both_widths<PackedHalf<fused, 3, true>::template Body>,
     Unit::valu, kNoModifiers, traits(Trait::reads_destination), kCdna},
    integer2_row("v_pk_add_i16", both<PackedInteger<s16, add_integer, 2>>),
    integer2_row("v_pk_add_u16", both<PackedInteger<u16, add_integer, 2>>),
    integer2_row("v_pk_sub_i16", both<PackedInteger<s16, subtract_integer, 2>>),
    integer2_row("v_pk_sub_u16", both<PackedInteger<u16, subtract_integer, 2>>),
    integer2_row("v_pk_mul_lo_u16", both<PackedInteger<u16, multiply_low, 2>>),
    integer2_row("v_pk_lshlrev_b16", both<PackedInteger<u16, shift_left, 2>>),
    integer2_row("v_pk_lshrrev_b16", both<PackedInteger<u16, shift_right, 2>>),
    integer2_row("v_pk_ashrrev_i16", both<PackedInteger<s16, shift_right, 2>>),
    integer2_row("v_pk_min_i16", both<PackedInteger<s16, least, 2>>),
    integer2_row("v_pk_max_i16", both<PackedInteger<s16, greatest, 2>>),
    integer2_row("v_pk_min_u16", both<PackedInteger<u16, least, 2>>),
    integer2_row("v_pk_max_u16", both<PackedInteger<u16, greatest, 2>>),
    integer3_row("v_pk_mad_i16", both<PackedMultiplyAdd<s16>>),
    integer3_row("v_pk_mad_u16", both<PackedMultiplyAdd<u16>>),
};

}  // namespace

std::span<const Row> vector_packed_half() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
