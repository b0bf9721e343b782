// Reciprocals, roots, exponentials and logarithms: the nearest value to what the C library computes in long
// double, and the edges that the ISA text states.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Function = std::function<long double(long double)>;

long double number(u64 v, FloatFormat f) {
  if (f.bits() == 64) return std::bit_cast<double>(v);
  if (f.bits() == 32) return std::bit_cast<float>(static_cast<u32>(v));
  const Exact e = exact(v, f);
  const long double size = std::ldexp(static_cast<long double>(e.significand), e.exponent);
  return e.negative ? -size : size;
}

/// A long double as an exact number; its 64-bit significand is finer than any result here.
Exact exact_of(long double value) {
  int exponent = 0;
  const long double size = std::frexp(std::fabs(value), &exponent);
  return {std::signbit(value), static_cast<Wide>(std::ldexp(size, 64)), exponent - 64};
}

u64 evaluated(u64 source, FloatFormat f, const Function& function, bool flush) {
  if (f.nan(source)) return quiet(source, f);
  const bool infinite = f.infinite(source);
  const long double x = infinite ? (f.negative(source) ? -std::numeric_limits<long double>::infinity()
                                                       : std::numeric_limits<long double>::infinity())
                                 : number(source, f);
  const long double y = function(x);
  if (std::isnan(y)) return f.default_nan();
  if (std::isinf(y)) return (std::signbit(y) ? f.sign_mask() : 0) | f.infinity();
  if (y == 0) return std::signbit(y) ? f.sign_mask() : 0;
  return rounded(exact_of(y), {f, Rounding::nearest_even, flush});
}

/// f32 denormals are flushed whatever MODE says; the others as MODE says. All round to nearest.
void check(const std::string& name, const Function& function, bool has_double) {
  VectorCase c{.mnemonic = name + "_f32",
               .result = ResultKind::single,
               .sources = {singles()},
               .source_modifiers = true,
               .result_modifiers = true,
               .modes = true};
  for (u32 k = 0; k < 500; ++k) c.sources[0].values.push_back((k * 8617003u + 0x31234567u) & 0x7fffffffu);
  c.reference = [&](const LaneInput& in) {
    return LaneResult(evaluated(kF32.flushed(in.s[0]), kF32, function, true));
  };
  drive(c);

  c = {.mnemonic = name + "_f16",
       .result = ResultKind::half,
       .sources = {halves()},
       .source_modifiers = true,
       .result_modifiers = true,
       .modes = true};
  for (u32 k = 0; k < 600; ++k) c.sources[0].values.push_back((k * 8617u + 0x123u) & 0x7fffu);
  c.reference = [&](const LaneInput& in) {
    const u64 value = evaluated(in.mode.source(in.s[0], kF16), kF16, function, in.mode.flush_result(kF16));
    // Only results that overflowed: infinities of infinite sources and of zeros stay.
    const u64 source = in.mode.source(in.s[0], kF16);
    const bool pole = kF16.infinite(source) || kF16.zero(source);
    return LaneResult(in.mode.fp16_overflow() && kF16.infinite(value) && !pole ? value - 1 : value);
  };
  drive(c);
  if (!has_double) return;
  c = {.mnemonic = name + "_f64",
       .result = ResultKind::double_,
       .sources = {doubles()},
       .source_modifiers = true,
       .result_modifiers = true,
       .modes = true,
       .close = true};
  c.reference = [&](const LaneInput& in) {
    return LaneResult(evaluated(in.mode.source(in.s[0], kF64), kF64, function, in.mode.flush_result(kF64)));
  };
  drive(c);
}

}  // namespace

TEST_CASE("vector functions: reciprocals and roots") {
  check("v_rcp", [](long double x) { return 1 / x; }, true);
  check("v_sqrt", [](long double x) { return std::sqrt(x); }, true);
  check("v_rsq", [](long double x) { return 1 / std::sqrt(x); }, true);
}

TEST_CASE("vector functions: exponentials and logarithms") {
  check("v_exp", [](long double x) { return std::exp2(x); }, false);
  check("v_log", [](long double x) { return std::log2(x); }, false);
}

TEST_CASE("vector functions: the reciprocal for integer division is the same") {
  VectorCase c{.mnemonic = "v_rcp_iflag_f32",
               .result = ResultKind::single,
               .sources = {singles()},
               .source_modifiers = true,
               .result_modifiers = true,
               .modes = true};
  c.reference = [](const LaneInput& in) {
    return LaneResult(evaluated(kF32.flushed(in.s[0]), kF32, [](long double x) { return 1 / x; }, true));
  };
  drive(c);
}

TEST_CASE("vector functions: stated edges") {
  Snippets gfx950("gfx950");
  const auto one = [&](const std::string& name, u32 x) {
    Input in;
    in.v(0, x);
    return gfx950.run("v_" + name + "_f32 v1, v0", in).v(1)[13];
  };
  CHECK(one("exp", 0xff800000) == 0);           // -inf
  CHECK(one("exp", 0x7f800000) == 0x7f800000);  // +inf
  CHECK(one("exp", 0x00000000) == 0x3f800000);
  CHECK(one("exp", 0x80000000) == 0x3f800000);
  CHECK(one("exp", 0xc2fc0001) == 0);           // just below -126: flushed
  CHECK(one("exp", 0xc2fc0000) == 0x00800000);  // -126
  CHECK(one("exp", 0x43000000) == 0x7f800000);  // 128
  CHECK(one("rcp", 0x00000000) == 0x7f800000);
  CHECK(one("rcp", 0x80000000) == 0xff800000);
  CHECK(one("rcp", 0x7f800000) == 0);
  CHECK(one("rcp", 0xff800000) == 0x80000000);
  CHECK(one("rcp", 0x00000001) == 0x7f800000);  // a denormal counts as zero
  CHECK(one("rcp", 0x7f000001) == 0);           // and a denormal result is one
  CHECK(one("log", 0x00000000) == 0xff800000);
  CHECK(one("log", 0x80000000) == 0xff800000);
  CHECK(one("log", 0xbf800000) == 0x7fc00000);
  CHECK(one("log", 0x3f800000) == 0);
  CHECK(one("log", 0x41000000) == 0x40400000);  // 8
  CHECK(one("sqrt", 0xbf800000) == 0x7fc00000);
  CHECK(one("sqrt", 0x80000000) == 0x80000000);
  CHECK(one("rsq", 0x80000000) == 0xff800000);
  CHECK(one("rsq", 0x40800000) == 0x3f000000);
}

TEST_CASE("vector functions: the nearest f32 nearly always") {
  // Against the C library's f64, over many arguments: never off by more than the two steps of rounding allow.
  Snippets gfx950("gfx950");
  for (u32 batch = 0; batch < 400; ++batch) {
    Input in;
    const Lanes32 x = lanes([&](u32 l) { return 0x3a000000u + (batch * 64 + l) * 4099u; });
    in.v(0, x);
    const Output out = gfx950.run("v_exp_f32 v1, v0\nv_exp_f32_e64 v2, -v0\nv_log_f32 v3, v0", in);
    for (u32 l = 0; l < 64; ++l) {
      const double value = static_cast<double>(std::bit_cast<float>(x[l]));
      if (value > 120) continue;
      const auto nearest = [](double y) { return std::bit_cast<u32>(static_cast<float>(y)); };
      if (out.v(1)[l] != nearest(std::exp2(value))) CHECK(out.v(1)[l] == nearest(std::exp2(value)));
      if (out.v(2)[l] != nearest(std::exp2(-value))) CHECK(out.v(2)[l] == nearest(std::exp2(-value)));
      if (out.v(3)[l] != nearest(std::log2(value))) CHECK(out.v(3)[l] == nearest(std::log2(value)));
    }
  }
  SUCCEED();
}
