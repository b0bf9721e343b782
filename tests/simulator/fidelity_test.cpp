// What is said about instructions that are not exact, and about where their values go. Expected classes are
// those of the guides' accuracies and of the tables in docs/simulator.md, written down here by hand.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assembler.h"
#include "simulator/fidelity/flow.h"
#include "simulator/registry.h"
#include "snippet.h"

namespace wavesmith::simulator::testing {
namespace {

struct Case {
  std::string body;  ///< s[0:1] points to the arguments, s2 is the workgroup; v0 is the lane in its workgroup
  std::string processor = "gfx950";
  std::uint32_t waves = 1, workgroups = 1;
  Options options = {.threads = 2, .follow_inexact = true};
};

template <class T>
T take(Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().message + value.error().log);
  return std::move(*value);
}

/// The argument is a buffer of 64 KiB, all zero; LDS and scratch are there.
Report report_of(const Case& kernel) {
  constexpr std::uint64_t buffer_bytes = 65536;
  KernelTraits traits;
  traits.body = kernel.body;
  traits.vgprs = 64;
  traits.lds_bytes = 4096;
  traits.scratch_bytes = 64;
  traits.arguments = {8};
  const auto bytes = take(link_code_object(kernel_source(traits, kernel.processor), kernel.processor));
  Device device = take(Device::create(kernel.processor));
  const Module module = take(device.load(bytes));
  const DeviceAddress buffer = take(device.allocate(buffer_bytes));
  const Launch launch{.kernel = "kernel",
                      .grid = {kernel.workgroups, 1, 1},
                      .block = {64 * kernel.waves, 1, 1},
                      .arguments = {Argument::of(buffer)},
                      .options = kernel.options};
  Report report = take(device.launch(module, launch));
  if (report.fault) throw std::runtime_error(report.fault->message());
  const FidelityReport& fidelity = report.fidelity;
  CHECK(fidelity.exact + fidelity.approximate + fidelity.uncertain == fidelity.executed);
  CHECK(fidelity.executed == report.counters.at("SQ_INSTS"));
  return report;
}

using Texts = std::vector<std::string>;

/// "class mnemonic concern executions" of each.
Texts classes(const Case& kernel) {
  Texts texts;
  for (const InexactInstruction& one : report_of(kernel).fidelity.instructions) {
    CHECK_FALSE(one.reason.empty());
    texts.push_back(
        fmt::format("{} {} {} {}", name(one.fidelity), one.mnemonic, name(one.concern), one.executions));
  }
  return texts;
}

/// "use: instruction <- origin origin" of each.
Texts uses(const Case& kernel) {
  const Report report = report_of(kernel);
  Texts texts;
  for (const InexactUse& use : report.fidelity.uses.value()) {
    Texts from;
    for (const auto& [mnemonic, fidelity] : use.from) from.push_back(mnemonic);
    texts.push_back(fmt::format("{}: {} <- {}", use.use, use.first.text.substr(0, use.first.text.find(' ')),
                                fmt::join(from, " ")));
  }
  return texts;
}

/// v1 = 2^0 by v_exp_f32, v2 = 4 * v1 as an integer: approximate, and an aligned offset.
const std::string approximate = R"(
  v_mov_b32 v1, 0
  v_exp_f32 v1, v1
  v_cvt_u32_f32 v2, v1
  v_lshlrev_b32 v2, 2, v2
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
)";

}  // namespace

TEST_CASE("fidelity: a kernel of exact instructions is exact and nothing else") {
  const Report report = report_of({.body = R"(
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    v_lshlrev_b32 v0, 2, v0
    v_fma_f32 v1, v0, v0, 1.0
    s_waitcnt lgkmcnt(0)
    global_store_dword v0, v1, s[4:5]
  )"});
  CHECK(report.fidelity.executed == 6);  // and s_endpgm
  CHECK(report.fidelity.exact == 6);
  CHECK(report.fidelity.instructions.empty());
  CHECK(report.fidelity.uses.value().empty());
  CHECK(report.uncertain_choices.empty());
}

TEST_CASE("fidelity: instructions of gfx950 by class, name and executions") {
  const Case kernel{.body = R"(
    v_mov_b32 v0, 0
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    s_mov_b32 s4, 3
  again:
    v_exp_f32 v1, v0
    s_sub_u32 s4, s4, 1
    s_cmp_lg_u32 s4, 0
    s_cbranch_scc1 again
    v_sqrt_f32 v1, v0
    v_exp_f16 v1, v0
    v_rcp_f64 v[2:3], v[4:5]
    v_dot2_f32_f16 v6, v0, v0, v0
    v_dot4_i32_i8 v6, v0, v0, v0
    v_cvt_sr_fp8_f32 v6, v0, v0
    v_mfma_f32_4x4x4_16b_f16 v[8:11], v[4:5], v[4:5], 0
    v_mfma_f32_4x4x1_16b_f32 v[8:11], v4, v4, 0
    v_mfma_i32_4x4x4_16b_i8 v[8:11], v4, v4, 0
    ds_write_b64 v0, v[4:5]
    ds_write_b32 v0, v4
    ds_read_b32 v1, v0
    ds_read_b64 v[2:3], v0
    ds_read_b64_tr_b16 v[2:3], v0
    ds_read_b96_tr_b6 v[8:10], v0
    ds_read_u16_d16 v1, v0
    ds_swizzle_b32 v1, v0 offset:0x1f
    s_memtime s[6:7]
    s_getreg_b32 s8, hwreg(HW_REG_MODE)
    s_getreg_b32 s8, hwreg(HW_REG_HW_ID)
    s_waitcnt lgkmcnt(0)
  )"};
  CHECK(classes(kernel) == Texts{
                               "approximate s_getreg_b32 values 1",
                               "approximate s_memtime values 1",
                               "approximate v_exp_f16 values 1",
                               "approximate v_exp_f32 values 3",
                               "approximate v_rcp_f64 values 1",
                               "approximate v_sqrt_f32 values 1",
                               "uncertain ds_read_b32 lds_cycles 1",
                               "uncertain ds_read_b64_tr_b16 lds_cycles 1",
                               "uncertain ds_read_b96_tr_b6 values 1",
                               "uncertain ds_read_u16_d16 values 1",
                               "uncertain ds_swizzle_b32 lds_cycles 1",
                               "uncertain ds_write_b32 lds_cycles 1",
                               "uncertain v_cvt_sr_fp8_f32 values 1",
                               "uncertain v_dot2_f32_f16 values 1",
                               "uncertain v_mfma_f32_4x4x1_16b_f32 values 1",
                               "uncertain v_mfma_f32_4x4x4_16b_f16 values 1",
                           });
  const Report report = report_of(kernel);
  const auto of = [&](std::string_view mnemonic) {
    return *std::ranges::find(report.fidelity.instructions, mnemonic, &InexactInstruction::mnemonic);
  };
  CHECK(of("v_exp_f32").bound == "1 ULP");
  CHECK(of("v_rcp_f64").bound == "2^29 ULP");  // the guides' note on V_RCP_F64
  CHECK(of("v_exp_f32").option.empty());
  CHECK(of("v_mfma_f32_4x4x4_16b_f16").option == "mfma_accumulation = exact");
  CHECK(of("ds_read_u16_d16").option == "d16_load = zeroes_other_half");
  CHECK(report.uncertain_choices ==
        Texts{"d16_load = zeroes_other_half", "lds_read_b32 = two_phases_of_32_banks",
              "lds_read_transpose = two_phases_of_32_lanes", "mfma_accumulation = exact"});
}

TEST_CASE("fidelity: matrix instructions of gfx942 are exact in the way that was measured") {
  const auto with = [](const std::string& instruction, MfmaAccumulation way) {
    const std::string body =
        fmt::format("v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n{}", instruction);
    return classes({.body = body, .processor = "gfx942", .options = {.mfma_accumulation = way}});
  };
  const std::string deep = "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0",
                    flat = "v_mfma_f32_32x32x8_bf16 v[8:23], v[4:5], v[4:5], 0",
                    bytes = "v_mfma_f32_16x16x32_fp8_bf8 v[8:11], v[4:5], v[4:5], 0",
                    single = "v_mfma_f32_16x16x4_f32 v[8:11], v4, v5, 0";
  using enum MfmaAccumulation;
  for (const std::string& one : {deep, flat, bytes, single}) {
    INFO(one);
    CHECK(with(one, groups_of_8).empty());
    CHECK(with(one, exact).size() == (one == single ? 0 : 1));
    CHECK(with(one, groups_of_16).size() == (one == deep ? 1 : 0));
    CHECK(with(one, sequential).size() == (one == single ? 0 : 1));
  }
  CHECK(with(deep, exact) == Texts{"approximate v_mfma_f32_16x16x16_f16 values 1"});
}

TEST_CASE("fidelity: lane moves are uncertain only where lanes were inactive and their sources count") {
  const std::string moves = R"(
    v_mov_b32 v1, v0
    v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf
    v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
    v_permlane32_swap_b32 v1, v0
  )";
  CHECK(classes({.body = moves}).empty());
  CHECK(classes({.body = "s_mov_b32 exec_lo, 0xff" + moves}) ==
        Texts{"uncertain v_mov_b32 values 1", "uncertain v_permlane32_swap_b32 values 1"});
}

TEST_CASE("fidelity: an approximate value in an address is told") {
  const Texts load{"address: global_load_dword <- v_exp_f32"};
  CHECK(uses({.body = approximate + "global_load_dword v3, v2, s[4:5]"}) == load);
  CHECK(uses({.body = approximate + "ds_read_b32 v3, v2"}) == Texts{"address: ds_read_b32 <- v_exp_f32"});
  CHECK(uses({.body = approximate + "v_mov_b32 v3, 0\nds_write_b32 v2, v3"}) ==
        Texts{"address: ds_write_b32 <- v_exp_f32"});
  CHECK(uses({.body = approximate + "scratch_store_dword v2, v0, off"}) ==
        Texts{"address: scratch_store_dword <- v_exp_f32"});
  CHECK(uses({.body = approximate + "v_readfirstlane_b32 s6, v2\ns_load_dword s7, s[4:5], s6"}) ==
        Texts{"address: s_load_dword <- v_exp_f32"});
  // Through M0 of a load to LDS.
  CHECK(uses({.body = approximate + R"(
    v_readfirstlane_b32 s6, v2
    s_mov_b32 m0, s6
    v_mov_b32 v3, 0
    global_load_lds_dword v3, s[4:5]
  )"}) == Texts{"address: global_load_lds_dword <- v_exp_f32"});
}

TEST_CASE("fidelity: an approximate value that is only stored is not told") {
  CHECK(uses({.body = approximate + "v_mov_b32 v3, 0\nglobal_store_dword v3, v2, s[4:5]"}).empty());
  CHECK(uses({.body = approximate + "v_mov_b32 v3, 0\nglobal_atomic_add v3, v2, s[4:5]"}).empty());
  CHECK(uses({.body = approximate + "v_mov_b32 v3, 0\nds_write_b32 v3, v2"}).empty());
  CHECK(uses({.body = approximate + "scratch_store_dword off, v2, off"}).empty());
  // A buffer's data comes before its address.
  const std::string resource = "s_mov_b32 s6, 0x1000\ns_mov_b32 s7, 0x00027000\nv_mov_b32 v3, 0\n";
  CHECK(uses({.body = approximate + resource + "buffer_store_dword v2, v3, s[4:7], 0 offen"}).empty());
  CHECK(uses({.body = approximate + resource + "buffer_store_dword v3, v2, s[4:7], 0 offen"}) ==
        Texts{"address: buffer_store_dword <- v_exp_f32"});
  CHECK(uses({.body = approximate + resource + "buffer_atomic_add v2, v3, s[4:7], 0 offen sc0"}).empty());
}

TEST_CASE("fidelity: an approximate value that decides a branch is told") {
  CHECK(uses({.body = approximate + R"(
    v_readfirstlane_b32 s6, v2
    s_cmp_lg_u32 s6, 4
    s_cbranch_scc1 end
  end:
  )"}) == Texts{"branch: s_cbranch_scc1 <- v_exp_f32"});
  CHECK(uses({.body = approximate + R"(
    v_cmp_lt_f32 vcc, 0, v1
    s_cbranch_vccz end
  end:
  )"}) == Texts{"branch: s_cbranch_vccz <- v_exp_f32"});
  // s_mul_i32 leaves SCC alone, s_add_u32 does not.
  const std::string flag = approximate + "v_readfirstlane_b32 s6, v2\ns_cmp_lg_u32 s6, 4\n";
  CHECK(uses({.body = flag + "s_mul_i32 s7, s2, s2\ns_cbranch_scc1 end\nend:"}).size() == 1);
  CHECK(uses({.body = flag + "s_add_u32 s7, s2, s2\ns_cbranch_scc1 end\nend:"}).empty());
  CHECK(uses({.body = flag + "s_cselect_b32 s7, 4, 8\ns_load_dword s8, s[4:5], s7"}) ==
        Texts{"address: s_load_dword <- v_exp_f32"});
}

TEST_CASE("fidelity: an approximate value that says which lanes are active is told, its end is not") {
  const std::string region = approximate + R"(
    v_cmp_lt_f32 vcc, 0, v1
    s_and_saveexec_b64 s[6:7], vcc
    s_cbranch_execz end
  end:
    s_or_b64 exec, exec, s[6:7]
    s_cbranch_execz last
  last:
  )";
  CHECK(uses({.body = region}) ==
        Texts{"exec: s_and_saveexec_b64 <- v_exp_f32", "branch: s_cbranch_execz <- v_exp_f32"});
  CHECK(uses({.body =
                  approximate + "v_cmpx_lt_f32 vcc, 0, v1\ns_mov_b64 exec, -1\ns_cbranch_execz end\nend:"}) ==
        Texts{"exec: v_cmpx_lt_f32_e32 <- v_exp_f32"});
  CHECK(uses({.body = approximate + "v_readfirstlane_b32 s6, v2\ns_mov_b32 exec_hi, s6"}) ==
        Texts{"exec: s_mov_b32 <- v_exp_f32"});
}

TEST_CASE("fidelity: values are followed through registers, LDS and scratch, and no further than they go") {
  const std::string load = "\nglobal_load_dword v3, v5, s[4:5]";
  const auto told = [&](const std::string& body) {
    return !uses({.body = approximate + body + load}).empty();
  };
  CHECK(told("v_mov_b32 v5, v2"));
  CHECK_FALSE(told("v_mov_b32 v5, v2\nv_mov_b32 v5, 0"));
  // Overwritten in half of the lanes.
  CHECK(told("v_mov_b32 v5, v2\ns_mov_b32 exec_lo, 0\nv_mov_b32 v5, 0\ns_mov_b64 exec, -1"));
  CHECK_FALSE(told("v_mov_b32 v5, 0\ns_mov_b64 exec, 0\nv_mov_b32 v5, v2\ns_mov_b64 exec, -1"));
  // By a mask.
  CHECK(told("v_cmp_lt_f32 vcc, 0, v1\nv_mov_b32 v5, 0\nv_cndmask_b32 v5, v5, v5, vcc"));
  CHECK(
      told("v_mov_b32 v6, 0\nds_write_b32 v6, v2\ns_waitcnt lgkmcnt(0)\nds_read_b32 v5, v6\n"
           "s_waitcnt lgkmcnt(0)"));
  CHECK_FALSE(
      told("v_mov_b32 v6, 0\nds_write_b32 v6, v2\nds_write_b32 v6, v6\ns_waitcnt lgkmcnt(0)\n"
           "ds_read_b32 v5, v6\ns_waitcnt lgkmcnt(0)"));
  CHECK_FALSE(
      told("v_mov_b32 v6, 0\nds_write_b32 v6, v2\nds_write_b32 v6, v6 offset:4\n"
           "s_waitcnt lgkmcnt(0)\nds_read_b32 v5, v6 offset:4\ns_waitcnt lgkmcnt(0)"));
  CHECK(
      told("scratch_store_dword off, v2, off\ns_waitcnt vmcnt(0)\nscratch_load_dword v5, off, off\n"
           "s_waitcnt vmcnt(0)"));
  CHECK(told("ds_bpermute_b32 v5, v0, v2\ns_waitcnt lgkmcnt(0)\nv_and_b32 v5, 4, v5"));
  // Global memory is the end of it.
  CHECK_FALSE(
      told("v_mov_b32 v6, 0\nglobal_store_dword v6, v2, s[4:5]\ns_waitcnt vmcnt(0)\n"
           "global_load_dword v5, v6, s[4:5]\ns_waitcnt vmcnt(0)"));
}

TEST_CASE("fidelity: approximate and uncertain origins of one value are told apart") {
  const Case kernel{.body = R"(
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    v_mfma_f32_4x4x4_16b_f16 v[8:11], v[4:5], v[4:5], 0
    s_nop 7
    v_exp_f32 v1, v8
    v_cmp_lt_f32 vcc, 0, v1
    s_cbranch_vccz end
  end:
  )"};
  const Report report = report_of(kernel);
  REQUIRE(report.fidelity.uses.value().size() == 1);
  const InexactUse& use = report.fidelity.uses->front();
  CHECK(use.from == std::vector<InexactUse::Origin>{{"v_mfma_f32_4x4x4_16b_f16", Fidelity::uncertain},
                                                    {"v_exp_f32", Fidelity::approximate}});
  CHECK(use.first.what ==
        "a branch depends on v_mfma_f32_4x4x4_16b_f16 (uncertain), v_exp_f32 (approximate)");
  CHECK(use.count == 1);
}

TEST_CASE("fidelity: uses are counted over waves and workgroups, whatever the threads and the schedule") {
  Case kernel{.body = approximate + "global_load_dword v3, v2, s[4:5]", .waves = 3, .workgroups = 5};
  for (const unsigned threads : {1u, 3u}) {
    for (const Schedule schedule : {Schedule::wave_by_wave, Schedule::random}) {
      kernel.options.threads = threads;
      kernel.options.schedule = schedule;
      const Report report = report_of(kernel);
      REQUIRE(report.fidelity.uses.value().size() == 1);
      CHECK(report.fidelity.uses->front().count == 15);
      CHECK(report.fidelity.uses->front().first.workgroup == std::array<std::uint32_t, 3>{});
    }
  }
  kernel.options.follow_inexact = false;
  const Report report = report_of(kernel);
  CHECK_FALSE(report.fidelity.uses);
  CHECK(report.fidelity.approximate == 15);
}

TEST_CASE("fidelity: SCC is set and read by the instructions that do so") {
  Snippets gfx950("gfx950");
  std::size_t tried = 0;
  for (const Row* row : all_rows()) {
    const std::string_view mnemonic = row->mnemonic;
    if (row->unit != Unit::salu || (row->targets & static_cast<GfxSet>(Gfx::gfx950)) == 0) continue;
    // Program counter and hardware registers: no arithmetic, no SCC.
    if (mnemonic.starts_with("s_getpc") || mnemonic.find("etreg") != std::string_view::npos) {
      CHECK_FALSE(sets_scc(*row));
      continue;
    }
    // Operands by type: the destination is s[8:9], sources are s[4:5] and s[6:7], immediates 9.
    std::string text(mnemonic), operands(row->operands);
    const bool result = !operands.starts_with("=");
    std::string_view comma = " ";
    unsigned reg = result ? 8 : 4;
    for (std::size_t at = 0; at < operands.size();) {
      const std::size_t end = std::min(operands.find(' ', at), operands.size());
      const std::string type = operands.substr(at, end - at);
      at = end + 1;
      if (type == "=") {
        reg = 4;
        continue;
      }
      text += comma;
      comma = ", ";
      text += type == "skip"         ? "9"
              : type.ends_with("64") ? fmt::format("s[{}:{}]", reg, reg + 1)
                                     : fmt::format("s{}", reg);
      reg += 2;
    }
    INFO(text);
    bool sets = false, reads = false;
    for (const std::uint32_t a : {0u, 9u, 0x80000001u, 0xffffffffu}) {
      for (const std::uint32_t b : {0u, 9u, 0x7fffffffu, 0xffffffffu}) {
        Output out[2];
        for (const bool scc : {false, true}) {
          Input in;
          in.s(4, a).s(5, a).s(6, b).s(7, b).s(8, 0x55555555u).s(9, 0x55555555u);
          in.exec = 0xff00ff00ff00ff00u;
          in.scc = scc;
          out[scc] = gfx950.run(text, in);
          sets = sets || out[scc].scc != scc;
        }
        reads = reads || out[0].scalars != out[1].scalars || out[0].exec != out[1].exec;
      }
    }
    CHECK(sets_scc(*row) == sets);
    CHECK(reads_scc(*row) == reads);
    ++tried;
  }
  CHECK(tried > 100);
}

}  // namespace wavesmith::simulator::testing
