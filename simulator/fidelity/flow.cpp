// The rules by mnemonic and unit.
#include "simulator/fidelity/flow.h"

#include <algorithm>
#include <array>

#include "simulator/fidelity/classification.h"
#include "simulator/hazards/sinks.h"
#include "simulator/wave.h"

namespace wavesmith::simulator {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void add_address(Flow& flow, const Instruction& instruction) {
  // A lane permute through LDS names lanes, not bytes.
  if (has(instruction.row->mnemonic, "permute")) return;
  const Sinks sinks = sinks_of(instruction);
  if (sinks.use != SinkUse::address) return;
  flow.addresses = sinks.operands;
  flow.m0_is_address = sinks.m0;
}

void add_branch(Flow& flow, const Instruction& instruction) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  if (mnemonic.starts_with("s_cbranch_scc")) flow.decides = Decides::scc;
  if (mnemonic.starts_with("s_cbranch_vcc")) flow.decides = Decides::vcc;
  if (mnemonic.starts_with("s_cbranch_exec")) flow.decides = Decides::exec;
  if ((instruction.row->traits & static_cast<TraitSet>(Trait::indirect)) != 0)
    flow.decides = Decides::operand;
}

bool names_exec(const Operand& operand) {
  return operand.kind == OperandKind::scalar && (operand.reg == kExec || operand.reg == kExec + 1);
}

void add_scalar(Flow& flow, const Instruction& instruction) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  flow.reads_scc = reads_scc(*instruction.row);
  flow.writes_scc = sets_scc(*instruction.row);
  flow.keeps_if_scc = mnemonic.starts_with("s_cmov");
  flow.saves_exec = has(mnemonic, "_saveexec_");
  flow.writes_exec = flow.saves_exec || has(mnemonic, "_wrexec_");
  flow.joins_exec = mnemonic == "s_or_b64" && names_exec(instruction.operands[0]) &&
                    (names_exec(instruction.operands[1]) || names_exec(instruction.operands[2]));
}

bool needs_lanes(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  switch (instruction.row->unit) {
    case Unit::valu:
    case Unit::trans:
      return !mnemonic.starts_with("v_readlane") && !mnemonic.starts_with("v_readfirstlane") &&
             !mnemonic.starts_with("v_writelane") && !mnemonic.starts_with("v_permlane");
    case Unit::vmem_load:
    case Unit::vmem_store:
    case Unit::lds:
      return true;
    default:
      return false;
  }
}

Flow flow_of(const Instruction& instruction) {
  Flow flow;
  const std::string_view mnemonic = instruction.row->mnemonic;
  switch (instruction.row->unit) {
    case Unit::salu:
      add_scalar(flow, instruction);
      break;
    case Unit::branch:
      add_branch(flow, instruction);
      break;
    default:
      flow.reads_vcc = mnemonic.starts_with("v_div_fmas");
      flow.writes_exec = mnemonic.starts_with("v_cmpx_");
      break;
  }
  add_address(flow, instruction);
  flow.scratch = mnemonic.starts_with("scratch_") || mnemonic.starts_with("flat_");
  flow.needs_lanes = needs_lanes(instruction);
  flow.partial_result = has(mnemonic, "_d16") || !instruction.plain_output;
  return flow;
}

/// The bit of an inexact instruction; what finds no place shares the last one.
Origins origin_bit(std::vector<FlowTable::Origin>& origins, std::string_view mnemonic, Fidelity fidelity) {
  auto found = std::ranges::find_if(origins, [&](const FlowTable::Origin& one) {
    return one.mnemonic == mnemonic && one.fidelity == fidelity;
  });
  if (found == origins.end()) {
    if (origins.size() == kOrigins - 1) origins.push_back({"others", Fidelity::uncertain});
    if (origins.size() < kOrigins - 1) origins.push_back({std::string(mnemonic), fidelity});
    found = origins.end() - 1;
  }
  return Origins{1} << (found - origins.begin());
}

}  // namespace

bool sets_scc(const Row& row) {
  if (row.unit != Unit::salu) return false;
  constexpr std::array<std::string_view, 21> keep{
      "s_mul_i32", "s_mul_hi_", "s_mulk_",  "s_mov",    "s_cmov", "s_cselect_", "s_bfm_",
      "s_brev_",   "s_ff0_",    "s_ff1_",   "s_flbit",  "s_sext", "s_pack_",    "s_bitset",
      "s_bitrepl", "s_getpc",   "s_getreg", "s_setreg", "s_call", "s_setpc",    "s_swappc"};
  return std::ranges::none_of(keep, [&](std::string_view one) { return row.mnemonic.starts_with(one); });
}

bool reads_scc(const Row& row) {
  constexpr std::array<std::string_view, 4> readers{"s_addc_", "s_subb_", "s_cselect_", "s_cmov"};
  return std::ranges::any_of(readers, [&](std::string_view one) { return row.mnemonic.starts_with(one); });
}

FlowTable make_flow_table(const Program& program, const Options& options) {
  FlowTable table;
  table.flows.reserve(program.code.size());
  for (const Instruction& instruction : program.code) {
    Flow& flow = table.flows.emplace_back(flow_of(instruction));
    const auto found = inexactness(instruction, *program.processor, options);
    if (!found || found->concern != Concern::values) continue;
    flow.own = origin_bit(table.origins, instruction.row->mnemonic, found->fidelity);
    flow.own_if_partial = found->partial_exec_only;
  }
  return table;
}

}  // namespace wavesmith::simulator
