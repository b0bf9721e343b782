// `wavesmith cache verify`: whether everything in the cache on disk is what was written.
#include <fmt/format.h>

#include "runtime/jit/cache_maintenance.h"
#include "tools/cli/cache_options.h"
#include "tools/cli/command.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return cache_options({{.name = "repair",
                         .placeholder = "",
                         .meaning = "remove what is damaged; it is compiled again when it is asked for"}});
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  const auto directory = cache_directory(arguments, std::move(refusals));
  if (!directory) return std::unexpected(directory.error());
  const auto check = runtime::check_cache(*directory, arguments.flag("repair"));
  if (!check) return std::unexpected(check.error());
  Report report;
  Json problems = Json::array();
  for (const auto& [path, what] : check->problems) {
    problems.push_back({{"file", path}, {"what", what}});
    report.text += fmt::format("{}: {}\n", for_cell(path), what);
  }
  report.failed = check->removed < check->problems.size();
  report.json = {{"ok", !report.failed},  {"directory", *directory},         {"records", check->records},
                 {"bytes", check->bytes}, {"problems", std::move(problems)}, {"removed", check->removed}};
  report.text += fmt::format("{}: {} of {} files intact, {} bytes", *directory, check->records,
                             check->records + check->problems.size(), check->bytes);
  report.text += check->removed > 0 ? fmt::format("; {} removed\n", check->removed) : "\n";
  return report;
}

}  // namespace

Command cache_verify_command() {
  return {.name = "cache verify",
          .meaning = "check length and SHA-256 of everything in the cache on disk",
          .example = {"wavesmith cache verify --cache-dir kernels"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
