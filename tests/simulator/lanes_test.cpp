// The VALU patterns: masked writes, constants and modifiers, MODE, DPP and SDWA, with a few instructions of
// each kind.
#include <bit>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "snippet.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u32 bits(float value) {
  return std::bit_cast<u32>(value);
}
float value(u32 pattern) {
  return std::bit_cast<float>(pattern);
}

const u32 kFloats[] = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001,
                       0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                       0xff800000, 0x7fc00000, 0x7f800001, 0x40490fdb, 0x3dcccccd, 0x3eaaaaab,
                       0x4b800001, 0x33800000, 0x34000000, 0x01234567, 0x12345678, 0x7e967699};

/// Every pair of kFloats, 64 at a time.
template <class F>
void for_each_pair(F&& f) {
  const u32 count = static_cast<u32>(std::size(kFloats));
  for (u32 first = 0; first < count * count; first += 64) {
    const auto pair = [&](u32 l) { return std::min(first + l, count * count - 1); };
    f(lanes([&](u32 l) { return kFloats[pair(l) / count]; }),
      lanes([&](u32 l) { return kFloats[pair(l) % count]; }));
  }
}

u32 flushed(u32 pattern) {
  return (pattern & 0x7f800000) == 0 ? pattern & 0x80000000 : pattern;
}

/// The NaN of an operation: the first source that is one, made quiet; else the positive one without payload.
u32 settled(float result, u32 a, u32 b) {
  if (!std::isnan(result)) return bits(result);
  if (std::isnan(value(a))) return a | 0x00400000;
  return std::isnan(value(b)) ? b | 0x00400000 : 0x7fc00000;
}

constexpr u64 kMasks[] = {~u64{0}, 0, 1, u64{1} << 63, 0xffffffff, 0xaaaaaaaaaaaaaaaa, 0x0123456789abcdef};

}  // namespace

TEST_CASE("only active lanes are written") {
  Snippets gfx950("gfx950");
  for (const u64 exec : kMasks) {
    Input in;
    in.v(0, lanes([](u32 l) { return l * 3; })).v(1, lanes([](u32 l) { return 1000 + l; })).v(2, 7);
    in.v(3, 8);
    in.exec = exec;
    const Output out =
        gfx950.run("v_add_u32 v2, v0, v1\nv_add_f64 v[4:5], v[2:3], v[2:3]\nv_add_u32 v0, v0, v0", in);
    for (u32 l = 0; l < 64; ++l) {
      const bool active = (exec >> l & 1) != 0;
      CHECK(out.v(2)[l] == (active ? l * 4 + 1000 : 7));
      CHECK(out.v(0)[l] == (active ? l * 6 : l * 3));  // destination = source
      if (!active) CHECK(out.v(4)[l] == 0xffe5ffe5);   // still undefined
    }
  }
}

TEST_CASE("a comparison writes 0 for inactive lanes") {
  Snippets gfx950("gfx950");
  for (const u64 exec : kMasks) {
    Input in;
    in.v(0, lanes([](u32 l) { return l; })).v(1, 20);
    in.exec = exec;
    in.vcc = ~u64{0};
    u64 expected = 0;
    for (u32 l = 0; l < 20; ++l) expected |= u64{1} << l;
    CHECK(gfx950.run("v_cmp_gt_i32 vcc, v1, v0", in).vcc == (expected & exec));
    CHECK(gfx950.run("v_cmp_gt_i32 s[10:11], 20, v0", in).s64(10) == (expected & exec));
  }
}

TEST_CASE("constants and scalars are the same in every lane") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, lanes([](u32 l) { return l; })).s(3, 100);
  const auto all = [&](const char* text, u32 base) {
    INFO(text);
    CHECK(gfx950.run(text, in).v(1) == lanes([&](u32 l) { return base + l; }));
  };
  all("v_add_u32 v1, s3, v0", 100);
  all("v_add_u32 v1, -1, v0", 0xffffffff);
  all("v_add_u32 v1, 0x12345678, v0", 0x12345678);
  all("v_add_u32 v1, 1.0, v0", 0x3f800000);
  CHECK(gfx950.run("v_lshl_add_u64 v[2:3], v[0:1], 4, s[2:3]", in.s64(2, u64{5} << 32).v(1, 1)).v64(2, 9) ==
        (u64{1} << 36) + 144 + (u64{5} << 32));
}

TEST_CASE("f32 sums and products round and flush as MODE says") {
  Snippets gfx950("gfx950");
  for_each_pair([&](const Lanes32& a, const Lanes32& b) {
    Input in;
    in.v(0, a).v(1, b);
    in.mode = 0xf0;
    const Output kept = gfx950.run("v_add_f32 v2, v0, v1\nv_mul_f32 v3, v0, v1", in);
    in.mode = 0xc0;
    const Output flush = gfx950.run("v_add_f32 v2, v0, v1\nv_mul_f32 v3, v0, v1", in);
    for (u32 l = 0; l < 64; ++l) {
      INFO(std::hex << a[l] << ", " << b[l]);
      CHECK(kept.v(2)[l] == settled(value(a[l]) + value(b[l]), a[l], b[l]));
      CHECK(kept.v(3)[l] == settled(value(a[l]) * value(b[l]), a[l], b[l]));
      CHECK(flush.v(2)[l] == flushed(settled(value(flushed(a[l])) + value(flushed(b[l])), a[l], b[l])));
      CHECK(flush.v(3)[l] == flushed(settled(value(flushed(a[l])) * value(flushed(b[l])), a[l], b[l])));
    }
  });
  // 1 + 2^-24 lies half way; up, down and toward zero differ from nearest even.
  Input in;
  in.v(0, bits(1.0f)).v(1, bits(0x1p-24f)).v(3, bits(-1.0f)).v(4, bits(-0x1p-24f));
  const auto round = [&](u32 mode, const char* text) {
    in.mode = 0xf0 | mode;
    return gfx950.run(text, in).v(2)[0];
  };
  CHECK(round(0, "v_add_f32 v2, v0, v1") == 0x3f800000);
  CHECK(round(1, "v_add_f32 v2, v0, v1") == 0x3f800001);
  CHECK(round(2, "v_add_f32 v2, v0, v1") == 0x3f800000);
  CHECK(round(2, "v_add_f32 v2, v3, v4") == 0xbf800001);
  CHECK(round(3, "v_add_f32 v2, v3, v4") == 0xbf800000);
}

TEST_CASE("source modifiers, omod and clamp") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, bits(-3.0f)).v(1, bits(0.5f)).v(5, 0x7fc00000).mode = 0xc0;
  const auto one = [&](const char* text) { return gfx950.run(text, in).v(2)[3]; };
  CHECK(one("v_add_f32_e64 v2, |v0|, v1") == bits(3.5f));
  CHECK(one("v_add_f32_e64 v2, -v0, v1") == bits(3.5f));
  CHECK(one("v_add_f32_e64 v2, -|v0|, -v1") == bits(-3.5f));
  CHECK(one("v_add_f32_e64 v2, v0, v1 mul:2") == bits(-5.0f));
  CHECK(one("v_add_f32_e64 v2, v0, v1 mul:4") == bits(-10.0f));
  CHECK(one("v_add_f32_e64 v2, v0, v1 div:2") == bits(-1.25f));
  CHECK(one("v_add_f32_e64 v2, |v0|, v1 clamp") == bits(1.0f));
  CHECK(one("v_add_f32_e64 v2, v0, v1 clamp") == bits(0.0f));
  CHECK(one("v_mul_f32_e64 v2, v1, v1 clamp") == bits(0.25f));
  in.mode = 0xf0;  // result denormals kept: omod has no effect
  CHECK(one("v_add_f32_e64 v2, v0, v1 mul:2") == bits(-2.5f));
  in.mode = 0x2c0;  // and so in IEEE mode
  CHECK(one("v_add_f32_e64 v2, v0, v1 mul:2") == bits(-2.5f));
  in.mode = 0xc0;
  CHECK(std::isnan(value(one("v_add_f32_e64 v2, v5, v1 clamp"))));
  in.mode = 0x1c0;  // DX10_CLAMP
  CHECK(one("v_add_f32_e64 v2, v5, v1 clamp") == 0);
}

TEST_CASE("f16 sums: denormals, rounding, zero in the high half") {
  Snippets gfx950("gfx950");
  Input in;
  const u32 pairs[][3] = {
      {0x3c00, 0x3c00, 0x4000}, {0x0001, 0x0001, 0x0002},  // denormals are kept by default
      {0x7bff, 0x7bff, 0x7c00},                            // overflow
      {0x3c00, 0x1000, 0x3c00}, {0x3c01, 0x1000, 0x3c02},  // half way: to even
      {0x8000, 0x8000, 0x8000}, {0x0400, 0x8001, 0x03ff},
  };
  for (const auto& p : pairs) {
    in.v(0, p[0] | 0xabcd0000).v(1, p[1] | 0x12340000).v(2, 0xffffffff);
    CHECK(gfx950.run("v_add_f16 v2, v0, v1", in).v(2)[0] == p[2]);
  }
  in.v(0, 0x0400).v(1, 0x8001).mode = 0x30;  // f16 denormals flushed: the result is 0x400 - 0
  CHECK(gfx950.run("v_add_f16 v2, v0, v1", in).v(2)[0] == 0x0400);
  in.mode = 0xf4;  // f16 rounds up
  in.v(0, 0x3c00).v(1, 0x0001);
  CHECK(gfx950.run("v_add_f16 v2, v0, v1", in).v(2)[0] == 0x3c01);
  CHECK(gfx950.run("v_add_f16 v2, 1.0, v1", in.v(1, 0x3c00)).v(2)[0] == 0x4000);
}

TEST_CASE("DPP reads another lane") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, lanes([](u32 l) { return 100 + l; })).v(1, 7);
  const auto moved = [&](const std::string& ctrl) {
    return gfx950.run("v_mov_b32_dpp v1, v0 " + ctrl, in).v(1);
  };
  CHECK(moved("quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf") ==
        lanes([](u32 l) { return 100 + (l ^ 1); }));
  CHECK(moved("row_shr:3 row_mask:0xf bank_mask:0xf") ==
        lanes([](u32 l) { return l % 16 < 3 ? 7 : 97 + l; }));
  CHECK(moved("row_shl:3 row_mask:0xf bank_mask:0xf bound_ctrl:0") ==
        lanes([](u32 l) { return l % 16 > 12 ? 0 : 103 + l; }));
  CHECK(moved("row_ror:1 row_mask:0xf bank_mask:0xf") ==
        lanes([](u32 l) { return 100 + l / 16 * 16 + (l + 15) % 16; }));
  CHECK(moved("row_newbcast:5 row_mask:0xf bank_mask:0xf") == lanes([](u32 l) { return 105 + l / 16 * 16; }));
  CHECK(moved("row_bcast:15 row_mask:0xa bank_mask:0xf") ==
        lanes([](u32 l) { return l / 16 % 2 == 1 ? 99 + l / 16 * 16 : 7; }));
  CHECK(moved("row_mirror row_mask:0xf bank_mask:0x1") ==
        lanes([](u32 l) { return l % 16 < 4 ? 100 + l / 16 * 16 + 15 - l % 16 : 7; }));
  // Destination = source: every lane reads what was there before.
  CHECK(gfx950.run("v_mov_b32_dpp v0, v0 row_ror:1 row_mask:0xf bank_mask:0xf", in).v(0) ==
        lanes([](u32 l) { return 100 + l / 16 * 16 + (l + 15) % 16; }));
  // An inactive source lane is like one out of range.
  in.exec = ~(u64{1} << 4);
  CHECK(moved("quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf") ==
        lanes([](u32 l) { return l == 4 || l == 5 ? 7 : 100 + (l ^ 1); }));
}

TEST_CASE("SDWA selects bytes and words") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, 0x81828384).v(1, 0x00000100).v(2, 0xaabbccdd);
  const auto one = [&](const char* text) { return gfx950.run(text, in).v(2)[11]; };
  CHECK(one("v_mov_b32_sdwa v2, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1") == 0x8182);
  CHECK(one("v_mov_b32_sdwa v2, sext(v0) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2") == 0xffffff82);
  CHECK(one("v_mov_b32_sdwa v2, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0") == 0xaabb84dd);
  CHECK(one("v_mov_b32_sdwa v2, v0 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_3") == 0x00810000);
  CHECK(one("v_mov_b32_sdwa v2, v0 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0") == 0xffff8384);
  CHECK(
      one("v_add_u32_sdwa v2, v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:WORD_0") ==
      0x181);
}

TEST_CASE("the first active lane") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, lanes([](u32 l) { return 100 + l; }));
  in.exec = 0xfff0;
  CHECK(gfx950.run("v_readfirstlane_b32 s0, v0", in).s(0) == 104);
  in.exec = 0;
  CHECK(gfx950.run("v_readfirstlane_b32 s0, v0", in).s(0) == 100);
}
