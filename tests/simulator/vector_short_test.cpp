// 16-bit integer instructions, byte permutation and sums of absolute differences.
#include <algorithm>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

i64 sixteen(u64 a, bool is_signed) {
  const auto cut = static_cast<i64>(a & 0xffff);
  return is_signed && cut >= 0x8000 ? cut - 0x10000 : cut;
}
using Function = std::function<i64(i64, i64, i64)>;

/// The result keeps the high half of the destination when `keeps`, else zeroes it.
void check_short(const std::string& mnemonic, bool is_signed, unsigned sources, bool keeps, bool clamps,
                 const Function& f, bool first_is_count = false) {
  VectorCase c{.mnemonic = mnemonic};
  c.sources.assign(sources, shorts());
  if (first_is_count) c.sources[0] = with(Operation::integer16, counts().values);
  const auto evaluate = [&, is_signed](const LaneInput& in, bool saturate) {
    i64 value = f(sixteen(in.s[0], is_signed), sixteen(in.s[1], is_signed), sixteen(in.s[2], is_signed));
    if (saturate) value = std::clamp<i64>(value, is_signed ? -0x8000 : 0, is_signed ? 0x7fff : 0xffff);
    return LaneResult((static_cast<u64>(value) & 0xffff) | (keeps ? in.old & 0xffff0000 : 0));
  };
  c.reference = [&](const LaneInput& in) { return evaluate(in, false); };
  c.saturated = [&](const LaneInput& in) { return evaluate(in, true); };
  c.integer_clamp = clamps;
  drive(c);
}

u64 byte_of(u64 value, unsigned k) {
  return value >> (8 * k) & 0xff;
}
u64 apart(u64 a, u64 b) {
  return a > b ? a - b : b - a;
}

void three(const std::string& mnemonic, const std::function<u64(u64, u64, u64)>& f,
           SourceKind c = integers()) {
  drive({.mnemonic = mnemonic,
         .sources = {integers(), integers(), std::move(c)},
         .reference = [&](const LaneInput& in) {
           return LaneResult(f(in.s[0], in.s[1], in.s[2]) & 0xffffffff);
         }});
}

}  // namespace

TEST_CASE("vector shorts: two sources and a zero high half") {
  check_short("v_add_u16", false, 2, false, true, [](i64 a, i64 b, i64) { return a + b; });
  check_short("v_sub_u16", false, 2, false, true, [](i64 a, i64 b, i64) { return a - b; });
  check_short("v_subrev_u16", false, 2, false, true, [](i64 a, i64 b, i64) { return b - a; });
  check_short("v_mul_lo_u16", false, 2, false, false, [](i64 a, i64 b, i64) { return a * b; });
  check_short("v_lshlrev_b16", false, 2, false, false, [](i64 n, i64 a, i64) { return a << n % 16; }, true);
  check_short("v_lshrrev_b16", false, 2, false, false, [](i64 n, i64 a, i64) { return a >> n % 16; }, true);
  check_short("v_ashrrev_i16", true, 2, false, false, [](i64 n, i64 a, i64) { return a >> (n & 15); }, true);
  check_short("v_min_u16", false, 2, false, false, [](i64 a, i64 b, i64) { return std::min(a, b); });
  check_short("v_max_u16", false, 2, false, false, [](i64 a, i64 b, i64) { return std::max(a, b); });
  check_short("v_min_i16", true, 2, false, false, [](i64 a, i64 b, i64) { return std::min(a, b); });
  check_short("v_max_i16", true, 2, false, false, [](i64 a, i64 b, i64) { return std::max(a, b); });
}

TEST_CASE("vector shorts: VOP3 keeps the other half") {
  check_short("v_add_i16", true, 2, true, true, [](i64 a, i64 b, i64) { return a + b; });
  check_short("v_sub_i16", true, 2, true, true, [](i64 a, i64 b, i64) { return a - b; });
  check_short("v_mad_u16", false, 3, true, true, [](i64 a, i64 b, i64 c) { return a * b + c; });
  check_short("v_mad_i16", true, 3, true, true, [](i64 a, i64 b, i64 c) { return a * b + c; });
  const auto ranked = [](unsigned rank) {
    return [rank](i64 a, i64 b, i64 c) {
      std::array<i64, 3> v{a, b, c};
      std::ranges::sort(v);
      return v[rank];
    };
  };
  for (const bool is_signed : {false, true}) {
    const std::string type = is_signed ? "i16" : "u16";
    check_short("v_min3_" + type, is_signed, 3, true, false, ranked(0));
    check_short("v_med3_" + type, is_signed, 3, true, false, ranked(1));
    check_short("v_max3_" + type, is_signed, 3, true, false, ranked(2));
  }
}

TEST_CASE("vector shorts: op_sel chooses halves of sources and result") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0x00050003).v(1, 0x00110007).v(2, 0x01000200).v(3, 0xabcd1234);
  const auto one = [&](const std::string& text) { return gfx950.run(text, in).v(3)[40]; };
  CHECK(one("v_mad_u16 v3, v0, v1, v2") == (0xabcd0000 | (3 * 7 + 0x200)));
  CHECK(one("v_mad_u16 v3, v0, v1, v2 op_sel:[1,0,0,0]") == (0xabcd0000 | (5 * 7 + 0x200)));
  CHECK(one("v_mad_u16 v3, v0, v1, v2 op_sel:[0,1,1,0]") == (0xabcd0000 | (3 * 0x11 + 0x100)));
  CHECK(one("v_mad_u16 v3, v0, v1, v2 op_sel:[1,1,0,1]") == (0x1234 | (5 * 0x11 + 0x200) << 16));
  CHECK(one("v_add_i16 v3, v0, v1 op_sel:[1,0,0]") == (0xabcd0000 | (5 + 7)));
  CHECK(one("v_add_i16 v3, v0, v1 op_sel:[0,1,1]") == (0x1234 | (3 + 0x11) << 16));
  CHECK(one("v_pack_b32_f16 v3, v0, v1") == 0x00070003);
  CHECK(one("v_pack_b32_f16 v3, v0, v1 op_sel:[1,1,0]") == 0x00110005);
  CHECK(one("v_pack_b32_f16 v3, -v0, |v1| op_sel:[0,1,0]") == 0x00118003);
  CHECK(one("v_mad_u32_u16 v3, v0, v1, v2 op_sel:[1,1,0,0]") == 5 * 0x11 + 0x01000200);
  CHECK(one("v_bitop3_b16 v3, v0, v1, v2 bitop3:0x96 op_sel:[1,1,0,1]") ==
        (0x1234 | (5 ^ 0x11 ^ 0x200) << 16));
  CHECK(one("v_bitop3_b16 v3, v0, v1, v2 bitop3:0x96") == (0xabcd0000 | (3 ^ 7 ^ 0x200)));
}

TEST_CASE("vector shorts: 16-bit products on 32-bit sums") {
  for (const bool is_signed : {false, true}) {
    VectorCase c{.mnemonic = is_signed ? "v_mad_i32_i16" : "v_mad_u32_u16",
                 .sources = {shorts(), shorts(), integers()}};
    const auto evaluate = [is_signed](const LaneInput& in) {
      const auto addend = static_cast<i64>(in.s[2]);
      return sixteen(in.s[0], is_signed) * sixteen(in.s[1], is_signed) +
             (is_signed && addend >= i64{0x80000000} ? addend - (i64{1} << 32) : addend);
    };
    c.reference = [&](const LaneInput& in) {
      return LaneResult(static_cast<u64>(evaluate(in)) & 0xffffffff);
    };
    c.saturated = [&, is_signed](const LaneInput& in) {
      const i64 least = is_signed ? -i64{0x80000000} : 0, most = is_signed ? 0x7fffffff : 0xffffffff;
      return LaneResult(static_cast<u64>(std::clamp(evaluate(in), least, most)) & 0xffffffff);
    };
    c.integer_clamp = true;
    drive(c);
  }
}

TEST_CASE("vector shorts: bytes packed with saturation") {
  const auto saturated = [](i64 v, i64 least, i64 most) {
    return static_cast<u64>(std::clamp(v, least, most)) & 0xff;
  };
  drive({.mnemonic = "v_sat_pk_u8_i16", .sources = {integers()}, .reference = [&](const LaneInput& in) {
           return LaneResult(saturated(sixteen(in.s[0], true), 0, 255) |
                             saturated(sixteen(in.s[0] >> 16, true), 0, 255) << 8);
         }});
  const auto packed = [&](const std::string& mnemonic, i64 least, i64 most) {
    drive({.mnemonic = mnemonic,
           .sources = {integers(), integers(), counts()},
           .reference = [&, least, most](const LaneInput& in) {
             const auto shifted = [&](u64 v) {
               return static_cast<i64>(static_cast<std::int32_t>(v)) >> (in.s[2] % 32);
             };
             return LaneResult((in.old & 0xffff0000) | saturated(shifted(in.s[0]), least, most) |
                               saturated(shifted(in.s[1]), least, most) << 8);
           }});
  };
  packed("v_ashr_pk_i8_i32", -128, 127);
  packed("v_ashr_pk_u8_i32", 0, 255);
}

TEST_CASE("vector shorts: pairs of f16 put together") {
  VectorCase c{
      .mnemonic = "v_pack_b32_f16", .sources = {halves(), halves()}, .source_modifiers = true, .modes = true};
  c.reference = [](const LaneInput& in) {
    const bool flush = in.mode.flush_source(kF16) || in.mode.flush_result(kF16);
    const auto half = [&](u64 v) { return flush ? kF16.flushed(v) : v; };
    return LaneResult(half(in.s[0]) | half(in.s[1]) << 16);
  };
  drive(c);
  drive({.mnemonic = "v_bitop3_b16",
         .sources = {shorts(), shorts(), shorts()},
         .reference = [](const LaneInput& in) { return LaneResult(in.old & 0xffff0000); }});
}

TEST_CASE("vector bytes: permutation") {
  three(
      "v_perm_b32",
      [](u64 high, u64 low, u64 selectors) {
        const u64 pool = high << 32 | low;
        u64 result = 0;
        for (unsigned k = 0; k < 4; ++k) {
          const u64 s = byte_of(selectors, k);
          const u64 byte = s >= 13   ? 0xff
                           : s == 12 ? 0
                           : s >= 8  ? (pool >> (16 * (s - 8) + 15) & 1) * 0xff
                                     : byte_of(pool, static_cast<unsigned>(s));
          result |= byte << (8 * k);
        }
        return result;
      },
      with(Operation::integer32, {0x03020100, 0x07060504, 0x00010203, 0x0b0a0908, 0x0c0d0eff, 0x05010400,
                                  0x0c020c06, 0x80070309, 0x08090a0b, 0x01010101}));
}

TEST_CASE("vector bytes: sums of absolute differences") {
  const auto bytes = [](u64 a, u64 b, bool masked) {
    u64 sum = 0;
    for (unsigned k = 0; k < 4; ++k) {
      if (!masked || byte_of(b, k) != 0) sum += apart(byte_of(a, k), byte_of(b, k));
    }
    return sum;
  };
  three("v_sad_u8", [&](u64 a, u64 b, u64 c) { return bytes(a, b, false) + c; });
  three("v_sad_hi_u8", [&](u64 a, u64 b, u64 c) { return (bytes(a, b, false) << 16) + c; });
  three("v_msad_u8", [&](u64 a, u64 b, u64 c) { return bytes(a, b, true) + c; });
  three("v_sad_u16",
        [&](u64 a, u64 b, u64 c) { return apart(a & 0xffff, b & 0xffff) + apart(a >> 16, b >> 16) + c; });
  three("v_sad_u32", [&](u64 a, u64 b, u64 c) { return apart(a, b) + c; });
  three("v_lerp_u8", [](u64 a, u64 b, u64 c) {
    u64 result = 0;
    for (unsigned k = 0; k < 4; ++k)
      result |= (byte_of(a, k) + byte_of(b, k) + (byte_of(c, k) & 1)) / 2 << (8 * k);
    return result;
  });
  const auto four = [&](const std::string& mnemonic, bool masked) {
    drive({.mnemonic = mnemonic,
           .result = ResultKind::qword,
           .sources = {integers64(), integers(), integers64()},
           .reference = [&, masked](const LaneInput& in) {
             u64 result = 0;
             for (unsigned k = 0; k < 4; ++k) {
               const u64 sum = bytes(in.s[0] >> (8 * k), in.s[1], masked) + (in.s[2] >> (16 * k) & 0xffff);
               result |= (sum & 0xffff) << (16 * k);
             }
             return LaneResult(result);
           }});
  };
  four("v_qsad_pk_u16_u8", false);
  four("v_mqsad_pk_u16_u8", true);
  CdnaSnippets cdna;
  Input in;
  in.v(0, 0x40302010).v(1, 0x80706050).v(2, 0x05000201);
  for (unsigned r = 0; r < 4; ++r) in.v(4 + r, 1000 * (r + 1));
  in.exec = 0x0123456789abcdef;
  const Output out = cdna.run("v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]", in);
  for (unsigned r = 0; r < 4; ++r) {
    const u64 window = 0x8070605040302010 >> (8 * r);
    CHECK(out.v(8 + r)[0] == bytes(window, 0x05000201, true) + 1000 * (r + 1));
    CHECK(out.v(8 + r)[4] == 0xffe5ffe5);  // inactive
  }
}
