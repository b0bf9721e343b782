// The sums of matrix_reference.h, in integers.
#include <algorithm>
#include <stdexcept>

#include "matrix_reference.h"

namespace wavesmith::simulator::testing {
namespace {

__extension__ typedef __int128 Signed;

std::int64_t signed_field(std::uint64_t value, unsigned bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// A factor as a significand and the exponent of its leading digit: zeros count as 2^-126, denormals keep the
/// least exponent.
struct Factor {
  Signed significand;
  int unit, exponent;
};
Factor factor_of(std::uint64_t value, FloatFormat f) {
  const Exact e = exact(value, f);
  const int mantissa_bits = static_cast<int>(f.mantissa_bits);
  const int digit = e.significand == 0 ? -126 : e.exponent + mantissa_bits;
  const Signed size = static_cast<Signed>(e.significand);
  return {e.negative ? -size : size, e.exponent, digit};
}

/// value * 2^unit in units of 2^to: towards zero or downwards.
Signed cut(Signed value, int unit, int to, bool toward_zero) {
  const int up = unit - to;
  if (up >= 0) {
    if (value != 0 && up > 90) throw std::runtime_error("a number out of the reference's range");
    return value == 0 ? 0 : value * (Signed{1} << up);
  }
  if (-up >= 127) return value < 0 && !toward_zero ? -1 : 0;
  return toward_zero && value < 0 ? -(-value >> -up) : value >> -up;
}

struct PartialSum {
  Signed value;
  int top;  ///< the value is in units of 2^(top - 24)
};
PartialSum sum_of_products(const std::vector<Factor>& a, const std::vector<Factor>& b) {
  PartialSum sum{0, -100000};
  for (std::size_t k = 0; k < a.size(); ++k) sum.top = std::max(sum.top, a[k].exponent + b[k].exponent);
  for (std::size_t k = 0; k < a.size(); ++k)
    sum.value += cut(a[k].significand * b[k].significand, a[k].unit + b[k].unit, sum.top - 24, true);
  return sum;
}

std::uint64_t added(Signed products, int unit, std::uint64_t c, int top) {
  const Factor old = factor_of(c, kF32);
  Signed total = cut(products, unit, top - 31, false);
  total += 128 * cut(old.significand, old.unit, top - 24, false);
  const bool negative = total < 0;
  return rounded({negative, static_cast<Wide>(negative ? -total : total), top - 31}, {kF32});
}

}  // namespace

std::uint64_t integer_sum(const Product& p, ElementIndex at) {
  std::int64_t sum = signed_field(p.c.at(at.block, at.row, at.column), 32);
  for (unsigned k = 0; k < p.instruction.depth; ++k) {
    sum += signed_field(p.a.at(at.block, at.row, k), 8) * signed_field(p.b.at(at.block, k, at.column), 8);
  }
  return static_cast<std::uint64_t>(sum) & 0xffffffff;
}

std::uint64_t exact_sum(const Product& p, ElementIndex at) {
  const FloatFormat fa = element_type(p.instruction.a_type).format,
                    fb = element_type(p.instruction.b_type).format,
                    fc = element_type(p.instruction.c_type).format;
  Exact total = exact(p.c.at(at.block, at.row, at.column), fc);
  for (unsigned k = 0; k < p.instruction.depth; ++k) {
    const Exact x = exact(p.a.at(at.block, at.row, k), fa), y = exact(p.b.at(at.block, k, at.column), fb);
    total = sum(total, product(x, y), false);
  }
  return rounded(total, {fc});
}

std::uint64_t sequential_sum(const Product& p, ElementIndex at) {
  const FloatFormat fa = element_type(p.instruction.a_type).format,
                    fb = element_type(p.instruction.b_type).format,
                    fc = element_type(p.instruction.c_type).format;
  std::uint64_t total = p.c.at(at.block, at.row, at.column);
  for (unsigned k = 0; k < p.instruction.depth; ++k) {
    // Every factor format is a part of the result's, so that conversions are exact.
    const auto widened = [&](std::uint64_t value, FloatFormat f) {
      return f.bits() == fc.bits() ? value : rounded(exact(value, f), {fc});
    };
    total = fused(widened(p.a.at(at.block, at.row, k), fa), widened(p.b.at(at.block, k, at.column), fb),
                  total, {fc});
  }
  return total;
}

std::uint64_t grouped_sum(const Product& p, ElementIndex at, unsigned size) {
  const ElementType ta = element_type(p.instruction.a_type), tb = element_type(p.instruction.b_type);
  const bool bytes = ta.bits == 8;
  const unsigned group = std::min(bytes ? 16 : size, p.instruction.depth);
  std::uint64_t total = p.c.at(at.block, at.row, at.column);
  for (unsigned first = 0; first < p.instruction.depth; first += group) {
    std::array<std::vector<Factor>, 2> a, b;
    for (unsigned k = first; k < first + group; ++k) {
      const unsigned part = bytes ? k % 2 : 0;
      a[part].push_back(factor_of(p.a.at(at.block, at.row, k), ta.format));
      b[part].push_back(factor_of(p.b.at(at.block, k, at.column), tb.format));
    }
    PartialSum products = sum_of_products(a[0], b[0]);
    const int old = factor_of(total, kF32).exponent;
    std::uint64_t kept = total;
    if (bytes) {
      const PartialSum odd = sum_of_products(a[1], b[1]);
      const int both = std::max(products.top, odd.top);
      products.value = cut(products.value, products.top - 24, both - 24, false) +
                       cut(odd.value, odd.top - 24, both - 24, false);
      products.top = both;
      if (old < std::max(both, old) - 25) kept = 0;
    }
    total = added(products.value, products.top - 24, kept, std::max(products.top, old));
  }
  return total;
}

}  // namespace wavesmith::simulator::testing
