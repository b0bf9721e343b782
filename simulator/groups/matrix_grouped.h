// MfmaAccumulation::groups_of_8 and groups_of_16 for f16 and bf16 in f32 and integer vectors of AVX2, to the
// same bits as add_group of matrix_accumulate.h. Products are exact in f32; scaled by 2^(24 - top) the
// conversion to integers cuts them off. Rows of C with values outside the range where all this is exact go
// through add_group.
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

#include "simulator/groups/matrix_accumulate.h"
#include "simulator/groups/matrix_element.h"

namespace wavesmith::simulator::groups {

// The range: factors below 2^27; groups of products with a top exponent of at least -60, or of zeros alone,
// whose top exponent (a zero factor counts as -126) is then below every accumulator's and never decides;
// accumulators that are 0 or in [2^-91, 2^60). Sums of these are 0 or at least 2^(-60 - 31), and below 2^61.
inline constexpr int kMostFactorExponent = 26, kLeastTop = -60, kTopOfZeros = -100;
inline constexpr u32 kLeastAccumulator = (127 - 91) << 23, kMostAccumulator = (127 + 60) << 23;
inline constexpr int kNoExponent =
    -2000;  ///< of a zero factor; sums with it stay far below every other exponent

// The loops over groups and k are short and of constant length; indices must not be computed in them.
#if defined(__clang__)
#define WAVESMITH_UNROLL _Pragma("unroll")
#else
#define WAVESMITH_UNROLL _Pragma("GCC unroll 16")
#endif

template <unsigned Items>
struct alignas(64) Exponents {
  std::int16_t item[Items][kLanes];
};

/// Exponents of factors, `bias` added. False when a factor is too large, infinite or a NaN.
template <unsigned Items>
WAVESMITH_INLINE bool take_exponents(const Factors<Items>& factors, int least, int bias,
                                     Exponents<Items>& out) {
  u32 most = 0;
  for (unsigned item = 0; item < Items; ++item) {
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u32 magnitude = std::bit_cast<u32>(factors.item[item][lane]) & 0x7fffffffu;
      most = std::max(most, magnitude);
      const int exponent = std::max(static_cast<int>(magnitude >> 23) - 127, least) + bias;
      out.item[item][lane] = static_cast<std::int16_t>(magnitude == 0 ? kNoExponent : exponent);
    }
  }
  return most < static_cast<u32>(127 + kMostFactorExponent + 1) << 23;
}

/// Largest exponents of the products of one row with 16 columns, biased by 127.
template <class S, unsigned Group>
WAVESMITH_WIDE inline __m256i top_exponents(const Exponents<S::kItems>& a, const Exponents<S::kItems>& b,
                                            unsigned block, unsigned row, unsigned column, unsigned from) {
  __m256i top = _mm256_set1_epi16(std::numeric_limits<std::int16_t>::min());
  WAVESMITH_UNROLL
  for (unsigned k = from; k < from + Group; ++k) {
    const __m256i x = _mm256_set1_epi16(a.item[k % S::kItems][S::lane_of_factor(block, row, k)]);
    const auto* y = b.item[k % S::kItems] + S::lane_of_factor(block, column, k);
    top = _mm256_max_epi16(top, _mm256_add_epi16(x, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(y))));
  }
  return top;
}

/// 2^exponent for biased exponents.
WAVESMITH_WIDE inline __m256 power_of_two(__m256i biased) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23));
}

/// Accumulators after a group whose products sum up to sum * 2^(top - 24); top is biased by 127.
WAVESMITH_WIDE inline __m256 add_products(__m256 c, __m256i sum, __m256i top) {
  const __m256i bias24 = _mm256_set1_epi32(24), twice = _mm256_set1_epi32(2 * 127 + 24);
  const __m256i exponent = _mm256_srli_epi32(_mm256_slli_epi32(_mm256_castps_si256(c), 1), 24);
  const __m256i common = _mm256_max_epi32(top, exponent);
  // The sum is cut off downwards 31 bits below the common exponent: beyond 7 bits of distance it loses bits.
  const __m256i lost = _mm256_subs_epu16(_mm256_sub_epi32(common, top), _mm256_set1_epi16(7));
  const __m256i kept = _mm256_srav_epi32(sum, lost);
  // In two parts that f32 holds exactly.
  const __m256i low_bits = _mm256_and_si256(kept, _mm256_set1_epi32(127));
  const __m256 unit = power_of_two(_mm256_sub_epi32(_mm256_add_epi32(top, lost), bias24));
  const __m256 low = _mm256_mul_ps(_mm256_cvtepi32_ps(low_bits), unit);
  const __m256 high = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(kept, low_bits)), unit);
  // The accumulator is cut off downwards 24 bits below the common exponent.
  const __m256 units = _mm256_mul_ps(c, power_of_two(_mm256_sub_epi32(twice, common)));
  const __m256 old = _mm256_mul_ps(_mm256_floor_ps(units), power_of_two(_mm256_sub_epi32(common, bias24)));
  // old + high = rounded + error exactly; error + low is exact too, so that the last sum rounds the whole
  // once.
  const __m256 rounded = _mm256_add_ps(old, high);
  const __m256 part = _mm256_sub_ps(rounded, old);
  const __m256 error =
      _mm256_add_ps(_mm256_sub_ps(old, _mm256_sub_ps(rounded, part)), _mm256_sub_ps(high, part));
  return _mm256_add_ps(rounded, _mm256_add_ps(error, low));
}

/// Whether all eight accumulators are in the range above.
WAVESMITH_WIDE inline bool in_range(__m256 c) {
  const __m256i magnitude = _mm256_and_si256(_mm256_castps_si256(c), _mm256_set1_epi32(0x7fffffff));
  const __m256i enough = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(kLeastAccumulator - 1));
  const __m256i small = _mm256_cmpgt_epi32(_mm256_set1_epi32(kMostAccumulator), magnitude);
  const __m256i zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
  return _mm256_movemask_epi8(_mm256_or_si256(zero, _mm256_and_si256(enough, small))) == -1;
}

/// D = A * B + C. False when factors are out of range: nothing was done.
template <class S, unsigned Group>
WAVESMITH_WIDE bool accumulate_grouped(const Factors<S::kItems>& a, const Factors<S::kItems>& b,
                                       const MatrixSource& c, u32* d, int least) {
  static_assert(S::kColumns % 16 == 0 && S::kDepth % Group == 0);
  constexpr unsigned groups = S::kDepth / Group;
  Exponents<S::kItems> exponents_a, exponents_b;
  if (!take_exponents(a, least, 0, exponents_a) || !take_exponents(b, least, 127, exponents_b)) return false;
  const __m256i least_top = _mm256_set1_epi16(kLeastTop + 127), none = _mm256_set1_epi16(kNoExponent / 2);
  const __m256i top_of_zeros = _mm256_set1_epi16(kTopOfZeros + 127);

  const auto add_row = [&](unsigned block, unsigned row, const u32* old, u32* result) WAVESMITH_WIDE {
    alignas(32) std::int16_t tops[groups][S::kColumns];
    __m256i outside = _mm256_setzero_si256();
    for (unsigned g = 0; g < groups; ++g) {
      for (unsigned column = 0; column < S::kColumns; column += 16) {
        const __m256i top = top_exponents<S, Group>(exponents_a, exponents_b, block, row, column, g * Group);
        outside = _mm256_or_si256(
            outside, _mm256_and_si256(_mm256_cmpgt_epi16(least_top, top), _mm256_cmpgt_epi16(top, none)));
        _mm256_store_si256(reinterpret_cast<__m256i*>(tops[g] + column), _mm256_max_epi16(top, top_of_zeros));
      }
    }
    const unsigned first_a = S::lane_of_factor(block, row, 0), first_b = S::lane_of_factor(block, 0, 0);
    const bool exact_row = _mm256_testz_si256(outside, outside) != 0;
    for (unsigned column = 0; column < S::kColumns; column += 8) {
      __m256 sum = _mm256_loadu_ps(reinterpret_cast<const f32*>(old + column));
      if (!exact_row || !in_range(sum)) {
        for (unsigned j = column; j < column + 8; ++j) {
          result[j] = std::bit_cast<u32>(
              add_groups<S>(a, b, block, row, j, std::bit_cast<f32>(old[j]), Group, least, least));
        }
        continue;
      }
      WAVESMITH_UNROLL
      for (unsigned g = 0; g < groups; ++g) {
        const __m256i top =
            _mm256_cvtepi16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(tops[g] + column)));
        const __m256 scale = power_of_two(_mm256_sub_epi32(_mm256_set1_epi32(2 * 127 + 24), top));
        __m256i products = _mm256_setzero_si256();
        WAVESMITH_UNROLL
        for (unsigned k = g * Group; k < (g + 1) * Group; ++k) {
          const __m256 x = _mm256_broadcast_ss(a.item[0] + first_a + S::offset_of_factor(k));
          const __m256 y = _mm256_loadu_ps(b.item[0] + first_b + column + S::offset_of_factor(k));
          products =
              _mm256_add_epi32(products, _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_mul_ps(x, y), scale)));
        }
        sum = add_products(sum, products, top);
      }
      _mm256_storeu_ps(reinterpret_cast<f32*>(result + column), sum);
    }
  };
  for (unsigned first = 0; first < S::kResults; first += S::kQuad) {
    for (unsigned group = 0; group < kLanes / S::kColumns; ++group) {
      const auto place = S::place_of_results(first, group);
      for (unsigned r = 0; r < S::kQuad; ++r) {
        const unsigned lane = group * S::kColumns;
        add_row(place.block, place.row + r, c.rows + (first + r) * c.stride + lane,
                d + (first + r) * kLanes + lane);
      }
    }
  }
  return true;
}

}  // namespace wavesmith::simulator::groups

#endif
