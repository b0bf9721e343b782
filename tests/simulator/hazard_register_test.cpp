// Registers that are touched before a wait covers the load into them.
#include <catch2/catch_test_macros.hpp>

#include "hazard_cases.h"

using wavesmith::simulator::Hazard;
using wavesmith::simulator::testing::found;
using wavesmith::simulator::testing::HazardCase;
using wavesmith::simulator::testing::hazards_of;

namespace {

using Texts = std::vector<std::string>;

/// s[8:9] holds the buffer and v1 an offset that differs for each lane.
const std::string kStart =
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n";

}  // namespace

TEST_CASE("hazards: a vector register is read before its load is waited for") {
  const auto body = [](const char* wait) {
    return kStart + "global_load_dwordx2 v[2:3], v1, s[8:9]\nglobal_load_dword v4, v1, s[8:9] offset:8\n" +
           wait + "v_add_u32 v5, v3, v3\ns_waitcnt vmcnt(0)\nglobal_store_dword v1, v5, s[8:9]\n";
  };
  CHECK(found({.body = body("s_waitcnt vmcnt(1)\n")}).empty());
  const std::vector<Hazard> hazards = hazards_of({.body = body("s_waitcnt vmcnt(2)\n")});
  REQUIRE(hazards.size() == 1);
  CHECK(hazards[0].kind == "register_read_before_wait");
  CHECK(hazards[0].first.text.starts_with("v_add_u32"));
  CHECK(hazards[0].first.what.find("v3") != std::string::npos);
  CHECK(hazards[0].count == 1);
}

TEST_CASE("hazards: store data and accumulators count as reads") {
  CHECK(found({.body = kStart +
                       "global_load_dword v2, v1, s[8:9]\nglobal_store_dword v1, v2, s[8:9] offset:4\n"}) ==
        Texts{"register_read_before_wait: global_store_dword v1, v2, s[8:9] offset:4"});
  CHECK(found({.body = kStart + "v_mov_b32 v3, 0\nglobal_load_dword v2, v1, s[8:9]\nv_fmac_f32 v2, v3, v3\n"
                                "s_waitcnt vmcnt(0)\n"}) ==
        Texts{"register_read_before_wait: v_fmac_f32_e32 v2, v3, v3",
              "register_written_before_wait: v_fmac_f32_e32 v2, v3, v3"});
}

TEST_CASE("hazards: a register is overwritten while a load into it is outstanding") {
  CHECK(found({.body = kStart + "global_load_dword v2, v1, s[8:9]\nv_mov_b32 v2, 1\ns_waitcnt vmcnt(0)\n"}) ==
        Texts{"register_written_before_wait: v_mov_b32_e32 v2, 1"});
  // Loads of one counter return in order; those of two do not.
  CHECK(found({.body = kStart + "global_load_dword v2, v1, s[8:9]\nglobal_load_dword v2, v1, s[8:9]\n"})
            .empty());
  CHECK(
      found({.body = kStart + "global_load_dword v2, v1, s[8:9]\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\n",
             .lds_bytes = 256}) == Texts{"register_written_before_wait: ds_read_b32 v2, v1"});
}

TEST_CASE("hazards: scalar loads are covered by lgkmcnt(0) alone") {
  const auto body = [](const char* wait) {
    return "s_load_dword s10, s[0:1], 0x0\ns_load_dword s11, s[0:1], 0x4\n" + std::string(wait) +
           "s_add_u32 s12, s10, 1\ns_waitcnt lgkmcnt(0)\n";
  };
  CHECK(found({.body = body("s_waitcnt lgkmcnt(0)\n")}).empty());
  CHECK(found({.body = body("s_waitcnt lgkmcnt(1)\n")}) ==
        Texts{"register_read_before_wait: s_add_u32 s12, s10, 1"});
}

TEST_CASE("hazards: without an active lane no vector register is read") {
  CHECK(found({.body = kStart +
                       "global_load_dword v2, v1, s[8:9]\ns_mov_b64 s[10:11], exec\ns_mov_b64 exec, 0\n"
                       "v_add_u32 v3, v2, v2\ns_mov_b64 exec, s[10:11]\ns_waitcnt vmcnt(0)\n"})
            .empty());
}
