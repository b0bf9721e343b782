// Mixed f32 and f16 products, and dot products.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

std::string bits_of(unsigned value) {
  return fmt::format("[{},{},{}]", value & 1, value >> 1 & 1, value >> 2 & 1);
}

/// What a source of v_fma_mix is as f32.
u64 mixed(u64 value, bool half, bool high, const TestMode& mode) {
  if (!half) return mode.source(value, kF32);
  return converted(mode.source(value >> (high ? 16 : 0) & 0xffff, kF16), kF16, {kF32});
}

/// The two halves of a packed source.
u64 part(u64 value, unsigned k) {
  return value >> (16 * k) & 0xffff;
}

/// Exponent of the leading bit.
int leading(const Exact& value) {
  int bits = 0;
  for (Wide rest = value.significand; rest != 0; rest >>= 1) ++bits;
  return bits == 0 ? -100000 : value.exponent + bits;
}

/// Exact sum of two products and an addend, rounded once to nearest even; by IEEE rules for what is not
/// finite.
u64 dot2(u64 a, u64 b, u64 c, FloatFormat f) {
  u64 specials = 0;  // the sum of what is not finite, in f32
  bool special = kF32.nan(c) || kF32.infinite(c);
  if (special) specials = c;
  std::vector<Exact> terms;
  for (unsigned k = 0; k < 2; ++k) {
    const u64 x = part(a, k), y = part(b, k);
    if (f.nan(x) || f.nan(y) || f.infinite(x) || f.infinite(y)) {
      const u64 product = multiply(converted(x, f, {kF32}), converted(y, f, {kF32}), {kF32});
      specials = special ? add(specials, product, {kF32}) : product;
      special = true;
    } else {
      terms.push_back(product(exact(x, f), exact(y, f)));
    }
  }
  if (special) return kF32.nan(specials) ? kF32.default_nan() : specials;
  terms.push_back(exact(c, kF32));
  // The largest first, since they may cancel each other and leave what is far below them.
  std::ranges::sort(terms, std::greater(), leading);
  return rounded(sum(sum(terms[0], terms[1], false), terms[2], false), {kF32});
}

i64 field(u64 value, unsigned bits, unsigned k, bool is_signed) {
  const u64 cut = value >> (bits * k) & ((u64{1} << bits) - 1);
  return is_signed && (cut >> (bits - 1)) != 0 ? static_cast<i64>(cut) - (i64{1} << bits)
                                               : static_cast<i64>(cut);
}

void integer_dot(const std::string& mnemonic, unsigned bits, bool is_signed, bool accumulates) {
  VectorCase c{.mnemonic = mnemonic, .sources = {integers(), integers()}, .reads_old = accumulates};
  if (!accumulates) c.sources.push_back(integers());
  const auto evaluate = [=](const LaneInput& in) {
    i64 total = field(accumulates ? in.old : in.s[2], 32, 0, is_signed);
    for (unsigned k = 0; k < 32 / bits; ++k)
      total += field(in.s[0], bits, k, is_signed) * field(in.s[1], bits, k, is_signed);
    return total;
  };
  c.reference = [=](const LaneInput& in) { return LaneResult(static_cast<u64>(evaluate(in)) & 0xffffffff); };
  c.saturated = [=](const LaneInput& in) {
    const i64 least = is_signed ? -i64{0x80000000} : 0, most = is_signed ? 0x7fffffff : 0xffffffff;
    return LaneResult(static_cast<u64>(std::clamp(evaluate(in), least, most)) & 0xffffffff);
  };
  c.integer_clamp = true;
  drive(c);
}

}  // namespace

TEST_CASE("vector mixes: every choice of f32 and f16 halves") {
  CdnaSnippets cdna;
  const SourceKind wide = singles(), narrow = pairs();
  const auto value_of = [&](unsigned k, u64 index) {
    // Patterns that are of interest as f32 and others that are as pairs.
    const u64 i = index * 7 + k * 13;
    return static_cast<u32>(i % 2 == 0 ? wide.values[i / 2 % wide.values.size()]
                                       : narrow.values[i / 2 % narrow.values.size()]);
  };
  unsigned wrong = 0;
  for (const u32 mode : {0xf0u, 0xf5u, 0x00u, 0xffu, 0x8000f0u}) {
    for (unsigned choice = 0; choice < 64; ++choice) {
      const unsigned select = choice & 7, half = choice >> 3;
      const std::string suffix =
          fmt::format(" v3, v0, v1, v2 op_sel:{} op_sel_hi:{}", bits_of(select), bits_of(half));
      Input in;
      in.mode = mode;
      for (unsigned k = 0; k < 3; ++k) in.v(k, lanes([&](u32 l) { return value_of(k, l * 64 + choice); }));
      in.v(3, 0xabcd1234);
      const Lanes32 full = cdna.run("v_fma_mix_f32" + suffix, in).v(3);
      const Lanes32 low = cdna.run("v_fma_mixlo_f16" + suffix, in).v(3);
      const Lanes32 high = cdna.run("v_fma_mixhi_f16" + suffix, in).v(3);
      for (u32 l = 0; l < 64; ++l) {
        const TestMode m{mode};
        u64 s[3];
        for (unsigned k = 0; k < 3; ++k)
          s[k] = mixed(value_of(k, l * 64 + choice), (half >> k & 1) != 0, (select >> k & 1) != 0, m);
        const u64 single = fused(s[0], s[1], s[2], m.target(kF32));
        const u64 narrow_result = converted(single, kF32, m.target(kF16));
        const bool right = full[l] == single && low[l] == (0xabcd0000 | narrow_result) &&
                           high[l] == (0x1234 | narrow_result << 16);
        if (right || ++wrong > 8) continue;
        INFO(suffix << std::hex << " mode " << mode << ": " << s[0] << " " << s[1] << " " << s[2]);
        CHECK(full[l] == single);
        CHECK(low[l] == (0xabcd0000 | narrow_result));
        CHECK(high[l] == (0x1234 | narrow_result << 16));
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("vector mixes: signs, clamp, constants, lanes") {
  CdnaSnippets cdna;
  Input in;
  in.v(0, 0x40003c00).v(1, 0x40400000).v(2, 0xbf000000).v(3, 0xabcd1234);  // {2, 1}, 3, -0.5
  const auto one = [&](const std::string& text) { return cdna.run(text, in).v(3)[21]; };
  CHECK(one("v_fma_mix_f32 v3, v0, v1, v2 op_sel_hi:[1,0,0]") == 0x40200000);  // 1 * 3 - 0.5
  CHECK(one("v_fma_mix_f32 v3, -v0, v1, |v2| op_sel:[1,0,0] op_sel_hi:[1,0,0]") ==
        0xc0b00000);  // -2 * 3 + 0.5
  CHECK(one("v_fma_mix_f32 v3, v0, v1, v2 op_sel_hi:[1,0,0] clamp") == 0x3f800000);
  CHECK(one("v_fma_mixlo_f16 v3, v0, v1, -v2 op_sel_hi:[1,0,0]") == 0xabcd4300);  // 3.5
  CHECK(one("v_fma_mixhi_f16 v3, v0, v1, -v2 op_sel_hi:[1,0,0] clamp") == 0x3c001234);
  CHECK(one("v_fma_mix_f32 v3, v0, 2.0, 1.0 op_sel_hi:[1,0,0]") == 0x40400000);
  CHECK(one("v_fma_mix_f32 v3, v0, 2.0, 1.0 op_sel_hi:[1,1,1]") == 0x40400000);  // the constants as f16
  in.exec = 0;
  CHECK(one("v_fma_mixlo_f16 v3, v0, v1, v2") == 0xabcd1234);
}

TEST_CASE("vector dots: two f16 or bf16 products on an f32") {
  SourceKind bf16_pairs{Operation::pair, {}};
  const SourceKind bf16 = bfloats();
  for (std::size_t i = 0; i < bf16.values.size() * 3; ++i) {
    bf16_pairs.values.push_back((bf16.values[i % bf16.values.size()] & 0xffff) |
                                (bf16.values[(i * 5 + 3) % bf16.values.size()] & 0xffff) << 16);
  }
  const auto dot = [](const std::string& name, const SourceKind& values, FloatFormat f) {
    VectorCase c{.mnemonic = "v_dot2_f32_" + name, .sources = {values, values, singles()}};
    c.reference = [=](const LaneInput& in) { return LaneResult(dot2(in.s[0], in.s[1], in.s[2], f)); };
    // Sums of numbers far apart may be rounded twice, which is one unit in the last place.
    c.close = true;
    drive(c);
    // On top of the destination; the old values come from the last source.
    VectorCase accumulate{.mnemonic = "v_dot2c_f32_" + name, .sources = {values, values}, .reads_old = true};
    accumulate.reference = [=](const LaneInput& in) { return LaneResult(dot2(in.s[0], in.s[1], in.old, f)); };
    accumulate.close = true;
    drive(accumulate);
  };
  dot("f16", pairs(), kF16);
  dot("bf16", bf16_pairs, kBf16);

  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0x40003c00).v(1, 0x44004200).v(2, 0x3f000000);  // {2, 1} . {4, 3} + 0.5
  const auto one = [&](const std::string& text) { return gfx950.run(text, in).v(3)[5]; };
  CHECK(one("v_dot2_f32_f16 v3, v0, v1, v2") == 0x41380000);
  CHECK(one("v_dot2_f32_f16 v3, v0, v1, v2 neg_lo:[1,0,0]") == 0x40b00000);
  CHECK(one("v_dot2_f32_f16 v3, v0, v1, v2 neg_hi:[1,0,0]") == 0xc0900000);
  CHECK(one("v_dot2_f32_f16 v3, v0, v1, v2 clamp") == 0x3f800000);
  in.v(3, 0x3f000000);
  CHECK(one("v_dot2c_f32_f16_e64 v3, v0, v1") == 0x41380000);
  CHECK(one("v_dot2c_f32_f16_e64 v3, v0, v1 clamp") == 0x3f800000);
  in.mode = 0;  // denormals stay whatever MODE says
  in.v(0, 0x00000001).v(1, 0x00003c00).v(2, 0);
  CHECK(one("v_dot2_f32_f16 v3, v0, v1, v2") == 0x33800000);
}

TEST_CASE("vector dots: integers") {
  integer_dot("v_dot2_i32_i16", 16, true, false);
  integer_dot("v_dot2_u32_u16", 16, false, false);
  integer_dot("v_dot4_i32_i8", 8, true, false);
  integer_dot("v_dot4_u32_u8", 8, false, false);
  integer_dot("v_dot8_i32_i4", 4, true, false);
  integer_dot("v_dot8_u32_u4", 4, false, false);
  integer_dot("v_dot2c_i32_i16", 16, true, true);
  integer_dot("v_dot4c_i32_i8", 8, true, true);
  integer_dot("v_dot8c_i32_i4", 4, true, true);
}
