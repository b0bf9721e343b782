// Products of mixed f32 and f16 sources (v_fma_mix) and dot products of packed sources. A mixed source is f32
// where its op_sel_hi bit is 0, else the half that op_sel says. Dot products with f32 results ignore MODE:
// their sums are exact and rounded once here, where the hardware's order is not described. Source: VOP3P in
// the CDNA4 guide.
#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/groups/groups.h"
#include "simulator/groups/matrix_accumulate.h"
#include "simulator/groups/vector_half.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

//! \name v_fma_mix

/// An inline constant was read as f32. As f16 a whole number is its low half, a float the same number.
u32 constant_as_half(u32 bits) {
  const f32 size = std::fabs(std::bit_cast<f32>(bits));
  return size >= 0.125f && size <= 4.0f ? float_to_half(std::bit_cast<f32>(bits)) : bits & 0xffffu;
}

template <bool Wide>
WAVESMITH_INLINE void read_mixed(Wave& wave, const Instruction& i, unsigned k, Floats& out) {
  const Operand& op = i.operands[1 + k];
  LaneBuffer buffer;
  if ((i.modifiers.op_sel_hi >> k & 1) == 0) {
    const u32* lanes = source32(wave, i, 1 + k, buffer);
    const bool flush = wave.mode.flush_f32_sources();
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const f32 value = std::bit_cast<f32>(lanes[lane]);
      out.lane[lane] = flush ? flush_denormal(value) : value;
    }
    return;
  }
  const u32* lanes = buffer.lane.data();
  if (op.kind == OperandKind::vector) {
    lanes = wave.row(op.reg);
  } else {
    buffer.lane.fill(op.kind == OperandKind::constant ? constant_as_half(static_cast<u32>(op.value))
                                                      : wave.read32(op));
  }
  widen_halves<Wide>(lanes, (i.modifiers.op_sel >> k & 1) != 0 ? 16 : 0, 0, out);
  if (wave.mode.flush_f16_f64_sources()) flush_halves(out);
  for (f32& value : out.lane) {
    if (op.abs) value = std::fabs(value);
    if (op.neg) value = -value;
  }
}

template <bool Wide>
WAVESMITH_INLINE void fuse_mixed(Wave& wave, const Instruction& i, Floats& out) {
  Floats s[3];
  for (unsigned k = 0; k < 3; ++k) read_mixed<Wide>(wave, i, k, s[k]);
  const FloatMode<f32> mode(wave.mode);
  const RoundingScope rounding(mode.round);
  WAVESMITH_LANES
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const f32 a = s[0].lane[lane], b = s[1].lane[lane], c = s[2].lane[lane];
    const f32 value = settle_nan<f32>(std::fma(a, b, c), a, b, c);
    out.lane[lane] = mode.flush_results ? flush_denormal(value) : value;
  }
}

template <bool Wide>
struct MixSingle {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    Floats values;
    fuse_mixed<Wide>(wave, i, values);
    Result<f32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, values.lane[lane]);
    modify_lanes(wave, i, d, true);
    d.finish();
  }
};

/// The f32 result converted to f16, into one half of the destination.
template <bool High>
struct MixHalf {
  template <bool Wide>
  struct Body {
    static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
      Floats s[3];
      fuse_mixed<Wide>(wave, i, s[0]);
      alignas(64) u32 halves[kLanes];
      apply_to_halves<Wide, unchanged, 1, false>(with_source_denormals(wave.mode), s, halves);
      Modifiers only_clamp;
      only_clamp.clamp = i.modifiers.clamp;
      const u32* old = wave.row(i.operands[0].reg);
      Result<u32> d(wave, i);
      for (u32 lane = 0; lane < kLanes; ++lane) {
        u32 half = halves[lane];
        if (only_clamp.clamp)
          half = float_to_half(modify_result(half_to_float(half), only_clamp, wave.mode, true));
        d.set(lane, High ? (old[lane] & 0xffffu) | half << 16 : (old[lane] & 0xffff0000u) | half);
      }
      d.finish();
    }
  };
  static constexpr auto unchanged = [](auto a) { return a; };
};

//! \name Dot products

/// The two f32 values of a packed source.
template <bool Bfloat>
f32 element(u32 bits, unsigned half, const Modifiers& m, unsigned k) {
  const unsigned negate = half == 0 ? m.neg_lo : m.neg_hi;
  const u32 value = (bits >> (16 * half) & 0xffffu) ^ ((negate >> k & 1) != 0 ? 0x8000u : 0u);
  return Bfloat ? std::bit_cast<f32>(value << 16) : half_to_float(value);
}

struct SumWithRest {
  f64 sum, rest;
};
/// a + b and what its rounding lost, by Knuth.
WAVESMITH_INLINE SumWithRest sum_with_rest(f64 a, f64 b) {
  const f64 sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// The sum of three numbers far apart that may cancel each other.
WAVESMITH_INLINE f64 exact_sum(f64 a, f64 b, f64 c) {
  const SumWithRest two = sum_with_rest(a, b), three = sum_with_rest(two.sum, c);
  const f64 rest = two.rest + three.rest;
  return std::isfinite(three.sum) && rest != 0 ? three.sum + rest : three.sum;
}

/// D = S0.lo * S1.lo + S0.hi * S1.hi + S2, or on top of D.
template <bool Bfloat, bool Accumulates>
struct DotOfPairs {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[3];
    const u32 *a = source32(wave, i, 1, buffers[0]), *b = source32(wave, i, 2, buffers[1]);
    const u32* c = Accumulates ? wave.row(i.operands[0].reg) : source32(wave, i, 3, buffers[2]);
    const Modifiers& m = i.modifiers;
    Result<f32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      f32 addend = std::bit_cast<f32>(c[lane]);
      if (!Accumulates && (m.neg_hi & 4) != 0) addend = std::fabs(addend);
      if (!Accumulates && (m.neg_lo & 4) != 0) addend = -addend;
      const auto product = [&](unsigned half) {
        return static_cast<f64>(element<Bfloat>(a[lane], half, m, 0)) *
               static_cast<f64>(element<Bfloat>(b[lane], half, m, 1));
      };
      d.set(lane, matrix_result(exact_sum(product(0), product(1), static_cast<f64>(addend))));
    }
    modify_lanes(wave, i, d, true);
    d.finish();
  }
};

/// Bits [Bits * k, Bits * (k + 1)) as a number.
template <unsigned Bits, bool Signed>
constexpr i64 field(u32 value, unsigned k) {
  const u32 bits = value >> (Bits * k) & ((1u << Bits) - 1);
  return Signed ? i64{static_cast<i32>(bits << (32 - Bits)) >> (32 - Bits)} : i64{bits};
}

template <unsigned Bits, bool Signed, bool Accumulates>
struct DotOfIntegers {
  using D = std::conditional_t<Signed, i32, u32>;
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[3];
    const u32 *a = source32(wave, i, 1, buffers[0]), *b = source32(wave, i, 2, buffers[1]);
    const u32* c = Accumulates ? wave.row(i.operands[0].reg) : source32(wave, i, 3, buffers[2]);
    Result<u32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      i64 sum = static_cast<D>(c[lane]);
      for (unsigned k = 0; k < 32 / Bits; ++k)
        sum += field<Bits, Signed>(a[lane], k) * field<Bits, Signed>(b[lane], k);
      if (i.modifiers.clamp)
        sum = std::clamp<i64>(sum, std::numeric_limits<D>::min(), std::numeric_limits<D>::max());
      d.set(lane, static_cast<u32>(sum));
    }
    d.finish();
  }
};

constexpr AcceptSet kMixed =
    Accepts::neg | Accepts::abs | Accepts::clamp | Accepts::op_sel | Accepts::op_sel_hi;
constexpr AcceptSet kDotModifiers = Accepts::neg_lo_hi | Accepts::clamp | Accepts::op_sel_hi;
constexpr AcceptSet kIntegerDot = accepts(Accepts::clamp);
constexpr TraitSet kUpdates = traits(Trait::reads_destination);

constexpr Row mixed(std::string_view mnemonic, Handlers handlers, TraitSet with) {
  return {mnemonic, kVop3, "b32 = f32 f32 f32", handlers, Unit::valu, kMixed, with, kCdna};
}
constexpr Row dot(std::string_view mnemonic, std::string_view operands, Handlers handlers,
                  GfxSet targets = kCdna) {
  return {mnemonic, kVop3, operands, handlers, Unit::valu, kDotModifiers, traits(Trait::packed), targets};
}
template <unsigned Bits, bool Signed>
constexpr Row integer_dot(std::string_view mnemonic) {
  return {
      mnemonic, kVop3, "b32 = b32 b32 b32", both<DotOfIntegers<Bits, Signed, false>>, Unit::valu, kIntegerDot,
      0,        kCdna};
}
constexpr Row accumulating(std::string_view mnemonic, std::string_view operands, Handlers handlers,
                           GfxSet targets = kCdna) {
  return {mnemonic, kVop12NoSdwa, operands, handlers, Unit::valu, accepts(Accepts::clamp), kUpdates, targets};
}

constexpr Row kRows[] = {
    mixed("v_fma_mix_f32", both_widths<MixSingle>, 0),
    mixed("v_fma_mixlo_f16", both_widths<MixHalf<false>::Body>, kUpdates),
    mixed("v_fma_mixhi_f16", both_widths<MixHalf<true>::Body>, kUpdates),
    dot("v_dot2_f32_f16", "f32 = v2f16 v2f16 f32", both<DotOfPairs<false, false>>),
    dot("v_dot2_f32_bf16", "f32 = v2bf16 v2bf16 f32", both<DotOfPairs<true, false>>, kGfx950Only),
    accumulating("v_dot2c_f32_f16", "f32 = v2f16 v2f16", both<DotOfPairs<false, true>>),
    accumulating("v_dot2c_f32_bf16", "f32 = v2bf16 v2bf16", both<DotOfPairs<true, true>>, kGfx950Only),
    integer_dot<16, true>("v_dot2_i32_i16"),
    integer_dot<16, false>("v_dot2_u32_u16"),
    integer_dot<8, true>("v_dot4_i32_i8"),
    integer_dot<8, false>("v_dot4_u32_u8"),
    integer_dot<4, true>("v_dot8_i32_i4"),
    integer_dot<4, false>("v_dot8_u32_u4"),
    accumulating("v_dot2c_i32_i16", "b32 = b32 b32", both<DotOfIntegers<16, true, true>>),
    accumulating("v_dot4c_i32_i8", "b32 = b32 b32", both<DotOfIntegers<8, true, true>>),
    accumulating("v_dot8c_i32_i4", "b32 = b32 b32", both<DotOfIntegers<4, true, true>>),
};

}  // namespace

std::span<const Row> vector_mix() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
