// SALU of the RDNA processors in wave32: EXEC saves of 32 bits, gfx11's names of older operations, and hints
// without effect, against values worked out by hand from the ISA text.
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "snippet.h"

namespace {

using namespace wavesmith::simulator::testing;

/// Runs `mnemonic s0, s2` with S0 = 0xff00ff0c and EXEC = 0x0ff00fa5: D is the old EXEC.
void check_save(Snippets& rdna, const std::string& mnemonic, std::uint32_t exec) {
  Input in;
  in.s(0, 0).s(2, 0xff00ff0c);
  in.exec = 0x0ff00fa5;
  const Output out = rdna.run(mnemonic + " s0, s2", in);
  INFO(mnemonic);
  CHECK(out.s(0) == 0x0ff00fa5);
  CHECK(out.exec == exec);
  CHECK(out.scc);
}

}  // namespace

TEST_CASE("RDNA: EXEC saves of 32 bits") {
  const std::string processor = GENERATE("gfx1030", "gfx1100", "gfx1151", "gfx1201");
  INFO(processor);
  Snippets rdna(processor, 32);
  check_save(rdna, "s_and_saveexec_b32", 0x0f000f04);
  check_save(rdna, "s_or_saveexec_b32", 0xfff0ffad);
  check_save(rdna, "s_xor_saveexec_b32", 0xf0f0f0a9);
  check_save(rdna, "s_nand_saveexec_b32", 0xf0fff0fb);
  check_save(rdna, "s_nor_saveexec_b32", 0x000f0052);
  check_save(rdna, "s_xnor_saveexec_b32", 0x0f0f0f56);
  const bool old_names = processor == "gfx1030";
  check_save(rdna, old_names ? "s_andn2_saveexec_b32" : "s_and_not1_saveexec_b32", 0xf000f008);
  check_save(rdna, old_names ? "s_orn2_saveexec_b32" : "s_or_not1_saveexec_b32", 0xff0fff5e);
  check_save(rdna, old_names ? "s_andn1_saveexec_b32" : "s_and_not0_saveexec_b32", 0x00f000a1);
  check_save(rdna, old_names ? "s_orn1_saveexec_b32" : "s_or_not0_saveexec_b32", 0x0fff0ff7);

  Input none;
  none.s(2, 0xf0);
  none.exec = 0x0f;
  none.scc = true;
  const Output out = rdna.run("s_clause 0x1\ns_and_saveexec_b32 s0, s2", none);
  CHECK(out.exec == 0);
  CHECK_FALSE(out.scc);
}

TEST_CASE("RDNA: gfx11's names of scalar bit operations") {
  Snippets rdna(GENERATE("gfx1100", "gfx1151", "gfx1201"), 32);
  Input in;
  in.s64(0, 0).s64(2, 0x00f0000000000c00).s64(4, 0x0030000000000800);
  CHECK(rdna.run("s_and_not1_b32 s0, s2, s4", in).s(0) == 0x400);
  CHECK(rdna.run("s_and_not1_b64 s[0:1], s[2:3], s[4:5]", in).s64(0) == 0x00c0000000000400);
  CHECK(rdna.run("s_or_not1_b32 s0, s2, s4", in).s(0) == 0xffffffff);
  CHECK(rdna.run("s_or_not1_b64 s[0:1], s[2:3], s[4:5]", in).s64(0) == 0xffffffffffffffff);
  CHECK(rdna.run("s_or_not1_b32 s0, s4, s2", in).s(0) == 0xfffffbff);
  CHECK(rdna.run("s_ctz_i32_b32 s0, s2", in).s(0) == 10);
  CHECK(rdna.run("s_ctz_i32_b64 s0, s[2:3]", in).s(0) == 10);
  CHECK(rdna.run("s_clz_i32_u32 s0, s2", in).s(0) == 20);
  CHECK(rdna.run("s_clz_i32_u64 s0, s[2:3]", in).s(0) == 8);
  CHECK(rdna.run("s_clz_i32_u32 s0, 0", in).s(0) == 0xffffffff);
  CHECK(rdna.run("s_ctz_i32_b32 s0, 0", in).s(0) == 0xffffffff);
  CHECK(rdna.run("s_delay_alu instid0(SALU_CYCLE_1)\ns_clause 0x1\ns_and_not1_b32 s0, s2, s4", in).s(0) ==
        0x400);
}

TEST_CASE("RDNA: EXEC saves of 64 bits under gfx11's names, in wave64") {
  Snippets rdna(GENERATE("gfx1100", "gfx1151", "gfx1201"), 64);
  Input in;
  in.s64(0, 0).s64(2, 0xff00ff0cff00ff0c);
  in.exec = 0x0ff00fa50ff00fa5;
  const auto exec_after = [&](const char* text) {
    const Output out = rdna.run(text, in);
    CHECK(out.s64(0) == 0x0ff00fa50ff00fa5);
    CHECK(out.scc);
    return out.exec;
  };
  CHECK(exec_after("s_and_not1_saveexec_b64 s[0:1], s[2:3]") == 0xf000f008f000f008);
  CHECK(exec_after("s_or_not1_saveexec_b64 s[0:1], s[2:3]") == 0xff0fff5eff0fff5e);
  CHECK(exec_after("s_and_not0_saveexec_b64 s[0:1], s[2:3]") == 0x00f000a100f000a1);
  CHECK(exec_after("s_or_not0_saveexec_b64 s[0:1], s[2:3]") == 0x0fff0ff70fff0ff7);
}
