// `wavesmith golden check`: does this build emit what the goldens pin?
#include <fmt/format.h>

#include "golden/check.h"
#include "tools/cli/command.h"
#include "tools/cli/golden_folder.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return {{.title = "Options", .options = {golden_folder_option()}}};
}

Json names_json(std::span<const golden::CaseName> names) {
  Json list = Json::array();
  for (const golden::CaseName& name : names) list.push_back({{"case", name.id}, {"flavour", name.flavour}});
  return list;
}

Json entry_json(const golden::Entry& entry) {
  return {{"symbol", entry.symbol}, {"sha256", entry.sha256}, {"bytes", entry.bytes}};
}

Json result_json(const golden::CheckResult& result) {
  Json drifted = Json::array();
  for (const golden::Drift& drift : result.drifted)
    drifted.push_back({{"case", drift.name.id},
                       {"flavour", drift.name.flavour},
                       {"golden", entry_json(drift.golden)},
                       {"emitted", entry_json(drift.emitted)}});
  return {{"ok", result.ok()},
          {"checked", result.checked},
          {"drifted", std::move(drifted)},
          {"missing", names_json(result.missing)},
          {"unexpected", names_json(result.unexpected)},
          {"unread", result.unread}};
}

std::string result_text(const golden::CheckResult& result) {
  constexpr std::size_t shown_digits = 12;
  Table table({{"", Table::Align::left},
               {"", Table::Align::left},
               {"", Table::Align::left},
               {"", Table::Align::left}});
  for (const golden::Drift& drift : result.drifted)
    table.row({"drifted", drift.name.flavour, for_cell(drift.name.id),
               drift.golden.sha256 == drift.emitted.sha256
                   ? "only the symbol or the length in the file"
                   : fmt::format("{} -> {}", drift.golden.sha256.substr(0, shown_digits),
                                 drift.emitted.sha256.substr(0, shown_digits))});
  for (const golden::CaseName& name : result.missing)
    table.row({"missing", name.flavour, for_cell(name.id), "not in the golden file"});
  for (const golden::CaseName& name : result.unexpected)
    table.row({"unexpected", for_cell(name.flavour), for_cell(name.id), "no case or flavour of this build"});
  for (const std::string& file : result.unread)
    table.row({"unread", "", for_cell(file), "no check reads this file"});
  std::string text = table.text();
  if (result.checked == 0) text += "nothing was compared\n";
  text += fmt::format("goldens {}: {} checked, {} drifted, {} missing, {} unexpected\n",
                      result.ok() ? "ok" : "FAILED", result.checked, result.drifted.size(),
                      result.missing.size(), result.unexpected.size());
  return text;
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  const auto folder = golden_folder(arguments, std::move(refusals));
  if (!folder) return std::unexpected(folder.error());
  const Expected<golden::CheckResult> result = golden::check(*folder);
  if (!result) return std::unexpected(result.error());
  Report report;
  report.json = result_json(*result);
  report.text = result_text(*result);
  report.failed = !result->ok();
  return report;
}

}  // namespace

Command golden_check_command() {
  return {.name = "golden check",
          .meaning = "compare the goldens with what this build emits, in every flavour",
          .example = {"wavesmith golden check"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
