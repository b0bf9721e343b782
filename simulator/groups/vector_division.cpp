// The steps of an IEEE division: v_div_scale brings numerator and denominator into a safe range, v_div_fmas
// takes the scale out of the quotient, v_div_fixup puts special cases in. Source: the instruction
// descriptions of the CDNA4 guide; for v_div_fmas, whose description has one power for both directions, the
// powers that undo v_div_scale. Where quotient and reciprocal are both denormal the description scales the
// denominator up, past the range of its format; the other direction is the one that gives quotients.
#include <cmath>
#include <limits>

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/vector_half.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

/// Numbers of a format that the descriptions use; exponents are biased.
template <class T>
struct Format;
template <>
struct Format<f32> {
  using Bits = u32;
  static constexpr int mantissa = 23, mask = 0xff, bias = 127, scale = 64, far = 96, tiny = 23,
                       underflow = -150;
};
template <>
struct Format<f64> {
  using Bits = u64;
  static constexpr int mantissa = 52, mask = 0x7ff, bias = 1023, scale = 128, far = 768, tiny = 53,
                       underflow = -1075;
};

template <class T>
int exponent_of(T value) {
  return static_cast<int>(std::bit_cast<typename Format<T>::Bits>(value) >> Format<T>::mantissa) &
         Format<T>::mask;
}
template <class T>
bool is_denormal(T value) {
  return value != 0 && std::fabs(value) < std::numeric_limits<T>::min();
}

template <class T>
struct Scaled {
  T value;
  bool flag;
};
/// S0 is the numerator or the denominator, whichever is scaled; S1 the denominator, S2 the numerator.
template <class T>
Scaled<T> scale_for_division(T s0, T denominator, T numerator) {
  using F = Format<T>;
  if (numerator == 0 || denominator == 0) return {std::numeric_limits<T>::quiet_NaN(), false};
  const T up = std::ldexp(s0, F::scale);
  const bool small_quotient = is_denormal(numerator / denominator);
  const bool small_reciprocal = is_denormal(1 / denominator);
  if (exponent_of(numerator) - exponent_of(denominator) >= F::far) {
    return {s0 == denominator ? up : s0, true};
  }
  if (is_denormal(denominator)) return {up, false};
  const T down = std::ldexp(s0, -F::scale);
  if (small_reciprocal && small_quotient) return {s0 == denominator ? down : s0, true};
  if (small_reciprocal) return {down, false};
  if (small_quotient) return {s0 == numerator ? up : s0, true};
  if (exponent_of(numerator) <= F::tiny) return {up, false};
  return {s0, false};
}

template <class T>
struct DivisionScale {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<T> ba, bb, bc;
    const Source<T> a = source<T>(wave, i, 2, ba), b = source<T>(wave, i, 3, bb),
                    c = source<T>(wave, i, 4, bc);
    alignas(64) std::array<std::uint8_t, kLanes> flag;
    Result<T> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const Scaled<T> scaled = scale_for_division(a[lane], b[lane], c[lane]);
      flag[lane] = scaled.flag ? 1 : 0;
      d.set(lane, settle_nan<T>(scaled.value, a[lane]));
    }
    wave.set_mask(i.operands[1], pack_mask(flag) & d.mask());
    d.finish();
  }
};

/// a + b and what its rounding to nearest lost, by Knuth.
struct SumWithRest {
  f64 sum, rest;
};
SumWithRest sum_with_rest(f64 a, f64 b) {
  const f64 sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// fma(a, b, c) * 2^power, rounded once, so that quotients that are denormal come out right. In directed
/// modes rounding twice is the same.
f32 scaled_fma(f32 a, f32 b, f32 c, int power, bool nearest) {
  const f64 product = static_cast<f64>(a) * static_cast<f64>(b), addend = static_cast<f64>(c);  // exact
  f64 sum = product + addend;
  if (nearest && std::isfinite(sum)) {
    // It must not be a tie for the second rounding when it was none: a sum that lost something is made the
    // odd one of its two neighbours.
    const f64 lost = sum_with_rest(product, addend).rest;
    if (lost != 0 && (std::bit_cast<u64>(sum) & 1) == 0) {
      sum = std::nextafter(
          sum, lost > 0 ? std::numeric_limits<f64>::infinity() : -std::numeric_limits<f64>::infinity());
    }
  }
  return static_cast<f32>(std::ldexp(sum, power));
}
f64 scaled_fma(f64 a, f64 b, f64 c, int power, bool nearest) {
  const f64 fused = std::fma(a, b, c), result = std::ldexp(fused, power);
  if (!nearest || power > 0 || !std::isfinite(fused)) return result;
  // Only a tie of the second rounding can be none of the exact number.
  const f64 rest = fused - std::ldexp(result, -power);
  if (rest == 0 || std::fabs(rest) != std::ldexp(0.5, -1074 - power)) return result;
  const f64 product = a * b;
  const SumWithRest sum = sum_with_rest(product, c);
  const SumWithRest small = sum_with_rest(sum.rest, std::fma(a, b, -product));
  const f64 lost = ((sum.sum - fused) + small.sum) + small.rest;
  return lost != 0 && (lost > 0) == (rest > 0) ? std::nextafter(result, rest > 0 ? HUGE_VAL : -HUGE_VAL)
                                               : result;
}

/// fma(S0, S1, S2), scaled back where VCC says that v_div_scale left the quotient scaled: up when it is
/// large.
template <class T>
struct DivisionFma {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<T> buffers[3];
    Source<T> s[3] = {};
    for (unsigned k = 0; k < 3; ++k) s[k] = source<T>(wave, i, 1 + k, buffers[k]);
    const FloatMode<T> mode(wave.mode);
    const u64 flags = wave.vcc();
    Result<T> d(wave, i);
    {
      const RoundingScope rounding(mode.round);
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const auto read = [&](unsigned k) {
          return mode.flush_sources ? flush_denormal(s[k][lane]) : s[k][lane];
        };
        const T a = read(0), b = read(1), c = read(2);
        T value = std::fma(a, b, c);
        if ((flags >> lane & 1) != 0) {
          const int power = exponent_of(c) > Format<T>::bias ? Format<T>::scale : -Format<T>::scale;
          value = scaled_fma(a, b, c, power, mode.round == 0);
        }
        value = settle_nan<T>(value, a, b, c);
        d.set(lane, mode.flush_results ? flush_denormal(value) : value);
      }
      modify_lanes(wave, i, d, !mode.flush_results);
    }
    d.finish();
  }
};

/// The quotient S0 of numerator S2 and denominator S1, or what IEEE asks for instead of it.
template <class T>
T fix_quotient(T quotient, T denominator, T numerator) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T sign = std::signbit(denominator) != std::signbit(numerator) ? T{-1} : T{1};
  const T size = std::fabs(denominator), size_over = std::fabs(numerator);
  if (numerator != numerator || denominator != denominator) {
    return settle_nan<T>(std::numeric_limits<T>::quiet_NaN(), numerator, denominator);
  }
  // The description gives these as negative NaNs, unlike other invalid operations.
  if ((size == 0 && size_over == 0) || (size == kInfinity && size_over == kInfinity)) {
    return -std::numeric_limits<T>::quiet_NaN();
  }
  if (size == 0 || size_over == kInfinity) return sign * kInfinity;
  if (size == kInfinity || size_over == 0) return sign * 0;
  if (exponent_of(numerator) - exponent_of(denominator) < Format<T>::underflow) return sign * 0;
  // The steps before give a NaN where the quotient overflows; the description names overflow without a case
  // that can meet it.
  return quotient != quotient ? sign * kInfinity : std::copysign(quotient, sign);
}

template <class T>
struct DivisionFixup {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<T> ba, bb, bc;
    const Source<T> a = source<T>(wave, i, 1, ba), b = source<T>(wave, i, 2, bb),
                    c = source<T>(wave, i, 3, bc);
    const FloatMode<T> mode(wave.mode);
    Result<T> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const T value = fix_quotient(a[lane], b[lane], c[lane]);
      d.set(lane, mode.flush_results ? flush_denormal(value) : value);
    }
    modify_lanes(wave, i, d, !mode.flush_results);
    d.finish();
  }
};

/// The f16 form has no rule for underflow.
struct DivisionFixupHalf {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffers[3];
    const u32 *a = source32(wave, i, 1, buffers[0]), *b = source32(wave, i, 2, buffers[1]),
              *c = source32(wave, i, 3, buffers[2]);
    alignas(64) u32 halves[kLanes];
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const auto read = [&](const u32* lanes) { return half_to_float(lanes[lane] & 0xffffu); };
      const u32 half = float_to_half(fix_quotient(read(a), read(b), read(c)));
      halves[lane] = wave.mode.flush_f16_f64_results() ? flush_half(half) : half;
    }
    write_halves<OtherHalf::kept>(wave, i, halves);
  }
};

constexpr Row kRows[] = {
    {"v_div_scale_f32", kVop3, "f32 mask = f32 f32 f32", both<DivisionScale<f32>>, Unit::valu,
     accepts(Accepts::neg), 0, kCdna},
    {"v_div_scale_f64", kVop3, "f64 mask = f64 f64 f64", both<DivisionScale<f64>>, Unit::valu,
     accepts(Accepts::neg), 0, kCdna},
    {"v_div_fmas_f32", kVop3, "f32 = f32 f32 f32", both<DivisionFma<f32>>, Unit::valu, kFloatModifiers, 0,
     kCdna},
    {"v_div_fmas_f64", kVop3, "f64 = f64 f64 f64", both<DivisionFma<f64>>, Unit::valu, kFloatModifiers, 0,
     kCdna},
    {"v_div_fixup_f32", kVop3, "f32 = f32 f32 f32", both<DivisionFixup<f32>>, Unit::valu, kFloatModifiers, 0,
     kCdna},
    {"v_div_fixup_f64", kVop3, "f64 = f64 f64 f64", both<DivisionFixup<f64>>, Unit::valu, kFloatModifiers, 0,
     kCdna},
    {"v_div_fixup_f16", kVop3, "f16 = f16 f16 f16", both<DivisionFixupHalf>, Unit::valu,
     kFloatModifiers | Accepts::op_sel, traits(Trait::reads_destination), kCdna},
};

}  // namespace

std::span<const Row> vector_division() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
