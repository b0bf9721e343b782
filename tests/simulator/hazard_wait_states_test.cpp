// Wait states between instructions that are no MFMA. The numbers are what LLVM 22's hazard recogniser puts
// between the same two instructions for gfx942 and gfx950.
#include <catch2/catch_test_macros.hpp>

#include "hazard_cases.h"

using namespace wavesmith::simulator;
using wavesmith::simulator::testing::found;
using wavesmith::simulator::testing::HazardCase;
using wavesmith::simulator::testing::hazards_of;

namespace {

using Texts = std::vector<std::string>;

struct Pair {
  const char* first;
  const char* second;
  unsigned states;
};

constexpr const char* kStart =
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, 0\n"
    "s_mov_b32 s19, 0x27000\ns_movk_i32 s18, 0x400\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s16, s8\n"
    "s_mov_b32 s17, s9\ns_mov_b32 s12, 0\ns_mov_b64 s[20:21], exec\ns_nop 7\n";

HazardCase with_states(const Pair& pair, unsigned states, const char* processor) {
  std::string body = std::string(kStart) + pair.first + "\n";
  if (states != 0) body += "s_nop " + std::to_string(states - 1) + "\n";
  body += std::string(pair.second) + "\ns_nop 7\ns_mov_b64 exec, s[20:21]\n";
  return {.body = body, .lds_bytes = 1024, .processor = processor};
}

constexpr const char* kCmpx = "v_cmpx_le_u32_e64 exec, 0, v1";
constexpr const char* kExp = "v_exp_f32 v3, v1";
constexpr const char* kMove = "v_mov_b32 v3, 0";
constexpr const char* kSdwa = "v_mov_b32_sdwa v3, v1 dst_sel:WORD_0 dst_unused:UNUSED_PAD";
constexpr const char* kScalar = "v_readfirstlane_b32 s4, v1";
constexpr const char* kStore4 = "global_store_dwordx4 v1, v[4:7], s[8:9]";

constexpr Pair kPairs[] = {
    {kScalar, "buffer_load_dword v5, v1, s[16:19], s4 offen", 5},
    {"v_cmp_eq_u32_e64 s[4:5], v0, v0", "s_nop 0", 0},
    {kScalar, "s_load_dword s6, s[8:9], s4", 0},
    {kScalar, "v_readlane_b32 s5, v2, s4", 4},
    {kScalar, "v_writelane_b32 v2, 3, s4", 4},
    {kScalar, "v_writelane_b32 v2, s4, 3", 2},
    {kMove, "v_readlane_b32 s5, v3, 3", 1},
    {kMove, "v_readfirstlane_b32 s5, v3", 1},
    {kMove, "v_mov_b32_dpp v5, v3 quad_perm:[1,0,3,2]", 2},
    {kMove, "v_add_u32 v5, v3, v3", 0},
    {kMove, "ds_write_b32 v1, v3", 0},
    {kCmpx, "v_mov_b32_dpp v5, v2 quad_perm:[1,0,3,2]", 5},
    {kCmpx, "v_readlane_b32 s5, v2, 3", 4},
    {kCmpx, "v_readfirstlane_b32 s5, v2", 4},
    {kCmpx, "v_mov_b32 v5, 0", 0},
    {kCmpx, "v_mfma_f32_16x16x16_f16 v[8:11], v[12:13], v[14:15], 0", 4},
    {"s_mov_b64 exec, -1", "v_mov_b32_dpp v5, v2 quad_perm:[1,0,3,2]", 0},
    {kExp, "v_mov_b32 v5, v3", 1},
    {kExp, "v_fmac_f32 v3, v1, v1", 1},
    {kExp, "v_exp_f32 v5, v3", 0},
    {kExp, "v_mov_b32 v3, v1", 0},
    {kExp, "ds_write_b32 v1, v3", 0},
    {kSdwa, "v_mov_b32 v5, v3", 1},
    {kSdwa, "v_exp_f32 v5, v3", 1},
    {kSdwa, "v_mov_b32 v3, 0", 1},
    {kSdwa, "ds_write_b32 v1, v3", 0},
    {"v_mov_b32_sdwa v3, v1 dst_sel:DWORD src0_sel:WORD_0", "v_mov_b32 v5, v3", 0},
    {kScalar, "v_mov_b32 v5, s4", 2},
    {kScalar, "s_mov_b32 s5, s4", 0},
    {"v_cmp_eq_u32 vcc, v0, v1", "v_cndmask_b32 v5, v1, v2, vcc", 2},
    {"v_cmp_eq_u32_e64 s[4:5], v0, v1", "v_cndmask_b32 v5, v1, v2, s[4:5]", 2},
    {"v_add_co_u32 v3, vcc, v0, v1", "v_addc_co_u32 v5, vcc, v1, v2, vcc", 2},
    {"v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f32 v5, v1, v1, v1", 4},
    {"s_mov_b64 vcc, 0", "v_div_fmas_f32 v5, v1, v1, v1", 0},
    {"s_mov_b32 m0, 0", "global_load_lds_dword v1, s[8:9]", 1},
    {"s_mov_b32 m0, 0", "buffer_load_dword v1, s[16:19], 0 offen lds", 1},
    {"s_mov_b32 m0, 0", "ds_read_addtid_b32 v5", 1},
    {"s_mov_b32 m0, 0", "ds_append v5", 0},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0", "s_getreg_b32 s5, hwreg(HW_REG_MODE, 0, 8)", 2},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0", "v_add_f32 v5, v1, v1", 0},
    {kStore4, "v_mov_b32 v5, 0", 2},
    {kStore4, "v_mov_b32 v1, 0", 0},
    {"global_store_dwordx2 v1, v[4:5], s[8:9]", "v_mov_b32 v5, 0", 0},
    {"buffer_store_dwordx4 v[4:7], v1, s[16:19], 0 offen", "v_mov_b32 v5, 0", 2},
    {"buffer_store_dwordx4 v[4:7], v1, s[16:19], s12 offen", "v_mov_b32 v5, 0", 0},
    {"ds_write_b128 v1, v[4:7]", "v_mov_b32 v5, 0", 0},
    {"v_dot4c_i32_i8 v3, v0, v1", "v_add_u32 v5, 5, v3", 3},
    {"v_dot4c_i32_i8 v3, v0, v1", "v_dot4c_i32_i8 v3, v0, v1", 0},
    {"v_dot4c_i32_i8 v3, v0, v1", "v_dot4c_i32_i8 v5, v0, v3", 3},
};
constexpr Pair kPairsOfGfx950[] = {
    {kCmpx, "v_permlane32_swap_b32 v2, v4", 4},
    {kMove, "v_permlane32_swap_b32 v3, v4", 2},
    {kMove, "v_permlane16_swap_b32 v4, v3", 2},
    {"v_permlane32_swap_b32 v3, v4", "v_mov_b32 v5, v3", 0},
};

void check_pair(const Pair& pair, const char* processor) {
  CAPTURE(processor, pair.first, pair.second);
  for (unsigned states = 0; states <= pair.states; ++states) {
    Texts kinds;
    for (const Hazard& hazard : hazards_of(with_states(pair, states, processor)))
      kinds.push_back(hazard.kind);
    CAPTURE(states);
    CHECK(kinds == (states < pair.states ? Texts{"wait_states"} : Texts{}));
    if (states + 1 < pair.states) states = pair.states - 2;  // none, one too few, and enough
  }
}

}  // namespace

TEST_CASE("hazards: wait states between two instructions") {
  for (const Pair& pair : kPairs) {
    check_pair(pair, "gfx942");
    check_pair(pair, "gfx950");
  }
  for (const Pair& pair : kPairsOfGfx950) check_pair(pair, "gfx950");
}

TEST_CASE("hazards: wait states are counted along the way that a wave takes") {
  // The jump itself is one of the four; the loop comes back to its own v_readfirstlane.
  const auto body = [](const char* between) {
    return std::string(kStart) + "v_readfirstlane_b32 s4, v1\ns_branch 1f\ns_nop 7\n1:\n" + between +
           "v_readlane_b32 s5, v2, s4\n";
  };
  CHECK(found({.body = body("s_nop 2\n")}).empty());
  const std::vector<Hazard> hazards = hazards_of({.body = body("s_nop 1\n")});
  REQUIRE(hazards.size() == 1);
  CHECK(hazards[0].kind == "wait_states");
  CHECK(hazards[0].first.text == "v_readlane_b32 s5, v2, s4");
  CHECK(hazards[0].first.what.starts_with("3 wait states lie between this and 0x"));
  CHECK(hazards[0].first.what.find("and 4 are needed") != std::string::npos);

  const auto loop = [](const char* end) {
    return std::string(kStart) +
           "s_mov_b32 s4, 0\ns_mov_b32 s6, 3\ns_nop 7\n1:\nv_readlane_b32 s5, v2, s4\ns_nop 7\n"
           "v_readfirstlane_b32 s4, v1\ns_sub_u32 s6, s6, 1\ns_cmp_lg_u32 s6, 0\n" +
           end + "s_cbranch_scc1 1b\n";
  };
  CHECK(found({.body = loop("s_nop 0\n")}).empty());
  const std::vector<Hazard> again = hazards_of({.body = loop("")});
  REQUIRE(again.size() == 1);
  CHECK(again[0].count == 2);
}
