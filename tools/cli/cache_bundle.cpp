// `wavesmith cache export` and `wavesmith cache import`: the cache on disk as one file, and back.
#include <utility>

#include <fmt/format.h>

#include "runtime/jit/cache_maintenance.h"
#include "tools/cli/cache_options.h"
#include "tools/cli/command.h"

namespace wavesmith::cli {
namespace {

constexpr std::string_view warm_example =
    "wavesmith cache warm attention-dense --head-size 64 --num-query-heads 32 --num-kv-heads 8 --cache-dir "
    "kernels";

Positional bundle_positional(std::string meaning) {
  return {.name = "FILE", .meaning = std::move(meaning)};
}

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return cache_options();
}

using Move = Expected<runtime::BundleMoved> (*)(const std::string& directory, const std::string& file);

Expected<Report> move_bundle(const Arguments& arguments, std::vector<Refusal> refusals,
                             std::string_view command, std::string_view verb, Move move) {
  if (!arguments.positional) refusals.push_back({"file", "(missing)", "a bundle's file name"});
  const auto directory = cache_directory(arguments, std::move(refusals));
  if (!directory) return std::unexpected(directory.error());
  const std::string& file = *arguments.positional;
  const auto moved = move(*directory, file);
  if (!moved) return std::unexpected(moved.error());
  Report report;
  report.failed = !moved->damaged.empty();
  report.messages = message_lines(command, moved->damaged);
  report.json = {{"ok", !report.failed},      {"file", file},
                 {"directory", *directory},   {"kernels", moved->kernels},
                 {"records", moved->records}, {"damaged", moved->damaged}};
  report.text =
      fmt::format("{}: {} kernel{} {}\n", file, moved->kernels, moved->kernels == 1 ? "" : "s", verb);
  return report;
}

Expected<Report> export_run(const Arguments& arguments, std::vector<Refusal> refusals) {
  return move_bundle(arguments, std::move(refusals), "cache export", "written",
                     [](const std::string& directory, const std::string& file) {
                       return runtime::export_bundle(directory, file);
                     });
}

Expected<Report> import_run(const Arguments& arguments, std::vector<Refusal> refusals) {
  return move_bundle(arguments, std::move(refusals), "cache import", "stored",
                     [](const std::string& directory, const std::string& file) {
                       return runtime::import_bundle(file, directory);
                     });
}

}  // namespace

Command cache_export_command() {
  return {.name = "cache export",
          .meaning = "write the kernels of the cache on disk to one file, a bundle",
          .example = {std::string(warm_example), "wavesmith cache export kernels.bundle --cache-dir kernels"},
          .positional = bundle_positional("the bundle to write or replace"),
          .options = options,
          .run = export_run};
}

Command cache_import_command() {
  return {.name = "cache import",
          .meaning = "store the kernels of a bundle in the cache on disk",
          .example = {std::string(warm_example), "wavesmith cache export kernels.bundle --cache-dir kernels",
                      "wavesmith cache import kernels.bundle --cache-dir others"},
          .positional = bundle_positional("a bundle that `cache export` wrote"),
          .options = options,
          .run = import_run};
}

}  // namespace wavesmith::cli
