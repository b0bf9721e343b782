// IEEE divisions as LLVM expands them: the quotient is the correctly rounded one, at the ends of the range
// too. This is what v_div_scale, v_div_fmas and v_div_fixup are for, and what pins their behaviour down as a
// whole.
#include <bit>
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// v9 = v0 / v2 (llc's code for fdiv of f32 with denormals).
constexpr const char* kSingleDivision =
    "v_div_scale_f32 v4, s[0:1], v2, v2, v0\n"
    "v_rcp_f32_e32 v5, v4\n"
    "v_div_scale_f32 v6, vcc, v0, v2, v0\n"
    "v_fma_f32 v7, -v4, v5, 1.0\n"
    "v_fmac_f32_e32 v5, v7, v5\n"
    "v_mul_f32_e32 v7, v6, v5\n"
    "v_fma_f32 v8, -v4, v7, v6\n"
    "v_fmac_f32_e32 v7, v8, v5\n"
    "v_fma_f32 v4, -v4, v7, v6\n"
    "v_div_fmas_f32 v4, v4, v5, v7\n"
    "v_div_fixup_f32 v9, v4, v2, v0";
/// The same for f64: v[20:21] = v[0:1] / v[2:3].
constexpr const char* kDoubleDivision =
    "v_div_scale_f64 v[4:5], s[0:1], v[2:3], v[2:3], v[0:1]\n"
    "v_rcp_f64_e32 v[6:7], v[4:5]\n"
    "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0\n"
    "v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]\n"
    "v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0\n"
    "v_fmac_f64_e32 v[6:7], v[6:7], v[8:9]\n"
    "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]\n"
    "v_mul_f64 v[10:11], v[8:9], v[6:7]\n"
    "v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]\n"
    "v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]\n"
    "v_div_fixup_f64 v[20:21], v[4:5], v[2:3], v[0:1]";

/// The CPU's quotient, with this project's NaN.
u32 quotient(u32 a, u32 b) {
  const float q = std::bit_cast<float>(a) / std::bit_cast<float>(b);
  return std::bit_cast<u32>(q);
}

}  // namespace

TEST_CASE("vector divisions: f32 quotients are correctly rounded") {
  CdnaSnippets cdna;
  std::vector<u32> values;
  for (const u64 v : singles().values) values.push_back(static_cast<u32>(v));
  for (u32 k = 0; k < 200; ++k) values.push_back(k * 0x01234567u + 0x00345678u);
  const u64 count = values.size() * values.size();
  unsigned wrong = 0;
  for (u64 first = 0; first < count; first += 64) {
    Input in;
    const auto at = [&](u32 l) { return std::min(first + l, count - 1); };
    const Lanes32 a = lanes([&](u32 l) { return values[at(l) / values.size()]; });
    const Lanes32 b = lanes([&](u32 l) { return values[at(l) % values.size()]; });
    in.v(0, a).v(2, b);
    const Output out = cdna.run(kSingleDivision, in);
    for (u32 l = 0; l < 64; ++l) {
      const u32 expected = quotient(a[l], b[l]), actual = out.v(9)[l];
      const bool both_nan = kF32.nan(expected) && kF32.nan(actual);
      if (actual == expected || both_nan || ++wrong > 8) continue;
      INFO(std::hex << a[l] << " / " << b[l]);
      CHECK(actual == expected);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("vector divisions: f64 quotients are correctly rounded") {
  CdnaSnippets cdna;
  std::vector<u64> values = doubles().values;
  for (u64 k = 0; k < 150; ++k) values.push_back(k * 0x0123456789abcdef + 0x0034567812345678);
  const u64 count = values.size() * values.size();
  unsigned wrong = 0;
  for (u64 first = 0; first < count; first += 64) {
    Input in;
    const auto at = [&](u32 l) { return std::min(first + l, count - 1); };
    std::array<u64, 64> a, b;
    for (u32 l = 0; l < 64; ++l) a[l] = values[at(l) / values.size()], b[l] = values[at(l) % values.size()];
    in.v64(0, a).v64(2, b);
    const Output out = cdna.run(kDoubleDivision, in);
    for (u32 l = 0; l < 64; ++l) {
      const double q = std::bit_cast<double>(a[l]) / std::bit_cast<double>(b[l]);
      const u64 expected = std::bit_cast<u64>(q), actual = out.v64(20, l);
      const bool both_nan = kF64.nan(expected) && kF64.nan(actual);
      if (actual == expected || both_nan || ++wrong > 8) continue;
      INFO(std::hex << a[l] << " / " << b[l]);
      CHECK(actual == expected);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("vector divisions: quotients that lose a few bits to being denormal are rounded once") {
  // Rounded to 53 bits first, every second quotient that loses one bit would be a tie that the exact one is
  // not.
  CdnaSnippets cdna;
  unsigned wrong = 0, denormal = 0;
  for (u32 round = 0; round < 64; ++round) {
    std::array<u64, 64> a, b;
    Lanes32 c{}, d{};
    for (u32 l = 0; l < 64; ++l) {
      const u64 x = (l + 1) * 0x9e3779b97f4a7c15 * (round + 1),
                y = (l + 3) * 0xc2b2ae3d27d4eb4f * (round + 7);
      a[l] = u64{1023 - 500} << 52 | x >> 12;
      b[l] = u64{1023 + 522 + l % 4} << 52 | y >> 12;
      c[l] = (127 - 60) << 23 | static_cast<u32>(x >> 41);
      d[l] = (127 + 66 + l % 4) << 23 | static_cast<u32>(y >> 41);
    }
    Input wide, single;
    wide.v64(0, a).v64(2, b);
    single.v(0, c).v(2, d);
    const Output q64 = cdna.run(kDoubleDivision, wide), q32 = cdna.run(kSingleDivision, single);
    for (u32 l = 0; l < 64; ++l) {
      const u64 expected = std::bit_cast<u64>(std::bit_cast<double>(a[l]) / std::bit_cast<double>(b[l]));
      denormal += kF64.denormal(expected) ? 1 : 0;
      wrong += q64.v64(20, l) == expected ? 0 : 1;
      wrong += q32.v(9)[l] == quotient(c[l], d[l]) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(denormal > 2000);
}

TEST_CASE("vector divisions: scales and their masks") {
  CdnaSnippets cdna;
  struct Case {
    u32 s0, denominator, numerator, result;
    bool flag;
  };
  const Case cases[] = {
      {0x3f800000, 0x3f800000, 0x40400000, 0x3f800000, false},  // nothing to do
      {0x3f800000, 0x3f800000, 0x00000000, 0x7fc00000, false},  // a zero
      {0x3f800000, 0x00000000, 0x3f800000, 0x7fc00000, false},
      {0x1f800000, 0x1f800000, 0x5f800000, 0x3f800000, true},  // 2^64 / 2^-64: the denominator is scaled
      {0x5f800000, 0x1f800000, 0x5f800000, 0x5f800000, true},  // the numerator is not
      {0x00400000, 0x00400000, 0x3f800000, 0x20000000, true},  // so for a denormal one
      {0x3f800000, 0x00400000, 0x3f800000, 0x3f800000, true},
      {0x00400000, 0x00400000, 0x1f800000, 0x20000000, false},  // 2^-64 / 2^-127: both are scaled
      {0x1f800000, 0x00400000, 0x1f800000, 0x3f800000, false},
      {0x7f000000, 0x7f000000, 0x40800000, 0x5f000000, false},  // 4 / 2^127: both down, for the reciprocal
      {0x40800000, 0x7f000000, 0x40800000, 0x20800000, false},
      {0x7f000000, 0x7f000000, 0x35800000, 0x5f000000, true},  // 2^-20 / 2^127: the denominator down
      {0x35800000, 0x7f000000, 0x35800000, 0x35800000, true},
      {0x0a800000, 0x4a800000, 0x0a800000, 0x2a800000, true},  // a denormal quotient: the numerator is scaled
      {0x4a800000, 0x4a800000, 0x0a800000, 0x4a800000, true},
      {0x0b000000, 0x0b000000, 0x0b000000, 0x2b000000, false},  // exponent 22: a tiny numerator
      {0x0c000000, 0x0c000000, 0x0c000000, 0x0c000000, false},
  };
  for (const Case& c : cases) {
    Input in;
    in.v(0, c.s0).v(1, c.denominator).v(2, c.numerator).exec = 0xff00ff;
    const Output out = cdna.run("v_div_scale_f32 v3, vcc, v0, v1, v2", in);
    INFO(std::hex << c.s0 << " " << c.denominator << " " << c.numerator);
    CHECK(out.v(3)[2] == c.result);
    CHECK(out.v(3)[8] == 0xffe5ffe5);  // inactive
    CHECK(out.vcc == (c.flag ? 0xff00ff : 0));
    CHECK(cdna.run("v_div_scale_f32 v3, s[4:5], v0, v1, v2", in).s64(4) == out.vcc);
  }
}

TEST_CASE("vector divisions: special quotients") {
  CdnaSnippets cdna;
  const auto fix = [&](u32 q, u32 denominator, u32 numerator) {
    Input in;
    in.v(0, q).v(1, denominator).v(2, numerator);
    return cdna.run("v_div_fixup_f32 v3, v0, v1, v2", in).v(3)[7];
  };
  CHECK(fix(0x3f800000, 0xc0000000, 0x40000000) == 0xbf800000);  // sign of the operands, size of the quotient
  CHECK(fix(0xbf800000, 0x40000000, 0x40000000) == 0x3f800000);
  CHECK(fix(0, 0, 0) == 0xffc00000);
  CHECK(fix(0, 0x7f800000, 0xff800000) == 0xffc00000);
  CHECK(fix(0, 0x80000000, 0x3f800000) == 0xff800000);
  CHECK(fix(0, 0x3f800000, 0x7f800000) == 0x7f800000);
  CHECK(fix(0x7fc00000, 0xff800000, 0x3f800000) == 0x80000000);
  CHECK(fix(0x7fc00000, 0x3f800000, 0x00000000) == 0x00000000);
  CHECK(fix(0, 0x3f800000, 0x7f800001) == 0x7fc00001);
  CHECK(fix(0, 0xff800123, 0x3f800000) == 0xffc00123);
  CHECK(fix(0x3f800000, 0x7f000000, 0x00000001) == 0);           // too small by exponents alone
  CHECK(fix(0x7fc00000, 0x80000001, 0x7f7fffff) == 0xff800000);  // the quotient overflowed on its way
  const auto fix_half = [&](u32 q, u32 denominator, u32 numerator) {
    Input in;
    in.v(0, q).v(1, denominator).v(2, numerator).v(3, 0xabcd0000);
    return cdna.run("v_div_fixup_f16 v3, v0, v1, v2", in).v(3)[7];
  };
  CHECK(fix_half(0x3c00, 0xc000, 0x4000) == 0xabcdbc00);
  CHECK(fix_half(0, 0, 0) == 0xabcdfe00);
  CHECK(fix_half(0, 0x8000, 0x3c00) == 0xabcdfc00);
  CHECK(fix_half(0x3c00, 0xfc00, 0x3c00) == 0xabcd8000);
}

TEST_CASE("vector divisions: the scale is taken out of the quotient") {
  CdnaSnippets cdna;
  Input in;
  in.v(0, 0x40400000).v(1, 0x40000000).v(2, lanes([](u32 l) {
                                           return l % 2 == 0 ? 0x3f000000u : 0x40000000u;
                                         }));
  in.vcc = 0xf0;
  const Output out = cdna.run("v_div_fmas_f32 v3, v0, v1, v2", in);
  CHECK(out.v(3)[0] == 0x40d00000);                // 6.5
  CHECK(out.v(3)[1] == 0x41000000);                // 8
  CHECK(out.v(3)[4] == 0x40d00000 - (64u << 23));  // scaled down: the addend is below 1
  CHECK(out.v(3)[5] == 0x41000000 + (64u << 23));  // scaled up: it is not
  in.v(0, 0).v(1, 0x40080000).v(2, 0).v(3, 0x40000000).v(4, 0).v(5, 0x40000000);
  const Output wide = cdna.run("v_div_fmas_f64 v[6:7], v[0:1], v[2:3], v[4:5]", in);
  CHECK(wide.v64(6, 0) == 0x4020000000000000);  // 3 * 2 + 2
  CHECK(wide.v64(6, 4) == 0x4020000000000000 + (u64{128} << 52));
}
