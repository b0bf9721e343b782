// 2^x and log2(x) for values that fit f32, in f64 arithmetic without calls so that loops over lanes
// vectorise: within 2^-46 of the exact value, hence the nearest f32 but for arguments that miss a tie by less
// than that. No step may be contracted to a fused one, or the two builds of a handler would differ.
#pragma once

#include "simulator/groups/lanes.h"

namespace wavesmith::simulator::groups {

WAVESMITH_INLINE f64 exp2_of_single(f64 x) {
  // Beyond this f32 has overflowed or is zero.
  x = x > 300 ? 300 : x < -300 ? -300 : x;
  // Adding 1.5 * 2^52 rounds to a whole number n, which is then in the low bits of the sum.
  constexpr f64 kWhole = 0x1.8p52;
  const f64 shifted = x + kWhole;
  const f64 r = x - (shifted - kWhole);
  // Taylor terms ln(2)^k / k! for |r| <= 1/2.
  constexpr f64 kTerms[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c0p-5,
                            0x1.3b2ab6fba4e77p-7,  0x1.5d87fe78a6731p-10, 0x1.430912f86c787p-13,
                            0x1.ffcbfc588b0c7p-17, 0x1.62c0223a5c824p-20, 0x1.b5253d395e7c4p-24,
                            0x1.e4cf5158b8ecap-28, 0x1.e8cac7351bb25p-32, 0x1.c3bd650fc2986p-36};
  f64 sum = kTerms[11];
  for (int k = 10; k >= 0; --k) sum = sum * r + kTerms[k];
  const f64 power = sum * r + 1.0;
  return std::bit_cast<f64>(std::bit_cast<u64>(power) + (std::bit_cast<u64>(shifted) << 52));
}

WAVESMITH_INLINE f64 log2_of_single(f64 x) {
  // m in [sqrt(1/2), sqrt(2)) and whole e with x = m * 2^e.
  constexpr u64 kLow = 0x3fe6a09e667f3bcd, kOne = 0x3ff0000000000000;
  const u64 shifted = std::bit_cast<u64>(x) + (kOne - kLow);
  const f64 m = std::bit_cast<f64>((shifted & ((u64{1} << 52) - 1)) + kLow);
  const f64 e = std::bit_cast<f64>(u64{0x4330000000000000} | shifted >> 52) - (0x1p52 + 1023);
  // log(m) = 2 atanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...) with |s| < 0.172.
  const f64 s = (m - 1) / (m + 1), z = s * s;
  f64 sum = 1.0 / 23;
  for (int k = 21; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
  const f64 value = e + 0x1.71547652b82fep+1 * (s * sum);
  constexpr f64 kInfinity = std::numeric_limits<f64>::infinity();
  const f64 special = x == 0 ? -kInfinity : x == kInfinity ? x : std::numeric_limits<f64>::quiet_NaN();
  return x > 0 && x < kInfinity ? value : special;
}

}  // namespace wavesmith::simulator::groups
