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
  const u32 below = magnitude < (113u << 23) ? magnitude : 0;
  const u32 small = static_cast<u32>(static_cast<i32>(std::bit_cast<f32>(below) * 0x1p24f));
  const u32 normal = magnitude >= (143u << 23) ? 0x7bffu : (magnitude - (112u << 23)) >> 13;
  const u32 finite = magnitude < (113u << 23) ? small : normal;
  const u32 infinite = magnitude > 0x7f800000u ? 0x7e00u | (magnitude >> 13 & 0x3ffu) : 0x7c00u;
  return (bits >> 16 & 0x8000u) | (magnitude >= 0x7f800000u ? infinite : finite);
}

/// Rounded to nearest even; NaNs become quiet and keep the top of their payload.
WAVESMITH_INLINE u32 float_to_bfloat(f32 value) {
  const u32 bits = std::bit_cast<u32>(value);
  const u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : rounded;
}

/// MODE.FP16_OVFL: a result that overflowed is the largest f16; infinite sources stay infinite.
WAVESMITH_INLINE u32 limit_half(u32 half, bool finite_source, bool limit) {
  return limit && finite_source && (half & 0x7fffu) == 0x7c00u ? (half & 0x8000u) | 0x7bffu : half;
}

/// A denormal becomes a zero of the same sign.
WAVESMITH_INLINE u32 flush_half(u32 half) {
  return (half & 0x7c00u) == 0 ? half & 0x8000u : half & 0xffffu;
}

}  // namespace wavesmith::simulator::groups
