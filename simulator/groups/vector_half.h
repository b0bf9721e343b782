// f16 VALU operations: sources become f32 values in buffers, a function is applied, the results are rounded
// to f16 once. Two steps of rounding are one where f32 has enough bits (sums, products) or where the first
// keeps a sticky bit (fused). The high half of a VOP1 and VOP2 result is zero on gfx9; VOP3 operations with
// op_sel keep the half they do not write.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/vector_narrow.h"

namespace wavesmith::simulator::groups {

struct alignas(64) Floats {
  f32 lane[kLanes];
};

//! \name Between f16 in dwords and f32: plain loops, or the CPU's conversions

/// From the half of each lane that `shift` (0 or 16) says, its bits changed by `flip`.
template <bool Wide>
void widen_halves(const u32* lanes, unsigned shift, u32 flip, Floats& out);
template <>
inline void widen_halves<false>(const u32* lanes, unsigned shift, u32 flip, Floats& out) {
  for (u32 lane = 0; lane < kLanes; ++lane)
    out.lane[lane] = half_to_float((lanes[lane] >> shift & 0xffffu) ^ flip);
}
/// Rounded to nearest even, into the low half of each lane.
template <bool Wide>
void narrow_to_halves(const Floats& values, u32* out);
template <>
inline void narrow_to_halves<false>(const Floats& values, u32* out) {
  for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = float_to_half(values.lane[lane]);
}

#if defined(__x86_64__)
template <>
WAVESMITH_WIDE inline void widen_halves<true>(const u32* lanes, unsigned shift, u32 flip, Floats& out) {
  const __m128i count = _mm_cvtsi32_si128(static_cast<int>(shift));
  const __m256i low = _mm256_set1_epi32(0xffff), change = _mm256_set1_epi32(static_cast<int>(flip));
  const __m256i size = _mm256_set1_epi32(0x7fff), infinity = _mm256_set1_epi32(0x7c00);
  for (u32 lane = 0; lane < kLanes; lane += 8) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes + lane));
    const __m256i half = _mm256_xor_si256(_mm256_and_si256(_mm256_srl_epi32(bits, count), low), change);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(half, half), 0x08);
    const __m256 value = _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
    // The CPU makes signalling NaNs quiet; minima and maxima still have to tell them apart.
    const __m256i magnitude = _mm256_and_si256(half, size);
    const __m256i nan = _mm256_or_si256(
        _mm256_or_si256(_mm256_slli_epi32(_mm256_srli_epi32(half, 15), 31), _mm256_slli_epi32(magnitude, 13)),
        _mm256_set1_epi32(0x7f800000));
    _mm256_store_ps(out.lane + lane,
                    _mm256_blendv_ps(value, _mm256_castsi256_ps(nan),
                                     _mm256_castsi256_ps(_mm256_cmpgt_epi32(magnitude, infinity))));
  }
}
template <>
WAVESMITH_WIDE inline void narrow_to_halves<true>(const Floats& values, u32* out) {
  for (u32 lane = 0; lane < kLanes; lane += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_load_ps(values.lane + lane), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + lane), _mm256_cvtepu16_epi32(half));
  }
}
#else
template <>
inline void widen_halves<true>(const u32* lanes, unsigned shift, u32 flip, Floats& out) {
  widen_halves<false>(lanes, shift, flip, out);
}
template <>
inline void narrow_to_halves<true>(const Floats& values, u32* out) {
  narrow_to_halves<false>(values, out);
}
#endif

//! \name Arithmetic before the one rounding, in f32 for nearest even and in f64 for the directed modes

/// a * b + c whose last bit is set when it is not exact: with 24 bits, rounding that to 11 is rounding once.
WAVESMITH_INLINE f32 fused_sticky(f32 a, f32 b, f32 c) {
  const f32 product = a * b;  // exact
  const f32 sum = product + c;
  const f32 part = sum - product;
  const f32 error = (product - (sum - part)) + (c - part);
  const u32 bits = std::bit_cast<u32>(sum);
  const u32 away = pick((error > 0) == (sum > 0), 1u, ~0u);
  const bool inexact = error > 0 || error < 0;
  return std::bit_cast<f32>(bits + (away & pick(inexact && (bits & 1) == 0, ~0u, 0u)));
}
/// In a directed mode of the CPU: rounding twice in one direction is rounding once.
WAVESMITH_INLINE f64 fused_sticky(f64 a, f64 b, f64 c) {
  return a * b + c;
}

//! \name Results

/// Denormals of f16 become zeros.
WAVESMITH_INLINE void flush_halves(Floats& values) {
  for (f32& value : values.lane) value = std::fabs(value) < 0x1p-14f ? std::copysign(0.0f, value) : value;
}
/// MODE with the denormals of f16 sources kept, for values that are no such sources or were flushed before.
WAVESMITH_INLINE Mode with_source_denormals(Mode mode) {
  mode.bits |= 1u << 6;
  return mode;
}

/// F of up to three sources rounded to f16, as MODE asks: denormals, direction, overflow. `Directed`: F
/// itself rounds, or makes zeros whose sign depends on the direction, and runs while the CPU rounds that way.
template <bool Wide, auto F, unsigned Sources, bool Directed = true>
WAVESMITH_INLINE void apply_to_halves(const Mode& mode, Floats (&s)[3], u32* out) {
  const FloatMode<f64> half_mode(mode);  // MODE has one field for f16 and f64
  if (half_mode.flush_sources) {
    for (unsigned k = 0; k < Sources; ++k) flush_halves(s[k]);
  }
  const auto evaluate = [](auto... x) WAVESMITH_INLINE_LAMBDA {
    using T = std::common_type_t<decltype(x)...>;
    return settle_nan<T>(F(x...), x...);
  };
  if (half_mode.round == 0) {
    Floats values;
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      if constexpr (Sources == 1) {
        values.lane[lane] = evaluate(s[0].lane[lane]);
      } else if constexpr (Sources == 2) {
        values.lane[lane] = evaluate(s[0].lane[lane], s[1].lane[lane]);
      } else {
        values.lane[lane] = evaluate(s[0].lane[lane], s[1].lane[lane], s[2].lane[lane]);
      }
    }
    narrow_to_halves<Wide>(values, out);
    if (mode.fp16_overflow()) {
      for (u32 lane = 0; lane < kLanes; ++lane) {
        out[lane] = limit_half(out[lane], std::isfinite(values.lane[lane]), true);
      }
    }
  } else {
    const RoundingScope rounding(Directed ? half_mode.round : 0);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const auto x = [&](unsigned k) { return static_cast<f64>(s[k].lane[lane]); };
      f64 value;
      if constexpr (Sources == 1) {
        value = evaluate(x(0));
      } else if constexpr (Sources == 2) {
        value = evaluate(x(0), x(1));
      } else {
        value = evaluate(x(0), x(1), x(2));
      }
      const u32 bits = double_to_half(value, half_mode.round);
      out[lane] = limit_half(bits, std::isfinite(value), mode.fp16_overflow());
    }
  }
  if (half_mode.flush_results) {
    for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = flush_half(out[lane]);
  }
}

/// What becomes of the half that is not written.
enum class OtherHalf { zero, kept };

/// Puts f16 results into the lanes, after omod and clamp: op_sel[3] asks for the high half.
template <OtherHalf Other>
WAVESMITH_INLINE void write_halves(Wave& wave, const Instruction& i, u32* halves) {
  modify_halves(wave, i, halves, !wave.mode.flush_f16_f64_results());
  const u32* old = wave.row(i.operands[0].reg);
  const bool high = (i.modifiers.op_sel & 8) != 0;
  Result<u32> d(wave, i);
  if (Other == OtherHalf::kept || high) {
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      d.set(lane,
            high ? (old[lane] & 0xffffu) | halves[lane] << 16 : (old[lane] & 0xffff0000u) | halves[lane]);
    }
  } else {
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, halves[lane]);
  }
  d.finish();
}

/// f16 = F(f16, …). F must be callable with f32 and with f64.
template <auto F, unsigned Sources, OtherHalf Other, bool Directed = true>
struct HalfOperation {
  template <bool Wide>
  struct Body {
    static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
      Floats s[3];
      for (unsigned k = 0; k < Sources; ++k) {
        LaneBuffer buffer;
        widen_halves<Wide>(source32(wave, i, 1 + k, buffer), 0, 0, s[k]);
      }
      alignas(64) u32 halves[kLanes];
      apply_to_halves<Wide, F, Sources, Directed>(wave.mode, s, halves);
      write_halves<Other>(wave, i, halves);
    }
  };
};

}  // namespace wavesmith::simulator::groups
