// Totals under the profiler's names, busy cycles by the cost table, and the uncertain choices that mattered.
#include "simulator/report.h"

#include <set>

#include "simulator/assembly_text.h"
#include "simulator/cost_table.h"

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

/// Whether a DS instruction is a read that the phases of ds_read_b32 serve.
bool reads_b32(std::string_view mnemonic) {
  return mnemonic.starts_with("ds_read") && mnemonic.find("_tr_") == std::string_view::npos &&
         !mnemonic.ends_with("b64") && !mnemonic.ends_with("b96") && !mnemonic.ends_with("b128");
}

/// Whether a load to LDS moves less than a dword for each lane.
bool is_narrow_dma(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.row->mnemonic;
  const bool to_lds =
      contains(kBufferLdsForms, instruction.form) || mnemonic.find("_lds_") != std::string_view::npos;
  return to_lds && (mnemonic.ends_with("byte") || mnemonic.ends_with("short"));
}

void note_choices(std::set<std::string>& notes, const Dispatch& dispatch, const Instruction& instruction) {
  if (!dispatch.processor->is_cdna()) return;
  const Options& options = *dispatch.options;
  const Row& row = *instruction.row;
  if (row.mnemonic.find("_d16") != std::string_view::npos && instruction.destinations != 0) {
    const bool zeroes = options.d16_load == D16Load::zeroes_other_half;
    notes.insert(std::string("d16_load = ") + (zeroes ? "zeroes_other_half" : "keeps_other_half"));
  }
  if (is_narrow_dma(instruction)) {
    const bool extended = options.lds_dma_narrow == LdsDmaNarrow::extended_dword;
    notes.insert(std::string("lds_dma_narrow = ") + (extended ? "extended_dword" : "element"));
  }
  if (dispatch.processor->gfx != Gfx::gfx950) return;
  if (row.unit == Unit::mfma) {
    constexpr std::string_view names[] = {"groups_of_8", "groups_of_16", "sequential", "exact"};
    notes.insert("mfma_accumulation = " +
                 std::string(names[static_cast<std::size_t>(options.mfma_accumulation)]));
  }
  if (row.unit != Unit::lds) return;
  if (row.mnemonic.find("_tr_") != std::string_view::npos) {
    const bool two = options.lds_read_transpose == LdsReadTranspose::two_phases_of_32_lanes;
    notes.insert(std::string("lds_read_transpose = ") +
                 (two ? "two_phases_of_32_lanes" : "four_phases_of_16_lanes"));
  } else if (reads_b32(row.mnemonic)) {
    const bool two = options.lds_read_b32 == LdsReadB32::two_phases_of_32_banks;
    notes.insert(std::string("lds_read_b32 = ") + (two ? "two_phases_of_32_banks" : "one_phase_of_64_banks"));
  }
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
  std::set<std::string> notes;
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
    if (one.counters.executions != 0) note_choices(notes, dispatch, instruction);
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
  report.uncertain_choices.assign(notes.begin(), notes.end());
  return report;
}

}  // namespace wavesmith::simulator
