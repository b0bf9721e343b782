// `wavesmith golden check`: does this build emit what the goldens pin, and do its kernels need what they
// needed?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/check.h"
#include "golden/resource_check.h"
#include "tools/cli/command.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/golden_folder.h"
#include "tools/cli/golden_output.h"
#include "tools/cli/golden_resources.h"
#include "tools/cli/golden_text.h"
#include "tools/cli/progress.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return {{.title = "Options", .options = {golden_folder_option(), golden_resources_option()}},
          {.title = "Compilers", .options = compiler_place_options()},
          golden_output_options()};
}

Expected<golden::ResourceCheck> resources(const std::filesystem::path& folder, bool wanted,
                                          const runtime::CompilerPoolOptions& compilers) {
  if (!wanted) return no_resource_check();
  const Expected<golden::ResourceGoldens> golden = golden::read_resources(folder);
  if (!golden) return std::unexpected(golden.error());
  runtime::CompilerPool pool(compilers);
  ProgressBar bar("compiling the golden cases");
  return golden::check_resources(*golden, pool,
                                 [&](std::size_t done, std::size_t total) { bar.update(done, total); });
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  check_golden_outputs(arguments, {}, refusals);
  const runtime::CompilerPoolOptions compilers = all_workers(arguments, refusals);
  const auto folder = golden_folder(arguments, std::move(refusals));
  if (!folder) return std::unexpected(folder.error());
  const Expected<golden::CheckResult> text = golden::check(*folder);
  if (!text) return std::unexpected(text.error());
  const Expected<golden::ResourceCheck> compiled = resources(*folder, wants_resources(arguments), compilers);
  if (!compiled) return std::unexpected(compiled.error());

  Report report;
  report.failed = !text->ok() || !compiled->ok();
  report.json = text_check_json(*text);
  report.json["ok"] = !report.failed;
  report.json["resources"] = resource_check_json(*compiled);

  Review review{.title = "golden check", .ok = !report.failed};
  if (ReviewBlock block = text_check_block(*text); !block.rows.empty())
    review.blocks.push_back(std::move(block));
  for (ReviewBlock& block : resource_blocks(*compiled)) review.blocks.push_back(std::move(block));
  if (text->checked == 0) review.blocks.push_back({.lines = {"nothing was compared"}});
  review.verdict = fmt::format("goldens {}: {}; {}", review.ok ? "ok" : "FAILED", text_check_counts(*text),
                               fmt::join(resource_verdicts(*compiled), "; "));
  std::vector<JUnitCase> cases;
  append_text_cases(*text, "", cases);
  append_resource_cases(*compiled, cases);
  if (const auto written = write_golden_outputs(arguments, review, cases, report); !written)
    return std::unexpected(written.error());
  return report;
}

}  // namespace

Command golden_check_command() {
  return {.name = "golden check",
          .meaning = "compare the goldens with what this build emits and compiles",
          .example = {"wavesmith golden check",
                      "wavesmith golden check --junit goldens.xml --markdown goldens.md"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
