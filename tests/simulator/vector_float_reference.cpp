// The functions of vector_float_reference.h.
#include "vector_float_reference.h"

#include <algorithm>

namespace wavesmith::simulator::testing {
namespace {

using u64 = std::uint64_t;

u64 negative_of(u64 value, FloatFormat f) {
  return value ^ f.sign_mask();
}

}  // namespace

u64 extreme(u64 a, u64 b, FloatFormat f, bool ieee, bool greatest) {
  if (ieee && f.signalling(a)) return quiet(a, f);
  if (ieee && f.signalling(b)) return quiet(b, f);
  if (f.nan(a)) return f.nan(b) ? quiet(a, f) : b;
  if (f.nan(b)) return a;
  if (f.zero(a) && f.zero(b)) return f.negative(a) == greatest ? b : a;
  return (*compare(a, b, f) < 0) == greatest ? b : a;
}

u64 propagating_extreme(const std::array<u64, 3>& s, FloatFormat f, bool greatest) {
  if (f.nan(s[0]) || f.nan(s[1]) || f.nan(s[2])) return f.default_nan();
  return extreme(extreme(s[0], s[1], f, false, greatest), s[2], f, false, greatest);
}

u64 settled(u64 value, const std::array<u64, 3>& s, unsigned sources, FloatFormat f) {
  if (!f.nan(value)) return value;
  for (unsigned k = 0; k < sources; ++k) {
    if (f.nan(s[k])) return quiet(s[k], f);
  }
  return f.default_nan();
}

u64 flushed_result(u64 value, const Target& target) {
  return target.flush ? target.format.flushed(value) : value;
}

u64 median(const std::array<u64, 3>& s, FloatFormat f, bool ieee) {
  const auto [a, b, c] = s;
  if (f.nan(a) || f.nan(b) || f.nan(c)) return extreme(extreme(a, b, f, ieee, false), c, f, ieee, false);
  // The first of those that equal the maximum is left out.
  const u64 top = extreme(extreme(a, b, f, false, true), c, f, false, true);
  if (*compare(top, a, f) == 0) return extreme(b, c, f, false, true);
  if (*compare(top, b, f) == 0) return extreme(a, c, f, false, true);
  return extreme(a, b, f, false, true);
}

u64 whole(u64 value, FloatFormat f, Whole way) {
  if (f.nan(value)) return quiet(value, f);
  if (f.infinite(value) || f.zero(value)) return value;
  const u64 down = floored(value, f);
  if (down == value) return value;
  const Target nearest{f};
  const u64 one = static_cast<u64>(f.bias()) << f.mantissa_bits;
  u64 up = add(down, one, nearest);
  if (f.zero(up)) up |= value & f.sign_mask();  // from -0.5 to -0
  switch (way) {
    case Whole::floor:
      return down;
    case Whole::ceil:
      return up;
    case Whole::trunc:
      return f.negative(value) ? up : down;
    case Whole::nearest:
      break;
  }
  const u64 half = static_cast<u64>(f.bias() - 1) << f.mantissa_bits;
  const u64 rest = add(value, negative_of(down, f), nearest);
  const int side = *compare(rest, half, f);
  const Exact number = exact(down, f);
  const bool odd =
      number.exponent <= 0 && -number.exponent < 64 && (number.significand >> -number.exponent & 1) != 0;
  const u64 result = side > 0 || (side == 0 && odd) ? up : down;
  return f.zero(result) ? value & f.sign_mask() : result;
}

u64 fraction(u64 value, const Target& target) {
  const FloatFormat f = target.format;
  if (f.nan(value)) return quiet(value, f);
  if (f.infinite(value)) return f.default_nan();
  const u64 difference = add(value, negative_of(floored(value, f), f), target);
  const u64 one = static_cast<u64>(f.bias()) << f.mantissa_bits;
  return difference >= one && !f.negative(difference) ? one - 1 : difference;
}

u64 mantissa(u64 value, FloatFormat f) {
  if (f.nan(value)) return quiet(value, f);
  if (f.infinite(value) || f.zero(value)) return value;
  u64 m = f.magnitude(value);
  while (m >> f.mantissa_bits == 0) m <<= 1;
  return (value & f.sign_mask()) | static_cast<u64>(f.bias() - 1) << f.mantissa_bits |
         (m & f.mantissa_mask());
}

int exponent(u64 value, FloatFormat f) {
  if (f.nan(value) || f.infinite(value) || f.zero(value)) return 0;
  int result = std::max(static_cast<int>(f.magnitude(value) >> f.mantissa_bits), 1) - f.bias() + 1;
  for (u64 m = f.magnitude(value); m >> f.mantissa_bits == 0; m <<= 1) --result;
  return result;
}

}  // namespace wavesmith::simulator::testing
