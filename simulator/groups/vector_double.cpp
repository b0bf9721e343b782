// f64 VALU instructions. Source: the instruction descriptions of the CDNA3 and CDNA4 guides.
#include <cmath>

#include "simulator/groups/groups.h"
#include "simulator/groups/vector_rows.h"
#include "simulator/groups/vector_select.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr auto add = [](f64 a, f64 b) { return a + b; };
constexpr auto multiply = [](f64 a, f64 b) { return a * b; };
constexpr auto fused = [](f64 a, f64 b, f64 c) { return std::fma(a, b, c); };

/// D = fma(S0, S1, D).
struct FusedAccumulate {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f64> ba, bb;
    const u32 d = i.operands[0].reg;
    const Source<f64> s[3] = {
        source<f64>(wave, i, 1, ba), source<f64>(wave, i, 2, bb), {wave.row(d), wave.row(d + 1)}};
    FloatBody<f64, fused, 3>::apply(wave, i, s);
  }
};

constexpr auto whole_floor = [](f64 a) { return std::floor(a); };
constexpr auto whole_ceil = [](f64 a) { return std::ceil(a); };
constexpr auto whole_trunc = [](f64 a) { return std::trunc(a); };
constexpr auto whole_nearest = [](f64 a) { return __builtin_roundeven(a); };
constexpr auto mantissa = [](f64 a) {
  int exponent = 0;
  return std::isfinite(a) ? std::frexp(a, &exponent) : a;
};

/// S0 * 2^S1, rounded once: std::ldexp scales denormal results in one multiplication.
struct ScaleByPower {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f64> ba;
    SourceBuffers<i32> bb;
    const Source<f64> a = source<f64>(wave, i, 1, ba);
    const Source<i32> n = source<i32>(wave, i, 2, bb);
    const FloatMode<f64> mode(wave.mode);
    Result<f64> d(wave, i);
    {
      const RoundingScope rounding(mode.round);
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const f64 value = mode.flush_sources ? flush_denormal(a[lane]) : a[lane];
        const f64 scaled = settle_nan<f64>(std::ldexp(value, std::clamp(n[lane], -5000, 5000)), value);
        d.set(lane, mode.flush_results ? flush_denormal(scaled) : scaled);
      }
      modify_lanes(wave, i, d, !mode.flush_results);
    }
    d.finish();
  }
};

constexpr Row unary(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12NoSdwa, "f64 = f64", handlers, Unit::valu, kFloatModifiers, 0, kCdna};
}
constexpr Row plain2(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop3, "f64 = f64 f64", handlers, Unit::valu, kFloatModifiers, 0, kCdna};
}

constexpr Row kRows[] = {
    plain2("v_add_f64", double2<add>),
    plain2("v_mul_f64", double2<multiply>),
    plain2("v_min_f64", both<ByIeeeMode<f64, minimum2, 2>>),
    plain2("v_max_f64", both<ByIeeeMode<f64, maximum2, 2>>),
    {"v_fma_f64", kVop3, "f64 = f64 f64 f64", double3<fused>, Unit::valu, kFloatModifiers, 0, kCdna},
    {"v_fmac_f64", kVop12NoSdwa, "f64 = f64 f64", both<FusedAccumulate>, Unit::valu, kFloatModifiers,
     traits(Trait::reads_destination), kCdna},
    unary("v_floor_f64", double_whole1<whole_floor>),
    unary("v_ceil_f64", double_whole1<whole_ceil>),
    unary("v_trunc_f64", double_whole1<whole_trunc>),
    unary("v_rndne_f64", double_whole1<whole_nearest>),
    unary("v_fract_f64", both<FractionBody<f64>>),
    unary("v_frexp_mant_f64", double_whole1<mantissa>),
    {"v_frexp_exp_i32_f64", kVop12NoSdwa, "i32 = f64", both<ExponentOf<f64>>, Unit::valu,
     kFloatInputModifiers, 0, kCdna},
    {"v_ldexp_f64", kVop3, "f64 = f64 b32", both<ScaleByPower>, Unit::valu, kFloatModifiers, 0, kCdna},
};

}  // namespace

std::span<const Row> vector_double() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
