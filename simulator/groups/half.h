// f16 and back, without branches so that loops over lanes vectorise. Values are bit patterns in the low half
// of a dword.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace wavesmith::simulator::groups {

/// condition ? a : b as bit operations: a choice between values that compilers would guard by a branch keeps
/// a loop from being vectorised.
inline constexpr std::uint32_t pick(bool condition, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
  return (a & mask) | (b & ~mask);
}

/// Exact.
inline float half_to_float(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7fffu;
  // Normal numbers and infinities move the exponent bias by 112; subnormals are made by a subtraction that
  // normalises.
  const std::uint32_t shifted = (magnitude << 13) + (112u << 23);
  const float subnormal = std::bit_cast<float>(shifted + (1u << 23)) - std::bit_cast<float>(113u << 23);
  const std::uint32_t special = shifted + (pick(magnitude >= 0x7c00u, 112u, 0u) << 23);
  return std::bit_cast<float>(sign |
                              pick(magnitude >= 0x0400u, special, std::bit_cast<std::uint32_t>(subnormal)));
}

/// Rounded to nearest even; NaNs become quiet and keep the top of their payload.
inline std::uint32_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // Below 2^-14 an addition of 0.5 leaves the subnormal in the low bits, rounded by the CPU to nearest even.
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
                              std::bit_cast<std::uint32_t>(0.5f);
  const std::uint32_t rounded = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  const std::uint32_t finite = pick(magnitude < (113u << 23), small, rounded);
  const std::uint32_t nan = pick(magnitude > 0x7f800000u, 0x0200u | (magnitude >> 13 & 0x3ffu), 0u);
  return sign | pick(magnitude >= 0x477ff000u, 0x7c00u | nan, finite);
}

/// Rounded once from a double, by a MODE.round value: 0 nearest even, 1 up, 2 down, 3 toward zero.
inline std::uint32_t double_to_half(double value, unsigned round) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
  if (std::isnan(value)) return float_to_half(static_cast<float>(value));
  const double magnitude = std::fabs(value);
  if (std::isinf(value)) return sign | 0x7c00u;
  // Units of the last place of the f16 that the value falls between: 2^-24 for subnormals.
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  const double scaled = std::ldexp(magnitude, 10 - exponent);
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  const bool away = (round == 1 && sign == 0) || (round == 2 && sign != 0);
  const bool odd = std::fmod(whole, 2.0) != 0;
  if (round == 0 ? rest > 0.5 || (rest == 0.5 && odd) : away && rest > 0) whole += 1;
  const double result = std::ldexp(whole, exponent - 10);
  if (result > 65504.0) return sign | (round == 0 || away ? 0x7c00u : 0x7bffu);
  return sign | (float_to_half(static_cast<float>(result)) & 0x7fffu);
}

}  // namespace wavesmith::simulator::groups
