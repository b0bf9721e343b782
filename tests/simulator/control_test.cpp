// Branches, calls, waits, hardware registers, and forms that must be refused.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "snippet.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// s0 is 1 where the branch was not taken and 2 where it was.
std::string branch(const std::string& mnemonic) {
  return mnemonic + " target\ns_mov_b32 s0, 1\ns_branch done\ntarget:\ns_mov_b32 s0, 2\ndone:\ns_nop 0";
}

}  // namespace

TEST_CASE("conditional branches") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  for (const bool scc : {false, true}) {
    Input in;
    in.scc = scc;
    CHECK(cdna.run(branch("s_cbranch_scc0"), in).s(0) == (scc ? 1u : 2u));
    CHECK(cdna.run(branch("s_cbranch_scc1"), in).s(0) == (scc ? 2u : 1u));
  }
  for (const u64 mask : {u64{0}, u64{1}, u64{1} << 63}) {
    Input in;
    in.vcc = mask;
    in.exec = mask;
    CHECK(cdna.run(branch("s_cbranch_vccz"), in).s(0) == (mask == 0 ? 2u : 1u));
    CHECK(cdna.run(branch("s_cbranch_vccnz"), in).s(0) == (mask == 0 ? 1u : 2u));
    CHECK(cdna.run(branch("s_cbranch_execz"), in).s(0) == (mask == 0 ? 2u : 1u));
    CHECK(cdna.run(branch("s_cbranch_execnz"), in).s(0) == (mask == 0 ? 1u : 2u));
  }
  CHECK(cdna.run(branch("s_branch"), Input()).s(0) == 2);
  // No debugger is attached.
  for (const char* name : {"s_cbranch_cdbgsys", "s_cbranch_cdbguser", "s_cbranch_cdbgsys_or_user",
                           "s_cbranch_cdbgsys_and_user"}) {
    CHECK(cdna.run(branch(name), Input()).s(0) == 1);
  }
}

TEST_CASE("a loop runs as often as it says") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const Output out = cdna.run(
      "s_mov_b32 s0, 0\nloop:\ns_add_u32 s0, s0, 3\ns_cmp_lt_u32 s0, 30\ns_cbranch_scc1 loop", Input());
  CHECK(out.s(0) == 30);
  REQUIRE(out.counters.size() == 5);
  CHECK(out.counters[0].executions == 1);
  CHECK(out.counters[1].executions == 10);
  CHECK(out.counters[3].executions == 10);
}

TEST_CASE("calls return behind themselves") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const Output out = cdna.run(
      "s_call_b64 s[10:11], function\ns_mov_b32 s1, 7\ns_branch done\nfunction:\ns_mov_b32 s0, "
      "5\ns_setpc_b64 s[10:11]\n"
      "done:\ns_nop 0",
      Input());
  CHECK(out.s(0) == 5);
  CHECK(out.s(1) == 7);
  // s_getpc gives the address of the next instruction; 12 further on is behind the swap and the skipped move.
  const Output jump = cdna.run(
      "s_mov_b32 s0, 1\ns_getpc_b64 s[2:3]\ns_add_u32 s2, s2, 12\ns_swappc_b64 s[4:5], s[2:3]\ns_mov_b32 s0, "
      "9\n"
      "s_mov_b32 s1, 3",
      Input());
  REQUIRE(!jump.fault);
  CHECK(jump.s(0) == 1);
  CHECK(jump.s(1) == 3);
  CHECK(jump.s64(4) == jump.s64(2) - 4);
}

TEST_CASE("a jump into nowhere is a fault") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const Output out = cdna.run("s_setpc_b64 s[2:3]", Input().s64(2, 0x1234));
  REQUIRE(out.fault);
  CHECK(out.fault->what.find("jumps to") != std::string::npos);
}

TEST_CASE("MODE is read and written by field") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  Input in;
  in.mode = 0x2f0;
  CHECK(cdna.run("s_getreg_b32 s0, hwreg(HW_REG_MODE)", in).s(0) == 0x2f0);
  CHECK(cdna.run("s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)", in).s(0) == 0xf);
  CHECK(cdna.run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0", in).mode == 0x2c0);
  CHECK(cdna.run("s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s1", in.s(1, 0xffa)).mode == 0x2fa);
  in.exec = 0;
  in.scc = true;
  CHECK(cdna.run("s_getreg_b32 s0, hwreg(HW_REG_STATUS)", in).s(0) == (1u | 1u << 9 | 1u << 10));
  const Output refused = cdna.run("s_setreg_b32 hwreg(HW_REG_LDS_ALLOC), s1", in);
  REQUIRE(refused.fault);
}

TEST_CASE("instructions without effect on values have none") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  for (const char* text : {"s_nop 7", "s_sleep 3", "s_setprio 2", "s_icache_inv", "s_dcache_inv",
                           "s_dcache_wb", "s_wakeup", "s_sendmsg sendmsg(MSG_INTERRUPT)", "s_ttracedata",
                           "s_incperflevel 1", "s_decperflevel 1", "buffer_inv sc1", "buffer_wbl2 sc0 sc1",
                           "s_waitcnt 0", "s_barrier", "s_cbranch_cdbgsys 4", "s_sethalt 0", "v_nop"}) {
    INFO(text);
    Input in;
    in.s(0, 17).v(0, 18);
    in.scc = true;
    // The distance of the debugger's branch must lead to code.
    const Output out =
        cdna.run(std::string(text) + "\nv_mov_b32 v0, v0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0", in);
    CHECK(!out.fault);
    CHECK(out.s(0) == 17);
    CHECK(out.v(0)[5] == 18);
    CHECK(out.scc);
  }
}

TEST_CASE("traps and halts stop the dispatch") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  CHECK(cdna.run("s_trap 2", Input()).fault);
  CHECK(cdna.run("s_sethalt 1", Input()).fault);
}

TEST_CASE("a wave that makes no progress is stopped") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  Input in;
  in.options.steps_per_wave = 1000;
  const Output out = cdna.run("loop:\ns_branch loop", in);
  REQUIRE(out.fault);
  CHECK(out.fault->what.find("no progress") != std::string::npos);
}

TEST_CASE("what is not implemented is refused with its text and address") {
  Snippets cdna(GENERATE("gfx950", "gfx942"));
  const auto mnemonic = cdna.try_run("s_nop 0\ns_movrels_b32 s0, s1", Input());
  REQUIRE(!mnemonic);
  CHECK(mnemonic.error().message.find("0x4: s_movrels_b32 s0, s1: s_movrels_b32 is not implemented") !=
        std::string::npos);
  // The assembler takes clamp on a 24-bit product; what it does there is not described.
  const auto modifier = cdna.try_run("v_mul_u32_u24_e64 v0, v1, v2 clamp", Input());
  REQUIRE(!modifier);
  CHECK(modifier.error().message.find("modifier") != std::string::npos);
  // Unreachable code need not be implemented.
  CHECK(cdna.try_run("s_branch over\ns_movrels_b32 s0, s1\nover:\ns_nop 0", Input()));
}
