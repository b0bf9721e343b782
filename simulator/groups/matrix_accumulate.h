// The sum inside one MFMA for one result, in the four ways of Options::mfma_accumulation. The grouped ways
// follow the bit-level model that MMA-Sim's authors validated on MI300X for f16, bf16 and fp8; for gfx950
// none is published.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulator/groups/matrix_element.h"

namespace wavesmith::simulator::groups {

/// Which NaN a matrix instruction gives is unknown: one pattern for all.
WAVESMITH_INLINE f32 matrix_result(f64 sum) {
  return sum != sum ? std::numeric_limits<f32>::quiet_NaN() : static_cast<f32>(sum);
}

/// Exponent of a factor in the multiplier: that of its leading bit, at least the format's least one; zeros
/// count as -126 in every format.
inline int factor_exponent(f32 value, int least) {
  const u32 bits = std::bit_cast<u32>(value) & 0x7fffffffu;
  return bits == 0 ? -126 : std::max(static_cast<int>(bits >> 23) - 127, least);
}

/// Largest exponent of the products and their sum, each cut off towards zero 24 bits below it: value * 2^(top
/// - 24).
struct ProductSum {
  int top;
  i64 value;
};
inline ProductSum sum_products(const f32* a, const f32* b, unsigned count, unsigned step, int least_a,
                               int least_b) {
  ProductSum sum{std::numeric_limits<int>::min(), 0};
  for (unsigned k = 0; k < count; k += step) {
    sum.top = std::max(sum.top, factor_exponent(a[k], least_a) + factor_exponent(b[k], least_b));
  }
  for (unsigned k = 0; k < count; k += step) {
    const f64 product = static_cast<f64>(a[k]) * static_cast<f64>(b[k]);
    sum.value += static_cast<i64>(std::trunc(std::ldexp(product, 24 - sum.top)));
  }
  return sum;
}

/// Infinities and NaNs of a group by IEEE rules; else a product that leaves the range of f32 is infinite.
/// False when there is nothing of this.
inline bool special_group(const f32* a, const f32* b, unsigned count, f32 c, f32& result) {
  constexpr f64 kInfinity = std::numeric_limits<f64>::infinity();
  f64 total = static_cast<f64>(c), overflow = 0;
  for (unsigned k = 0; k < count; ++k) {
    const f64 product = static_cast<f64>(a[k]) * static_cast<f64>(b[k]);
    total += product;
    if (std::fabs(product) >= 0x1p128) overflow += std::copysign(kInfinity, product);
  }
  if (std::isfinite(total)) total = overflow;
  if (total == 0) return false;
  result = matrix_result(total);
  return true;
}

/// One group of products on an accumulator: f16 and bf16.
inline f32 add_group(const f32* a, const f32* b, unsigned count, f32 c, int least_a, int least_b) {
  f32 special;
  if (special_group(a, b, count, c, special)) return special;
  const ProductSum sum = sum_products(a, b, count, 1, least_a, least_b);
  const int top = std::max(sum.top, factor_exponent(c, -126));
  // Both are cut off downwards: the sum 31 bits below the top, the accumulator 24 bits.
  const f64 products = std::floor(std::ldexp(static_cast<f64>(sum.value), sum.top - 24 + 31 - top));
  const f64 old = std::floor(std::ldexp(static_cast<f64>(c), 24 - top));
  return matrix_result(std::ldexp(products + old * 128, top - 31));
}

/// The same for fp8 and bf8: products with even and with odd k are summed apart.
inline f32 add_group_of_bytes(const f32* a, const f32* b, unsigned count, f32 c, int least_a, int least_b) {
  f32 special;
  if (special_group(a, b, count, c, special)) return special;
  const ProductSum even = sum_products(a, b, count, 2, least_a, least_b);
  const ProductSum odd = sum_products(a + 1, b + 1, count - 1, 2, least_a, least_b);
  const int both_top = std::max(even.top, odd.top);
  const auto cut = [&](const ProductSum& s) {
    return std::floor(std::ldexp(static_cast<f64>(s.value), s.top - both_top));
  };
  const f64 sum = cut(even) + cut(odd);  // times 2^(both_top - 24)
  const int exponent = factor_exponent(c, -126), top = std::max(both_top, exponent);
  const f64 products = std::floor(std::ldexp(sum, both_top - 24 + 31 - top));
  const f64 old = exponent >= top - 25 ? std::floor(std::ldexp(static_cast<f64>(c), 24 - top)) : 0;
  return matrix_result(std::ldexp(products + old * 128, top - 31));
}

/// One result of an f16 or bf16 matrix instruction: its groups one after the other.
template <class S>
f32 add_groups(const Factors<S::kItems>& a, const Factors<S::kItems>& b, unsigned block, unsigned row,
               unsigned column, f32 c, unsigned group, int least_a, int least_b) {
  f32 x[S::kDepth], y[S::kDepth];
  for (unsigned k = 0; k < S::kDepth; ++k) {
    x[k] = a.item[k % S::kItems][S::lane_of_factor(block, row, k)];
    y[k] = b.item[k % S::kItems][S::lane_of_factor(block, column, k)];
  }
  for (unsigned k = 0; k < S::kDepth; k += group) c = add_group(x + k, y + k, group, c, least_a, least_b);
  return c;
}

/// The same for 8-bit factors, in groups of 16.
template <class S>
f32 add_groups_of_bytes(const Factors<S::kItems>& a, const Factors<S::kItems>& b, unsigned block,
                        unsigned row, unsigned column, f32 c, int least_a, int least_b) {
  constexpr unsigned group = std::min(16u, S::kDepth);
  f32 x[S::kDepth], y[S::kDepth];
  for (unsigned k = 0; k < S::kDepth; ++k) {
    x[k] = a.item[k % S::kItems][S::lane_of_factor(block, row, k)];
    y[k] = b.item[k % S::kItems][S::lane_of_factor(block, column, k)];
  }
  for (unsigned k = 0; k < S::kDepth; k += group)
    c = add_group_of_bytes(x + k, y + k, group, c, least_a, least_b);
  return c;
}

}  // namespace wavesmith::simulator::groups
