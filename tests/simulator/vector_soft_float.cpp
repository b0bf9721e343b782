// The integer arithmetic behind vector_soft_float.h.
#include "vector_soft_float.h"

#include <algorithm>
#include <utility>

namespace wavesmith::simulator::testing {
namespace {

/// Position of the leading one; -1 for zero.
int leading(Wide value) {
  int position = -1;
  for (; value != 0; value >>= 1) ++position;
  return position;
}

/// Moves bits down, remembering in `more` whether any were lost.
void shift_down(Exact& value, int count) {
  if (count <= 0) return;
  if (count >= 128) {
    value.more = value.more || value.significand != 0;
    value.significand = 0;
  } else {
    const Wide lost = value.significand & ((Wide{1} << count) - 1);
    value.more = value.more || lost != 0;
    value.significand >>= count;
  }
  value.exponent += count;
}

/// The leading one to bit 120: room for a carry above and 66 bits below a double.
void normalize(Exact& value) {
  const int up = 120 - leading(value.significand);
  if (value.significand == 0) return;
  if (up >= 0) {
    value.significand <<= up;
    value.exponent -= up;
  } else {
    shift_down(value, -up);
  }
}

bool rounds_away(const Exact& value, Wide rest, Wide half, bool odd, Rounding rounding) {
  const bool inexact = rest != 0 || value.more;
  switch (rounding) {
    case Rounding::nearest_even:
      if (rest != half) return rest > half;
      return half != 0 && (value.more || odd);
    case Rounding::up:
      return inexact && !value.negative;
    case Rounding::down:
      return inexact && value.negative;
    case Rounding::toward_zero:
      break;
  }
  return false;
}

std::uint64_t overflowed(bool negative, const Target& target) {
  const FloatFormat f = target.format;
  const bool away = target.rounding == Rounding::nearest_even ||
                    (target.rounding == Rounding::up && !negative) ||
                    (target.rounding == Rounding::down && negative);
  return (negative ? f.sign_mask() : 0) | (away && !target.saturate ? f.infinity() : f.largest());
}

}  // namespace

Exact exact(std::uint64_t value, FloatFormat format) {
  const std::uint64_t magnitude = format.magnitude(value);
  const auto exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  const std::uint64_t mantissa = magnitude & format.mantissa_mask();
  const std::uint64_t significand =
      exponent == 0 ? mantissa : mantissa | std::uint64_t{1} << format.mantissa_bits;
  return {format.negative(value), significand,
          std::max(exponent, 1) - format.bias() - static_cast<int>(format.mantissa_bits)};
}

Exact exact_integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return {value < 0, value < 0 ? 0 - bits : bits, 0};
}

Exact negated(Exact value) {
  value.negative = !value.negative;
  return value;
}

Exact product(const Exact& a, const Exact& b) {
  return {a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent};
}

Exact scaled(Exact value, int power) {
  value.exponent += power;
  return value;
}

Exact sum(Exact a, Exact b, bool negative_zero) {
  if (a.significand == 0 && b.significand == 0) {
    return {a.negative == b.negative ? a.negative : negative_zero, 0, 0};
  }
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  normalize(a);
  normalize(b);
  if (a.exponent < b.exponent) std::swap(a, b);
  shift_down(b, a.exponent - b.exponent);
  Exact result = a;
  result.more = b.more;
  if (a.negative == b.negative) {
    result.significand = a.significand + b.significand;
    return result;
  }
  if (a.significand < b.significand) {  // equal exponents: nothing of b was lost
    result.negative = b.negative;
    result.significand = b.significand - a.significand;
    return result;
  }
  // What b lost is subtracted too: one unit less, and something more.
  result.significand = a.significand - b.significand - (b.more ? 1 : 0);
  if (result.significand == 0 && !result.more) result.negative = negative_zero;
  return result;
}

std::uint64_t rounded(const Exact& value, const Target& target) {
  const FloatFormat f = target.format;
  const std::uint64_t sign = value.negative ? f.sign_mask() : 0;
  if (value.significand == 0 && !value.more) return sign;
  const int top = leading(value.significand) + value.exponent;
  const int least = 1 - f.bias();
  const int unit = std::max(top, least) - static_cast<int>(f.mantissa_bits);  // weight of the last digit
  const int drop = unit - value.exponent;
  Wide kept = value.significand, rest = 0, half = 0;
  if (drop > 0) {
    if (drop > 126) {
      rest = value.significand == 0 ? 0 : 1, half = 2, kept = 0;
    } else {
      rest = value.significand & ((Wide{1} << drop) - 1);
      half = Wide{1} << (drop - 1);
      kept = value.significand >> drop;
    }
  } else {
    kept <<= -drop;
    if (value.more) rest = 1, half = 4;  // far below the last digit
  }
  if (rounds_away(value, rest, half, (kept & 1) != 0, target.rounding)) ++kept;
  auto units = static_cast<std::uint64_t>(kept);
  int exponent = std::max(top, least);
  if (units >> (f.mantissa_bits + 1) != 0) units >>= 1, ++exponent;
  if (exponent > f.bias()) return overflowed(value.negative, target);
  const bool normal = units >> f.mantissa_bits != 0;
  if (!normal) return target.flush ? sign : sign | units;
  const auto biased = static_cast<std::uint64_t>(exponent + f.bias());
  return sign | biased << f.mantissa_bits | (units & f.mantissa_mask());
}

std::int64_t truncated(const Exact& value, std::int64_t low, std::int64_t high) {
  Exact whole = value;
  if (leading(whole.significand) + whole.exponent >= 62) return value.negative ? low : high;
  if (whole.exponent >= 0) {
    whole.significand <<= whole.exponent;
  } else {
    shift_down(whole, -whole.exponent);
  }
  const auto size = static_cast<std::int64_t>(whole.significand);
  return std::clamp(value.negative ? -size : size, low, high);
}

std::uint64_t floored(std::uint64_t value, FloatFormat format) {
  if (format.nan(value)) return quiet(value, format);
  if (format.infinite(value) || format.zero(value)) return value;
  Exact number = exact(value, format);
  if (number.exponent >= 0) return value;
  shift_down(number, -number.exponent);
  if (number.negative && number.more) ++number.significand;
  number.more = false;
  return rounded(number, {format});
}

namespace {

std::uint64_t first_nan(FloatFormat f, std::initializer_list<std::uint64_t> sources) {
  for (const std::uint64_t s : sources) {
    if (f.nan(s)) return quiet(s, f);
  }
  return f.default_nan();
}

}  // namespace

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, const Target& target) {
  const FloatFormat f = target.format;
  if (f.nan(a) || f.nan(b)) return first_nan(f, {a, b});
  const std::uint64_t sign = (a ^ b) & f.sign_mask();
  if (f.infinite(a) || f.infinite(b)) {
    return f.zero(a) || f.zero(b) ? f.default_nan() : sign | f.infinity();
  }
  return rounded(product(exact(a, f), exact(b, f)), target);
}

std::uint64_t add(std::uint64_t a, std::uint64_t b, const Target& target) {
  const FloatFormat f = target.format;
  if (f.nan(a) || f.nan(b)) return first_nan(f, {a, b});
  if (f.infinite(a)) return f.infinite(b) && a != b ? f.default_nan() : a;
  if (f.infinite(b)) return b;
  return rounded(sum(exact(a, f), exact(b, f), target.rounding == Rounding::down), target);
}

std::uint64_t fused(std::uint64_t a, std::uint64_t b, std::uint64_t c, const Target& target) {
  const FloatFormat f = target.format;
  if (f.nan(a) || f.nan(b) || f.nan(c)) return first_nan(f, {a, b, c});
  if (f.infinite(a) || f.infinite(b)) {
    if (f.zero(a) || f.zero(b)) return f.default_nan();
    const std::uint64_t infinity = ((a ^ b) & f.sign_mask()) | f.infinity();
    return f.infinite(c) && c != infinity ? f.default_nan() : infinity;
  }
  if (f.infinite(c)) return c;
  return rounded(sum(product(exact(a, f), exact(b, f)), exact(c, f), target.rounding == Rounding::down),
                 target);
}

std::uint64_t converted(std::uint64_t value, FloatFormat from, const Target& target) {
  const FloatFormat f = target.format;
  const std::uint64_t sign = from.negative(value) ? f.sign_mask() : 0;
  if (from.nan(value)) {
    // The top of the payload stays.
    const std::uint64_t payload = value & from.mantissa_mask();
    const auto shift = static_cast<int>(f.mantissa_bits) - static_cast<int>(from.mantissa_bits);
    return sign | f.default_nan() | (shift >= 0 ? payload << shift : payload >> -shift);
  }
  if (from.infinite(value)) return sign | f.infinity();
  return rounded(exact(value, from), target);
}

std::optional<int> compare(std::uint64_t a, std::uint64_t b, FloatFormat format) {
  if (format.nan(a) || format.nan(b)) return std::nullopt;
  const auto order = [&](std::uint64_t v) {
    const auto size = static_cast<std::int64_t>(format.magnitude(v));
    return format.negative(v) ? -size : size;
  };
  return order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0;
}

}  // namespace wavesmith::simulator::testing
