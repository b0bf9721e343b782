// Floating-point arithmetic on bit patterns in integers, for expected values: exact results rounded once, in
// any IEEE format and direction. It shares nothing with the executor, which computes with the CPU's floats.
#pragma once

#include <cstdint>
#include <optional>

namespace wavesmith::simulator::testing {

/// A binary interchange format: sign, exponent, mantissa. FNUZ: a bias one higher, no infinity, and one NaN
/// in the place of -0; nan(), infinite() and the like do not know that.
struct FloatFormat {
  unsigned exponent_bits, mantissa_bits;
  bool fnuz = false;

  constexpr unsigned bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - (fnuz ? 0 : 1); }
  constexpr std::uint64_t sign_mask() const { return std::uint64_t{1} << (bits() - 1); }
  constexpr std::uint64_t quiet_bit() const { return std::uint64_t{1} << (mantissa_bits - 1); }
  constexpr std::uint64_t mantissa_mask() const { return (std::uint64_t{1} << mantissa_bits) - 1; }
  constexpr std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  constexpr std::uint64_t largest() const { return infinity() - 1; }
  constexpr std::uint64_t default_nan() const { return infinity() | quiet_bit(); }
  constexpr std::uint64_t magnitude(std::uint64_t value) const { return value & (sign_mask() - 1); }

  constexpr bool negative(std::uint64_t value) const { return (value & sign_mask()) != 0; }
  constexpr bool nan(std::uint64_t value) const { return magnitude(value) > infinity(); }
  constexpr bool signalling(std::uint64_t value) const { return nan(value) && (value & quiet_bit()) == 0; }
  constexpr bool infinite(std::uint64_t value) const { return magnitude(value) == infinity(); }
  constexpr bool zero(std::uint64_t value) const { return magnitude(value) == 0; }
  constexpr bool denormal(std::uint64_t value) const {
    return !zero(value) && magnitude(value) <= mantissa_mask();
  }
  constexpr std::uint64_t flushed(std::uint64_t value) const {
    return denormal(value) ? value & sign_mask() : value;
  }
};

inline constexpr FloatFormat kF16{5, 10}, kBf16{8, 7}, kF32{8, 23}, kF64{11, 52};

/// MODE.round.
enum class Rounding : unsigned { nearest_even, up, down, toward_zero };

__extension__ typedef unsigned __int128 Wide;

/// An exact number: significand * 2^exponent, and less than one unit more when `more` is set.
struct Exact {
  bool negative = false;
  Wide significand = 0;
  int exponent = 0;
  bool more = false;
};

/// A finite pattern.
Exact exact(std::uint64_t value, FloatFormat format);
Exact exact_integer(std::int64_t value);
Exact negated(Exact value);
Exact product(const Exact& a, const Exact& b);
/// `negative_zero` is the sign of a sum that cancels.
Exact sum(Exact a, Exact b, bool negative_zero);
/// value * 2^power.
Exact scaled(Exact value, int power);

/// How a result is rounded and what overflow gives.
struct Target {
  FloatFormat format;
  Rounding rounding = Rounding::nearest_even;
  bool flush = false;     ///< denormal results
  bool saturate = false;  ///< overflow gives the largest number
};
std::uint64_t rounded(const Exact& value, const Target& target);

/// The integer part, truncated; saturated to [low, high].
std::int64_t truncated(const Exact& value, std::int64_t low, std::int64_t high);
/// floor(value) as a pattern of the format, where value is one.
std::uint64_t floored(std::uint64_t value, FloatFormat format);

/// a op b for every pattern, with the NaN rule: the first NaN made quiet, else the default one.
std::uint64_t add(std::uint64_t a, std::uint64_t b, const Target& target);
std::uint64_t multiply(std::uint64_t a, std::uint64_t b, const Target& target);
std::uint64_t fused(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Target& target);
/// From one format to another.
std::uint64_t converted(std::uint64_t value, FloatFormat from, const Target& target);

/// -1, 0, 1, or nothing with a NaN.
std::optional<int> compare(std::uint64_t a, std::uint64_t b, FloatFormat format);
/// A NaN made quiet.
inline std::uint64_t quiet(std::uint64_t value, FloatFormat format) {
  return value | format.quiet_bit();
}

}  // namespace wavesmith::simulator::testing
