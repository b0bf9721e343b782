// MfmaAccumulation::exact: exact products summed in f64 in rising k on top of C, rounded once to f32. The
// products of 16-bit factors fit f64, so a fused multiply-add and a product with a sum give the same bits.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "simulator/groups/matrix_accumulate.h"
#include "simulator/groups/matrix_element.h"

namespace wavesmith::simulator::groups {

template <unsigned Items>
struct alignas(64) WideFactors {
  f64 item[Items][kLanes];
};
template <unsigned Items>
WAVESMITH_INLINE void widen(const Factors<Items>& from, WideFactors<Items>& to) {
  for (unsigned item = 0; item < Items; ++item) {
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) to.item[item][lane] = static_cast<f64>(from.item[item][lane]);
  }
}

/// Any CPU: one row of a block at a time.
template <class S>
void sum_exactly(const WideFactors<S::kItems>& a, const WideFactors<S::kItems>& b, const MatrixSource& c,
                 u32* d) {
  for (unsigned first = 0; first < S::kResults; first += S::kQuad) {
    for (unsigned group = 0; group < kLanes / S::kColumns; ++group) {
      const auto place = S::place_of_results(first, group);
      for (unsigned r = 0; r < S::kQuad; ++r) {
        const u32* old = c.rows + (first + r) * c.stride + group * S::kColumns;
        f64 sum[S::kColumns];
        for (unsigned j = 0; j < S::kColumns; ++j) sum[j] = static_cast<f64>(std::bit_cast<f32>(old[j]));
        for (unsigned k = 0; k < S::kDepth; ++k) {
          const f64 x = a.item[k % S::kItems][S::lane_of_factor(place.block, place.row + r, k)];
          const f64* y = b.item[k % S::kItems] + S::lane_of_factor(place.block, 0, k);
          for (unsigned j = 0; j < S::kColumns; ++j) sum[j] += x * y[j];
        }
        u32* result = d + (first + r) * kLanes + group * S::kColumns;
        for (unsigned j = 0; j < S::kColumns; ++j) result[j] = std::bit_cast<u32>(matrix_result(sum[j]));
      }
    }
  }
}

#if defined(__x86_64__)
/// AVX2: four rows and eight columns at a time stay in registers.
template <class S>
WAVESMITH_WIDE void sum_exactly_wide(const WideFactors<S::kItems>& a, const WideFactors<S::kItems>& b,
                                     const MatrixSource& c, u32* d) {
  static_assert(S::kQuad == 4 && S::kColumns % 8 == 0);
  const __m256 nan = _mm256_set1_ps(std::numeric_limits<f32>::quiet_NaN());
  for (unsigned first = 0; first < S::kResults; first += 4) {
    for (unsigned lane = 0; lane < kLanes; lane += 8) {
      const auto place = S::place_of_results(first, lane / S::kColumns);
      __m256d low[4], high[4];
      for (unsigned r = 0; r < 4; ++r) {
        const f32* old = reinterpret_cast<const f32*>(c.rows + (first + r) * c.stride + lane);
        low[r] = _mm256_cvtps_pd(_mm_loadu_ps(old));
        high[r] = _mm256_cvtps_pd(_mm_loadu_ps(old + 4));
      }
      for (unsigned k = 0; k < S::kDepth; ++k) {
        const f64* x = a.item[k % S::kItems] + S::lane_of_factor(place.block, place.row, k);
        const f64* y = b.item[k % S::kItems] + S::lane_of_factor(place.block, lane % S::kColumns, k);
        const __m256d y_low = _mm256_loadu_pd(y), y_high = _mm256_loadu_pd(y + 4);
        for (unsigned r = 0; r < 4; ++r) {
          const __m256d factor = _mm256_broadcast_sd(x + r);
          low[r] = _mm256_fmadd_pd(factor, y_low, low[r]);
          high[r] = _mm256_fmadd_pd(factor, y_high, high[r]);
        }
      }
      for (unsigned r = 0; r < 4; ++r) {
        const __m256 sum = _mm256_set_m128(_mm256_cvtpd_ps(high[r]), _mm256_cvtpd_ps(low[r]));
        const __m256 is_nan = _mm256_cmp_ps(sum, sum, _CMP_UNORD_Q);
        _mm256_storeu_ps(reinterpret_cast<f32*>(d + (first + r) * kLanes + lane),
                         _mm256_blendv_ps(sum, nan, is_nan));
      }
    }
  }
}

template <class S>
WAVESMITH_WIDE void sum_in_sequence_wide(const Factors<S::kItems>& a, const Factors<S::kItems>& b,
                                         const MatrixSource& c, u32* d) {
  static_assert(S::kQuad == 4 && S::kColumns % 8 == 0);
  const __m256 nan = _mm256_set1_ps(std::numeric_limits<f32>::quiet_NaN());
  for (unsigned first = 0; first < S::kResults; first += 4) {
    for (unsigned lane = 0; lane < kLanes; lane += 8) {
      const auto place = S::place_of_results(first, lane / S::kColumns);
      __m256 sum[4];
      for (unsigned r = 0; r < 4; ++r) {
        sum[r] = _mm256_loadu_ps(reinterpret_cast<const f32*>(c.rows + (first + r) * c.stride + lane));
      }
      for (unsigned k = 0; k < S::kDepth; ++k) {
        const f32* x = a.item[k % S::kItems] + S::lane_of_factor(place.block, place.row, k);
        const __m256 y =
            _mm256_loadu_ps(b.item[k % S::kItems] + S::lane_of_factor(place.block, lane % S::kColumns, k));
        for (unsigned r = 0; r < 4; ++r) sum[r] = _mm256_fmadd_ps(_mm256_broadcast_ss(x + r), y, sum[r]);
      }
      for (unsigned r = 0; r < 4; ++r) {
        const __m256 is_nan = _mm256_cmp_ps(sum[r], sum[r], _CMP_UNORD_Q);
        _mm256_storeu_ps(reinterpret_cast<f32*>(d + (first + r) * kLanes + lane),
                         _mm256_blendv_ps(sum[r], nan, is_nan));
      }
    }
  }
}
#endif

template <class S, bool Wide>
WAVESMITH_INLINE void accumulate_exact(const Factors<S::kItems>& a, const Factors<S::kItems>& b,
                                       const MatrixSource& c, u32* d) {
  WideFactors<S::kItems> wide_a, wide_b;
  widen(a, wide_a);
  widen(b, wide_b);
#if defined(__x86_64__)
  if constexpr (Wide && S::kColumns >= 8) {
    sum_exactly_wide<S>(wide_a, wide_b, c, d);
    return;
  }
#endif
  sum_exactly<S>(wide_a, wide_b, c, d);
}

}  // namespace wavesmith::simulator::groups
