// f32 and f64 instructions with one rounding, in every mode, against integer arithmetic; minima and maxima by
// the order of their patterns; whole numbers and exponents by definition.
#include <algorithm>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"
#include "vector_float_reference.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// A format and how instructions of it are driven.
struct Kind {
  FloatFormat format;
  SourceKind (*values)();
  ResultKind result;
  std::string suffix;
};
const Kind kSingle{kF32, singles, ResultKind::single, "_f32"};
const Kind kDouble{kF64, doubles, ResultKind::double_, "_f64"};

using Function = std::function<u64(const std::array<u64, 3>&, const Target&, const TestMode&)>;

/// Sources reach f flushed as MODE says.
void check(const Kind& kind, const std::string& name, unsigned sources, const Function& f,
           bool reads_old = false) {
  VectorCase c{.mnemonic = name + kind.suffix,
               .result = kind.result,
               .reads_old = reads_old,
               .source_modifiers = true,
               .result_modifiers = true,
               .modes = true};
  c.sources.assign(sources, kind.values());
  c.reference = [&](const LaneInput& in) {
    std::array<u64, 3> s{};
    for (unsigned k = 0; k < 3; ++k) s[k] = in.mode.source(in.s[k], kind.format);
    if (reads_old) s[2] = in.mode.source(in.old, kind.format);
    return LaneResult(f(s, in.mode.target(kind.format), in.mode));
  };
  drive(c);
}

u64 negative_of(u64 value, FloatFormat f) {
  return value ^ f.sign_mask();
}

void check_arithmetic(const Kind& kind) {
  check(kind, "v_add", 2, [](const auto& s, const Target& t, const TestMode&) { return add(s[0], s[1], t); });
  check(kind, "v_mul", 2,
        [](const auto& s, const Target& t, const TestMode&) { return multiply(s[0], s[1], t); });
  check(kind, "v_fma", 3,
        [](const auto& s, const Target& t, const TestMode&) { return fused(s[0], s[1], s[2], t); });
  check(
      kind, "v_fmac", 2,
      [](const auto& s, const Target& t, const TestMode&) { return fused(s[0], s[1], s[2], t); }, true);
}

void check_extremes(const Kind& kind) {
  for (const bool greatest : {false, true}) {
    check(kind, greatest ? "v_max" : "v_min", 2, [=](const auto& s, const Target& t, const TestMode& m) {
      return flushed_result(settled(extreme(s[0], s[1], t.format, m.ieee(), greatest), s, 2, t.format), t);
    });
  }
}

void check_whole_numbers(const Kind& kind) {
  for (const auto& [name, way] : {std::pair{"v_floor", Whole::floor},
                                  {"v_ceil", Whole::ceil},
                                  {"v_trunc", Whole::trunc},
                                  {"v_rndne", Whole::nearest}}) {
    check(kind, name, 1, [way = way](const auto& s, const Target& t, const TestMode&) {
      return flushed_result(whole(s[0], t.format, way), t);
    });
  }
  check(kind, "v_fract", 1,
        [](const auto& s, const Target& t, const TestMode&) { return fraction(s[0], t); });
}

void check_exponents(const Kind& kind, const std::string& exponent_name) {
  check(kind, "v_frexp_mant", 1,
        [](const auto& s, const Target& t, const TestMode&) { return mantissa(s[0], t.format); });
  VectorCase c{
      .mnemonic = exponent_name, .sources = {kind.values()}, .source_modifiers = true, .modes = true};
  c.reference = [&](const LaneInput& in) {
    return LaneResult(static_cast<u32>(exponent(in.mode.source(in.s[0], kind.format), kind.format)));
  };
  drive(c);
  c.mnemonic = "v_ldexp" + kind.suffix;
  c.result = kind.result;
  c.result_modifiers = true;
  c.sources.push_back(with(
      Operation::integer32,
      {0,          1,   0xffffffff, 5,    0xfffffff0, 24,   0xffffffe8, 126,        0xffffff82, 149,
       0xffffff6b, 300, 0xfffffed4, 1023, 0xfffffc02, 1074, 2100,       0xfffff7cc, 0x7fffffff, 0x80000000}));
  c.reference = [&](const LaneInput& in) {
    const FloatFormat f = kind.format;
    const u64 v = in.mode.source(in.s[0], f);
    if (f.nan(v)) return LaneResult(quiet(v, f));
    if (f.infinite(v) || f.zero(v)) return LaneResult(v);
    const auto power =
        static_cast<int>(std::clamp<std::int64_t>(static_cast<std::int32_t>(in.s[1]), -6000, 6000));
    return LaneResult(rounded(scaled(exact(v, f), power), in.mode.target(f)));
  };
  drive(c);
}

}  // namespace

TEST_CASE("vector singles: sums, products, fused sums") {
  check_arithmetic(kSingle);
  check(kSingle, "v_sub", 2, [](const auto& s, const Target& t, const TestMode&) {
    return settled(add(s[0], negative_of(s[1], kF32), t), s, 2, kF32);
  });
  check(kSingle, "v_subrev", 2, [](const auto& s, const Target& t, const TestMode&) {
    return settled(add(s[1], negative_of(s[0], kF32), t), s, 2, kF32);
  });
}

TEST_CASE("vector singles: a zero decides the legacy product") {
  VectorCase c{.mnemonic = "v_mul_legacy_f32",
               .result = ResultKind::single,
               .sources = {singles(), singles()},
               .source_modifiers = true,
               .result_modifiers = true,
               .modes = true};
  c.reference = [](const LaneInput& in) {
    const u64 a = in.mode.source(in.s[0], kF32), b = in.mode.source(in.s[1], kF32);
    return LaneResult(kF32.zero(a) || kF32.zero(b) ? 0 : multiply(a, b, in.mode.target(kF32)));
  };
  drive(c);
}

TEST_CASE("vector singles: sums with a literal") {
  CdnaSnippets cdna;
  for (const u64 a : singles().values) {
    Input in;
    in.v(0, static_cast<u32>(a)).v(1, lanes([](u32 l) {
                                     return singles().values[l % singles().values.size()];
                                   }));
    const Output out = cdna.run("v_fmamk_f32 v2, v0, 0x40490fdb, v1\nv_fmaak_f32 v3, v0, v1, 0xbf800001", in);
    for (u32 l = 0; l < 64; ++l) {
      const u64 b = singles().values[l % singles().values.size()];
      const u64 product = fused(a, 0x40490fdb, b, {kF32}), total = fused(a, b, 0xbf800001, {kF32});
      if (out.v(2)[l] != product) CHECK(out.v(2)[l] == product);
      if (out.v(3)[l] != total) CHECK(out.v(3)[l] == total);
    }
  }
  CHECK(cdna.run("v_fmamk_f32 v2, v0, 0x40000000, v1", Input().v(0, 0x40400000).v(1, 0x3f800000)).v(2)[5] ==
        0x40e00000);
}

TEST_CASE("vector singles: minima, maxima, medians") {
  check_extremes(kSingle);
  for (const bool greatest : {false, true}) {
    check(kSingle, greatest ? "v_max3" : "v_min3", 3, [=](const auto& s, const Target& t, const TestMode& m) {
      const u64 first = extreme(s[0], s[1], kF32, m.ieee(), greatest);
      return flushed_result(settled(extreme(first, s[2], kF32, m.ieee(), greatest), s, 3, kF32), t);
    });
    check(kSingle, greatest ? "v_maximum3" : "v_minimum3", 3,
          [=](const auto& s, const Target& t, const TestMode&) {
            return flushed_result(settled(propagating_extreme(s, kF32, greatest), s, 3, kF32), t);
          });
  }
  check(kSingle, "v_med3", 3, [](const auto& s, const Target& t, const TestMode& m) {
    return flushed_result(settled(median(s, kF32, m.ieee()), s, 3, kF32), t);
  });
}

TEST_CASE("vector singles: whole numbers") {
  check_whole_numbers(kSingle);
}
TEST_CASE("vector singles: exponents") {
  check_exponents(kSingle, "v_frexp_exp_i32_f32");
}
TEST_CASE("vector doubles: sums, products, fused sums") {
  check_arithmetic(kDouble);
}
TEST_CASE("vector doubles: minima and maxima") {
  check_extremes(kDouble);
}
TEST_CASE("vector doubles: whole numbers") {
  check_whole_numbers(kDouble);
}
TEST_CASE("vector doubles: exponents") {
  check_exponents(kDouble, "v_frexp_exp_i32_f64");
}
