// Lanes of one store at one place, loads to LDS on top of one another, and waves at different barriers.
#include <catch2/catch_test_macros.hpp>

#include "hazard_cases.h"

using namespace wavesmith::simulator;
using wavesmith::simulator::testing::found;
using wavesmith::simulator::testing::HazardCase;
using wavesmith::simulator::testing::HazardRun;
using wavesmith::simulator::testing::hazards_of;

namespace {

using Texts = std::vector<std::string>;

/// s[8:9] holds the buffer, s[16:19] describes its first KiB, v1 is four times the lane, v2 the lane halved
/// times four, v3 zero.
const std::string kStart =
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\nv_and_b32 v2, 0xf8, v1\n"
    "v_lshrrev_b32 v2, 1, v2\nv_mov_b32 v3, 0\ns_mov_b32 s19, 0x27000\ns_movk_i32 s18, 0x400\n"
    "s_mov_b32 m0, 0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s16, s8\ns_mov_b32 s17, s9\n"
    "v_mov_b32 v10, v1\nv_mov_b32 v11, 0x10000\n";

HazardCase kernel(const std::string& body) {
  return {.body = kStart + body, .lds_bytes = 1024};
}

}  // namespace

TEST_CASE("hazards: lanes of one store write different values to one address") {
  const std::vector<Hazard> hazards = hazards_of(kernel("global_store_dword v2, v1, s[8:9]\n"));
  REQUIRE(hazards.size() == 1);
  CHECK(hazards[0].kind == "store_conflict");
  CHECK(hazards[0].first.what == "lanes 0 and 1 store different values to one address");
  CHECK(hazards[0].first.lane == 1);
  CHECK(hazards[0].first.memory_address);

  for (const char* store :
       {"ds_write_b32 v2, v1", "buffer_store_dword v1, v2, s[16:19], 0 offen",
        "global_store_byte v2, v1, s[8:9]", "ds_write2_b32 v1, v1, v3 offset0:0 offset1:1",
        "global_store_dwordx2 v1, v[0:1], s[8:9]", "ds_write2st64_b32 v3, v0, v3 offset0:0 offset1:1"}) {
    CAPTURE(store);
    CHECK(found(kernel(std::string(store) + "\n")).size() == 1);
  }
  for (const char* store :
       {// The same value, places of their own, lanes that are not active or out of range, and atomics.
        "global_store_dword v2, v3, s[8:9]", "global_store_dword v1, v1, s[8:9]", "ds_write_b32 v3, v3",
        "s_mov_b64 exec, 0x55555555\nglobal_store_dword v2, v1, s[8:9]",
        "s_mov_b32 s18, 0\nbuffer_store_dword v1, v2, s[16:19], 0 offen", "global_atomic_add v2, v1, s[8:9]",
        "ds_add_u32 v2, v1", "global_store_byte_d16_hi v2, v1, s[8:9]",
        "ds_write2_b32 v1, v1, v1 offset0:0 offset1:64",
        "v_lshlrev_b32 v4, 3, v0\nds_write2_b32 v4, v1, v3 offset0:0 offset1:1",
        "flat_store_dword v[10:11], v1", "scratch_store_dword off, v1, off"}) {
    CAPTURE(store);
    HazardCase one = kernel(std::string(store) + "\n");
    one.scratch_bytes = 16;
    CHECK(found(one).empty());
  }
  CHECK(found(kernel("v_mov_b32 v10, v2\nflat_store_dword v[10:11], v1\n")) ==
        Texts{"store_conflict: flat_store_dword v[10:11], v1"});
}

TEST_CASE("hazards: a load to LDS goes where another is still to go") {
  const std::string load = "s_nop 0\nglobal_load_lds_dword v1, s[8:9]\n";
  const std::string second = "s_nop 0\nglobal_load_lds_dword v1, s[8:9] offset:4\n";
  CHECK(found(kernel(load + "s_movk_i32 m0, 0x100\n" + load)).empty());
  CHECK(found(kernel(load + "s_waitcnt vmcnt(0)\n" + load)).empty());
  CHECK(found(kernel(load + load)) == Texts{"lds_dma_overwritten: global_load_lds_dword v1, s[8:9]"});
  CHECK(found(kernel(load + second)) ==
        Texts{"lds_dma_overwritten: global_load_lds_dword v1, s[8:9] offset:4"});
  CHECK(found(kernel(load + "s_movk_i32 m0, 0xfc\n" + load)).size() == 1);
}

TEST_CASE("hazards: waves of a workgroup at different barriers") {
  // The second wave takes the other way.
  const auto two_ways = [](const char* barrier) {
    return "v_readfirstlane_b32 s10, v0\ns_nop 3\ns_cmp_lt_u32 s10, 64\ns_cbranch_scc0 1f\ns_barrier\n"
           "s_branch 2f\n1:\n" +
           std::string(barrier) + "2:\ns_nop 0\n";
  };
  HazardCase apart = kernel(two_ways("s_barrier\n"));
  apart.waves = 2;
  const std::vector<Hazard> hazards = hazards_of(apart);
  REQUIRE(hazards.size() == 1);
  CHECK(hazards[0].kind == "barrier_mismatch");
  CHECK(hazards[0].first.wave == 1);
  CHECK(hazards[0].first.what.starts_with("wave 0 waits at another barrier, at 0x"));

  HazardCase together = kernel("s_barrier\ns_nop 0\ns_barrier\n");
  together.waves = 4;
  CHECK(found(together).empty());
  // A wave that has ended counts no more: the others go on.
  HazardCase ended = kernel(two_ways("s_endpgm\n"));
  ended.waves = 3;
  for (const Schedule schedule : {Schedule::wave_by_wave, Schedule::round_robin, Schedule::to_wait_falling}) {
    ended.schedule = schedule;
    CHECK(found(ended).empty());
  }
}

TEST_CASE("hazards: arguments that the launch does not have are a fault") {
  // A launcher packs what the metadata lists: one pointer here, and a kernel that reads a second.
  const HazardRun scalar = run(kernel("s_load_dwordx2 s[10:11], s[0:1], 0x10\ns_waitcnt lgkmcnt(0)\n"));
  REQUIRE(scalar.report.fault);
  CHECK(scalar.report.fault->text == "s_load_dwordx2 s[10:11], s[0:1], 0x10");
  CHECK(scalar.report.fault->what.find("'kernel arguments'") != std::string::npos);
  const HazardRun across = run(kernel("s_load_dwordx4 s[12:15], s[0:1], 0x8\ns_waitcnt lgkmcnt(0)\n"));
  REQUIRE(across.report.fault);
  CHECK(across.report.fault->what.find("passes its end at 16") != std::string::npos);
  const HazardRun vector = run(kernel("global_load_dword v5, v3, s[0:1] offset:56\ns_waitcnt vmcnt(0)\n"));
  REQUIRE(vector.report.fault);
  CHECK(vector.report.fault->what.find("'kernel arguments'") != std::string::npos);
  CHECK_FALSE(run(kernel("s_load_dwordx2 s[10:11], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n")).report.fault);
}
