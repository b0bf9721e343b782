// Conversions: exact values rounded once, in every mode; to integers truncated and saturated.
#include <algorithm>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

/// A float to an integer in [low, high]; `adjust` works on the source first.
void to_integer(
    const std::string& mnemonic, const SourceKind& values, FloatFormat from, i64 low, i64 high,
    const std::function<Exact(Exact)>& adjust = [](Exact e) { return e; }) {
  VectorCase c{.mnemonic = mnemonic, .sources = {values}, .source_modifiers = true, .modes = true};
  c.reference = [&, from, low, high](const LaneInput& in) {
    // Of f16 sources no denormal reaches 1.
    const u64 v = in.mode.source(in.s[0], from);
    if (from.nan(v)) return LaneResult(0);
    const u64 cut = from.bits() == 16 ? 0xffff : 0xffffffff;
    if (from.infinite(v)) return LaneResult(static_cast<u64>(from.negative(v) ? low : high) & cut);
    return LaneResult(static_cast<u64>(truncated(adjust(exact(v, from)), low, high)) & cut);
  };
  drive(c);
}

ResultKind result_of(FloatFormat f) {
  return f.bits() == 16 ? ResultKind::half : f.bits() == 32 ? ResultKind::single : ResultKind::double_;
}

void from_integer(const std::string& mnemonic, const SourceKind& values, FloatFormat to,
                  const std::function<i64(u64)>& value_of) {
  VectorCase c{.mnemonic = mnemonic,
               .result = result_of(to),
               .sources = {values},
               .result_modifiers = true,
               .modes = true};
  c.reference = [&, to](const LaneInput& in) {
    return LaneResult(rounded(exact_integer(value_of(in.s[0])), in.mode.target(to)));
  };
  drive(c);
}

void between(const std::string& mnemonic, const SourceKind& values, FloatFormat from, FloatFormat to) {
  VectorCase c{.mnemonic = mnemonic,
               .result = result_of(to),
               .sources = {values},
               .source_modifiers = true,
               .result_modifiers = true,
               .modes = true};
  c.reference = [=](const LaneInput& in) {
    return LaneResult(converted(in.mode.source(in.s[0], from), from, in.mode.target(to)));
  };
  drive(c);
}

i64 as_signed(u64 v, unsigned bits) {
  return static_cast<i64>(v << (64 - bits)) >> (64 - bits);
}

}  // namespace

TEST_CASE("vector conversions: floats to integers") {
  to_integer("v_cvt_i32_f32", singles(), kF32, -i64{0x80000000}, 0x7fffffff);
  to_integer("v_cvt_u32_f32", singles(), kF32, 0, 0xffffffff);
  to_integer("v_cvt_i32_f64", doubles(), kF64, -i64{0x80000000}, 0x7fffffff);
  to_integer("v_cvt_u32_f64", doubles(), kF64, 0, 0xffffffff);
  to_integer("v_cvt_i16_f16", halves(), kF16, -0x8000, 0x7fff);
  to_integer("v_cvt_u16_f16", halves(), kF16, 0, 0xffff);
  // floor(x) and floor(x + 0.5): truncation of numbers made positive by a whole amount that fits.
  const Exact large{false, Wide{1} << 40, 0};
  const auto floor_of = [&](Exact e) {
    const Exact lifted = sum(e, large, false);
    const i64 whole = truncated(lifted, 0, i64{1} << 41) - (i64{1} << 40);
    return exact_integer(whole);
  };
  to_integer("v_cvt_flr_i32_f32", singles(), kF32, -i64{0x80000000}, 0x7fffffff,
             [&](Exact e) { return e.exponent > 10 ? e : floor_of(e); });
  to_integer("v_cvt_rpi_i32_f32", singles(), kF32, -i64{0x80000000}, 0x7fffffff,
             [&](Exact e) { return e.exponent > 10 ? e : floor_of(sum(e, Exact{false, 1, -1}, false)); });
}

TEST_CASE("vector conversions: integers to floats") {
  from_integer("v_cvt_f32_u32", integers(), kF32, [](u64 v) { return static_cast<i64>(v); });
  from_integer("v_cvt_f32_i32", integers(), kF32, [](u64 v) { return as_signed(v, 32); });
  from_integer("v_cvt_f64_u32", integers(), kF64, [](u64 v) { return static_cast<i64>(v); });
  from_integer("v_cvt_f64_i32", integers(), kF64, [](u64 v) { return as_signed(v, 32); });
  from_integer("v_cvt_f16_u16", shorts(), kF16, [](u64 v) { return static_cast<i64>(v); });
  from_integer("v_cvt_f16_i16", shorts(), kF16, [](u64 v) { return as_signed(v, 16); });
  for (unsigned k = 0; k < 4; ++k) {
    from_integer("v_cvt_f32_ubyte" + std::to_string(k), integers(), kF32,
                 [k](u64 v) { return static_cast<i64>(v >> (8 * k) & 0xff); });
  }
  VectorCase c{.mnemonic = "v_cvt_off_f32_i4",
               .result = ResultKind::single,
               .sources = {integers()},
               .result_modifiers = true};
  c.reference = [](const LaneInput& in) {
    return LaneResult(rounded(scaled(exact_integer(as_signed(in.s[0] & 15, 4)), -4), in.mode.target(kF32)));
  };
  drive(c);
}

TEST_CASE("vector conversions: between floats") {
  between("v_cvt_f16_f32", singles(), kF32, kF16);
  between("v_cvt_f32_f16", halves(), kF16, kF32);
  between("v_cvt_f32_f64", doubles(), kF64, kF32);
  between("v_cvt_f64_f32", singles(), kF32, kF64);
  VectorCase c{.mnemonic = "v_cvt_f32_bf16",
               .result = ResultKind::single,
               .sources = {bfloats()},
               .source_modifiers = true,
               .result_modifiers = true};
  c.reference = [](const LaneInput& in) {
    return LaneResult(converted(in.s[0], kBf16, in.mode.target(kF32)));
  };
  drive(c);
}

TEST_CASE("vector conversions: pairs of f16 and bf16 in one register") {
  const auto pair = [](const std::string& mnemonic, FloatFormat to, Rounding rounding) {
    VectorCase c{
        .mnemonic = mnemonic, .sources = {singles(), singles()}, .source_modifiers = true, .modes = true};
    c.reference = [=](const LaneInput& in) {
      u64 result = 0;
      for (unsigned k = 0; k < 2; ++k) {
        const bool saturate = to.exponent_bits == 5 && in.mode.fp16_overflow();
        const Target target{to, rounding, in.mode.flush_result(kF16), saturate};
        result |= converted(in.mode.source(in.s[k], kF32), kF32, target) << (16 * k);
      }
      return LaneResult(result);
    };
    drive(c);
  };
  pair("v_cvt_pk_f16_f32", kF16, Rounding::nearest_even);
  pair("v_cvt_pk_bf16_f32", kBf16, Rounding::nearest_even);
  pair("v_cvt_pkrtz_f16_f32", kF16, Rounding::toward_zero);

  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0xbf000000).v(1, 0x40200000);  // -0.5, 2.5
  CHECK(gfx950.run("v_cvt_pk_f16_f32 v2, v0, v1 clamp", in).v(2)[3] == 0x3c000000);
  CHECK(gfx950.run("v_cvt_pk_bf16_f32 v2, -v0, v1 clamp", in).v(2)[3] == 0x3f803f00);
}

TEST_CASE("vector conversions: saturated 16-bit integers in one register") {
  const auto pair = [](const std::string& mnemonic, bool is_signed) {
    drive({.mnemonic = mnemonic, .sources = {integers(), integers()}, .reference = [=](const LaneInput& in) {
             u64 result = 0;
             for (unsigned k = 0; k < 2; ++k) {
               const i64 v = is_signed ? as_signed(in.s[k], 32) : static_cast<i64>(in.s[k]);
               const i64 cut = std::clamp<i64>(v, is_signed ? -0x8000 : 0, is_signed ? 0x7fff : 0xffff);
               result |= (static_cast<u64>(cut) & 0xffff) << (16 * k);
             }
             return LaneResult(result);
           }});
  };
  pair("v_cvt_pk_i16_i32", true);
  pair("v_cvt_pk_u16_u32", false);
}
