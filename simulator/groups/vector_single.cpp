// f32 VALU instructions: sums, products, fused multiply-adds, minima and maxima, rounding to whole
// numbers, exponents. Source: the instruction descriptions of the CDNA3 and CDNA4 guides.
#include <cmath>

#include "simulator/groups/groups.h"
#include "simulator/groups/vector_rows.h"
#include "simulator/groups/vector_select.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr auto add = [](f32 a, f32 b) { return a + b; };
constexpr auto subtract = [](f32 a, f32 b) { return a - b; };
constexpr auto subtract_reversed = [](f32 a, f32 b) { return b - a; };
constexpr auto multiply = [](f32 a, f32 b) { return a * b; };
constexpr auto fused = [](f32 a, f32 b, f32 c) { return std::fma(a, b, c); };

/// D = fma(S0, S1, D).
struct FusedAccumulate {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f32> ba, bb;
    const Source<f32> s[3] = {
        source<f32>(wave, i, 1, ba), source<f32>(wave, i, 2, bb), {wave.row(i.operands[0].reg)}};
    FloatBody<f32, fused, 3>::apply(wave, i, s);
  }
};

/// A zero makes the product +0 whatever the other factor is.
constexpr auto multiply_legacy = [](f32 a, f32 b) { return a == 0 || b == 0 ? 0.0f : a * b; };

constexpr auto whole_floor = [](f32 a) { return std::floor(a); };
constexpr auto whole_ceil = [](f32 a) { return std::ceil(a); };
constexpr auto whole_trunc = [](f32 a) { return std::trunc(a); };
constexpr auto whole_nearest = [](f32 a) { return __builtin_roundevenf(a); };
/// The mantissa in [0.5, 1), with the sign; what is not finite stays.
constexpr auto mantissa = [](f32 a) {
  const u32 bits = std::bit_cast<u32>(a);
  const f32 normal = (bits & 0x7f800000u) == 0 ? a * 0x1p24f : a;
  const f32 scaled = std::bit_cast<f32>((std::bit_cast<u32>(normal) & 0x807fffffu) | 0x3f000000u);
  return a == 0 || (bits & 0x7f800000u) == 0x7f800000u ? a : scaled;
};

/// S0 * 2^S1, rounded once: in f64 the product is exact.
struct ScaleByPower {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f32> ba;
    SourceBuffers<i32> bb;
    const Source<f32> a = source<f32>(wave, i, 1, ba);
    const Source<i32> n = source<i32>(wave, i, 2, bb);
    const FloatMode<f32> mode(wave.mode);
    Result<f32> d(wave, i);
    {
      const RoundingScope rounding(mode.round);
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const f32 value = mode.flush_sources ? flush_denormal(a[lane]) : a[lane];
        // More than the range of f32 either way: the product over- or underflows.
        const i32 power = std::clamp(n[lane], -400, 400);
        const f64 scale = std::bit_cast<f64>(static_cast<u64>(i64{power} + 1023) << 52);
        const f32 scaled = settle_nan<f32>(static_cast<f32>(static_cast<f64>(value) * scale), value);
        d.set(lane, mode.flush_results ? flush_denormal(scaled) : scaled);
      }
      modify_lanes(wave, i, d, !mode.flush_results);
    }
    d.finish();
  }
};

constexpr TraitSet kUpdates = traits(Trait::reads_destination);

constexpr Row unary(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "f32 = f32", handlers, Unit::valu, kFloatModifiers, 0, kCdna};
}
constexpr Row binary(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "f32 = f32 f32", handlers, Unit::valu, kFloatModifiers, 0, kCdna};
}
constexpr Row plain3(std::string_view mnemonic, Handlers handlers, AcceptSet accepted = kFloatModifiers,
                     GfxSet targets = kCdna) {
  return {mnemonic, kVop3, "f32 = f32 f32 f32", handlers, Unit::valu, accepted, 0, targets};
}

constexpr Row kRows[] = {
    binary("v_add_f32", float2<add>),
    binary("v_sub_f32", float2<subtract>),
    binary("v_subrev_f32", float2<subtract_reversed>),
    binary("v_mul_f32", float2<multiply>),
    plain3("v_fma_f32", float3<fused>),
    {"v_fmac_f32", kVop12NoSdwa, "f32 = f32 f32", both<FusedAccumulate>, Unit::valu, kFloatModifiers,
     kUpdates, kCdna},
    // The text has the literal where it stands in the sum: a*K + b and a*b + K.
    plain3("v_fmamk_f32", float3<fused>, kNoModifiers),
    plain3("v_fmaak_f32", float3<fused>, kNoModifiers),
    {"v_mul_legacy_f32", kVop3, "f32 = f32 f32", float2<multiply_legacy>, Unit::valu, kFloatModifiers, 0,
     kCdna},
    binary("v_min_f32", both<ByIeeeMode<f32, minimum2, 2>>),
    binary("v_max_f32", both<ByIeeeMode<f32, maximum2, 2>>),
    plain3("v_min3_f32", both<ByIeeeMode<f32, minimum3, 3>>),
    plain3("v_max3_f32", both<ByIeeeMode<f32, maximum3, 3>>),
    plain3("v_med3_f32", both<ByIeeeMode<f32, median3, 3>>),
    plain3("v_minimum3_f32", float3<lower3>, kFloatModifiers, kGfx950Only),
    plain3("v_maximum3_f32", float3<higher3>, kFloatModifiers, kGfx950Only),
    unary("v_floor_f32", whole1<whole_floor>),
    unary("v_ceil_f32", whole1<whole_ceil>),
    unary("v_trunc_f32", whole1<whole_trunc>),
    unary("v_rndne_f32", whole1<whole_nearest>),
    unary("v_fract_f32", both<FractionBody<f32>>),
    unary("v_frexp_mant_f32", whole1<mantissa>),
    {"v_frexp_exp_i32_f32", kVop12, "i32 = f32", both<ExponentOf<f32>>, Unit::valu, kFloatInputModifiers, 0,
     kCdna},
    {"v_ldexp_f32", kVop3, "f32 = f32 b32", both<ScaleByPower>, Unit::valu, kFloatModifiers, 0, kCdna},
};

}  // namespace

std::span<const Row> vector_single() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
