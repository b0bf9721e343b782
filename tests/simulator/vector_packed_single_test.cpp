// Pairs of f32: every choice of halves and signs, in every mode, and f64 steps of a division.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::string list_of(unsigned bits, unsigned count) {
  return count == 2 ? fmt::format("[{},{}]", bits & 1, bits >> 1 & 1)
                    : fmt::format("[{},{},{}]", bits & 1, bits >> 1 & 1, bits >> 2 & 1);
}

using Operation2 = u64 (*)(const std::array<u64, 3>&, const Target&);

void pairs_of(const std::string& mnemonic, unsigned sources, Operation2 operation) {
  CdnaSnippets cdna;
  const std::vector<u64> values = singles().values;
  const auto value_of = [&](unsigned reg, u32 l, u32 round) {
    return static_cast<u32>(values[(l * (reg * 2 + 3) + round * 17 + reg * 5) % values.size()]);
  };
  unsigned wrong = 0, round = 0;
  for (const u32 bits : {0xf0u, 0xf1u, 0xfeu, 0xffu, 0xe0u, 0xd0u, 0xc0u}) {
    const TestMode mode{bits};
    for (unsigned choice = 0; choice < 1u << (2 * sources); ++choice) {
      ++round;
      const unsigned select[2] = {choice & ((1u << sources) - 1), choice >> sources};
      const unsigned negate[2] = {round % 8 & ((1u << sources) - 1), round / 8 % 8 & ((1u << sources) - 1)};
      const bool clamp = round % 5 == 0;
      std::string text = mnemonic + " v[6:7]";
      for (unsigned k = 0; k < sources; ++k) text += fmt::format(", v[{}:{}]", 2 * k, 2 * k + 1);
      text += fmt::format(" op_sel:{} op_sel_hi:{} neg_lo:{} neg_hi:{}{}", list_of(select[0], sources),
                          list_of(select[1], sources), list_of(negate[0], sources),
                          list_of(negate[1], sources), clamp ? " clamp" : "");
      Input in;
      in.mode = bits;
      in.exec = round % 3 == 0 ? 0x0123456789abcdef : ~u64{0};
      for (unsigned reg = 0; reg < 6; ++reg) in.v(reg, lanes([&](u32 l) { return value_of(reg, l, round); }));
      in.v(6, 1).v(7, 2);
      const Output out = cdna.run(text, in);
      for (u32 l = 0; l < 64; ++l) {
        for (unsigned half = 0; half < 2; ++half) {
          std::array<u64, 3> s{};
          for (unsigned k = 0; k < sources; ++k) {
            s[k] = value_of(2 * k + (select[half] >> k & 1), l, round) ^
                   ((negate[half] >> k & 1) != 0 ? 0x80000000 : 0);
            s[k] = mode.source(s[k], kF32);
          }
          u64 expected = operation(s, mode.target(kF32));
          if (clamp && !kF32.nan(expected)) {
            if (kF32.negative(expected) && !kF32.zero(expected)) expected = 0;
            if (!kF32.negative(expected) && expected > 0x3f800000) expected = 0x3f800000;
          }
          if ((in.exec >> l & 1) == 0) expected = half + 1;
          const u32 actual = out.v(6 + half)[l];
          if (actual == expected || ++wrong > 8) continue;
          INFO(text << std::hex << " mode " << bits << " lane " << l << ": " << s[0] << ", " << s[1] << ", "
                    << s[2]);
          CHECK(actual == expected);
        }
      }
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("vector pairs of f32: sums, products, fused sums") {
  pairs_of("v_pk_add_f32", 2,
           [](const std::array<u64, 3>& s, const Target& t) { return add(s[0], s[1], t); });
  pairs_of("v_pk_mul_f32", 2,
           [](const std::array<u64, 3>& s, const Target& t) { return multiply(s[0], s[1], t); });
  pairs_of("v_pk_fma_f32", 3,
           [](const std::array<u64, 3>& s, const Target& t) { return fused(s[0], s[1], s[2], t); });
}

TEST_CASE("vector pairs of f32: scalars, constants, and the destination as source") {
  CdnaSnippets cdna;
  Input in;
  in.v(0, 0x3f800000).v(1, 0x40000000).s64(2, 0x4080000040400000);  // {1, 2}, {3, 4}
  Output out = cdna.run("v_pk_mul_f32 v[0:1], v[0:1], s[2:3]", in);
  CHECK(out.v(0)[5] == 0x40400000);
  CHECK(out.v(1)[5] == 0x41000000);
  out = cdna.run("v_pk_mul_f32 v[0:1], v[0:1], s[2:3] op_sel_hi:[1,0]", in);
  CHECK(out.v(1)[5] == 0x40c00000);
  out = cdna.run("v_pk_add_f32 v[0:1], v[0:1], 2.0 op_sel_hi:[1,0]", in);
  CHECK(out.v(0)[5] == 0x40400000);
  CHECK(out.v(1)[5] == 0x40800000);
  out = cdna.run("v_pk_add_f32 v[0:1], v[0:1], v[0:1] op_sel:[1,0] op_sel_hi:[0,1]", in);
  CHECK(out.v(0)[5] == 0x40400000);
  CHECK(out.v(1)[5] == 0x40400000);  // both halves were read before either was written
  // The high half of a constant is not defined.
  CHECK(cdna.run("v_pk_add_f32 v[0:1], v[0:1], 2.0", in).fault);
}

TEST_CASE("vector divisions: f64 scales and special quotients") {
  CdnaSnippets cdna;
  const auto exponent = [](int e) { return static_cast<u64>(e + 1023) << 52; };
  struct Case {
    u64 s0, denominator, numerator, result;
    bool flag;
  };
  const Case cases[] = {
      {exponent(1), exponent(1), exponent(0), exponent(1), false},  // nothing to do
      {exponent(0), exponent(0), 0, kF64.default_nan(), false},     // a zero
      {exponent(-500), exponent(-500), exponent(300), exponent(-372),
       true},  // a large quotient: the denominator up
      {exponent(300), exponent(-500), exponent(300), exponent(300), true},
      {u64{1} << 51, u64{1} << 51, exponent(-300), exponent(-895), false},  // a denormal denominator: both up
      {exponent(-300), u64{1} << 51, exponent(-300), exponent(-172), false},
      {exponent(1023), exponent(1023), exponent(5), exponent(895),
       false},  // 1 / 2^1023 is denormal: both down
      {exponent(1023), exponent(1023), exponent(-20), exponent(895),
       true},  // the quotient too: the denominator
      {exponent(-20), exponent(1023), exponent(-20), exponent(-20), true},
      {exponent(-900), exponent(130), exponent(-900), exponent(-772),
       true},  // a denormal quotient: the numerator
      {exponent(-1000), exponent(-1000), exponent(-1000), exponent(-872),
       false},  // a tiny numerator: both up
  };
  for (const Case& c : cases) {
    Input in;
    std::array<u64, 64> s0, denominator, numerator;
    s0.fill(c.s0), denominator.fill(c.denominator), numerator.fill(c.numerator);
    in.v64(0, s0).v64(2, denominator).v64(4, numerator).exec = 0xff00;
    const Output out = cdna.run("v_div_scale_f64 v[6:7], s[4:5], v[0:1], v[2:3], v[4:5]", in);
    INFO(std::hex << c.s0 << " " << c.denominator << " " << c.numerator);
    CHECK(out.v64(6, 9) == c.result);
    CHECK(out.s64(4) == (c.flag ? 0xff00 : 0));
  }
  const auto fix = [&](u64 q, u64 denominator, u64 numerator) {
    Input in;
    std::array<u64, 64> a, b, c;
    a.fill(q), b.fill(denominator), c.fill(numerator);
    in.v64(0, a).v64(2, b).v64(4, c);
    return cdna.run("v_div_fixup_f64 v[6:7], v[0:1], v[2:3], v[4:5]", in).v64(6, 3);
  };
  const u64 minus = kF64.sign_mask(), one = exponent(0), infinity = kF64.infinity();
  CHECK(fix(one, minus | exponent(1), exponent(1)) == (minus | one));
  CHECK(fix(0, 0, 0) == (minus | kF64.default_nan()));
  CHECK(fix(0, minus, one) == (minus | infinity));
  CHECK(fix(0, infinity, one) == 0);
  CHECK(fix(0, one, infinity | 5) == (kF64.default_nan() | 5));
  CHECK(fix(kF64.default_nan(), one, kF64.largest()) == infinity);
  CHECK(fix(one, exponent(1023), 1) == 0);  // too small by exponents alone
}

TEST_CASE("vector singles: a literal between or behind the factors") {
  CdnaSnippets cdna;
  Input in;
  in.v(0, 0x40400000).v(1, 0x40000000);                                             // 3, 2
  CHECK(cdna.run("v_fmaak_f32 v2, v0, v1, 0x3f000000", in).v(2)[6] == 0x40d00000);  // 3 * 2 + 0.5
  CHECK(cdna.run("v_fmamk_f32 v2, v0, 0x3f000000, v1", in).v(2)[6] == 0x40600000);  // 3 * 0.5 + 2
}
