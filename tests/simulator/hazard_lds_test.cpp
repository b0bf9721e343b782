// Order of LDS accesses: waves, barriers, waits, and loads to LDS.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "hazard_cases.h"

using namespace wavesmith::simulator;
using wavesmith::simulator::testing::found;
using wavesmith::simulator::testing::HazardCase;
using wavesmith::simulator::testing::hazards_of;

namespace {

using Texts = std::vector<std::string>;

/// v1: four bytes of LDS for each work-item; v2: those of the work-item 64 further, of 128.
const std::string kOwnAndOther =
    "v_lshlrev_b32 v1, 2, v0\nv_add_u32 v2, 0x100, v1\nv_and_b32 v2, 0x1ff, v2\n";

/// s[12:15] describes the whole buffer, m0 is the wave's first work-item times four: its part of LDS.
const std::string kCopySetUp =
    "s_load_dwordx2 s[12:13], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s14, 0x10000\ns_mov_b32 s15, "
    "0x20000\n"
    "v_readfirstlane_b32 s8, v1\ns_mov_b32 m0, s8\ns_nop 0\n";

std::vector<std::string> two_waves(const std::string& body, Schedule schedule = Schedule::wave_by_wave) {
  return found({.body = body, .waves = 2, .lds_bytes = 512, .schedule = schedule});
}

constexpr Schedule kSchedules[] = {Schedule::wave_by_wave, Schedule::to_wait_rising,
                                   Schedule::to_wait_falling, Schedule::round_robin, Schedule::random};

}  // namespace

TEST_CASE("hazards: another wave's write is read with wait and barrier between, or it is a race") {
  const auto body = [](const char* between) {
    return kOwnAndOther + "ds_write_b32 v1, v0\n" + between + "ds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n";
  };
  for (const Schedule schedule : kSchedules) {
    CHECK(two_waves(body("s_waitcnt lgkmcnt(0)\ns_barrier\n"), schedule).empty());
    // Whatever the order: a wave reads what the other wrote, or writes what the other has read.
    const Texts no_barrier = two_waves(body("s_waitcnt lgkmcnt(0)\n"), schedule);
    REQUIRE_FALSE(no_barrier.empty());
    for (const std::string& text : no_barrier)
      CHECK((text == "lds_race: ds_read_b32 v3, v2" ||
             text == "lds_overwritten_while_read: ds_write_b32 v1, v0"));
    CHECK_FALSE(two_waves(body("s_barrier\n"), schedule).empty());
  }
}

TEST_CASE("hazards: a tile is overwritten while another wave may still read it") {
  const auto body = [](const char* between) {
    return kOwnAndOther + "ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v3, v2\n" +
           between + "ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n";
  };
  for (const Schedule schedule : kSchedules) {
    CHECK(two_waves(body("s_waitcnt lgkmcnt(0)\ns_barrier\n"), schedule).empty());
    CHECK_FALSE(two_waves(body("s_waitcnt lgkmcnt(0)\n"), schedule).empty());
    // A barrier does not wait for the read.
    CHECK_FALSE(two_waves(body("s_barrier\n"), schedule).empty());
  }
}

TEST_CASE("hazards: LDS is read before the load to it was waited for") {
  const auto body = [](const char* between) {
    return kOwnAndOther + kCopySetUp + "buffer_load_dword v1, s[12:15], 0 offen lds\n" + between +
           "ds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n";
  };
  for (const Schedule schedule : kSchedules) {
    CHECK(two_waves(body("s_waitcnt vmcnt(0)\ns_barrier\n"), schedule).empty());
    CHECK_FALSE(two_waves(body("s_barrier\n"), schedule).empty());
    CHECK_FALSE(two_waves(body("s_waitcnt vmcnt(0)\n"), schedule).empty());
  }
  CHECK(two_waves(body("s_barrier\n")) == Texts{"lds_read_before_dma: ds_read_b32 v3, v2"});
}

TEST_CASE("hazards: a wave's own loads to LDS and its DS instructions are in no order") {
  const auto read_own = [](const char* wait) {
    return kOwnAndOther + kCopySetUp + "buffer_load_dword v1, s[12:15], 0 offen lds\n" + wait +
           "ds_read_b32 v3, v1\ns_waitcnt lgkmcnt(0)\n";
  };
  CHECK(two_waves(read_own("s_waitcnt vmcnt(0)\n")).empty());
  CHECK(two_waves(read_own("")) == Texts{"lds_read_before_dma: ds_read_b32 v3, v1"});
  const auto overwrite_own = [](const char* wait) {
    return kOwnAndOther + kCopySetUp + "ds_read_b32 v3, v1\n" + wait +
           "buffer_load_dword v1, s[12:15], 0 offen lds\ns_waitcnt vmcnt(0)\n";
  };
  CHECK(two_waves(overwrite_own("s_waitcnt lgkmcnt(0)\n")).empty());
  CHECK(two_waves(overwrite_own("")) ==
        Texts{"lds_overwritten_while_read: buffer_load_dword v1, s[12:15], 0 offen lds"});
}

TEST_CASE("hazards: one copy more outstanding than the data allows") {
  const auto body = [](const char* wait) {
    return kOwnAndOther + kCopySetUp +
           "buffer_load_dword v1, s[12:15], 0 offen lds\ns_add_u32 m0, m0, 0x200\ns_nop 0\n"
           "buffer_load_dword v1, s[12:15], 0 offen lds\n" +
           wait + "s_barrier\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n";
  };
  const auto run = [&](const char* wait) {
    return found({.body = body(wait), .waves = 2, .lds_bytes = 1024});
  };
  CHECK(run("s_waitcnt vmcnt(1)\n").empty());
  CHECK(run("s_waitcnt vmcnt(2)\n") == Texts{"lds_read_before_dma: ds_read_b32 v3, v2"});
}

TEST_CASE("hazards: atomics of several waves on one place are no race, bytes beside each other neither") {
  CHECK(two_waves("v_mov_b32 v1, 0\nv_mov_b32 v2, 1\nds_add_u32 v1, v2\ns_waitcnt lgkmcnt(0)\n").empty());
  CHECK(two_waves("v_mov_b32 v1, 0\nv_mov_b32 v2, 1\nds_add_u32 v1, v2\nds_read_b32 v3, v1\n"
                  "s_waitcnt lgkmcnt(0)\n")
            .size() == 1);
  // Wave 0 writes the even, wave 1 the odd bytes.
  const std::string bytes =
      "v_and_b32 v1, 63, v0\nv_lshlrev_b32 v1, 1, v1\nv_lshrrev_b32 v2, 6, v0\nv_add_u32 v1, v1, v2\n"
      "ds_write_b8 v1, v0\ns_waitcnt lgkmcnt(0)\n";
  CHECK(two_waves(bytes).empty());
  CHECK(two_waves(bytes + "v_xor_b32 v1, 1, v1\nds_write_b8 v1, v0\ns_waitcnt lgkmcnt(0)\n").size() >= 1);
}

TEST_CASE("hazards: what is told of a race") {
  const std::vector<Hazard> hazards =
      hazards_of({.body = kOwnAndOther + "ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nds_read_b32 v3, v2\n"
                                         "s_waitcnt lgkmcnt(0)\n",
                  .waves = 2,
                  .workgroups = 3,
                  .lds_bytes = 512});
  REQUIRE(hazards.size() == 2);
  // Wave 0 has read before wave 1 writes, and wave 1 reads what wave 0 wrote.
  CHECK(hazards[1].kind == "lds_race");
  CHECK(hazards[0].kind == "lds_overwritten_while_read");
  CHECK(hazards[0].first.wave == 1);
  CHECK(hazards[0].first.lane == 0);
  CHECK(hazards[0].first.memory_address == 256);
  CHECK(hazards[0].first.workgroup == std::array<std::uint32_t, 3>{0, 0, 0});
  CHECK(hazards[0].first.what.find("ds_read_b32 v3, v2 of wave 0") != std::string::npos);
  CHECK(hazards[0].count == 3);
}
