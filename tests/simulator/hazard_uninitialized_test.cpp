// Registers, LDS and scratch that are used before anything was written to them: which uses count, which do
// not, and that looking for them changes nothing else.
#include <catch2/catch_test_macros.hpp>

#include "hazard_cases.h"

using namespace wavesmith::simulator;
using wavesmith::simulator::testing::HazardCase;
using wavesmith::simulator::testing::HazardRun;

namespace {

using Texts = std::vector<std::string>;

/// s[8:9] holds the buffer and v1 an offset that differs for each lane, v7 one. v5 and s[12:13] are never
/// written.
const std::string kStart =
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\nv_mov_b32 v7, 1\ns_waitcnt lgkmcnt(0)\n";
const std::string kStore = "global_store_dword v1, v5, s[8:9]\n";

HazardCase watched(std::string body) {
  HazardCase kernel{.body = kStart + std::move(body), .agprs = 8};
  kernel.lds_bytes = 1024;
  kernel.scratch_bytes = 16;
  kernel.options.uninitialized = true;
  return kernel;
}
/// With undefined state that reads as zero, so that an address of it is a legal one.
HazardCase watched_zero(std::string body) {
  HazardCase kernel = watched(std::move(body));
  kernel.options.poison = false;
  return kernel;
}
Texts texts(const HazardCase& kernel) {
  return wavesmith::simulator::testing::found(kernel);
}
Hazard only(const HazardCase& kernel) {
  const std::vector<Hazard> hazards = hazards_of(kernel);
  REQUIRE(hazards.size() == 1);
  return hazards.front();
}

}  // namespace

TEST_CASE("uninitialized: what is stored, by where it comes from") {
  const Hazard vector = only(watched(kStore));
  CHECK(vector.kind == "uninitialized_register");
  CHECK(vector.first.text.starts_with("global_store_dword"));
  CHECK(vector.first.what == "v5 is stored and is what v5 held in lane 0 at the start");
  CHECK(vector.first.lane == 0);
  CHECK(vector.count == 1);

  const Hazard moved = only(watched("v_mov_b32_dpp v5, v4 row_newbcast:3\n" + kStore));
  CHECK(moved.first.what == "v5 is stored and is what v4 held in lane 3 at the start");

  const Hazard scalar = only(watched("v_mov_b32 v5, s12\n" + kStore));
  CHECK(scalar.kind == "uninitialized_register");
  CHECK(scalar.first.what == "v5 is stored and is what s12 held at the start");

  const Hazard lds =
      only(watched("v_add_u32 v6, 64, v1\nds_read_b32 v5, v6\ns_waitcnt lgkmcnt(0)\n" + kStore));
  CHECK(lds.kind == "uninitialized_lds");
  CHECK(lds.first.what == "v5 is stored and is from byte 64 of LDS, which was never written");

  const Hazard scratch =
      only(watched("scratch_load_dword v5, off, off offset:12\ns_waitcnt vmcnt(0)\n" + kStore));
  CHECK(scratch.kind == "uninitialized_scratch");
  CHECK(scratch.first.what ==
        "v5 is stored and is from byte 12 of the scratch of lane 0, which was never written");

  const Hazard value = only(watched("v_add_u32 v5, 1, v5\n" + kStore));
  CHECK(value.kind == "uninitialized_value");
  CHECK(value.first.what == "v5 is stored and was computed from something that was never written");
}

TEST_CASE("uninitialized: the lane, the register and the address that are told") {
  // All lanes but the sixth, then the second of two dwords.
  const Hazard lane =
      only(watched("s_mov_b64 s[20:21], exec\ns_mov_b64 exec, 0xffffffdf\nv_mov_b32 v5, 1\n"
                   "s_not_b64 exec, exec\ns_bitset0_b32 exec_lo, 5\nv_mov_b32 v5, 1\n"
                   "s_mov_b64 exec, s[20:21]\n" +
                   kStore));
  CHECK(lane.first.lane == 5);
  const Hazard second = only(watched(
      "v_mov_b32 v10, 1\nv_lshlrev_b32 v1, 1, v1\nglobal_store_dwordx2 v1, v[10:11], s[8:9] offset:16\n"));
  CHECK(second.first.what.starts_with("v11 is stored"));
  const Hazard twice = only(watched("v_mov_b32 v6, s12\n" + kStore + kStore));
  CHECK(twice.count == 1);  // told where it is met first, and not again
  REQUIRE(second.first.memory_address);
  REQUIRE(lane.first.memory_address);
  CHECK(*second.first.memory_address - (*lane.first.memory_address - 4 * 5) == 16 + 4);
}

TEST_CASE("uninitialized: addresses") {
  for (const char* use :
       {"global_load_dword v6, v5, s[8:9]", "global_store_dword v5, v7, s[8:9]", "ds_read_b32 v6, v5",
        "ds_write_b32 v5, v7", "ds_add_u32 v5, v1", "ds_bpermute_b32 v6, v5, v1",
        "scratch_load_dword v6, v5, off", "global_atomic_add v5, v1, s[8:9]", "s_load_dword s14, s[8:9], s12",
        "v_readlane_b32 s14, v0, s12", "v_writelane_b32 v6, 1, s12", "global_load_lds_dword v1, s[8:9]",
        "ds_append v6", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s12"}) {
    CAPTURE(use);
    const Hazard hazard = only(watched_zero(std::string(use) + "\n"));
    CHECK(hazard.kind == "uninitialized_register");
    CHECK(hazard.first.text.starts_with(std::string(use).substr(0, 10)));
  }
  const std::string resource =
      "s_mov_b32 s16, s8\ns_mov_b32 s17, s9\ns_movk_i32 s18, 0x400\ns_mov_b32 s19, 0x27000\n";
  CHECK(texts(watched_zero(resource + "buffer_load_dword v6, v1, s[16:19], s12 offen\n")) ==
        Texts{"uninitialized_register: buffer_load_dword v6, v1, s[16:19], s12 offen"});
  CHECK(texts(watched_zero(resource + "buffer_load_dword v6, v5, s[16:19], 0 offen\n")) ==
        Texts{"uninitialized_register: buffer_load_dword v6, v5, s[16:19], 0 offen"});
  CHECK(texts(watched_zero(resource.substr(0, resource.find("s_mov_b32 s19")) +
                           "buffer_load_dword v6, v1, s[16:19], 0 offen\n")) ==
        Texts{"uninitialized_register: buffer_load_dword v6, v1, s[16:19], 0 offen"});
  CHECK(texts(watched_zero(resource + "buffer_load_dword v6, v1, s[16:19], 0 offen\n")).empty());
}

TEST_CASE("uninitialized: control") {
  const std::string skip = "v_mov_b32 v6, 0\n1:\ns_nop 0\n";
  CHECK(texts(watched("s_cmp_gt_i32 s12, 0\ns_cbranch_scc1 1f\n" + skip)) ==
        Texts{"uninitialized_value: s_cbranch_scc1 1"});
  CHECK(texts(watched("s_cbranch_scc0 1f\n" + skip)) == Texts{"uninitialized_value: s_cbranch_scc0 1"});
  CHECK(texts(watched("v_cmp_gt_i32 vcc, 0, v5\ns_cbranch_vccz 1f\n" + skip)) ==
        Texts{"uninitialized_value: s_cbranch_vccz 1"});
  CHECK(texts(watched("v_cmp_gt_i32 vcc, 0, v5\ns_and_saveexec_b64 s[20:21], vcc\ns_cbranch_execz 1f\n" +
                      skip)) == Texts{"uninitialized_value: s_and_saveexec_b64 s[20:21], vcc"});
  CHECK(texts(watched("v_cmpx_gt_i32 exec, 0, v5\ns_nop 1\n")) ==
        Texts{"uninitialized_value: v_cmpx_gt_i32_e64 exec, 0, v5"});
  const Hazard exec = only(watched("s_mov_b64 exec, s[12:13]\n"));
  CHECK(exec.kind == "uninitialized_register");
  CHECK(exec.first.what.starts_with("exec says which lanes are active and is what s12"));
  // The place to go to: zero is added to where the label is.
  CHECK(texts(watched_zero("s_getpc_b64 s[20:21]\n1:\ns_add_u32 s20, s20, 2f-1b\ns_addc_u32 s21, s21, 0\n"
                           "s_add_u32 s20, s20, s12\ns_cmp_eq_u32 s2, 77\ns_cbranch_scc1 2f\n"
                           "s_setpc_b64 s[20:21]\n2:\ns_nop 0\n")) ==
        Texts{"uninitialized_value: s_setpc_b64 s[20:21]"});
  // Comparisons of what is known.
  CHECK(
      texts(watched("v_cmp_gt_u32 vcc, 8, v1\ns_and_saveexec_b64 s[20:21], vcc\ns_cbranch_execz 1f\n" + skip))
          .empty());
}

TEST_CASE("uninitialized: factors and accumulators of matrix instructions, in all lanes") {
  const std::string factors =
      "v_mov_b32 v20, 0\nv_mov_b32 v21, 0\nv_mov_b32 v22, 0\nv_mov_b32 v23, 0\ns_nop 4\n";
  const std::string into_zero = "v_mfma_f32_16x16x32_bf16 v[30:33], v[20:23], v[20:23], 0\n";
  const std::string store = "s_nop 15\nglobal_store_dwordx4 v1, v[30:33], s[8:9]\n";
  CHECK(texts(watched(factors + into_zero + store)).empty());

  const std::string onto = "v_mfma_f32_16x16x32_bf16 v[30:33], v[20:23], v[20:23], v[30:33]\n";
  const Hazard accumulator = only(watched(factors + onto + onto + store));
  CHECK(accumulator.kind == "uninitialized_register");
  CHECK(accumulator.first.what.starts_with("v30 is an operand of a matrix instruction"));

  const std::string some = factors.substr(factors.find('\n') + 1);
  CHECK(only(watched(some + into_zero)).first.what.starts_with("v20 is an operand"));
  CHECK(texts(watched(factors + "v_accvgpr_write_b32 a0, 0\nv_accvgpr_write_b32 a1, 0\n"
                                "v_accvgpr_write_b32 a2, 0\ns_nop 4\n"
                                "v_mfma_f32_16x16x32_bf16 a[0:3], v[20:23], v[20:23], a[0:3]\n")) ==
        Texts{"uninitialized_register: v_mfma_f32_16x16x32_bf16 a[0:3], v[20:23], v[20:23], a[0:3]"});
  // A factor that only some lanes have written is used in all of them.
  const Hazard partial = only(watched("s_mov_b64 s[20:21], exec\ns_mov_b64 exec, 0xff\n" + factors +
                                      "s_mov_b64 exec, s[20:21]\n" + into_zero));
  CHECK(partial.first.lane == 8);
}

TEST_CASE("uninitialized: copies and what does not depend on it are nobody's business") {
  for (const char* harmless : {
           // Copied, spilled, computed with.
           "v_mov_b32 v6, v5\nv_add_f32 v7, v6, v5\nds_write_b32 v1, v5\nscratch_store_dword off, v5, off\n"
           "v_readfirstlane_b32 s14, v5\ns_add_u32 s15, s12, s13\n",
           // Masked off, and the side that is not chosen.
           "v_and_b32 v5, 0, v5\n",
           "v_mul_u32_u24 v5, 0, v5\n",
           "v_cmp_le_u32 vcc, 0, v1\ns_nop 1\nv_cndmask_b32 v5, v6, v1, vcc\n",
           "s_cmp_eq_u32 s2, s2\ns_cselect_b32 s12, 1, s12\nv_mov_b32 v5, s12\n",
           // Written in two halves.
           "v_mov_b32_sdwa v5, v1 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE\ns_nop 0\n"
           "v_mov_b32_sdwa v5, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE\n",
           // Loaded into LDS, and through scratch.
           "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v1, s[8:9]\ns_waitcnt vmcnt(0)\n"
           "ds_read_b32 v5, v1\ns_waitcnt lgkmcnt(0)\n",
           "scratch_store_dword off, v1, off offset:4\ns_waitcnt vmcnt(0)\n"
           "scratch_load_dword v5, off, off offset:4\ns_waitcnt vmcnt(0)\n",
           // Results of atomics.
           "v_mov_b32 v6, 1\nglobal_atomic_add v5, v1, v6, s[8:9] offset:1024 sc0\ns_waitcnt vmcnt(0)\n",
           "ds_write_b32 v1, v1\nds_add_rtn_u32 v5, v1, v1\ns_waitcnt lgkmcnt(0)\n",
       }) {
    CAPTURE(harmless);
    const bool stores = std::string(harmless).find("v_add_f32") == std::string::npos;
    CHECK(texts(watched(harmless + (stores ? kStore : ""))).empty());
  }
}

TEST_CASE("uninitialized: halves, bytes and lanes count by themselves") {
  const std::string half =
      "v_mov_b32_sdwa v5, v1 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE\ns_nop 0\nv_mov_b32 v6, v5\n";
  CHECK(texts(watched(half + "global_store_short v1, v6, s[8:9]\n")).empty());
  CHECK(texts(watched(half + "global_store_byte v1, v6, s[8:9]\n")).empty());
  CHECK(texts(watched(half + "v_and_b32 v5, 0xffff, v6\n" + kStore)).empty());
  CHECK(texts(watched(half + "global_store_short_d16_hi v1, v6, s[8:9]\n")) ==
        Texts{"uninitialized_value: global_store_short_d16_hi v1, v6, s[8:9]"});
  CHECK(texts(watched(half + kStore)) == Texts{"uninitialized_value: global_store_dword v1, v5, s[8:9]"});

  HazardCase keeps = watched(
      "global_load_short_d16 v5, v1, s[8:9]\ns_waitcnt vmcnt(0)\n"
      "global_store_short v1, v5, s[8:9]\n" +
      kStore);
  keeps.options.d16_load = D16Load::keeps_other_half;
  CHECK(texts(keeps) == Texts{"uninitialized_value: global_store_dword v1, v5, s[8:9]"});
  keeps.options.d16_load = D16Load::zeroes_other_half;
  CHECK(texts(keeps).empty());

  // Lanes that are not active use nothing; neither do those that a buffer's range stops.
  CHECK(texts(watched("s_mov_b64 exec, 0xf0\nv_mov_b32 v5, 1\n" + kStore)).empty());
  const std::string few =
      "s_mov_b64 s[20:21], exec\ns_mov_b64 exec, 0xf\nv_mov_b32 v5, 1\n"
      "s_mov_b64 exec, s[20:21]\ns_mov_b32 s16, s8\ns_mov_b32 s17, s9\n"
      "s_mov_b32 s19, 0x27000\n";
  CHECK(texts(watched(few + "s_mov_b32 s18, 16\nbuffer_store_dword v5, v1, s[16:19], 0 offen\n")).empty());
  CHECK(only(watched(few + "s_mov_b32 s18, 20\nbuffer_store_dword v5, v1, s[16:19], 0 offen\n")).first.lane ==
        4);
}

TEST_CASE("uninitialized: what goes through LDS or scratch is still what it was") {
  const std::string through_lds =
      "ds_write_b32 v1, v5\nds_read_b32 v6, v1\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v6, s[8:9]\n";
  CHECK(only(watched(through_lds)).first.what == "v6 is stored and is what v5 held in lane 0 at the start");
  const std::string through_scratch =
      "scratch_store_dword off, v5, off\ns_waitcnt vmcnt(0)\nscratch_load_dword v6, off, off\n"
      "s_waitcnt vmcnt(0)\nglobal_store_dword v1, v6, s[8:9]\n";
  CHECK(only(watched(through_scratch)).first.what.starts_with("v6 is stored and is what v5"));
  // FLAT, into LDS and back.
  const std::string flat =
      "v_mov_b32 v10, v1\nv_mov_b32 v11, 0x10000\nflat_store_dword v[10:11], v5\n"
      "s_waitcnt vmcnt(0) lgkmcnt(0)\nflat_load_dword v6, v[10:11]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
      "global_store_dword v1, v6, s[8:9]\n";
  CHECK(texts(watched(flat)) == Texts{"uninitialized_register: global_store_dword v1, v6, s[8:9]"});
  CHECK(texts(watched("v_mov_b32 v5, 1\n" + flat)).empty());
  CHECK(only(watched("ds_add_rtn_u32 v5, v1, v1\ns_waitcnt lgkmcnt(0)\n" + kStore)).kind ==
        "uninitialized_lds");

  // From one wave to another.
  HazardCase two = watched(
      "v_and_b32 v2, 0xfc, v1\nv_xor_b32 v3, 0x100, v1\nds_write_b32 v1, v1\ns_waitcnt lgkmcnt(0)\n"
      "s_barrier\nds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)\n" +
      kStore);
  two.waves = 2;
  for (const Schedule schedule : {Schedule::wave_by_wave, Schedule::round_robin, Schedule::random}) {
    two.schedule = schedule;
    two.options.arrival = schedule == Schedule::random ? Arrival::random : Arrival::latest;
    CHECK(texts(two).empty());
  }
}

TEST_CASE("uninitialized: registers of outstanding loads are a matter of waits") {
  CHECK(texts(watched("global_load_dword v5, v1, s[8:9] offset:2048\n" + kStore)) ==
        Texts{"register_read_before_wait: global_store_dword v1, v5, s[8:9]"});
}

TEST_CASE("uninitialized: looking for it changes neither values nor counters nor other hazards") {
  // Faults of several kinds; a load and a store of one wait whose order matters; atomics that must run once.
  HazardCase kernel = watched_zero(
      "v_mov_b32 v6, 1\nglobal_load_dword v7, v1, s[8:9]\nglobal_store_dword v1, v6, s[8:9]\n"
      "global_load_dword v10, v1, s[8:9]\nv_mov_b32 v8, 2\nglobal_store_dword v1, v8, s[8:9]\n"
      "s_waitcnt vmcnt(0)\nglobal_atomic_add v9, v1, v6, s[8:9] offset:512 sc0\nds_add_u32 v1, v6\n"
      "s_waitcnt vmcnt(0) lgkmcnt(0)\nds_read_b32 v11, v1\ns_waitcnt lgkmcnt(0)\n"
      "global_store_dword v1, v7, s[8:9] offset:1024\nglobal_store_dword v1, v9, s[8:9] offset:2048\n"
      "global_store_dword v1, v10, s[8:9] offset:1536\nglobal_store_dword v1, v11, s[8:9] offset:2560\n"
      "global_load_dword v12, v5, s[8:9]\nv_add_u32 v12, 1, v12\ns_waitcnt vmcnt(0)\n");
  kernel.workgroups = 2;
  kernel.waves = 2;
  for (const Arrival arrival : {Arrival::latest, Arrival::random}) {
    kernel.options.arrival = arrival;
    kernel.options.uninitialized = true;
    const HazardRun with = run(kernel);
    kernel.options.uninitialized = false;
    const HazardRun without = run(kernel);
    REQUIRE_FALSE(with.report.fault);
    CHECK(with.buffer == without.buffer);
    CHECK(with.report.counters == without.report.counters);
    REQUIRE(with.report.instructions.size() == without.report.instructions.size());
    for (std::size_t i = 0; i < with.report.instructions.size(); ++i)
      CHECK(with.report.instructions[i].counters == without.report.instructions[i].counters);
    Texts others, all;
    std::size_t uninitialized = 0;
    for (const Hazard& hazard : *with.report.hazards) {
      if (hazard.kind.starts_with("uninitialized"))
        ++uninitialized;
      else
        others.push_back(hazard.kind + hazard.first.message() + std::to_string(hazard.count));
    }
    for (const Hazard& hazard : *without.report.hazards)
      all.push_back(hazard.kind + hazard.first.message() + std::to_string(hazard.count));
    CHECK(others == all);
    CHECK_FALSE(all.empty());
    CHECK(uninitialized == 2);  // LDS that an atomic added to, and the address in v5
    CHECK(with.report.hazards_not_checked.size() + 4 == without.report.hazards_not_checked.size());
  }
}
