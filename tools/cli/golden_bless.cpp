// `wavesmith golden bless`: what pinning the present text would change; with --yes, does it.
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/bless.h"
#include "tools/cli/command.h"
#include "tools/cli/files.h"
#include "tools/cli/golden_folder.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

using Changes = std::map<std::string, std::vector<std::string>>;

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return {{.title = "Options",
           .options = {golden_folder_option(),
                       {.name = "yes", .placeholder = "", .meaning = "write the golden file"}}}};
}

Json changes_json(const Changes& changes) {
  Json list = Json::array();
  for (const auto& [id, flavours] : changes) list.push_back({{"case", id}, {"flavours", flavours}});
  return list;
}

Json plan_json(const golden::BlessPlan& plan) {
  Json common = Json::array();
  for (const golden::CommonField& field : plan.common)
    common.push_back({{"field", field.field}, {"value", field.value}, {"unmoved_cases", field.unmoved}});
  return {{"moved", changes_json(plan.moved)},       {"added", changes_json(plan.added)},
          {"removed", changes_json(plan.removed)},   {"moved_entries", plan.moved_entries},
          {"unmoved_entries", plan.unmoved_entries}, {"unmoved_cases", plan.unmoved_cases},
          {"common_fields", std::move(common)}};
}

std::string plan_text(const golden::BlessPlan& plan) {
  Table table({{"", Table::Align::left}, {"", Table::Align::left}, {"", Table::Align::left}});
  const auto rows = [&](std::string_view what, const Changes& changes) {
    for (const auto& [id, flavours] : changes)
      table.row({std::string(what), for_cell(id), for_cell(fmt::format("{}", fmt::join(flavours, ", ")))});
  };
  rows("moved", plan.moved);
  rows("added", plan.added);
  rows("removed", plan.removed);
  std::string text = table.text();
  auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "cases: {} moved, {} added, {} removed, {} did not move\n"
                 "cases x flavours: {} moved, {} did not move\n",
                 plan.moved.size(), plan.added.size(), plan.removed.size(), plan.unmoved_cases,
                 plan.moved_entries, plan.unmoved_entries);
  if (plan.moved.empty()) return text;
  if (plan.common.empty())
    text += "the moved cases have no spec field in common that the list of cases varies\n";
  for (const golden::CommonField& field : plan.common)
    fmt::format_to(out, "every moved case has {} = {}; so {}\n", field.field, field.value,
                   field.unmoved == 0   ? "does no case that stayed"
                   : field.unmoved == 1 ? "does 1 case that stayed"
                                        : fmt::format("do {} cases that stayed", field.unmoved));
  return text;
}

// The golden file before the bless; empty before the first one.
Expected<golden::Goldens> old_goldens(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder / golden::golden_file_name, error)) return golden::Goldens{};
  return golden::read_goldens(folder);
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  const auto folder = golden_folder(arguments, std::move(refusals));
  if (!folder) return std::unexpected(folder.error());
  const Expected<golden::Goldens> old = old_goldens(*folder);
  if (!old) return std::unexpected(old.error());
  const Expected<golden::BlessPlan> plan = golden::plan_bless(*old);
  if (!plan) return std::unexpected(plan.error());

  const std::string file = (*folder / golden::golden_file_name).string();
  const bool write = arguments.flag("yes") && plan->changes();
  if (write)
    if (const auto written = write_output(file, golden::goldens_text(plan->goldens), "golden file"); !written)
      return std::unexpected(written.error());
  Report report;
  report.failed = plan->changes() && !write;
  report.json = {{"ok", !report.failed}, {"written", write}, {"file", file}};
  report.json.update(plan_json(*plan));
  report.text =
      plan_text(*plan) + (write             ? fmt::format("{}: written\n", file)
                          : plan->changes() ? fmt::format("{}: not written; --yes writes it\n", file)
                                            : fmt::format("{}: nothing to bless\n", file));
  return report;
}

}  // namespace

Command golden_bless_command() {
  return {.name = "golden bless",
          .meaning = "show what pinning the present text would change; --yes writes it",
          .example = {"wavesmith golden bless"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
