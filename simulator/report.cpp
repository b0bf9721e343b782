// Totals under the profiler's names, busy cycles by the cost table, fidelity.
#include "simulator/report.h"

#include <set>

#include "simulator/assembly_text.h"
#include "simulator/cost_table.h"
#include "simulator/fidelity/classification.h"

namespace wavesmith::simulator {
namespace {

/// Adds one instruction to the profiler's counters. Names and meanings: AMD's performance-counter
/// documentation for MI300; SQ_INSTS_VALU includes MFMA there.
void count_by_name(std::map<std::string, std::uint64_t>& totals, Unit unit,
                   const InstructionCounters& counters) {
  totals["SQ_INSTS"] += counters.executions;
  switch (unit) {
    case Unit::mfma:
      totals["SQ_INSTS_MFMA"] += counters.executions;
      [[fallthrough]];
    case Unit::valu:
    case Unit::trans:
      totals["SQ_INSTS_VALU"] += counters.executions;
      break;
    case Unit::salu:
      totals["SQ_INSTS_SALU"] += counters.executions;
      break;
    case Unit::smem:
      totals["SQ_INSTS_SMEM"] += counters.executions;
      break;
    case Unit::vmem_load:
      totals["SQ_INSTS_VMEM_RD"] += counters.executions;
      break;
    case Unit::vmem_store:
      totals["SQ_INSTS_VMEM_WR"] += counters.executions;
      break;
    case Unit::lds:
      totals["SQ_INSTS_LDS"] += counters.executions;
      break;
    case Unit::branch:
      totals["SQ_INSTS_BRANCH"] += counters.executions;
      break;
    case Unit::wait:
    case Unit::other:
      break;
  }
  totals["SQ_LDS_IDX_ACTIVE"] += counters.lds_cycles;
  totals["SQ_LDS_BANK_CONFLICT"] += counters.lds_conflict_cycles;
}

/// The switches behind what is uncertain.
std::vector<std::string> uncertain_choices(const FidelityReport& fidelity) {
  std::set<std::string> choices;
  for (const InexactInstruction& one : fidelity.instructions)
    if (one.fidelity == Fidelity::uncertain && !one.option.empty()) choices.insert(one.option);
  return {choices.begin(), choices.end()};
}

}  // namespace

Report make_report(const Dispatch& dispatch, DispatchResult result) {
  Report report;
  report.fault = std::move(result.fault);
  report.hazards_not_checked = hazards_not_checked(*dispatch.options);
  if (report.fault) return report;
  const Program& program = *dispatch.program;
  report.counters["SQ_WAVES"] = result.waves;
  double mfma_cycles = 0;
  report.instructions.reserve(program.code.size());
  for (const Instruction& instruction : program.code) {
    const Row& row = *instruction.row;
    InstructionReport one;
    one.address = instruction.pc - program.load_base;
    one.text = program.text[instruction.index];
    one.mnemonic = row.mnemonic;
    if (!program.steps.empty()) one.step = program.steps[instruction.index];
    one.unit = name(row.unit);
    one.counters = result.counters[instruction.index];
    const CostRow& cost = cost_of(dispatch.processor->gfx, row.unit, row.mnemonic);
    one.busy_cycles = cost.cycles * static_cast<double>(one.counters.executions);
    if (cost.bytes_per_cycle > 0)
      one.busy_cycles += static_cast<double>(one.counters.bytes) / cost.bytes_per_cycle;
    if (cost.lds_cycles) one.busy_cycles += static_cast<double>(one.counters.lds_cycles);
    report.cycles_by_unit[one.unit] += one.busy_cycles;
    if (row.unit == Unit::mfma) mfma_cycles += one.busy_cycles;
    count_by_name(report.counters, row.unit, one.counters);
    report.instructions.push_back(std::move(one));
  }
  report.counters["SQ_VALU_MFMA_BUSY_CYCLES"] = static_cast<std::uint64_t>(mfma_cycles);
  report.warnings = result.warnings.list();
  if (dispatch.options->hazards) {
    report.hazards.emplace();
    for (const auto& [key, entry] : result.hazards.entries()) {
      const std::string step = program.steps.empty() ? "" : program.steps[key.first];
      report.hazards->push_back({std::string(name(key.second)), entry.first, step, entry.count});
    }
  }
  report.fidelity = count_fidelity(program.code, result.counters, *dispatch.processor, *dispatch.options,
                                   program.wave_size);
  if (dispatch.flow != nullptr) report.fidelity.uses = result.inexact_uses.list(*dispatch.flow, program);
  report.uncertain_choices = uncertain_choices(report.fidelity);
  return report;
}

}  // namespace wavesmith::simulator
