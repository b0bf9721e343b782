// 32-bit integer VALU instructions against functions written bit by bit or in wider arithmetic.
#include <algorithm>
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

i64 as_signed(u64 value, unsigned bits = 32) {
  const u64 cut = value & ((bits < 64 ? u64{1} << bits : 0) - 1);
  return static_cast<i64>(cut) - ((cut >> (bits - 1) & 1) != 0 ? i64{1} << bits : 0);
}
bool bit(u64 value, u64 index) {
  return (value >> index & 1) != 0;
}
u64 low(u64 value) {
  return value & 0xffffffff;
}
/// 32 bits made one by one.
u64 bits(const std::function<bool(unsigned)>& f) {
  u64 value = 0;
  for (unsigned i = 0; i < 32; ++i) value |= u64{f(i)} << i;
  return value;
}

using Two = std::function<u64(u64, u64)>;
using Three = std::function<u64(u64, u64, u64)>;

void two(const std::string& mnemonic, const Two& f, SourceKind a = integers(), SourceKind b = integers()) {
  drive({.mnemonic = mnemonic,
         .sources = {std::move(a), std::move(b)},
         .reference = [&](const LaneInput& in) { return LaneResult(low(f(in.s[0], in.s[1]))); }});
}
void three(const std::string& mnemonic, const Three& f, SourceKind a = integers(), SourceKind b = integers(),
           SourceKind c = integers()) {
  drive({.mnemonic = mnemonic,
         .sources = {std::move(a), std::move(b), std::move(c)},
         .reference = [&](const LaneInput& in) { return LaneResult(low(f(in.s[0], in.s[1], in.s[2]))); }});
}
void one(const std::string& mnemonic, const std::function<u64(u64)>& f) {
  drive({.mnemonic = mnemonic, .sources = {integers()}, .reference = [&](const LaneInput& in) {
           return LaneResult(low(f(in.s[0])));
         }});
}

/// f in 64 bits wraps, or saturates to [least, most] under clamp.
void clamped(const std::string& mnemonic, const std::function<i64(u64, u64, u64)>& f, i64 least, i64 most,
             unsigned sources) {
  VectorCase c{.mnemonic = mnemonic};
  c.sources.assign(sources, integers());
  c.reference = [&](const LaneInput& in) {
    return LaneResult(low(static_cast<u64>(f(in.s[0], in.s[1], in.s[2]))));
  };
  c.saturated = [&](const LaneInput& in) {
    return LaneResult(low(static_cast<u64>(std::clamp(f(in.s[0], in.s[1], in.s[2]), least, most))));
  };
  c.integer_clamp = true;
  drive(c);
}

constexpr i64 kMostUnsigned = 0xffffffff, kLeastSigned = -i64{0x80000000}, kMostSigned = 0x7fffffff;

}  // namespace

TEST_CASE("vector integers: sums and differences, wrapping and saturating") {
  const auto unsigned_pair = [](auto f) {
    return [f](u64 a, u64 b, u64) { return f(static_cast<i64>(a), static_cast<i64>(b)); };
  };
  const auto signed_pair = [](auto f) {
    return [f](u64 a, u64 b, u64) { return f(as_signed(a), as_signed(b)); };
  };
  const auto sum = [](i64 a, i64 b) { return a + b; };
  const auto difference = [](i64 a, i64 b) { return a - b; };
  clamped("v_add_u32", unsigned_pair(sum), 0, kMostUnsigned, 2);
  clamped("v_sub_u32", unsigned_pair(difference), 0, kMostUnsigned, 2);
  clamped("v_subrev_u32", unsigned_pair([](i64 a, i64 b) { return b - a; }), 0, kMostUnsigned, 2);
  clamped("v_add_i32", signed_pair(sum), kLeastSigned, kMostSigned, 2);
  clamped("v_sub_i32", signed_pair(difference), kLeastSigned, kMostSigned, 2);
  three("v_add3_u32", [](u64 a, u64 b, u64 c) { return a + b + c; });
  three("v_xad_u32", [](u64 a, u64 b, u64 c) { return (a ^ b) + c; });
  three("v_lshl_add_u32", [](u64 a, u64 n, u64 c) { return (a << n % 32) + c; }, integers(), counts());
  three(
      "v_add_lshl_u32", [](u64 a, u64 b, u64 n) { return low(a + b) << n % 32; }, integers(), integers(),
      counts());
}

TEST_CASE("vector integers: products of 32 and 24 bits") {
  two("v_mul_lo_u32", [](u64 a, u64 b) { return a * b; });
  two("v_mul_hi_u32", [](u64 a, u64 b) { return a * b >> 32; });
  two("v_mul_hi_i32", [](u64 a, u64 b) { return static_cast<u64>(as_signed(a) * as_signed(b)) >> 32; });
  const auto cut = [](u64 a) { return a % (1 << 24); };
  two("v_mul_u32_u24", [&](u64 a, u64 b) { return cut(a) * cut(b); });
  two("v_mul_hi_u32_u24", [&](u64 a, u64 b) { return cut(a) * cut(b) >> 32; });
  const auto product24 = [](u64 a, u64 b) { return as_signed(a, 24) * as_signed(b, 24); };
  two("v_mul_i32_i24", [&](u64 a, u64 b) { return static_cast<u64>(product24(a, b)); });
  two("v_mul_hi_i32_i24", [&](u64 a, u64 b) { return static_cast<u64>(product24(a, b)) >> 32; });
  clamped(
      "v_mad_u32_u24", [&](u64 a, u64 b, u64 c) { return static_cast<i64>(cut(a) * cut(b) + c); }, 0,
      kMostUnsigned, 3);
  clamped(
      "v_mad_i32_i24", [&](u64 a, u64 b, u64 c) { return product24(a, b) + as_signed(c); }, kLeastSigned,
      kMostSigned, 3);
}

TEST_CASE("vector integers: logic and shifts") {
  two("v_and_b32", [](u64 a, u64 b) { return bits([&](unsigned i) { return bit(a, i) && bit(b, i); }); });
  two("v_or_b32", [](u64 a, u64 b) { return bits([&](unsigned i) { return bit(a, i) || bit(b, i); }); });
  two("v_xor_b32", [](u64 a, u64 b) { return bits([&](unsigned i) { return bit(a, i) != bit(b, i); }); });
  two("v_xnor_b32", [](u64 a, u64 b) { return bits([&](unsigned i) { return bit(a, i) == bit(b, i); }); });
  one("v_not_b32", [](u64 a) { return bits([&](unsigned i) { return !bit(a, i); }); });
  three("v_and_or_b32", [](u64 a, u64 b, u64 c) {
    return bits([&](unsigned i) { return (bit(a, i) && bit(b, i)) || bit(c, i); });
  });
  three("v_or3_b32", [](u64 a, u64 b, u64 c) {
    return bits([&](unsigned i) { return bit(a, i) || bit(b, i) || bit(c, i); });
  });
  three("v_bfi_b32", [](u64 m, u64 a, u64 b) {
    return bits([&](unsigned i) { return bit(m, i) ? bit(a, i) : bit(b, i); });
  });
  two("v_lshlrev_b32", [](u64 n, u64 a) { return a << n % 32; }, counts());
  two("v_lshrrev_b32", [](u64 n, u64 a) { return a >> n % 32; }, counts());
  two(
      "v_ashrrev_i32",
      [](u64 n, u64 a) { return bits([&](unsigned i) { return bit(a, std::min(i + n % 32, u64{31})); }); },
      counts());
  three("v_lshl_or_b32", [](u64 a, u64 n, u64 c) { return a << n % 32 | c; }, integers(), counts());
}

TEST_CASE("vector integers: bit fields") {
  two(
      "v_bfm_b32",
      [](u64 width, u64 offset) {
        return bits([&](unsigned i) { return i >= offset % 32 && i < offset % 32 + width % 32; });
      },
      counts(), counts());
  three(
      "v_bfe_u32",
      [](u64 a, u64 offset, u64 width) {
        return bits(
            [&](unsigned i) { return i < width % 32 && i + offset % 32 < 32 && bit(a, i + offset % 32); });
      },
      integers(), counts(), counts());
  three(
      "v_bfe_i32",
      [](u64 a, u64 offset, u64 width) {
        if (width % 32 == 0) return u64{0};
        return bits([&](unsigned i) {
          return bit(a, std::min({std::min<u64>(i, width % 32 - 1) + offset % 32, u64{31}}));
        });
      },
      integers(), counts(), counts());
  three(
      "v_alignbit_b32", [](u64 high, u64 low_part, u64 n) { return (high << 32 | low_part) >> n % 32; },
      integers(), integers(), counts());
  three(
      "v_alignbyte_b32", [](u64 high, u64 low_part, u64 n) { return (high << 32 | low_part) >> 8 * (n % 4); },
      integers(), integers(), counts());
}

TEST_CASE("vector integers: counting and searching bits") {
  one("v_bfrev_b32", [](u64 a) { return bits([&](unsigned i) { return bit(a, 31 - i); }); });
  const auto count = [](u64 a, unsigned below) {
    u64 n = 0;
    for (unsigned i = 0; i < below; ++i) n += bit(a, i) ? 1 : 0;
    return n;
  };
  two("v_bcnt_u32_b32", [&](u64 a, u64 b) { return count(a, 32) + b; });
  const auto search = [](u64 a, bool from_top, bool wanted) {
    for (unsigned i = 0; i < 32; ++i) {
      if (bit(a, from_top ? 31 - i : i) == wanted) return u64{i};
    }
    return ~u64{0};
  };
  one("v_ffbl_b32", [&](u64 a) { return search(a, false, true); });
  one("v_ffbh_u32", [&](u64 a) { return search(a, true, true); });
  one("v_ffbh_i32", [&](u64 a) { return search(a, true, !bit(a, 31)); });
  const auto own = [&](const std::string& mnemonic, unsigned first) {
    drive({.mnemonic = mnemonic,
           .sources = {integers(), integers()},
           .reference = [&, first](const LaneInput& in) {
             const unsigned below = in.lane < first ? 0 : std::min(in.lane - first, 32u);
             return LaneResult(low(count(in.s[0], below) + in.s[1]));
           }});
  };
  own("v_mbcnt_lo_u32_b32", 0);
  own("v_mbcnt_hi_u32_b32", 32);
}

TEST_CASE("vector integers: minima, maxima, medians") {
  const auto of_signed = [](auto f) {
    return [f](u64 a, u64 b) { return static_cast<u64>(f(as_signed(a), as_signed(b))); };
  };
  const auto least = [](auto a, auto b) { return std::min(a, b); };
  const auto most = [](auto a, auto b) { return std::max(a, b); };
  two("v_min_u32", least);
  two("v_max_u32", most);
  two("v_min_i32", of_signed(least));
  two("v_max_i32", of_signed(most));
  const auto pick = [](bool is_signed, unsigned rank) {
    return [=](u64 a, u64 b, u64 c) {
      std::array<u64, 3> v{a, b, c};
      std::ranges::sort(v, [=](u64 x, u64 y) { return is_signed ? as_signed(x) < as_signed(y) : x < y; });
      return v[rank];
    };
  };
  three("v_min3_u32", pick(false, 0));
  three("v_med3_u32", pick(false, 1));
  three("v_max3_u32", pick(false, 2));
  three("v_min3_i32", pick(true, 0));
  three("v_med3_i32", pick(true, 1));
  three("v_max3_i32", pick(true, 2));
}

TEST_CASE("vector integers: any function of three bits") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0xf0f0f0f0).v(1, 0xcccccccc).v(2, 0xaaaaaaaa);
  for (const unsigned table : {0x00u, 0x01u, 0x80u, 0x96u, 0xe8u, 0xcau, 0xffu, 0x2bu}) {
    const Output out = gfx950.run("v_bitop3_b32 v3, v0, v1, v2 bitop3:" + std::to_string(table), in);
    // These sources go through all eight combinations in the low byte.
    CHECK(out.v(3)[17] == table * 0x01010101u);
  }
  drive({.mnemonic = "v_bitop3_b32",
         .sources = {integers(), integers(), integers()},
         .reference = [](const LaneInput& in_lane) {  // table 0 where the text has none
           (void)in_lane;
           return LaneResult(0);
         }});
}
