// `wavesmith golden list`: the golden cases.
#include <fmt/format.h>

#include "golden/emission.h"
#include "tools/cli/command.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return {{.title = "Options", .options = {}}};
}

Expected<Report> run(const Arguments& /*arguments*/, std::vector<Refusal> refusals) {
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  const Expected<golden::Goldens> emitted = golden::emit_all();
  if (!emitted) return std::unexpected(emitted.error());
  Report report;
  report.json = {{"cases", Json::array()}};
  Table table({{"case", Table::Align::left}, {"symbol", Table::Align::left}});
  for (const golden::Case& golden_case : golden::cases()) {
    const std::string id = golden_case.id();
    Json fields = Json::object();
    for (const auto& [name, value] : golden_case.fields) fields[name] = value;
    Json flavours = Json::object();
    for (const auto& [flavour, entries] : *emitted) {
      const golden::Entry& entry = entries.find(id)->second;
      flavours[flavour] = {{"symbol", entry.symbol}, {"sha256", entry.sha256}, {"bytes", entry.bytes}};
    }
    table.row({id, emitted->begin()->second.find(id)->second.symbol});
    report.json["cases"].push_back({{"case", id}, {"fields", fields}, {"flavours", flavours}});
  }
  report.text = table.text();
  report.text += fmt::format("{} cases in {} flavour{}\n", golden::cases().size(), emitted->size(),
                             emitted->size() == 1 ? "" : "s");
  return report;
}

}  // namespace

Command golden_list_command() {
  return {.name = "golden list",
          .meaning = "the golden cases and what this build emits for them",
          .example = {"wavesmith golden list"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
