// The 8-bit formats: OCP E4M3 without infinities and E5M2 with them on gfx950. Expected values come from a
// table of the formats' numbers.
#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct ByteFormat {
  FloatFormat format;
  u32 most;      ///< code of the largest number
  u32 overflow;  ///< what is too large
  u32 nan;
  bool fnuz = false;  ///< numbers half as large as the code says, one NaN in the place of -0
};
constexpr ByteFormat kFp8{{4, 3}, 0x7e, 0x7f, 0x7f};
constexpr ByteFormat kBf8{{5, 2}, 0x7b, 0x7c, 0x7e};
constexpr ByteFormat kFp8Fnuz{{4, 3}, 0x7f, 0x80, 0x80, true};
constexpr ByteFormat kBf8Fnuz{{5, 2}, 0x7f, 0x80, 0x80, true};

struct Target8 {
  const char* processor;
  const char* name;
  ByteFormat format;
};
constexpr Target8 kTargets[] = {{"gfx950", "fp8", kFp8},
                                {"gfx950", "bf8", kBf8},
                                {"gfx942", "fp8", kFp8Fnuz},
                                {"gfx942", "bf8", kBf8Fnuz}};

Exact value_of(u64 code, const ByteFormat& f) {
  return scaled(exact(code, f.format), f.fnuz ? -1 : 0);
}
double number(const Exact& e) {
  const double size = std::ldexp(static_cast<double>(static_cast<u64>(e.significand)), e.exponent);
  return e.negative ? -size : size;
}
/// The number of a code; one above the largest there is the number that would follow.
double number(u32 code, const ByteFormat& f) {
  return number(value_of(code, f));
}

/// f32 of a byte.
u64 widened(u64 byte, const ByteFormat& f) {
  const u64 sign = byte >> 7 << 31, code = byte & 0x7f;
  if (code <= f.most && !(f.fnuz && byte == f.nan)) return rounded(value_of(byte, f), {kF32});
  return sign | (f.overflow != f.nan && code == f.overflow ? kF32.infinity() : kF32.default_nan());
}

/// The nearest code, ties to the even one: counts the midpoints below the number.
u64 nearest(u64 single, const ByteFormat& f, bool limit) {
  const u64 sign = single >> 31 << 7;
  const auto with_sign = [&](u32 code) {
    return f.fnuz && (code == 0 || code == f.nan) ? code : sign | code;
  };
  if (kF32.nan(single)) return with_sign(f.nan);
  if (kF32.infinite(single)) return with_sign(limit && f.overflow == f.nan ? f.most : f.overflow);
  const double size = number(exact(kF32.magnitude(single), kF32));
  u32 code = 0;
  for (u32 c = 0; c <= f.most; ++c) {
    // Both neighbours have few digits: the midpoint is exact.
    const double next = c == f.most ? 2 * number(c, f) - number(c - 1, f) : number(c + 1, f);
    const double middle = (number(c, f) + next) / 2;
    if (size > middle || (size == middle && c % 2 != 0)) code = c + 1;
  }
  return with_sign(code <= f.most ? code : limit ? f.most : f.overflow);
}

SourceKind bytes() {
  SourceKind kind{Operation::integer32, {}};
  for (u64 code = 0; code < 256; ++code)
    kind.values.push_back(code | (code * 73 & 0xff) << 8 | 0xa5 << 16 | (255 - code) << 24);
  return kind;
}

/// What rounds to 8 bits in interesting ways.
SourceKind narrow_singles() {
  SourceKind kind = singles();
  for (const ByteFormat& f : {kFp8, kBf8}) {  // the FNUZ numbers are among their midpoints and halves
    for (u32 code = 0; code <= f.most; code += 3) {
      const u64 value = rounded(exact(code, f.format), {kF32});
      const u64 next = code == f.most ? value + (u64{1} << (23 - f.format.mantissa_bits))
                                      : rounded(exact(code + 1, f.format), {kF32});
      const u64 middle = rounded(scaled(sum(exact(value, kF32), exact(next, kF32), false), -1), {kF32});
      for (const u64 v : {value, middle, middle + 1, middle - 1})
        kind.values.push_back((v & 0x7fffffff) | (code % 2 == 0 ? 0x80000000 : 0));
    }
  }
  return kind;
}

void to_bytes(const Target8& target) {
  const std::string mnemonic = fmt::format("v_cvt_pk_{}_f32", target.name);
  const ByteFormat& f = target.format;
  VectorCase c{
      .mnemonic = mnemonic, .sources = {narrow_singles(), narrow_singles()}, .source_modifiers = true};
  c.reference = [=](const LaneInput& in) {
    return LaneResult((in.old & 0xffff0000) | nearest(in.s[0], f, false) | nearest(in.s[1], f, false) << 8);
  };
  c.processor = target.processor;
  c.only_gfx950 = true;
  drive(c);
  Snippets snippets(target.processor);
  const SourceKind values = narrow_singles();
  for (u32 first = 0; first < values.values.size(); first += 64) {
    for (const u32 mode : {0x0000f0u, 0x8000f0u}) {
      Input in;
      in.mode = mode;
      in.v(0, lanes([&](u32 l) { return values.values[(first + l) % values.values.size()]; }))
          .v(1, 0x3f800000)
          .v(2, 0xabcd1234);
      const bool limit = mode > 0xffff;
      const u64 one = nearest(0x3f800000, f, limit) << 8;
      const Output low = snippets.run(mnemonic + " v2, v0, v1", in),
                   high = snippets.run(mnemonic + " v2, v0, v1 op_sel:[0,0,1]", in);
      for (u32 l = 0; l < 64; ++l) {
        const u64 expected = nearest(in.vgprs.at(0)[l], f, limit) | one;
        INFO(std::hex << in.vgprs.at(0)[l] << " mode " << mode);
        CHECK(low.v(2)[l] == (0xabcd0000 | expected));
        CHECK(high.v(2)[l] == (0x1234 | expected << 16));
      }
    }
  }
}

/// Random bits are added below the last digit that stays; what is left is cut off.
u64 randomly(u64 single, u32 random, const ByteFormat& f) {
  if (kF32.nan(single) || kF32.infinite(single) || kF32.zero(single)) return nearest(single, f, false);
  const u64 sign = single >> 31 << 7;
  const Exact value = exact(kF32.magnitude(single), kF32);
  int top = value.exponent - 1;
  for (Wide rest = value.significand; rest != 0; rest >>= 1) ++top;
  const int digits = static_cast<int>(f.format.mantissa_bits);
  const int unit =
      std::max(top, 1 - f.format.bias() - (f.fnuz ? 1 : 0)) - digits;  // weight of the last digit
  const int shift = value.exponent - unit + 32;
  const Wide units = shift >= 0 ? value.significand << shift : shift > -127 ? value.significand >> -shift : 0;
  const double result = std::ldexp(static_cast<double>(static_cast<u64>((units + random) >> 32)), unit);
  for (u32 code = 0; code <= f.most; ++code) {
    if (number(code, f) == result) return f.fnuz && code == 0 ? 0 : sign | code;
  }
  return f.fnuz ? f.overflow : sign | f.overflow;
}

void to_byte_randomly(const Target8& target) {
  const std::string mnemonic = fmt::format("v_cvt_sr_{}_f32", target.name);
  const ByteFormat& f = target.format;
  Snippets snippets(target.processor);
  const SourceKind values = narrow_singles();
  for (u32 first = 0; first < values.values.size(); first += 64) {
    for (const u32 seed : {0u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x12345678u}) {
      Input in;
      in.v(0, lanes([&](u32 l) { return values.values[(first + l) % values.values.size()]; }));
      in.v(1, lanes([&](u32 l) { return seed ^ (seed == 0x12345678 ? l * 0x9e3779b9 : 0); }))
          .v(2, 0x89abcdef);
      for (unsigned byte = 0; byte < 4; ++byte) {
        // The byte's number is in the op_sel bits of source 2 and of the destination, as llvm prints it.
        const Output out =
            snippets.run(fmt::format("{} v2, v0, v1 op_sel:[0,0,{},{}]", mnemonic, byte & 1, byte >> 1), in);
        for (u32 l = 0; l < 64; ++l) {
          const u32 value = in.vgprs.at(0)[l], random = in.vgprs.at(1)[l];
          const u64 expected = (0x89abcdef & ~(0xffu << (8 * byte))) | randomly(value, random, f)
                                                                           << (8 * byte);
          INFO(mnemonic << std::hex << " " << value << " random " << random << " byte " << byte);
          CHECK(out.v(2)[l] == expected);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("vector fp8: one byte to f32") {
  for (const Target8& target : kTargets) {
    VectorCase c{.mnemonic = fmt::format("v_cvt_f32_{}", target.name),
                 .result = ResultKind::single,
                 .sources = {bytes()},
                 .result_modifiers = true,
                 .sdwa_result = false,
                 .sdwa_sext = false,
                 .processor = target.processor,
                 .only_gfx950 = true};
    c.reference = [f = target.format](const LaneInput& in) { return LaneResult(widened(in.s[0] & 0xff, f)); };
    drive(c);
  }
}

TEST_CASE("vector fp8: two bytes to two f32") {
  const SourceKind values = bytes();
  for (const auto& [processor, type, f] : kTargets) {
    Snippets snippets(processor);
    const std::string name = fmt::format("v_cvt_pk_f32_{}", type);
    for (u32 first = 0; first < 256; first += 64) {
      Input in;
      in.v(0, lanes([&](u32 l) { return values.values[first + l]; })).s(3, 0x40b8);
      in.v(2, 1).v(3, 2).exec = 0xffffffffffff0fff;
      const auto check = [&](const std::string& text, auto&& source) {
        const Output out = snippets.run(text, in);
        for (u32 l = 0; l < 64; ++l) {
          const u64 s = source(l);
          const bool active = (in.exec >> l & 1) != 0;
          INFO(text << " lane " << l << std::hex << " source " << s);
          CHECK(out.v(2)[l] == (active ? widened(s & 0xff, f) : 1));
          CHECK(out.v(3)[l] == (active ? widened(s >> 8 & 0xff, f) : 2));
        }
      };
      const auto own = [&](u32 l) { return u64{in.vgprs.at(0)[l]}; };
      check(fmt::format("{}_e32 v[2:3], v0", name), own);
      check(fmt::format("{}_e64 v[2:3], v0", name), own);
      check(fmt::format("{}_e32 v[2:3], s3", name), [](u32) { return u64{0x40b8}; });
      check(fmt::format("{}_sdwa v[2:3], v0 src0_sel:WORD_0", name), own);
      check(fmt::format("{}_sdwa v[2:3], v0 src0_sel:WORD_1", name), [&](u32 l) { return own(l) >> 16; });
      check(fmt::format("{}_dpp v[2:3], v0 row_newbcast:5 row_mask:0xf bank_mask:0xf", name),
            [&](u32 l) { return own(l / 16 * 16 + 5); });
    }
  }
}

TEST_CASE("vector fp8: two f32 to two bytes of either half") {
  for (const Target8& target : kTargets) to_bytes(target);
}

TEST_CASE("vector fp8: rounding by random bits") {
  for (const Target8& target : kTargets) to_byte_randomly(target);
}

TEST_CASE("vector fp8: the generator of random bits") {
  // A left shift; the bit that falls out flips bits 7, 6, 2 and 0.
  drive({.mnemonic = "v_prng_b32", .sources = {integers()}, .reference = [](const LaneInput& in) {
           const u64 shifted = in.s[0] << 1 & 0xffffffff;
           return LaneResult((in.s[0] >> 31 & 1) != 0 ? shifted ^ 0xc5 : shifted);
         }});
}
