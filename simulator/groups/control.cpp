// Branches and calls, waits, barriers, the end of a wave, hardware registers, and instructions without effect
// on values.
#include <array>

#include <fmt/format.h>

#include "simulator/groups/groups.h"
#include "simulator/groups/scalar.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator::groups {
namespace {

template <auto Condition>
void branch_if(Wave& wave, const Instruction& i) {
  if (Condition(wave)) wave.next = i.target;
}

constexpr auto always = [](const Wave&) { return true; };
constexpr auto never = [](const Wave&) { return false; };
constexpr auto scc_clear = [](const Wave& w) { return !w.scc; };
constexpr auto scc_set = [](const Wave& w) { return w.scc; };
constexpr auto vcc_zero = [](const Wave& w) { return w.vcc() == 0; };
constexpr auto vcc_nonzero = [](const Wave& w) { return w.vcc() != 0; };
constexpr auto exec_zero = [](const Wave& w) { return w.exec() == 0; };
constexpr auto exec_nonzero = [](const Wave& w) { return w.exec() != 0; };

void go_to(Wave& wave, const Instruction& i, u64 address) {
  const auto found = wave.program->index_of.find(address);
  if (found == wave.program->index_of.end()) {
    return wave.fail(i,
                     fmt::format("jumps to {:#x} in the code object, where no reachable instruction begins",
                                 address - wave.program->load_base));
  }
  wave.next = found->second;
}

void get_pc(Wave& wave, const Instruction& i) {
  wave.write64(i.operands[0], i.pc + i.size);
}
void set_pc(Wave& wave, const Instruction& i) {
  go_to(wave, i, wave.read64(i.operands[0]));
}
void swap_pc(Wave& wave, const Instruction& i) {
  const u64 target = wave.read64(i.operands[1]);
  wave.write64(i.operands[0], i.pc + i.size);
  go_to(wave, i, target);
}
void call(Wave& wave, const Instruction& i) {
  wave.write64(i.operands[0], i.pc + i.size);
  wave.next = i.target;
}

void no_effect(Wave&, const Instruction&) {}

void end_program(Wave& wave, const Instruction&) {
  wave.in_flight.drain(wave);
  if (wave.signal == Signal::none) wave.signal = Signal::end;
}

void barrier(Wave& wave, const Instruction& i) {
  wave.barrier_pc = i.pc;
  wave.signal = Signal::barrier;
  wave.group->arrive(wave);
}

struct WaitCounts {
  unsigned load, lgkm;
};

/// The counters of s_waitcnt; expcnt only concerns exports.
WaitCounts wait_counts(WaitEncoding encoding, u32 simm) {
  switch (encoding) {
    case WaitEncoding::gfx9:
      return {(simm & 15) | (simm >> 14 & 3) << 4, simm >> 8 & 15};
    case WaitEncoding::gfx10:
      return {(simm & 15) | (simm >> 14 & 3) << 4, simm >> 8 & 63};
    case WaitEncoding::gfx11:
    case WaitEncoding::gfx12:
      break;
  }
  return {simm >> 10 & 63, simm >> 4 & 63};
}

void wait_count(Wave& wave, const Instruction& i) {
  const WaitCounts counts = wait_counts(wave.processor->wait_encoding, i.simm16);
  wave.in_flight.wait(wave, QueueId::load, counts.load);
  wave.in_flight.wait_lgkm(wave, counts.lgkm);
}

// Hardware registers of s_getreg and s_setreg: simm16 is id [5:0], first bit [10:6], bits - 1 [15:11].
constexpr u32 kModeRegister = 1, kStatusRegister = 2, kTrapStatusRegister = 3;

struct HardwareField {
  u32 id, offset, mask;
};
HardwareField hardware_field(const Instruction& i) {
  const u32 bits = (i.simm16 >> 11) + 1u;
  return {i.simm16 & 63u, i.simm16 >> 6 & 31u, bits == 32 ? ~0u : (1u << bits) - 1};
}

void get_register(Wave& wave, const Instruction& i) {
  const HardwareField field = hardware_field(i);
  u32 value = 0;  // identities, allocation and trap state are not modelled and read as zero
  if (field.id == kModeRegister) value = wave.mode.bits;
  if (field.id == kStatusRegister) {
    value = (wave.scc ? 1u : 0u) | (wave.exec() == 0 ? 1u << 9 : 0u) | (wave.vcc() == 0 ? 1u << 10 : 0u);
  }
  wave.write32(i.operands[0], value >> field.offset & field.mask);
}

void set_register_to(Wave& wave, const Instruction& i, u32 value) {
  const HardwareField field = hardware_field(i);
  if (field.id == kTrapStatusRegister) return;  // no traps are taken
  if (field.id != kModeRegister) {
    return wave.fail(i, fmt::format("writing hardware register {} is not implemented", field.id));
  }
  const u32 mask = field.mask << field.offset;
  wave.mode.bits = (wave.mode.bits & ~mask) | (value << field.offset & mask);
}

void set_register(Wave& wave, const Instruction& i) {
  set_register_to(wave, i, wave.read32(i.operands[1]));
}
void set_register_literal(Wave& wave, const Instruction& i) {
  set_register_to(wave, i, i.literal);
}

void trap(Wave& wave, const Instruction& i) {
  wave.fail(i, fmt::format("trap {}", i.simm16));
}
void halt(Wave& wave, const Instruction& i) {
  if ((i.simm16 & 1) != 0) wave.fail(i, "the wave halts itself");
}

constexpr FormSet kPlain = static_cast<FormSet>(Form::plain);

template <auto Condition>
constexpr Row conditional(std::string_view mnemonic) {
  return {mnemonic,
          kPlain,
          "= skip",
          same(branch_if<Condition>),
          Unit::branch,
          kNoModifiers,
          traits(Trait::branch)};
}
constexpr Row nothing(std::string_view mnemonic, std::string_view operands, GfxSet targets = kEveryTarget) {
  return {mnemonic, kPlain, operands, same(no_effect), Unit::other, static_cast<AcceptSet>(Accepts::cache),
          0,        targets};
}
constexpr Row control_row(std::string_view mnemonic, std::string_view operands, Handler handler, Unit unit,
                          TraitSet with = 0) {
  return {mnemonic, kPlain, operands, same(handler), unit, kNoModifiers, with};
}

constexpr Row kRows[] = {
    control_row("s_branch", "= skip", branch_if<always>, Unit::branch, traits(Trait::jump)),
    conditional<scc_clear>("s_cbranch_scc0"),
    conditional<scc_set>("s_cbranch_scc1"),
    conditional<vcc_zero>("s_cbranch_vccz"),
    conditional<vcc_nonzero>("s_cbranch_vccnz"),
    conditional<exec_zero>("s_cbranch_execz"),
    conditional<exec_nonzero>("s_cbranch_execnz"),
    conditional<never>("s_cbranch_cdbgsys"),
    conditional<never>("s_cbranch_cdbguser"),
    conditional<never>("s_cbranch_cdbgsys_or_user"),
    conditional<never>("s_cbranch_cdbgsys_and_user"),
    control_row("s_getpc_b64", "b64 =", get_pc, Unit::salu),
    control_row("s_setpc_b64", "= b64", set_pc, Unit::branch, traits(Trait::indirect)),
    control_row("s_swappc_b64", "b64 = b64", swap_pc, Unit::branch, traits(Trait::indirect)),
    control_row("s_call_b64", "b64 = skip", call, Unit::branch, traits(Trait::call)),
    control_row("s_endpgm", "= skip", end_program, Unit::other, traits(Trait::end)),
    control_row("s_barrier", "=", barrier, Unit::wait, traits(Trait::wait)),
    control_row("s_waitcnt", "= skip", wait_count, Unit::wait, traits(Trait::wait)),
    control_row("s_getreg_b32", "b32 = skip", get_register, Unit::salu),
    control_row("s_setreg_b32", "= skip b32", set_register, Unit::salu),
    control_row("s_setreg_imm32_b32", "= skip b32", set_register_literal, Unit::salu),
    control_row("s_trap", "= skip", trap, Unit::other),
    control_row("s_sethalt", "= skip", halt, Unit::other),
    nothing("s_nop", "= skip"),
    nothing("s_sleep", "= skip"),
    nothing("s_setprio", "= skip"),
    nothing("s_sendmsg", "= skip"),
    nothing("s_icache_inv", "="),
    nothing("s_dcache_inv", "="),
    nothing("s_dcache_wb", "=", kCdna),
    nothing("s_wakeup", "="),
    nothing("s_incperflevel", "= skip"),
    nothing("s_decperflevel", "= skip"),
    nothing("s_ttracedata", "="),
    nothing("s_clause", "= skip", kRdna),
    nothing("s_delay_alu", "= skip", kGfx11Up),
    nothing("buffer_inv", "=", kCdna),
    nothing("buffer_wbl2", "=", kCdna),
};

}  // namespace

std::span<const Row> control() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
