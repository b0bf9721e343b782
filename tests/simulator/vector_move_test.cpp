// Moves: selects, between lanes and scalars, swaps, accumulation registers, pairs.
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

const auto kCount = [](u32 first) { return lanes([first](u32 l) { return first + l; }); };

}  // namespace

TEST_CASE("vector moves: copies of 32 and 64 bits") {
  const auto same = [](const LaneInput& in) { return LaneResult(in.s[0]); };
  drive({.mnemonic = "v_mov_b32", .sources = {integers()}, .reference = same});
  drive({.mnemonic = "v_mov_b64", .result = ResultKind::qword, .sources = {integers64()}, .reference = same});
  CdnaSnippets cdna;
  Input untouched;
  untouched.s(0, 5).vcc = 6;
  const Output nothing = cdna.run("v_nop", untouched);
  CHECK(nothing.s(0) == 5);
  CHECK(nothing.vcc == 6);
  CHECK(nothing.counters[0].executions == 1);
  CHECK(cdna.run("v_mov_b32 v0, 0x12345678", Input{}).v(0)[9] == 0x12345678);
  CHECK(cdna.run("v_mov_b64 v[0:1], 1.0", Input{}).v64(0, 9) == 0x3ff0000000000000);
  CHECK(cdna.run("v_mov_b64 v[0:1], -2", Input{}).v64(0, 9) == 0xfffffffffffffffe);
}

TEST_CASE("vector moves: a mask bit chooses between two sources") {
  drive({.mnemonic = "v_cndmask_b32",
         .sources = {integers(), integers(), mask()},
         .reference = [](const LaneInput& in) { return LaneResult(in.s[2] != 0 ? in.s[1] : in.s[0]); },
         .sdwa_sext = false});
  CdnaSnippets cdna;
  Input in;
  in.v(0, 0x3f800000).v(1, 0xc0000000);
  in.s64(4, 0xf);
  const Output out = cdna.run("v_cndmask_b32_e64 v2, -v0, |v1|, s[4:5]", in);
  CHECK(out.v(2)[3] == 0x40000000);
  CHECK(out.v(2)[4] == 0xbf800000);
}

TEST_CASE("vector moves: one lane to a scalar and back, whatever EXEC is") {
  CdnaSnippets cdna;
  for (const u64 exec : {~u64{0}, u64{0}, u64{0x8000}}) {
    Input in;
    in.exec = exec;
    in.v(0, kCount(100)).v(1, kCount(200)).s(4, 37).s(5, 64 + 9).s(6, 0xdeadbeef);
    in.m0 = 12;
    CHECK(cdna.run("v_readlane_b32 s0, v0, s4", in).s(0) == 137);
    CHECK(cdna.run("v_readlane_b32 s0, v0, s5", in).s(0) == 109);  // the lane wraps
    CHECK(cdna.run("v_readlane_b32 s0, v0, 63", in).s(0) == 163);
    CHECK(cdna.run("v_readlane_b32 s0, v0, m0", in).s(0) == 112);
    CHECK(cdna.run("v_writelane_b32 v1, s4, s4", in).v(1) ==
          lanes([](u32 l) { return l == 37 ? 37 : 200 + l; }));
    CHECK(cdna.run("v_writelane_b32 v1, -7, s5", in).v(1) ==
          lanes([](u32 l) { return l == 9 ? 0xfffffff9 : 200 + l; }));
    CHECK(cdna.run("v_writelane_b32 v1, s6, 63", in).v(1) ==
          lanes([](u32 l) { return l == 63 ? 0xdeadbeef : 200 + l; }));
    const u32 first = exec == 0x8000 ? 15 : 0;
    CHECK(cdna.run("v_readfirstlane_b32 s0, v0", in).s(0) == 100 + first);
  }
}

TEST_CASE("vector moves: swaps of registers and of half and quarter waves") {
  Snippets gfx950("gfx950");
  Input in;
  in.v(0, kCount(100)).v(1, kCount(200));
  in.exec = 0x0123456789abcdef;
  const Output all = CdnaSnippets().run("v_swap_b32 v0, v1", in);
  CHECK(all.v(0) == lanes([&](u32 l) { return (in.exec >> l & 1) != 0 ? 200 + l : 100 + l; }));
  CHECK(all.v(1) == lanes([&](u32 l) { return (in.exec >> l & 1) != 0 ? 100 + l : 200 + l; }));
  // These do not look at EXEC.
  for (const u64 exec : {~u64{0}, u64{0x0123456789abcdef}}) {
    in.exec = exec;
    for (const char* suffix : {"_e32", "_e64"}) {
      INFO(suffix << std::hex << " exec " << exec);
      const Output halves = gfx950.run(fmt::format("v_permlane32_swap_b32{} v0, v1", suffix), in);
      CHECK(halves.v(0) == lanes([](u32 l) { return l < 32 ? 100 + l : 200 + l - 32; }));
      CHECK(halves.v(1) == lanes([](u32 l) { return l < 32 ? 100 + l + 32 : 200 + l; }));
      const Output rows = gfx950.run(fmt::format("v_permlane16_swap_b32{} v0, v1", suffix), in);
      CHECK(rows.v(0) == lanes([](u32 l) { return l % 32 < 16 ? 100 + l : 200 + l - 16; }));
      CHECK(rows.v(1) == lanes([](u32 l) { return l % 32 < 16 ? 100 + l + 16 : 200 + l; }));
    }
  }
  // With the same values in both, one holds the low halves twice and the other the high halves.
  in.v(1, kCount(100));
  const Output folded = gfx950.run("v_permlane32_swap_b32 v0, v1", in);
  CHECK(folded.v(0) == lanes([](u32 l) { return 100 + l % 32; }));
  CHECK(folded.v(1) == lanes([](u32 l) { return 132 + l % 32; }));
}

TEST_CASE("vector moves: accumulation registers") {
  CdnaSnippets cdna;
  Input in;
  in.v(0, kCount(100)).v(1, kCount(200)).a(0, kCount(300)).a(1, kCount(400)).s(2, 77);
  in.exec = 0xffff0000ffff0000;
  const auto merged = [&](u32 fresh, u32 old) {
    return lanes([&, fresh, old](u32 l) { return (in.exec >> l & 1) != 0 ? fresh + l : old + l; });
  };
  CHECK(cdna.run("v_accvgpr_read_b32 v0, a1", in).v(0) == merged(400, 100));
  CHECK(cdna.run("v_accvgpr_write_b32 a1, v0", in).a(1) == merged(100, 400));
  CHECK(cdna.run("v_accvgpr_mov_b32 a0, a1", in).a(0) == merged(400, 300));
  CHECK(cdna.run("v_accvgpr_write_b32 a0, 1.0", in).a(0) ==
        lanes([&](u32 l) { return (in.exec >> l & 1) != 0 ? 0x3f800000 : 300 + l; }));
  CHECK(cdna.run("v_accvgpr_write_b32 a0, s2", in).a(0)[16] == 77);
}

TEST_CASE("vector moves: pairs put together from halves of two pairs") {
  CdnaSnippets cdna;
  Input in;
  in.v(0, kCount(100)).v(1, kCount(200)).v(2, kCount(300)).v(3, kCount(400)).s64(4, 0x0000000800000007);
  for (unsigned choice = 0; choice < 4; ++choice) {
    const unsigned first = choice & 1, second = choice >> 1;
    const Output out = cdna.run(
        fmt::format("v_pk_mov_b32 v[4:5], v[0:1], v[2:3] op_sel:[{},{}] op_sel_hi:[0,1]", first, second), in);
    CHECK(out.v(4) == kCount(first == 0 ? 100 : 200));
    CHECK(out.v(5) == kCount(second == 0 ? 300 : 400));
  }
  const Output scalar = cdna.run("v_pk_mov_b32 v[4:5], s[4:5], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]", in);
  CHECK(scalar.v(4)[7] == 8);
  CHECK(scalar.v(5)[7] == 307);
  in.exec = 0xff;
  in.v(0, kCount(100)).v(1, kCount(200));
  const Output in_place = cdna.run("v_pk_mov_b32 v[0:1], v[0:1], v[0:1] op_sel:[1,0] op_sel_hi:[0,1]", in);
  CHECK(in_place.v(0) == lanes([](u32 l) { return l < 8 ? 200 + l : 100 + l; }));  // halves exchanged
  CHECK(in_place.v(1) == lanes([](u32 l) { return l < 8 ? 100 + l : 200 + l; }));
}
