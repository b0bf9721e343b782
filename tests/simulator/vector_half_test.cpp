// f16 instructions, alone and in packed pairs, in every mode.
#include <algorithm>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"
#include "vector_float_reference.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

using Function = std::function<u64(const std::array<u64, 3>&, const Target&, const TestMode&)>;

std::array<u64, 3> sources_of(const LaneInput& in) {
  std::array<u64, 3> s{};
  for (unsigned k = 0; k < 3; ++k) s[k] = in.mode.source(in.s[k], kF16);
  return s;
}

/// `keeps`: the high half of the destination stays; else it becomes zero.
void check(const std::string& mnemonic, unsigned sources, const Function& f, bool keeps = false) {
  VectorCase c{.mnemonic = mnemonic,
               .result = ResultKind::half,
               .source_modifiers = true,
               .result_modifiers = true,
               .modes = true};
  c.sources.assign(sources, halves());
  c.reference = [&, keeps](const LaneInput& in) {
    return LaneResult(f(sources_of(in), in.mode.target(kF16), in.mode) | (keeps ? in.old & 0xffff0000 : 0));
  };
  drive(c);
}

u64 negative_of(u64 value) {
  return value ^ 0x8000;
}

/// Both halves of packed sources.
void check_pairs(const std::string& mnemonic, unsigned sources, const Function& f) {
  VectorCase c{.mnemonic = mnemonic, .modes = true};
  c.sources.assign(sources, pairs());
  c.reference = [&](const LaneInput& in) {
    u64 result = 0;
    for (const unsigned shift : {0u, 16u}) {
      std::array<u64, 3> s{};
      for (unsigned k = 0; k < 3; ++k) s[k] = in.mode.source(in.s[k] >> shift & 0xffff, kF16);
      result |= f(s, in.mode.target(kF16), in.mode) << shift;
    }
    return LaneResult(result);
  };
  drive(c);
}

const Function kSum = [](const auto& s, const Target& t, const TestMode&) { return add(s[0], s[1], t); };
const Function kProduct = [](const auto& s, const Target& t, const TestMode&) {
  return multiply(s[0], s[1], t);
};
const Function kFused = [](const auto& s, const Target& t, const TestMode&) {
  return fused(s[0], s[1], s[2], t);
};

Function extreme_of(bool greatest, unsigned sources) {
  return [=](const auto& s, const Target& t, const TestMode& m) {
    u64 value = extreme(s[0], s[1], kF16, m.ieee(), greatest);
    if (sources == 3) value = extreme(value, s[2], kF16, m.ieee(), greatest);
    return flushed_result(settled(value, s, sources, kF16), t);
  };
}
Function propagating(bool greatest) {
  return [=](const auto& s, const Target& t, const TestMode&) {
    return flushed_result(settled(propagating_extreme(s, kF16, greatest), s, 3, kF16), t);
  };
}

}  // namespace

TEST_CASE("vector halves: sums, products, fused sums") {
  check("v_add_f16", 2, kSum);
  check("v_mul_f16", 2, kProduct);
  check("v_sub_f16", 2, [](const auto& s, const Target& t, const TestMode&) {
    return settled(add(s[0], negative_of(s[1]), t), s, 2, kF16);
  });
  check("v_subrev_f16", 2, [](const auto& s, const Target& t, const TestMode&) {
    return settled(add(s[1], negative_of(s[0]), t), s, 2, kF16);
  });
  check("v_fma_f16", 3, kFused, true);
}

TEST_CASE("vector halves: minima, maxima, medians") {
  for (const bool greatest : {false, true}) {
    check(greatest ? "v_max_f16" : "v_min_f16", 2, extreme_of(greatest, 2));
    check(greatest ? "v_max3_f16" : "v_min3_f16", 3, extreme_of(greatest, 3), true);
  }
  check(
      "v_med3_f16", 3,
      [](const auto& s, const Target& t, const TestMode& m) {
        return flushed_result(settled(median(s, kF16, m.ieee()), s, 3, kF16), t);
      },
      true);
}

TEST_CASE("vector halves: whole numbers") {
  for (const auto& [name, way] : {std::pair{"v_floor_f16", Whole::floor},
                                  {"v_ceil_f16", Whole::ceil},
                                  {"v_trunc_f16", Whole::trunc},
                                  {"v_rndne_f16", Whole::nearest}}) {
    check(name, 1, [way = way](const auto& s, const Target& t, const TestMode&) {
      return flushed_result(whole(s[0], kF16, way), t);
    });
  }
  check("v_fract_f16", 1, [](const auto& s, const Target& t, const TestMode&) { return fraction(s[0], t); });
}

TEST_CASE("vector halves: exponents") {
  check("v_frexp_mant_f16", 1,
        [](const auto& s, const Target&, const TestMode&) { return mantissa(s[0], kF16); });
  VectorCase c{
      .mnemonic = "v_frexp_exp_i16_f16", .sources = {halves()}, .source_modifiers = true, .modes = true};
  c.reference = [](const LaneInput& in) {
    return LaneResult(static_cast<u32>(exponent(in.mode.source(in.s[0], kF16), kF16)) & 0xffff);
  };
  drive(c);
  c.mnemonic = "v_ldexp_f16";
  c.result = ResultKind::half;
  c.result_modifiers = true;
  c.sources.push_back(with(Operation::integer16, {0, 1, 0xffff, 5, 0xfff6, 14, 0xfff0, 24, 0xffe7, 40, 0xffd8,
                                                  0x7fff, 0x8000, 0xabcd0003}));
  c.reference = [](const LaneInput& in) {
    const u64 v = in.mode.source(in.s[0], kF16);
    if (kF16.nan(v)) return LaneResult(quiet(v, kF16));
    if (kF16.infinite(v) || kF16.zero(v)) return LaneResult(v);
    return LaneResult(
        rounded(scaled(exact(v, kF16), static_cast<std::int16_t>(in.s[1])), in.mode.target(kF16)));
  };
  drive(c);
}

TEST_CASE("vector halves: op_sel chooses halves of sources and result") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0x40003c00).v(1, 0x44004200).v(2, 0xbc003800).v(3, 0xaaaa5555);  // {2, 1} {4, 3} {-1, 0.5}
  const auto one = [&](const std::string& text) { return gfx950.run(text, in).v(3)[9]; };
  CHECK(one("v_fma_f16 v3, v0, v1, v2") == 0xaaaa4300);                           // 1 * 3 + 0.5
  CHECK(one("v_fma_f16 v3, v0, v1, v2 op_sel:[1,0,0,0]") == 0xaaaa4680);          // 2 * 3 + 0.5
  CHECK(one("v_fma_f16 v3, v0, v1, v2 op_sel:[1,1,1,1]") == 0x47005555);          // 2 * 4 - 1
  CHECK(one("v_fma_f16 v3, -v0, v1, |v2| op_sel:[1,0,1,0]") == 0xaaaac500);       // -2 * 3 + 1
  CHECK(one("v_max3_f16 v3, v0, v1, v2 op_sel:[0,1,0,1]") == 0x44005555);         // 4
  CHECK(one("v_med3_f16 v3, v0, v1, -v2 op_sel:[0,0,1,0] clamp") == 0xaaaa3c00);  // of 1, 3, 1
}

TEST_CASE("vector pairs: sums, products, fused sums, minima, maxima") {
  check_pairs("v_pk_add_f16", 2, kSum);
  check_pairs("v_pk_mul_f16", 2, kProduct);
  check_pairs("v_pk_fma_f16", 3, kFused);
  for (const bool greatest : {false, true}) {
    check_pairs(greatest ? "v_pk_max_f16" : "v_pk_min_f16", 2, extreme_of(greatest, 2));
    check_pairs(greatest ? "v_pk_maximum3_f16" : "v_pk_minimum3_f16", 3, propagating(greatest));
  }
  VectorCase c{.mnemonic = "v_pk_fmac_f16", .sources = {pairs(), pairs()}, .reads_old = true, .modes = true};
  c.reference = [](const LaneInput& in) {
    u64 result = 0;
    for (const unsigned shift : {0u, 16u}) {
      const auto half = [&](u64 v) { return in.mode.source(v >> shift & 0xffff, kF16); };
      result |= fused(half(in.s[0]), half(in.s[1]), half(in.old), in.mode.target(kF16)) << shift;
    }
    return LaneResult(result);
  };
  drive(c);
}

TEST_CASE("vector pairs: halves, signs and clamp of f16") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0x40003c00).v(1, 0x44004200).v(2, 0xbc003800);  // {2, 1} {4, 3} {-1, 0.5}
  const auto one = [&](const std::string& text) { return gfx950.run(text, in).v(3)[9]; };
  CHECK(one("v_pk_add_f16 v3, v0, v1") == 0x46004400);                               // {6, 4}
  CHECK(one("v_pk_add_f16 v3, v0, v1 op_sel:[1,0]") == 0x46004500);                  // {6, 5}
  CHECK(one("v_pk_add_f16 v3, v0, v1 op_sel_hi:[0,1]") == 0x45004400);               // {5, 4}
  CHECK(one("v_pk_add_f16 v3, v0, v1 op_sel:[1,1] op_sel_hi:[0,0]") == 0x44004600);  // {4, 6}
  CHECK(one("v_pk_add_f16 v3, v0, v1 neg_lo:[1,0]") == 0x46004000);                  // {6, 2}
  CHECK(one("v_pk_add_f16 v3, v0, v1 neg_hi:[0,1]") == 0xc0004400);                  // {-2, 4}
  CHECK(one("v_pk_add_f16 v3, v0, 1.0 op_sel_hi:[1,0]") == 0x42004000);              // {3, 2}
  CHECK(one("v_pk_mul_f16 v3, v0, v2 clamp") == 0x00003800);                         // {-2, 0.5}
  CHECK(one("v_pk_fma_f16 v3, v0, v1, v2 op_sel:[0,0,1] op_sel_hi:[1,1,0] neg_lo:[0,0,1]") == 0x48404400);
}

TEST_CASE("vector pairs: 16-bit integers") {
  const auto pair = [](const std::string& mnemonic, bool is_signed, unsigned sources, bool saturates,
                       const std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)>& f,
                       SourceKind first = integers()) {
    VectorCase c{.mnemonic = mnemonic, .integer_clamp = saturates};
    c.sources.assign(sources, integers());
    c.sources[0] = std::move(first);
    const auto evaluate = [&, is_signed](const LaneInput& in, bool saturate) {
      u64 result = 0;
      for (const unsigned shift : {0u, 16u}) {
        const auto half = [&](u64 v) {
          const auto cut = static_cast<std::int64_t>(v >> shift & 0xffff);
          return is_signed && cut > 0x7fff ? cut - 0x10000 : cut;
        };
        std::int64_t value = f(half(in.s[0]), half(in.s[1]), half(in.s[2]));
        if (saturate)
          value = std::clamp<std::int64_t>(value, is_signed ? -0x8000 : 0, is_signed ? 0x7fff : 0xffff);
        result |= (static_cast<u64>(value) & 0xffff) << shift;
      }
      return LaneResult(result);
    };
    c.reference = [&](const LaneInput& in) { return evaluate(in, false); };
    c.saturated = [&](const LaneInput& in) { return evaluate(in, true); };
    drive(c);
  };
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? "i16" : "u16";
    pair("v_pk_add_" + type, is_signed, 2, true, [](auto a, auto b, auto) { return a + b; });
    pair("v_pk_sub_" + type, is_signed, 2, true, [](auto a, auto b, auto) { return a - b; });
    pair("v_pk_min_" + type, is_signed, 2, false, [](auto a, auto b, auto) { return std::min(a, b); });
    pair("v_pk_max_" + type, is_signed, 2, false, [](auto a, auto b, auto) { return std::max(a, b); });
    pair("v_pk_mad_" + type, is_signed, 3, true, [](auto a, auto b, auto c) { return a * b + c; });
  }
  pair("v_pk_mul_lo_u16", false, 2, false, [](auto a, auto b, auto) { return a * b; });
  const SourceKind amounts =
      with(Operation::integer32, {0, 0x00010002, 0x000f0010, 0x00110007, 0xffff0003, 0x8000000f});
  pair("v_pk_lshlrev_b16", false, 2, false, [](auto n, auto a, auto) { return a << n % 16; }, amounts);
  pair("v_pk_lshrrev_b16", false, 2, false, [](auto n, auto a, auto) { return a >> n % 16; }, amounts);
  pair("v_pk_ashrrev_i16", true, 2, false, [](auto n, auto a, auto) { return a >> (n & 15); }, amounts);

  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0x00050003).v(1, 0x00110007);
  CHECK(gfx950.run("v_pk_add_u16 v3, v0, v1 op_sel:[1,0] op_sel_hi:[0,0]", in).v(3)[1] == 0x000a000c);
  CHECK(gfx950.run("v_pk_mad_u16 v3, v0, v1, v0 op_sel:[0,1,1] op_sel_hi:[1,0,0]", in).v(3)[1] ==
        (((5 * 7 + 3) << 16) | (3 * 0x11 + 5)));
  CHECK(gfx950.run("v_pk_add_u16 v3, v0, -1", in).v(3)[1] == 0x00040002);
}
