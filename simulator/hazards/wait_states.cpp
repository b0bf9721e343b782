// The rules. Numbers: CDNA3 and CDNA4 guides, "manually inserted wait states", as LLVM's hazard recogniser
// applies them to gfx942 and gfx950 (both alike, but that only gfx950 has the lane swaps).
#include "simulator/hazards/wait_states.h"

#include <algorithm>

#include <fmt/format.h>

#include "simulator/hazards/hazard_kind.h"
#include "simulator/wave.h"

namespace wavesmith::simulator {
namespace {

constexpr unsigned kHardwareRegisterMask = 63;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

unsigned slots_of(const Instruction& i) {
  return i.row->mnemonic == "s_nop" ? (i.simm16 & 15u) + 1u : 1u;
}

bool meet(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.reg < b.reg + std::uint32_t{b.width} && b.reg < a.reg + std::uint32_t{a.width};
}
/// Whether a register that `first` writes is among the operands [begin, end) of `second`.
bool writes_one_of(const Instruction& first, OperandKind kind, const Instruction& second, unsigned begin,
                   unsigned end) {
  for (unsigned d = 0; d < first.destinations; ++d) {
    if (first.operands[d].kind != kind || (kind == OperandKind::scalar && first.operands[d].reg >= kTtmp))
      continue;
    for (unsigned k = begin; k < end; ++k)
      if (meet(first.operands[d], second.operands[k])) return true;
  }
  return false;
}
bool writes_scalar(const Instruction& i, std::uint32_t index) {
  return std::ranges::any_of(i.operands.begin(), i.operands.begin() + i.destinations, [&](const Operand& o) {
    return o.kind == OperandKind::scalar && o.reg <= index && index < o.reg + std::uint32_t{o.width};
  });
}

}  // namespace

WaitStates::Role WaitStates::role_of(const Instruction& i) {
  const std::string_view mnemonic = i.row->mnemonic;
  const Unit unit = i.row->unit;
  Role role;
  role.trans = unit == Unit::trans;
  role.valu = unit == Unit::valu || role.trans;
  role.mfma = unit == Unit::mfma;
  role.vector_memory = unit == Unit::vmem_load || unit == Unit::vmem_store;
  role.dpp = i.has_dpp;
  role.permlane_swap = mnemonic.starts_with("v_permlane") && mnemonic.ends_with("_swap_b32");
  role.dot = mnemonic.starts_with("v_dot");
  role.div_fmas = mnemonic.starts_with("v_div_fmas");
  role.reads_lane = mnemonic == "v_readlane_b32" || mnemonic == "v_readfirstlane_b32";
  role.lane_access = role.reads_lane || mnemonic == "v_writelane_b32";
  if (role.lane_access && mnemonic != "v_readfirstlane_b32")
    role.lane_select = static_cast<std::uint8_t>(i.destinations + 1u);
  role.compares_into_exec = mnemonic.starts_with("v_cmpx");
  const bool upper_half = role.valu && (i.row->accepted & static_cast<AcceptSet>(Accepts::op_sel)) != 0 &&
                          (i.modifiers.op_sel & 8) != 0;
  role.writes_part = (i.has_sdwa && i.modifiers.sdwa.dst_sel != 6) || upper_half;
  role.rereads = (i.row->traits & static_cast<TraitSet>(Trait::reads_destination)) != 0;
  role.writes_m0 = unit == Unit::salu && writes_scalar(i, kM0);
  role.uses_m0 = mnemonic.starts_with("s_sendmsg") || has(mnemonic, "addtid") || has(mnemonic, "_lds_") ||
                 contains(kBufferLdsForms, i.form);
  role.sets_register = mnemonic.starts_with("s_setreg");
  if (role.sets_register || mnemonic.starts_with("s_getreg"))
    role.hardware_register = static_cast<std::uint8_t>(i.simm16 & kHardwareRegisterMask);
  if (unit == Unit::vmem_store) {
    // An SGPR as scalar offset takes the cycles that the data needs.
    const bool buffer = mnemonic.starts_with("buffer");
    const auto data = static_cast<std::uint8_t>(buffer ? 0u : i.destinations + 1u);
    const bool delayed = buffer && i.operands[i.operand_count - 1u].kind == OperandKind::scalar;
    if (!delayed && i.operands[data].width > 2) role.wide_data = data;
  }
  return role;
}

WaitStates::Demand WaitStates::demand(const Instruction& first, const Role& before, const Instruction& second,
                                      const Role& after) {
  Demand most;
  const auto want = [&](unsigned states, std::string_view why) {
    if (states > most.states) most = {states, why};
  };
  const unsigned sources = second.destinations, all = second.operand_count;
  if (before.valu) {
    const bool scalar = writes_one_of(first, OperandKind::scalar, second, sources, all);
    if (scalar && after.vector_memory) want(5, "a memory instruction reads an SGPR that VALU wrote");
    if (scalar && after.valu) want(2, "VALU reads an SGPR or VCC that VALU wrote");
    if (after.lane_select != Role::kNone &&
        writes_one_of(first, OperandKind::scalar, second, after.lane_select, after.lane_select + 1u))
      want(4, "an SGPR that VALU wrote selects a lane");
    if (after.div_fmas && writes_scalar(first, kVcc)) want(4, "v_div_fmas reads a VCC that VALU wrote");
    const bool vector = writes_one_of(first, OperandKind::vector, second, after.rereads ? 0 : sources, all);
    if (vector && after.dpp) want(2, "DPP reads a register that VALU wrote");
    if (vector && after.permlane_swap) want(2, "lanes are swapped of a register that VALU wrote");
    if (vector && after.reads_lane) want(1, "a lane is read of a register that VALU wrote");
    if (vector && before.trans && after.valu && !after.trans)
      want(1, "VALU reads what a transcendental instruction wrote");
    const bool overwrites = writes_one_of(first, OperandKind::vector, second, 0, sources);
    if ((vector || overwrites) && before.writes_part && after.valu)
      want(1, "VALU uses a register of which a part was just written");
    const bool accumulates = first.row == second.row && !writes_one_of(first, OperandKind::vector, second,
                                                                       sources, std::min(sources + 2u, all));
    if ((vector || overwrites) && before.dot && after.valu && !accumulates)
      want(3, "the result of a dot product is used other than as accumulator of the same");
  }
  if (before.compares_into_exec) {
    if (after.dpp) want(5, "DPP follows v_cmpx, which writes EXEC");
    if (after.lane_access) want(4, "a lane is accessed behind v_cmpx, which writes EXEC");
    if (after.permlane_swap) want(4, "lanes are swapped behind v_cmpx, which writes EXEC");
    if (after.mfma) want(4, "MFMA follows v_cmpx, which writes EXEC");
  }
  if (before.writes_m0 && after.uses_m0)
    want(1, "M0 is used right behind the SALU instruction that writes it");
  if (before.sets_register && after.hardware_register == before.hardware_register)
    want(2, "a hardware register is accessed behind the s_setreg that writes it");
  if (before.wide_data != Role::kNone && after.valu) {
    for (unsigned d = 0; d < second.destinations; ++d)
      if (meet(second.operands[d], first.operands[before.wide_data]))
        want(2, "VALU overwrites the data of a store of more than 64 bits");
  }
  return most;
}

void WaitStates::start(const Program& program, std::size_t waves) {
  roles_.clear();
  for (const Instruction& instruction : program.code) roles_.push_back(role_of(instruction));
  verdicts_.assign(program.code.size(), Verdict::unknown);
  waves_.assign(waves, {});
}

void WaitStates::check(Wave& wave, const Instruction& instruction) {
  if (!wave.processor->is_cdna()) return;
  const WaveState& state = waves_[wave.index];
  const bool in_order = state.in_order >= kRemembered && state.recent[0]->index + 1 == instruction.index;
  Verdict& verdict = verdicts_[instruction.index];
  if (in_order && verdict == Verdict::clean) return;
  bool found = false;
  unsigned between = 0;
  for (std::size_t back = 0; back < kRemembered && between < kMost && !found; ++back) {
    const Instruction* first = state.recent[back];
    if (first == nullptr) break;
    const Demand wanted = demand(*first, roles_[first->index], instruction, roles_[instruction.index]);
    if (wanted.states > between) {
      found = true;
      wave.hazard(instruction, HazardKind::wait_states,
                  fmt::format("{} wait states lie between this and {:#x}: {}, and {} are needed: {}", between,
                              first->pc - wave.program->load_base, wave.program->text[first->index],
                              wanted.states, wanted.why));
    }
    between += slots_of(*first);
  }
  if (in_order) verdict = found ? Verdict::found : Verdict::clean;
}

void WaitStates::note(const Wave& wave, const Instruction& instruction) {
  if (!wave.processor->is_cdna()) return;
  WaveState& state = waves_[wave.index];
  const bool follows = state.recent[0] != nullptr && state.recent[0]->index + 1 == instruction.index;
  state.in_order = follows ? state.in_order + 1 : 1;
  std::shift_right(state.recent.begin(), state.recent.end(), 1);
  state.recent[0] = &instruction;
}

}  // namespace wavesmith::simulator
