// Integers in 128 bits; floating point by exact sums and a search for the nearest value.
#include "atomic_reference.h"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

namespace wavesmith::simulator::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ typedef __int128 i128;

/// A 16-bit format: value of a pattern as a double, which holds all of them.
double half_value(u32 bits, bool bfloat) {
  const int exponent_bits = bfloat ? 8 : 5, mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = static_cast<int>(bits & ((1u << mantissa_bits) - 1));
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

/// The pattern nearest to a value, ties to the even one; found by bisection over the magnitudes.
u32 nearest_half(double value, bool bfloat) {
  if (std::isnan(value)) return bfloat ? 0x7fc0 : 0x7e00;
  const u32 sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  const u32 infinity = bfloat ? 0x7f80 : 0x7c00;
  u32 low = 0, high = infinity;  // value(low) <= magnitude < value(high), or magnitude is infinite
  if (std::isinf(magnitude)) return sign | infinity;
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    (half_value(middle, bfloat) <= magnitude ? low : high) = middle;
  }
  // Beyond the largest finite value the next one would be as far again.
  const double below = half_value(low, bfloat);
  const double above =
      high == infinity ? below + (below - half_value(low - 1, bfloat)) : half_value(high, bfloat);
  const double to_low = magnitude - below, to_high = above - magnitude;
  if (to_low < to_high) return sign | low;
  if (to_high < to_low) return sign | high;
  return sign | (low % 2 == 0 ? low : high);
}

u32 packed_sum(u32 a, u32 b, bool bfloat, bool flush) {
  const auto one = [&](u32 x, u32 y) {
    const u32 exponent_mask = bfloat ? 0x7f80 : 0x7c00;
    const auto flushed = [&](u32 h) { return flush && !bfloat && (h & exponent_mask) == 0 ? h & 0x8000 : h; };
    // Two bf16 can be further apart than a double is wide; what it drops then is far below half an ulp of the
    // larger, which is no tie.
    const double sum = half_value(flushed(x), bfloat) + half_value(flushed(y), bfloat);
    return flushed(nearest_half(sum, bfloat));
  };
  return one(a & 0xffff, b & 0xffff) | one(a >> 16, b >> 16) << 16;
}

u64 float_sum(AtomicCase atomic, u64 memory, u64 data, bool flush) {
  const auto flushed = [flush](auto x) {
    using T = decltype(x);
    return flush && x != 0 && std::fabs(x) < (sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022))
               ? std::copysign(T(0), x)
               : x;
  };
  if (atomic.type == "f64") {
    const double sum = flushed(std::bit_cast<double>(memory)) + flushed(std::bit_cast<double>(data));
    return std::bit_cast<u64>(flushed(sum));
  }
  // A double holds enough of the sum of two floats for one rounding to be the right one.
  const double sum = static_cast<double>(flushed(std::bit_cast<float>(static_cast<u32>(memory)))) +
                     static_cast<double>(flushed(std::bit_cast<float>(static_cast<u32>(data))));
  return std::bit_cast<u32>(flushed(static_cast<float>(sum)));
}

bool is_float(AtomicCase atomic) {
  return atomic.type == "f32" || atomic.type == "f64";
}

double as_double(AtomicCase atomic, u64 bits) {
  return atomic.bytes() == 8 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<u32>(bits));
}

i128 as_integer(AtomicCase atomic, u64 bits) {
  if (atomic.type == "i32") return static_cast<std::int32_t>(bits);
  if (atomic.type == "i64") return static_cast<std::int64_t>(bits);
  return bits;
}

}  // namespace

u64 atomic_result(AtomicCase atomic, u64 memory, u64 first, u64 second, bool flush) {
  const std::string_view op = atomic.operation;
  if (op == "pk_add")
    return packed_sum(static_cast<u32>(memory), static_cast<u32>(first), atomic.type == "bf16", flush);
  if (op == "add" && is_float(atomic)) return float_sum(atomic, memory, first, flush);
  if (is_float(atomic)) {
    const double m = as_double(atomic, memory), d = as_double(atomic, first);
    if (op == "min") return d < m ? first : memory;
    if (op == "max") return d > m ? first : memory;
    if (op == "cmpst") return m == d ? second : memory;
  }
  const i128 m = as_integer(atomic, memory), d = as_integer(atomic, first), s = as_integer(atomic, second);
  const i128 modulus = i128{1} << (8 * atomic.bytes());
  const auto wrap = [&](i128 x) { return static_cast<u64>(((x % modulus) + modulus) % modulus); };
  if (op == "add") return wrap(m + d);
  if (op == "sub") return wrap(m - d);
  if (op == "rsub") return wrap(d - m);
  if (op == "inc") return m >= d ? 0 : wrap(m + 1);
  if (op == "dec") return m == 0 || m > d ? wrap(d) : wrap(m - 1);
  if (op == "min") return wrap(m < d ? m : d);
  if (op == "max") return wrap(m > d ? m : d);
  if (op == "wrap") return m >= d ? wrap(m - d) : wrap(m + s);
  if (op == "swap" || op == "wrxchg") return first;
  if (op == "cmpswap") return memory == second ? first : memory;  // data registers: new, then compare
  if (op == "cmpst") return memory == first ? second : memory;    // data0 compare, data1 new
  u64 result = 0;
  for (unsigned b = 0; b < 8 * atomic.bytes(); ++b) {
    const bool x = (memory >> b & 1) != 0, y = (first >> b & 1) != 0, z = (second >> b & 1) != 0;
    bool bit = false;
    if (op == "and") {
      bit = x && y;
    } else if (op == "or") {
      bit = x || y;
    } else if (op == "xor") {
      bit = x != y;
    } else if (op == "mskor") {
      bit = z || (x && !y);
    } else {
      throw std::runtime_error("no reference for the atomic " + std::string(op));
    }
    result |= u64{bit} << b;
  }
  return result;
}

u64 edge_value(std::mt19937_64& random, AtomicCase atomic) {
  static constexpr u64 integers[] = {0,
                                     1,
                                     2,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x100000000,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffffffffffff};
  static constexpr u32 singles[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                    0x00800001, 0x3f800000, 0xbf800000, 0x33800000, 0x33800001, 0x7f7fffff,
                                    0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001};
  static constexpr u64 doubles[] = {0,
                                    0x8000000000000000,
                                    1,
                                    0x8000000000000001,
                                    0x000fffffffffffff,
                                    0x0010000000000000,
                                    0x3ff0000000000000,
                                    0xbff0000000000000,
                                    0x3ca0000000000000,
                                    0x7fefffffffffffff,
                                    0x7ff0000000000000,
                                    0xfff0000000000000,
                                    0x7ff8000000000000};
  static constexpr u32 halves[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x0401,
                                   0x3c00, 0xbc00, 0x1000, 0x1001, 0x7bff, 0x7c00, 0xfc00,
                                   0x7e00, 0x3f80, 0x3b80, 0x7f7f, 0x7f80, 0x0080};
  const auto pick = [&](const auto& values) { return values[random() % std::size(values)]; };
  if (random() % 3 == 0) return random();
  if (atomic.type == "f32") return pick(singles);
  if (atomic.type == "f64") return pick(doubles);
  if (atomic.operation == "pk_add") return pick(halves) | pick(halves) << 16;
  // Small numbers meet often, which compare-and-swap and the counters need.
  return random() % 2 == 0 ? random() % 4 : pick(integers);
}

bool same_result(AtomicCase atomic, u64 a, u64 b) {
  if (a == b) return true;
  if (is_float(atomic)) return std::isnan(as_double(atomic, a)) && std::isnan(as_double(atomic, b));
  if (atomic.operation != "pk_add") return false;
  const auto half = [&](u64 bits) {
    const bool bfloat = atomic.type == "bf16";
    return half_value(static_cast<u32>(bits & 0xffff), bfloat);
  };
  const auto same = [&](u64 x, u64 y) {
    return (x & 0xffff) == (y & 0xffff) || (std::isnan(half(x)) && std::isnan(half(y)));
  };
  return same(a, b) && same(a >> 16, b >> 16);
}

}  // namespace wavesmith::simulator::testing
