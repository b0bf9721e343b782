// `wavesmith cache list`: the kernels of the cache on disk.
#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "runtime/jit/cache_maintenance.h"
#include "tools/cli/cache_options.h"
#include "tools/cli/command.h"
#include "tools/cli/numbers.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

using runtime::CacheFile;
using runtime::RecordKind;

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return cache_options();
}

/// As in `emit --json`, so that --spec reads it back.
Json typed(const std::string& value) {
  if (value == "true" || value == "false") return value == "true";
  if (const auto number = parse_number<std::int64_t>(value)) return *number;
  return value;
}

/// The family's name is the first line, the others are "name=value".
void add_spec(std::string_view text, Json& kernel) {
  std::istringstream lines{std::string(text)};
  std::string line;
  std::getline(lines, line);
  kernel["family"] = line;
  kernel["spec"] = Json::object();
  while (std::getline(lines, line))
    if (const std::size_t equals = line.find('='); equals != std::string::npos)
      kernel["spec"][line.substr(0, equals)] = typed(line.substr(equals + 1));
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  using enum Table::Align;
  const auto directory = cache_directory(arguments, std::move(refusals));
  if (!directory) return std::unexpected(directory.error());
  const auto files = runtime::read_cache(*directory);
  if (!files) return std::unexpected(files.error());

  std::map<std::string, std::uint64_t, std::less<>> code_bytes;
  std::uint64_t bytes = 0, damaged = 0;
  for (const CacheFile& file : *files) {
    bytes += file.bytes;
    damaged += file.record ? 0 : 1;
    if (file.record && file.kind == RecordKind::object) code_bytes[file.name] = file.record->payload.size();
  }
  Report report;
  report.json = {{"directory", *directory}, {"kernels", Json::array()}};
  Table table({{"kernel", left},
               {"target", left},
               {"flavour", left},
               {"bytes", right},
               {"last used", left},
               {"key", left}});
  for (const CacheFile& file : *files) {
    if (!file.record || file.kind != RecordKind::request) continue;
    const runtime::Record& record = *file.record;
    const auto code = code_bytes.find(record.value("code_object_id"));
    if (code == code_bytes.end()) continue;  // `cache verify` names it
    constexpr std::size_t shown = 12;
    table.row({for_cell(record.value("symbol")), for_cell(record.value("target")),
               for_cell(record.value("flavour")), fmt::format("{}", code->second), time_text(file.last_used),
               file.name.substr(0, shown)});
    Json kernel = {{"key", file.name}, {"bytes", code->second}, {"last_used", time_text(file.last_used)}};
    for (const char* name :
         {"symbol", "target", "flavour", "options", "compiler", "ir_sha256", "code_object_id"})
      kernel[name] = record.value(name);
    add_spec(record.value("spec"), kernel);
    report.json["kernels"].push_back(std::move(kernel));
  }
  const std::size_t kernels = report.json["kernels"].size();
  report.json["code_objects"] = code_bytes.size();
  report.json["bytes"] = bytes;
  report.json["damaged"] = damaged;
  if (kernels > 0) report.text = table.text();
  report.text +=
      fmt::format("{}: {} kernel{}, {} bytes\n", *directory, kernels, kernels == 1 ? "" : "s", bytes);
  if (damaged > 0)
    report.text += fmt::format("{} damaged files; `wavesmith cache verify` names them\n", damaged);
  return report;
}

}  // namespace

Command cache_list_command() {
  return {.name = "cache list",
          .meaning = "the kernels of the cache on disk",
          .example = {"wavesmith cache list --cache-dir kernels"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
