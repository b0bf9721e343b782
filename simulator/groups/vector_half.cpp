// f16 VALU instructions: sums, products, fused multiply-adds, minima and maxima, whole numbers, exponents,
// transcendental functions. Source: the instruction descriptions of the CDNA3 and CDNA4 guides.
#include "simulator/groups/vector_half.h"

#include <cmath>

#include "simulator/groups/groups.h"
#include "simulator/groups/vector_elementary.h"
#include "simulator/groups/vector_rows.h"
#include "simulator/groups/vector_select.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto subtract_reversed = [](auto a, auto b) { return b - a; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };
constexpr auto fused = [](auto a, auto b, auto c) { return fused_sticky(a, b, c); };

constexpr auto whole_floor = [](auto a) { return std::floor(a); };
constexpr auto whole_ceil = [](auto a) { return std::ceil(a); };
constexpr auto whole_trunc = [](auto a) { return std::trunc(a); };
constexpr auto whole_nearest = [](auto a) {
  using T = decltype(a);
  return static_cast<T>(__builtin_roundeven(static_cast<f64>(a)));
};
constexpr auto mantissa = [](auto a) {
  int exponent = 0;
  return std::isfinite(a) ? std::frexp(a, &exponent) : a;
};

// f32 and f64 have the bits to make rounding twice harmless, or next to it.
constexpr auto reciprocal = [](auto a) { return 1 / a; };
constexpr auto root = [](auto a) { return std::sqrt(a); };
constexpr auto reciprocal_root = [](auto a) {
  using T = decltype(a);
  return static_cast<T>(1.0 / std::sqrt(static_cast<f64>(a)));
};
constexpr auto exponential = [](auto a) {
  // A finite argument gives a finite f32, so that FP16_OVFL can tell overflow from infinity.
  const f64 x = static_cast<f64>(a), limited = x > 100 && x < std::numeric_limits<f64>::infinity() ? 100 : x;
  return static_cast<decltype(a)>(exp2_of_single(limited));
};
constexpr auto logarithm = [](auto a) {
  return static_cast<decltype(a)>(log2_of_single(static_cast<f64>(a)));
};

/// F of the sources in and out of IEEE mode.
template <auto F, unsigned Sources, OtherHalf Other>
struct ByIeeeModeHalf {
  template <bool Wide>
  struct Body {
    static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
      if (wave.mode.ieee()) {
        HalfOperation<in_ieee_mode<F, true>, Sources, Other, false>::template Body<Wide>::run(wave, i);
      } else {
        HalfOperation<in_ieee_mode<F, false>, Sources, Other, false>::template Body<Wide>::run(wave, i);
      }
    }
  };
};

/// S0 * 2^S1 with a 16-bit integer.
template <bool Wide>
struct ScaleByPower {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer ba, bb;
    Floats s[3];
    widen_halves<Wide>(source32(wave, i, 1, ba), 0, 0, s[0]);
    if (wave.mode.flush_f16_f64_sources()) flush_halves(s[0]);
    const u32* powers = source32(wave, i, 2, bb);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      // Beyond 64 either way everything over- or underflows.
      const i32 power = std::clamp(static_cast<i32>(powers[lane] << 16) >> 16, -64, 64);
      s[1].lane[lane] = std::bit_cast<f32>(static_cast<u32>(power + 127) << 23);
    }
    alignas(64) u32 halves[kLanes];
    apply_to_halves<Wide, multiply, 2>(with_source_denormals(wave.mode), s, halves);
    write_halves<OtherHalf::zero>(wave, i, halves);
  }
};

/// a - floor(a), below 1 also where the difference rounds to it: the largest f16 below is 1 - 2^-11.
constexpr auto rest = [](auto a, auto whole) {
  using T = decltype(a);
  const T difference = a - whole;
  return difference > static_cast<T>(0x1.ffcp-1) ? static_cast<T>(0x1.ffcp-1) : difference;
};
template <bool Wide>
struct Fraction {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffer;
    Floats s[3];
    widen_halves<Wide>(source32(wave, i, 1, buffer), 0, 0, s[0]);
    if (wave.mode.flush_f16_f64_sources()) flush_halves(s[0]);
    for (u32 lane = 0; lane < kLanes; ++lane) s[1].lane[lane] = std::floor(s[0].lane[lane]);
    alignas(64) u32 halves[kLanes];
    apply_to_halves<Wide, rest, 2>(wave.mode, s, halves);
    write_halves<OtherHalf::zero>(wave, i, halves);
  }
};

/// A transcendental function: rounded to nearest whatever MODE says.
template <auto F>
struct HalfFunction {
  template <bool Wide>
  struct Body {
    static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
      LaneBuffer buffer;
      Floats s[3];
      widen_halves<Wide>(source32(wave, i, 1, buffer), 0, 0, s[0]);
      Mode mode = wave.mode;
      mode.bits &= ~0xcu;
      alignas(64) u32 halves[kLanes];
      apply_to_halves<Wide, F, 1>(mode, s, halves);
      write_halves<OtherHalf::zero>(wave, i, halves);
    }
  };
};
template <auto F>
constexpr Handlers half_function = both_widths<HalfFunction<F>::template Body>;

struct ExponentOf {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffer;
    const u32* a = source32(wave, i, 1, buffer);
    const bool flush = wave.mode.flush_f16_f64_sources();
    Result<u32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const f32 value = half_to_float(flush ? flush_half(a[lane]) : a[lane] & 0xffffu);
      int exponent = 0;
      if (std::isfinite(value)) std::frexp(value, &exponent);
      d.set(lane, static_cast<u32>(exponent) & 0xffffu);
    }
    d.finish();
  }
};

template <auto F, unsigned Sources, OtherHalf Other = OtherHalf::zero>
constexpr Handlers half_operation = both_widths<HalfOperation<F, Sources, Other>::template Body>;
/// Functions of one source that do not depend on the CPU's direction.
template <auto F>
constexpr Handlers half_exact = both_widths<HalfOperation<F, 1, OtherHalf::zero, false>::template Body>;
template <auto F, unsigned Sources, OtherHalf Other = OtherHalf::zero>
constexpr Handlers half_selection = both_widths<ByIeeeModeHalf<F, Sources, Other>::template Body>;

constexpr Row unary(std::string_view mnemonic, Handlers handlers, Unit unit = Unit::valu) {
  return {mnemonic, kVop12, "f16 = f16", handlers, unit, kFloatModifiers, 0, kCdna};
}
constexpr Row binary(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "f16 = f16 f16", handlers, Unit::valu, kFloatModifiers, 0, kCdna};
}
constexpr Row plain3(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic,
          kVop3,
          "f16 = f16 f16 f16",
          handlers,
          Unit::valu,
          kFloatModifiers | Accepts::op_sel,
          traits(Trait::reads_destination),
          kCdna};
}

constexpr Row kRows[] = {
    binary("v_add_f16", half_operation<add, 2>),
    binary("v_mul_f16", half_operation<multiply, 2>),
    binary("v_sub_f16", half_operation<subtract, 2>),
    binary("v_subrev_f16", half_operation<subtract_reversed, 2>),
    plain3("v_fma_f16", half_operation<fused, 3, OtherHalf::kept>),
    binary("v_min_f16", half_selection<minimum2, 2>),
    binary("v_max_f16", half_selection<maximum2, 2>),
    plain3("v_min3_f16", half_selection<minimum3, 3, OtherHalf::kept>),
    plain3("v_max3_f16", half_selection<maximum3, 3, OtherHalf::kept>),
    plain3("v_med3_f16", half_selection<median3, 3, OtherHalf::kept>),
    unary("v_floor_f16", half_exact<whole_floor>),
    unary("v_ceil_f16", half_exact<whole_ceil>),
    unary("v_trunc_f16", half_exact<whole_trunc>),
    unary("v_rndne_f16", half_exact<whole_nearest>),
    unary("v_fract_f16", both_widths<Fraction>),
    unary("v_frexp_mant_f16", half_exact<mantissa>),
    {"v_frexp_exp_i16_f16", kVop12, "b16 = f16", both<ExponentOf>, Unit::valu, kFloatInputModifiers, 0,
     kCdna},
    {"v_ldexp_f16", kVop12, "f16 = f16 b16", both_widths<ScaleByPower>, Unit::valu, kFloatModifiers, 0,
     kCdna},
    unary("v_rcp_f16", half_function<reciprocal>, Unit::trans),
    unary("v_rsq_f16", half_function<reciprocal_root>, Unit::trans),
    unary("v_sqrt_f16", half_function<root>, Unit::trans),
    unary("v_exp_f16", half_function<exponential>, Unit::trans),
    unary("v_log_f16", half_function<logarithm>, Unit::trans),
};

}  // namespace

std::span<const Row> vector_half() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
