// LDS and global memory take effect with the wait that covers them; stray accesses are faults that say where.
#include <catch2/catch_test_macros.hpp>

#include "snippet.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kPending = 0xfff5fff5;

}  // namespace

TEST_CASE("LDS operations retire in order, as far as the counter says") {
  Snippets gfx950("gfx950");
  Input in;
  in.lds_dwords(1024, [](u32 d) { return 500 + d; });
  in.v(0, lanes([](u32 l) { return 4 * l; })).v(1, 9);
  const Output out = gfx950.run(
      "ds_read_b32 v2, v0\nds_read_b32 v3, v0 offset:256\nv_mov_b32 v4, v2\n"
      "s_waitcnt lgkmcnt(1)\nv_mov_b32 v5, v2\nv_mov_b32 v6, v3\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v7, v3",
      in);
  REQUIRE(!out.fault);
  CHECK(out.v(4)[3] == kPending);
  CHECK(out.v(5) == lanes([](u32 l) { return 500 + l; }));
  CHECK(out.v(6)[3] == kPending);
  CHECK(out.v(7) == lanes([](u32 l) { return 564 + l; }));
  // A write is seen by the same wave's later read, because both are in one queue.
  const Output back = gfx950.run("ds_write_b32 v0, v1\nds_read_b32 v2, v0\ns_waitcnt lgkmcnt(0)", in);
  CHECK(back.v(2)[63] == 9);
  CHECK(back.lds_dword(63) == 9);
}

TEST_CASE("data and addresses are taken when the operation is issued") {
  Snippets gfx950("gfx950");
  Input in;
  in.lds_dwords(1024, [](u32) { return 0; });
  in.v(0, lanes([](u32 l) { return 4 * l; })).v(1, 9);
  const Output out = gfx950.run(
      "ds_write_b32 v0, v1\nv_mov_b32 v1, 11\nv_mov_b32 v0, 0\ns_mov_b64 exec, 0\ns_waitcnt lgkmcnt(0)", in);
  for (u32 d = 0; d < 64; ++d) CHECK(out.lds_dword(d) == 9);
}

TEST_CASE("a scalar load beside an LDS read makes only a wait for zero prove either") {
  Snippets gfx950("gfx950");
  auto buffer = gfx950.allocate(64, {.name = "data"});
  buffer.set_dword(0, 77);
  Input in;
  in.lds_dwords(256, [](u32) { return 5; });
  in.v(0, 0).s64(2, buffer.address);
  const Output out = gfx950.run(
      "ds_read_b32 v2, v0\ns_load_dword s0, s[2:3], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v2\n"
      "s_waitcnt lgkmcnt(0)\nv_mov_b32 v4, v2\ns_mov_b32 s1, s0",
      in);
  CHECK(out.v(3)[0] == kPending);
  CHECK(out.v(4)[0] == 5);
  CHECK(out.s(1) == 77);
  // Two reads and a load outstanding, one may be left: which one is not known.
  const Output two = gfx950.run(
      "ds_read_b32 v2, v0\nds_read_b32 v5, v0\ns_load_dword s0, s[2:3], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 "
      "v3, v2",
      in);
  CHECK(two.v(3)[0] == kPending);
}

TEST_CASE("global loads and stores share vmcnt and its order on gfx950") {
  Snippets gfx950("gfx950");
  auto buffer = gfx950.allocate(1024, {.name = "data"});
  for (u32 d = 0; d < 256; ++d) buffer.set_dword(d, d);
  Input in;
  std::array<u64, 64> addresses{};
  for (u32 l = 0; l < 64; ++l) addresses[l] = buffer.address + 4 * l;
  in.v64(0, addresses).v(2, lanes([](u32 l) { return 4 * l; })).v(3, 1000).s64(2, buffer.address);
  in.exec = ~u64{1};
  const Output out = gfx950.run(
      "global_load_dword v4, v[0:1], off offset:256\nglobal_store_dword v2, v3, s[2:3] offset:512\n"
      "global_load_dword v5, v2, s[2:3] offset:512\ns_waitcnt vmcnt(2)\nv_mov_b32 v6, v4\nv_mov_b32 v7, v5\n"
      "s_waitcnt vmcnt(0)\nv_mov_b32 v8, v5",
      in);
  REQUIRE(!out.fault);
  CHECK(out.v(6)[5] == 64 + 5);
  CHECK(out.v(7)[5] == kPending);
  CHECK(out.v(8)[5] == 1000);
  CHECK(out.v(4)[0] == 0xffe5ffe5);  // inactive lanes are left alone
  CHECK(buffer.dword(128) == 128);
  CHECK(buffer.dword(129) == 1000);
  CHECK(out.counters[0].bytes == 63 * 4);
  CHECK(out.counters[0].cache_lines == 2);
}

TEST_CASE("a stray global access names lane, address and the nearest allocation") {
  Snippets gfx950("gfx950");
  const auto buffer = gfx950.allocate(250, {.name = "short one"});
  Input in;
  in.v(2, lanes([](u32 l) { return 4 * l; })).s64(2, buffer.address);
  const Output out = gfx950.run("global_load_dword v4, v2, s[2:3]\ns_waitcnt vmcnt(0)", in);
  REQUIRE(out.fault);
  CHECK(out.fault->lane == 62);
  CHECK(out.fault->memory_address == buffer.address + 248);
  CHECK(out.fault->what.find("'short one' at byte 248 and passes its end at 250") != std::string::npos);
  const auto constant = gfx950.allocate(256, {.name = "constants", .writable = false});
  const Output store = gfx950.run("global_store_dword v2, v2, s[2:3]", in.s64(2, constant.address));
  REQUIRE(store.fault);
  CHECK(store.fault->what.find("read-only") != std::string::npos);
}

TEST_CASE("LDS beyond the workgroup's size is a fault") {
  Snippets gfx950("gfx950");
  Input in;
  in.lds_dwords(256, [](u32) { return 5; });
  in.v(0, lanes([](u32 l) { return 4 * l; }));
  CHECK(!gfx950.run("ds_read_b32 v2, v0", in).fault);
  const Output out = gfx950.run("ds_read_b32 v2, v0 offset:4", in);
  REQUIRE(out.fault);
  CHECK(out.fault->lane == 63);
  CHECK(out.fault->memory_address == 256);
}

TEST_CASE("LDS conflicts are counted from lane addresses") {
  Snippets gfx950("gfx950");
  const auto conflicts = [&](u32 stride) {
    Input in;
    in.lds_dwords(64 * 256, [](u32) { return 0; });
    in.v(0, lanes([&](u32 l) { return l * stride; }));
    return gfx950.run("ds_write_b32 v0, v0", in).counters[0];
  };
  // Two phases of 32 lanes over 32 banks. Stride 8: each bank twice in a phase; 128: all lanes in one bank.
  // The counts are those measured on a 32-bank part for one b32 instruction: 2 and 62.
  CHECK(conflicts(4).lds_conflict_cycles == 0);
  CHECK(conflicts(4).lds_cycles == 2);
  CHECK(conflicts(8).lds_conflict_cycles == 2);
  CHECK(conflicts(128).lds_conflict_cycles == 62);
  CHECK(conflicts(128).max_lanes_per_bank == 32);
  CHECK(conflicts(0).lds_conflict_cycles == 0);  // one address is broadcast
}
