// Origins of every register: read from the sources, written to the destinations, compared with nothing.
#include "simulator/fidelity/tracker.h"

#include <algorithm>

#include "simulator/workgroup.h"

namespace wavesmith::simulator {
namespace {

bool rereads(const Instruction& instruction) {
  return (instruction.row->traits & static_cast<TraitSet>(Trait::reads_destination)) != 0;
}

bool names_exec(const Operand& operand) {
  return operand.kind == OperandKind::scalar && (operand.reg == kExec || operand.reg == kExec + 1);
}

template <class Registers>
Origins any_of(const Registers& registers, std::uint32_t first, unsigned count) {
  Origins origins = 0;
  for (unsigned k = 0; k < count; ++k) origins |= registers[first + k];
  return origins;
}

/// Of what an operand reads.
template <class State>
Origins origins_of(const State& state, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::vector:
      return any_of(state.rows, operand.reg, operand.width);
    case OperandKind::scalar:
      return any_of(state.scalar, operand.reg, operand.width);
    case OperandKind::special:
      switch (static_cast<SpecialRegister>(operand.reg)) {
        case SpecialRegister::scc:
          return state.scc;
        case SpecialRegister::vccz:
          return any_of(state.scalar, kVcc, 2);
        case SpecialRegister::execz:
          return any_of(state.scalar, kExec, 2);
      }
      return 0;
    default:
      return 0;
  }
}

/// Makes an operand's registers depend on `origins`, those besides what they depend on already where part of
/// the old value stays.
template <class State>
void set_origins(State& state, const Operand& operand, Origins origins, bool part_stays) {
  for (std::uint32_t reg = operand.reg; reg < operand.reg + std::uint32_t{operand.width}; ++reg) {
    if (operand.kind == OperandKind::vector) state.rows[reg] = origins | (part_stays ? state.rows[reg] : 0);
    if (operand.kind == OperandKind::scalar) state.scalar[reg] = origins;
  }
}

}  // namespace

void InexactTracker::start(const Workgroup& group, const FlowTable& table, InexactUseLog& log) {
  table_ = &table;
  log_ = &log;
  waves_.resize(group.waves.size());
  for (State& state : waves_) {
    state.any = false;
    state.scc = state.scratch = 0;
    state.scalar.fill(0);
    state.rows.assign(group.dispatch->program->rows(), 0);
  }
  lds_.assign((group.lds.size() + 3) / 4, 0);
  any_in_lds_ = false;
}

void InexactTracker::before(Wave& wave, const Instruction& instruction) {
  State& state = waves_[wave.index];
  const Flow& flow = table_->flows[instruction.index];
  current_ = &state;
  data_ = 0;
  if (!state.any && flow.own == 0) return;
  if (flow.needs_lanes && wave.exec() == 0) return;
  follow(wave, state, instruction, flow);
}

InexactTracker::Inputs InexactTracker::inputs(const State& state, const Instruction& instruction,
                                              const Flow& flow) const {
  Inputs in;
  const bool old_too = rereads(instruction) || flow.keeps_if_scc;
  for (unsigned k = old_too ? 0 : instruction.destinations; k < instruction.operand_count; ++k) {
    const Operand& operand = instruction.operands[k];
    const Origins origins = origins_of(state, operand);
    if ((flow.addresses >> k & 1) != 0) {
      in.address |= origins;
    } else {
      in.values |= origins;
      if (!names_exec(operand)) in.beside_exec |= origins;
    }
  }
  if (flow.m0_is_address) in.address |= state.scalar[kM0];
  if (flow.reads_scc) in.values |= state.scc;
  if (flow.reads_vcc) in.values |= any_of(state.scalar, kVcc, 2);
  return in;
}

void InexactTracker::follow(Wave& wave, State& state, const Instruction& instruction, const Flow& flow) {
  const Inputs in = inputs(state, instruction, flow);
  if (in.address != 0) note(wave, instruction, InexactUseKind::address, in.address);
  decide(wave, state, instruction, flow, in);
  const Origins own = flow.own_if_partial && wave.all_lanes() ? 0 : flow.own;
  state.any = state.any || own != 0;
  data_ = in.values;
  Origins result = in.values | in.address | own;
  if (instruction.row->unit == Unit::branch) result = 0;  // a return address
  if (flow.scratch) {
    if (instruction.row->unit == Unit::vmem_store) state.scratch |= in.values;
    result |= state.scratch;
  }
  if (flow.writes_scc) state.scc = result | (flow.writes_exec ? any_of(state.scalar, kExec, 2) : 0);
  if (flow.saves_exec || flow.writes_exec || flow.joins_exec) {
    follow_exec(wave, state, instruction, flow, in);
    return;
  }
  const bool part_stays =
      flow.partial_result || (flow.needs_lanes && !wave.all_lanes()) || rereads(instruction);
  for (unsigned k = 0; k < instruction.destinations; ++k) {
    const Operand& operand = instruction.operands[k];
    set_origins(state, operand, result, part_stays);
    if (names_exec(operand) && in.beside_exec != 0)
      note(wave, instruction, InexactUseKind::exec, in.beside_exec);
  }
}

void InexactTracker::follow_exec(Wave& wave, State& state, const Instruction& instruction, const Flow& flow,
                                 const Inputs& in) {
  const Origins old = any_of(state.scalar, kExec, 2);
  Origins now = in.values | old;
  if (flow.joins_exec) {
    const Operand& joined = instruction.operands[names_exec(instruction.operands[1]) ? 2 : 1];
    // The lanes that are joined include the active ones: EXEC becomes what it was saved as.
    const bool includes = (wave.exec() & ~wave.mask(joined)) == 0;
    if (includes) now = origins_of(state, joined);
  } else {
    set_origins(state, instruction.operands[0], flow.saves_exec ? old : now, false);
  }
  state.scalar[kExec] = state.scalar[kExec + 1] = now;
  if (in.beside_exec != 0) note(wave, instruction, InexactUseKind::exec, in.beside_exec);
}

void InexactTracker::decide(Wave& wave, const State& state, const Instruction& instruction, const Flow& flow,
                            const Inputs& in) {
  Origins origins = 0;
  switch (flow.decides) {
    case Decides::nothing:
      return;
    case Decides::scc:
      origins = state.scc;
      break;
    case Decides::vcc:
      origins = any_of(state.scalar, kVcc, 2);
      break;
    case Decides::exec:
      origins = any_of(state.scalar, kExec, 2);
      break;
    case Decides::operand:
      origins = in.values;
      break;
  }
  if (origins != 0) note(wave, instruction, InexactUseKind::branch, origins);
}

void InexactTracker::note(const Wave& wave, const Instruction& instruction, InexactUseKind kind,
                          Origins origins) {
  InexactUseLog::Entry& entry = (*log_)[{instruction.index, kind}];
  if (entry.count++ == 0) {
    entry.first = wave.place(instruction, {}, {}, {});
    entry.workgroup = wave.group->flat_id;
  }
  entry.origins |= origins;
}

void InexactTracker::note_lds(const Instruction& instruction, std::uint64_t lanes,
                              std::span<const std::uint32_t, 64> offset, LdsUse use, std::uint32_t bytes) {
  if (data_ == 0 && !any_in_lds_) return;
  const bool writes = use != LdsUse::read;
  any_in_lds_ = any_in_lds_ || (writes && data_ != 0);
  Origins found = 0;
  for_each_lane(lanes, [&](std::uint32_t lane) {
    const std::uint32_t end =
        std::min<std::uint32_t>(offset[lane] + bytes, 4 * static_cast<std::uint32_t>(lds_.size()));
    for (std::uint32_t byte = offset[lane] & ~3u; byte < end; byte += 4) {
      Origins& dword = lds_[byte / 4];
      found |= dword;
      const bool whole = byte >= offset[lane] && byte + 4 <= end;
      if (use == LdsUse::atomic || (writes && !whole)) dword |= data_;
      if ((use == LdsUse::write || use == LdsUse::dma) && whole) dword = data_;
    }
  });
  if (found == 0 || use == LdsUse::dma) return;
  for (unsigned k = 0; k < instruction.destinations; ++k) {
    current_->any = true;
    const Operand& operand = instruction.operands[k];
    set_origins(*current_, operand, origins_of(*current_, operand) | found, true);
  }
}

}  // namespace wavesmith::simulator
