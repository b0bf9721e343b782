// Rounding f32 to 16-bit formats, one lane at a time and without branches. half.h has rounding to nearest
// even.
#pragma once

#include "simulator/groups/half.h"
#include "simulator/groups/lanes.h"

namespace wavesmith::simulator::groups {

/// Truncated; a finite value beyond the range gives the largest f16.
WAVESMITH_INLINE u32 float_to_half_truncated(f32 value) {
  const u32 bits = std::bit_cast<u32>(value);
  const u32 magnitude = bits & 0x7fffffffu;
  // Below 2^-14 the f16 counts units of 2^-24.
  const bool subnormal = magnitude < (113u << 23);
  const u32 small =
      static_cast<u32>(static_cast<i32>(std::bit_cast<f32>(pick(subnormal, magnitude, 0)) * 0x1p24f));
  const u32 normal = pick(magnitude >= (143u << 23), 0x7bffu, (magnitude - (112u << 23)) >> 13);
  const u32 nan = pick(magnitude > 0x7f800000u, 0x0200u | (magnitude >> 13 & 0x3ffu), 0);
  return (bits >> 16 & 0x8000u) |
         pick(magnitude >= 0x7f800000u, 0x7c00u | nan, pick(subnormal, small, normal));
}

/// Rounded to nearest even; NaNs become quiet and keep the top of their payload.
WAVESMITH_INLINE u32 float_to_bfloat(f32 value) {
  const u32 bits = std::bit_cast<u32>(value);
  const u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return pick((bits & 0x7fffffffu) > 0x7f800000u, bits >> 16 | 0x40u, rounded);
}

/// MODE.FP16_OVFL: a result that overflowed is the largest f16; infinite sources stay infinite.
WAVESMITH_INLINE u32 limit_half(u32 half, bool finite_source, bool limit) {
  const bool overflowed = limit & finite_source & ((half & 0x7fffu) == 0x7c00u);
  return half - static_cast<u32>(overflowed);
}

/// A denormal becomes a zero of the same sign.
WAVESMITH_INLINE u32 flush_half(u32 half) {
  return half & pick((half & 0x7c00u) == 0, 0x8000u, 0xffffu);
}

}  // namespace wavesmith::simulator::groups
