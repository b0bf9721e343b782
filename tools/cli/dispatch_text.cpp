// Tables and lines of a dispatch.
#include "tools/cli/dispatch_text.h"

#include <iterator>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "tools/cli/table.h"
#include "tools/verify/report.h"

namespace wavesmith::cli {
namespace {

std::string lds_text(const simulator::Report& report) {
  using enum Table::Align;
  Table table({{"LDS access", left},
               {"step", left},
               {"count", right},
               {"cycles", right},
               {"conflict cycles", right},
               {"per access", right},
               {"lanes per bank", right}});
  std::uint64_t reads = 0, writes = 0, conflicts = 0;
  for (const verify::LdsAccesses& access : verify::lds_accesses(report)) {
    (access.read ? reads : writes) += access.count;
    conflicts += access.conflict_cycles;
    table.row({for_cell(access.mnemonic), for_cell(access.label), fmt::format("{}", access.count),
               fmt::format("{}", access.cycles), fmt::format("{}", access.conflict_cycles),
               fmt::format("{:.4g}", access.conflict_cycles_per_access()),
               fmt::format("{}", access.max_lanes_per_bank)});
  }
  if (reads + writes == 0) return "LDS is not used\n";
  return fmt::format("{}all: {} reads, {} writes, {} conflict cycles\n", table.text(), reads, writes,
                     conflicts);
}

std::string hazards_text(const simulator::Report& report) {
  if (!report.hazards) return "hazards: not checked\n";
  std::string text = report.hazards->empty() ? "no hazard of the kinds that are looked for\n" : "";
  for (const simulator::Hazard& hazard : *report.hazards)
    fmt::format_to(std::back_inserter(text), "HAZARD {}{}{}: {} ({} times)\n", hazard.kind,
                   hazard.step.empty() ? "" : " in ", hazard.step, hazard.first.message(), hazard.count);
  return text;
}

std::string inexact_text(const simulator::InexactInstruction& one) {
  std::string text = fmt::format("  {} {}", name(one.fidelity), one.mnemonic);
  const auto out = std::back_inserter(text);
  if (one.concern == simulator::Concern::lds_cycles) text += ", LDS cycles only";
  fmt::format_to(out, ": {} times", one.executions);
  if (!one.bound.empty()) fmt::format_to(out, ", within {}", one.bound);
  fmt::format_to(out, "; {}", one.reason);
  if (!one.option.empty()) fmt::format_to(out, " ({})", one.option);
  return text + "\n";
}

/// A line for each kind of use and what it depends on: the first instruction, and how many more there are.
std::string uses_text(std::span<const simulator::InexactUse> uses) {
  std::string text;
  std::vector<bool> told(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (told[i]) continue;
    const simulator::InexactUse& use = uses[i];
    std::uint64_t others = 0, times = use.count;
    for (std::size_t k = i + 1; k < uses.size(); ++k) {
      if (uses[k].use != use.use || uses[k].from != use.from) continue;
      told[k] = true;
      ++others;
      times += uses[k].count;
    }
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "inexact {}{}{}: {}", use.use, use.step.empty() ? "" : " in ", use.step,
                   use.first.message());
    if (others != 0) fmt::format_to(out, " and {} more instruction{}", others, others == 1 ? "" : "s");
    fmt::format_to(out, " ({} times)\n", times);
  }
  return text;
}

std::string fidelity_text(const simulator::FidelityReport& fidelity) {
  if (fidelity.instructions.empty())
    return fmt::format("fidelity: all {} executed instructions are exact\n", fidelity.executed);
  std::string text =
      fmt::format("fidelity: of {} executed instructions {} exact, {} approximate, {} uncertain\n",
                  fidelity.executed, fidelity.exact, fidelity.approximate, fidelity.uncertain);
  for (const simulator::InexactInstruction& one : fidelity.instructions) text += inexact_text(one);
  if (!fidelity.uses) return text + "inexact values were not followed to addresses and branches\n";
  if (fidelity.uses->empty()) text += "no inexact value reached an address, a branch or EXEC\n";
  return text + uses_text(*fidelity.uses);
}

}  // namespace

std::string dispatch_text(const simulator::Report& report) {
  if (report.fault) return fmt::format("stopped: {}\n", report.fault->message());
  std::string text = lds_text(report);
  const auto out = std::back_inserter(text);
  text += "executed by waves: ";
  std::uint64_t all = 0;
  for (const auto& [name, count] : verify::instructions_by_class(report)) {
    fmt::format_to(out, "{} {}, ", name, count);
    all += count;
  }
  fmt::format_to(out, "all {}\nbusy cycles: ", all);
  std::string_view comma;
  for (const auto& [unit, cycles] : report.cycles_by_unit) {
    fmt::format_to(out, "{}{} {:.0f}", comma, unit, cycles);
    comma = ", ";
  }
  fmt::format_to(out, "\n{}{}", fidelity_text(report.fidelity), hazards_text(report));
  for (const simulator::Warning& warning : report.warnings)
    fmt::format_to(out, "warning: {} ({} times)\n", warning.first.message(), warning.count);
  return text;
}

namespace {

std::string mismatches_text(const std::vector<verify::Mismatch>& listed, std::size_t all) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const verify::Mismatch& mismatch : listed)
    fmt::format_to(out, "  {}: {:.6g} instead of {:.6g}\n", mismatch.where, mismatch.actual,
                   mismatch.expected);
  if (all > listed.size()) fmt::format_to(out, "  … {} in all\n", all);
  return text;
}

}  // namespace

std::string accuracy_text(const verify::Accuracy& accuracy) {
  std::string text = fmt::format(
      "{}: {} elements; largest error {:.4g} of {:.4g} allowed, RMS error {:.4g} of {:.4g}; largest error "
      "relative to its row {:.4g}\n",
      accuracy.ok() ? "right" : "WRONG", accuracy.elements, accuracy.max_abs_error, accuracy.tolerance(),
      accuracy.rms_error, accuracy.rms_tolerance(), accuracy.max_rel_error);
  return text + mismatches_text(accuracy.mismatches, accuracy.mismatched);
}

std::string lse_text(const verify::LseAccuracy& accuracy) {
  const std::string text = fmt::format(
      "lse {}: {} elements; largest error {:.4g}, at most {:.2g} of what its row is allowed (up to {:.4g})\n",
      accuracy.ok() ? "right" : "WRONG", accuracy.elements, accuracy.max_abs_error, accuracy.max_share,
      accuracy.tolerance);
  return text + mismatches_text(accuracy.mismatches, accuracy.mismatched);
}

}  // namespace wavesmith::cli
