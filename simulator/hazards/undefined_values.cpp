// A permutation of 26-bit numbers, 2 bits of state and 24 of index, spread over two halves of 13 bits. Each
// half becomes a sign and 12 bits above 0x3800: 0.5 to 8 as f16, 2^-15 to 2^17 as bf16.
#include "simulator/hazards/undefined_values.h"

namespace wavesmith::simulator {
namespace {

constexpr std::uint32_t kBits = 26, kHalfBits = 13, kIndexBits = 24;
constexpr std::uint32_t kMask = (1u << kBits) - 1, kHalfMask = (1u << kHalfBits) - 1;
constexpr std::uint32_t kFirst = 0x2545f491u, kSecond = 0x01e35a7du;  // odd, else arbitrary
constexpr std::uint32_t kSmallest = 0x3800, kMagnitude = 0x0fff;

/// The inverse of an odd number modulo 2^32: each step doubles the bits that are right, from three.
constexpr std::uint32_t inverse_of(std::uint32_t odd) {
  std::uint32_t x = odd;
  for (int step = 0; step < 4; ++step) x *= 2 - odd * x;
  return x;
}
static_assert(kFirst * inverse_of(kFirst) == 1 && kSecond * inverse_of(kSecond) == 1);

/// Its own inverse, because the upper half stays.
constexpr std::uint32_t fold(std::uint32_t x) {
  return x ^ x >> kHalfBits;
}

constexpr std::uint32_t half_of(std::uint32_t bits) {
  return (bits >> 12) << 15 | (kSmallest + (bits & kMagnitude));
}

}  // namespace

std::uint32_t undefined_value(UndefinedState state, std::uint32_t index) {
  std::uint32_t x = static_cast<std::uint32_t>(state) << kIndexBits | (index & ((1u << kIndexBits) - 1));
  x = fold(x * kFirst & kMask) * kSecond & kMask;
  return half_of(x >> kHalfBits) << 16 | half_of(x & kHalfMask);
}

std::optional<UndefinedPlace> place_of(std::uint32_t value) {
  std::uint32_t x = 0;
  for (const std::uint32_t half : {value >> 16, value & 0xffffu}) {
    const std::uint32_t magnitude = (half & 0x7fffu) - kSmallest;
    if (magnitude > kMagnitude) return {};
    x = x << kHalfBits | (half >> 15) << 12 | magnitude;
  }
  x = fold(x * inverse_of(kSecond) & kMask) * inverse_of(kFirst) & kMask;
  return UndefinedPlace{static_cast<UndefinedState>(x >> kIndexBits), x & ((1u << kIndexBits) - 1)};
}

}  // namespace wavesmith::simulator
