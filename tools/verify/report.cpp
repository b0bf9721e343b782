// Sums over the instructions of a dispatch.
#include "tools/verify/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace wavesmith::verify {
namespace {

using simulator::InstructionReport;

Json number(double value) {
  if (std::isfinite(value)) return value;
  return fmt::format("{}", value);
}

bool uses_lds(const InstructionReport& instruction) {
  return instruction.counters.lds_cycles != 0;
}

bool reads_lds(const InstructionReport& instruction) {
  return instruction.mnemonic.starts_with("ds_read") || instruction.mnemonic.starts_with("ds_load");
}

Json lds_json(const simulator::Report& report) {
  std::uint64_t reads = 0, writes = 0, conflicts = 0;
  Json accesses = Json::array();
  for (const InstructionReport& instruction : report.instructions) {
    if (!uses_lds(instruction)) continue;
    const simulator::InstructionCounters& counted = instruction.counters;
    (reads_lds(instruction) ? reads : writes) += counted.executions;
    conflicts += counted.lds_conflict_cycles;
    accesses.push_back({{"label", instruction.step},
                        {"instruction", fmt::format("{:#x}: {}", instruction.address, instruction.text)},
                        {"count", counted.executions},
                        {"cycles", counted.lds_cycles},
                        {"conflict_cycles", counted.lds_conflict_cycles},
                        {"max_lanes_per_bank", counted.max_lanes_per_bank}});
  }
  return {{"reads", reads},
          {"writes", writes},
          {"conflict_cycles", conflicts},
          {"by_access", std::move(accesses)}};
}

Json mismatches_json(const std::vector<Mismatch>& mismatches) {
  Json json = Json::array();
  for (const Mismatch& mismatch : mismatches)
    json.push_back({{"where", mismatch.where},
                    {"expected", number(mismatch.expected)},
                    {"actual", number(mismatch.actual)}});
  return json;
}

}  // namespace

std::vector<LdsAccesses> lds_accesses(const simulator::Report& report) {
  std::vector<LdsAccesses> all;
  for (const InstructionReport& instruction : report.instructions) {
    if (!uses_lds(instruction)) continue;
    auto one = std::ranges::find_if(all, [&](const LdsAccesses& known) {
      return known.label == instruction.step && known.mnemonic == instruction.mnemonic;
    });
    if (one == all.end())
      one = all.insert(
          all.end(),
          {.label = instruction.step, .mnemonic = instruction.mnemonic, .read = reads_lds(instruction)});
    const simulator::InstructionCounters& counted = instruction.counters;
    *one += {.count = counted.executions,
             .cycles = counted.lds_cycles,
             .conflict_cycles = counted.lds_conflict_cycles,
             .max_lanes_per_bank = counted.max_lanes_per_bank};
  }
  return all;
}

LdsAccesses& LdsAccesses::operator+=(const LdsAccesses& other) {
  count += other.count;
  cycles += other.cycles;
  conflict_cycles += other.conflict_cycles;
  max_lanes_per_bank = std::max(max_lanes_per_bank, other.max_lanes_per_bank);
  return *this;
}

std::map<std::string, std::uint64_t> instructions_by_class(const simulator::Report& report) {
  std::map<std::string, std::uint64_t> classes;
  for (const InstructionReport& instruction : report.instructions)
    classes[instruction.unit] += instruction.counters.executions;
  return classes;
}

namespace {

Json uses_json(const std::vector<simulator::InexactUse>& uses) {
  Json all = Json::array();
  for (const simulator::InexactUse& use : uses) {
    Json from = Json::array();
    for (const auto& [mnemonic, fidelity] : use.from)
      from.push_back({{"mnemonic", mnemonic}, {"class", name(fidelity)}});
    all.push_back({{"use", use.use},
                   {"step", use.step},
                   {"instruction", fmt::format("{:#x}: {}", use.first.address, use.first.text)},
                   {"first", use.first.message()},
                   {"count", use.count},
                   {"from", std::move(from)}});
  }
  return all;
}

Json fidelity_json(const simulator::FidelityReport& fidelity) {
  Json instructions = Json::array();
  for (const simulator::InexactInstruction& one : fidelity.instructions)
    instructions.push_back({{"mnemonic", one.mnemonic},
                            {"class", name(one.fidelity)},
                            {"concerns", name(one.concern)},
                            {"executions", one.executions},
                            {"bound", one.bound.empty() ? Json() : Json(one.bound)},
                            {"reason", one.reason},
                            {"option", one.option.empty() ? Json() : Json(one.option)}});
  return {{"executed", fidelity.executed},
          {"exact", fidelity.exact},
          {"approximate", fidelity.approximate},
          {"uncertain", fidelity.uncertain},
          {"instructions", std::move(instructions)},
          {"uses", fidelity.uses ? uses_json(*fidelity.uses) : Json("not followed")}};
}

Json hazards_json(const simulator::Report& report) {
  if (!report.hazards) return "not checked";
  Json all = Json::array();
  for (const simulator::Hazard& hazard : *report.hazards)
    all.push_back({{"kind", hazard.kind},
                   {"step", hazard.step},
                   {"instruction", fmt::format("{:#x}: {}", hazard.first.address, hazard.first.text)},
                   {"first", hazard.first.message()},
                   {"count", hazard.count}});
  return all;
}

}  // namespace

Json report_json(const simulator::Report& report) {
  Json json;
  json["hazards"] = hazards_json(report);
  json["hazards_not_checked"] = report.hazards_not_checked;
  json["fault"] = nullptr;
  if (report.fault) {
    json["fault"] = report.fault->message();
    for (const char* uncounted :
         {"lds", "instructions", "fidelity", "cycles", "counters", "warnings", "uncertain_choices"})
      json[uncounted] = nullptr;
    return json;
  }
  json["lds"] = lds_json(report);
  json["instructions"] = {{"by_class", instructions_by_class(report)}};
  json["fidelity"] = fidelity_json(report.fidelity);
  json["cycles"] = {{"by_unit", report.cycles_by_unit}};
  json["counters"] = report.counters;
  json["warnings"] = Json::array();
  for (const simulator::Warning& warning : report.warnings)
    json["warnings"].push_back({{"first", warning.first.message()}, {"count", warning.count}});
  json["uncertain_choices"] = report.uncertain_choices;
  return json;
}

Json accuracy_json(const Accuracy& accuracy) {
  return {{"ok", accuracy.ok()},
          {"max_abs_error", number(accuracy.max_abs_error)},
          {"max_rel_error", number(accuracy.max_rel_error)},
          {"rms_error", number(accuracy.rms_error)},
          {"tolerance", number(accuracy.tolerance())},
          {"rms_tolerance", number(accuracy.rms_tolerance())},
          {"elements", accuracy.elements},
          {"mismatched", accuracy.mismatched},
          {"mismatches", mismatches_json(accuracy.mismatches)}};
}

Json lse_json(const LseAccuracy& accuracy) {
  return {{"ok", accuracy.ok()},
          {"max_abs_error", number(accuracy.max_abs_error)},
          {"max_share", number(accuracy.max_share)},
          {"tolerance", number(accuracy.tolerance)},
          {"elements", accuracy.elements},
          {"mismatched", accuracy.mismatched},
          {"mismatches", mismatches_json(accuracy.mismatches)}};
}

}  // namespace wavesmith::verify
