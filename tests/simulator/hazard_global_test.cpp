// Races between workgroups on global memory.
#include <catch2/catch_test_macros.hpp>

#include "hazard_cases.h"

using wavesmith::simulator::Hazard;
using wavesmith::simulator::testing::found;
using wavesmith::simulator::testing::HazardCase;
using wavesmith::simulator::testing::hazards_of;

namespace {

using Texts = std::vector<std::string>;

/// s[8:9] holds the buffer; v1 is 4 * (64 * workgroup + lane).
const std::string kStart =
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_lshl_b32 s10, s2, 8\nv_add_u32 v1, s10, "
    "v1\n"
    "s_waitcnt lgkmcnt(0)\n";

std::vector<Hazard> four_workgroups(const std::string& body) {
  return hazards_of({.body = kStart + body, .workgroups = 4});
}

}  // namespace

TEST_CASE("hazards: workgroups that write apart do not race") {
  CHECK(four_workgroups(
            "global_load_dword v2, v1, s[8:9]\ns_waitcnt vmcnt(0)\nglobal_store_dword v1, v2, s[8:9]\n")
            .empty());
}

TEST_CASE("hazards: two workgroups write a byte") {
  // The last store of each workgroup reaches one byte into the next one's part.
  const std::vector<Hazard> hazards =
      four_workgroups("global_store_dword v1, v0, s[8:9]\nglobal_store_byte v1, v0, s[8:9] offset:4\n");
  REQUIRE_FALSE(hazards.empty());
  for (const Hazard& hazard : hazards) CHECK(hazard.kind == "global_race");
  CHECK(hazards[0].first.workgroup[0] == 1);
  REQUIRE(hazards[0].first.memory_address);
  CHECK(*hazards[0].first.memory_address % 256 == 0);
}

TEST_CASE("hazards: a workgroup reads what another writes") {
  const std::vector<Hazard> hazards = four_workgroups(
      "global_load_dword v2, v1, s[8:9] offset:256\ns_waitcnt vmcnt(0)\nglobal_store_dword v1, v2, s[8:9]\n");
  REQUIRE(hazards.size() == 1);
  CHECK(hazards[0].kind == "global_race");
  CHECK(hazards[0].count == 3);
  CHECK(hazards[0].first.what.find("global_load_dword") != std::string::npos);
}

TEST_CASE("hazards: atomics of several workgroups do not race, a plain read among them does") {
  CHECK(four_workgroups("v_mov_b32 v3, 0\nglobal_atomic_add v3, v0, s[8:9]\n").empty());
  CHECK(
      four_workgroups("v_mov_b32 v3, 0\nglobal_atomic_add v3, v0, s[8:9]\nglobal_load_dword v4, v3, s[8:9]\n")
          .size() == 2);  // each meets what the other did in another workgroup
}
