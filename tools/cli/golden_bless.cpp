// `wavesmith golden bless`: re-checks the base revision, says what pinning the present text and resources
// would change, and with --yes does it.
#include "tools/cli/golden_bless.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/interrupts.h"
#include "tools/cli/files.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/golden_base.h"
#include "tools/cli/golden_folder.h"
#include "tools/cli/golden_output.h"
#include "tools/cli/golden_resources.h"
#include "tools/cli/progress.h"

namespace wavesmith::cli {

namespace fs = std::filesystem;

namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  std::vector<Option> own{golden_folder_option(),
                          {.name = "yes", .placeholder = "", .meaning = "write the golden files"}};
  for (Option& option : golden_base_options()) own.push_back(std::move(option));
  own.push_back({.name = "no-base",
                 .placeholder = "",
                 .meaning =
                     "do not re-check a base revision: what moved is then told against the files in the "
                     "folder, whoever wrote them"});
  own.push_back(golden_resources_option());
  std::vector<OptionGroup> groups{{.title = "Options", .options = std::move(own)},
                                  {.title = "Compilers", .options = compiler_place_options()},
                                  golden_output_options()};
  groups.back().options.push_back({.name = "patch",
                                   .placeholder = "FILE",
                                   .meaning = "also write the change as a patch behind its summary"});
  return groups;
}

// The goldens that the summary starts from.
struct Pinned {
  golden::Goldens text;
  golden::ResourceGoldens resources;
};

template <class Golden>
Expected<Golden> parse_or_empty(const std::optional<std::string>& text, const std::string& name,
                                Expected<Golden> (*parse)(std::string_view, std::string_view)) {
  return text ? parse(*text, name) : Golden{};
}

Expected<Pinned> parse_pinned(const std::optional<std::string>& text,
                              const std::optional<std::string>& resources, std::string_view where) {
  Pinned pinned;
  auto goldens =
      parse_or_empty(text, fmt::format("{}{}", where, golden::golden_file_name), golden::parse_goldens);
  if (!goldens) return std::unexpected(goldens.error());
  auto compiled = parse_or_empty(resources, fmt::format("{}{}", where, golden::resource_file_name),
                                 golden::parse_resources);
  if (!compiled) return std::unexpected(compiled.error());
  return Pinned{std::move(*goldens), std::move(*compiled)};
}

Expected<std::optional<std::string>> read_if_there(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  auto text = read_input(path.string(), "dir");
  if (!text) return std::unexpected(text.error());
  return std::move(*text);
}

Expected<Pinned> base_pinned(const golden::BaseRevision& base) {
  const auto text = base.committed(golden::golden_file_name);
  if (!text) return std::unexpected(text.error());
  const auto resources = base.committed(golden::resource_file_name);
  if (!resources) return std::unexpected(resources.error());
  if (!*text)
    return std::unexpected(
        Error::refused({{"base", base.revision(),
                         fmt::format("a commit with {}, to start from; --no-base for the first bless",
                                     base.path_of(golden::golden_file_name))}}));
  return parse_pinned(*text, *resources, base.name() + ":golden/");
}

// Whether the pinned resources of the cases that changed are what the base's own text needs. For a case that
// did not change this build has just shown it.
Expected<golden::ResourceResult> recheck_resources(const golden::BaseRevision& base,
                                                   const golden::ResourceEntries& pinned,
                                                   const golden::Compiler& compiler,
                                                   const golden::ResourceResult& now,
                                                   runtime::CompilerPool& pool) {
  golden::ResourceEntries committed, measured;
  for (const golden::ResourceChange& change : now.changes) {
    const auto entry = pinned.find(change.id);
    if (measured.contains(change.id) || entry == pinned.end()) continue;
    const auto text = base.text(compiler.flavour->name, change.id);
    if (!text) return std::unexpected(text.error());
    if (!*text) continue;
    const std::string target = change.id.substr(change.id.find('/') + 1);
    auto result = golden::measure(pool, compiler, **text, target.substr(0, target.find('/')));
    if (!result) return std::unexpected(result.error());
    committed.emplace(*entry);
    measured.emplace(change.id, std::move(result->resources));
  }
  return golden::compare_resources(compiler.name, committed, measured, golden::Slack{0, 0, 0});
}

// Measures with every compiler at hand; `updated` gets the numbers, those of other compilers stay.
Expected<void> bless_resources(const Pinned& pinned, const std::optional<golden::BaseRevision>& base,
                               const runtime::CompilerPoolOptions& compilers, Bless& bless,
                               golden::ResourceGoldens& updated) {
  runtime::CompilerPool pool(compilers);
  golden::CompilersAtHand at_hand = golden::compilers_at_hand(pool);
  bless.resources.not_checked = std::move(at_hand.absent);
  ProgressBar bar("compiling the golden cases");
  for (const golden::Compiler& compiler : at_hand.found) {
    auto measured = golden::measure_cases(
        pool, compiler, [&](std::size_t done, std::size_t total) { bar.update(done, total); });
    if (!measured) return std::unexpected(measured.error());
    const auto before = pinned.resources.compilers.find(compiler.name);
    const golden::ResourceEntries none;
    const golden::ResourceEntries& entries =
        before == pinned.resources.compilers.end() ? none : before->second;
    bless.resources.results.push_back(
        golden::compare_resources(compiler.name, entries, *measured, pinned.resources.slack));
    if (base && bless.base) {
      auto recheck = recheck_resources(*base, entries, compiler, bless.resources.results.back(), pool);
      if (!recheck) return std::unexpected(recheck.error());
      bless.base->resources.push_back(std::move(*recheck));
    }
    updated.compilers.insert_or_assign(compiler.name, std::move(*measured));
  }
  for (const auto& [name, entries] : updated.compilers)
    if (std::ranges::find(at_hand.found, name, &golden::Compiler::name) == at_hand.found.end())
      bless.resources.not_checked.push_back({name, "not at hand; what is pinned of it stays as it is"});
  return {};
}

Expected<void> write_files(const Bless& bless) {
  for (const BlessedFile& file : bless.files)
    if (file.changes())
      if (auto written = write_output(file.path, file.now, "golden file"); !written) return written;
  return {};
}

void refuse_contradictions(const Arguments& arguments, std::vector<Refusal>& refusals) {
  if (!arguments.flag("no-base")) return;
  for (const std::string_view name : {"base", "base-folder"})
    if (const auto value = arguments.value(name))
      refusals.push_back({field_name(name), *value, "nothing, with --no-base"});
}

Expected<Bless> make_bless(const Arguments& arguments, const fs::path& folder,
                           const runtime::CompilerPoolOptions& compilers) {
  const auto text = read_if_there(folder / golden::golden_file_name);
  if (!text) return std::unexpected(text.error());
  const auto resources = read_if_there(folder / golden::resource_file_name);
  if (!resources) return std::unexpected(resources.error());
  const Expected<Pinned> in_folder = parse_pinned(*text, *resources, folder.string() + "/");
  if (!in_folder) return std::unexpected(in_folder.error());
  if (const auto unread = golden::unread_files(folder); !unread.empty())
    return fail(ErrorKind::check_failed,
                fmt::format("{}: no check reads {}", folder.string(), fmt::join(unread, ", ")));

  Bless bless;
  Pinned pinned = *in_folder;
  std::optional<golden::BaseRevision> base;
  if (!arguments.flag("no-base")) {
    Expected<golden::BaseRevision> built = golden_base(arguments, folder);
    if (!built) {
      built.error().message += "\n--no-base blesses without one";
      return std::unexpected(built.error());
    }
    base = std::move(*built);
    Expected<Pinned> committed = base_pinned(*base);
    if (!committed) return std::unexpected(committed.error());
    pinned = std::move(*committed);
    const Expected<golden::Goldens> emitted = base->emitted();
    if (!emitted) return std::unexpected(emitted.error());
    bless.base = BaseRecheck{.revision = base->revision(),
                             .commit = base->commit(),
                             .name = base->name(),
                             .text = golden::compare(pinned.text, *emitted),
                             .resources = {}};
  }
  Expected<golden::BlessPlan> plan = golden::plan_bless(pinned.text);
  if (!plan) return std::unexpected(plan.error());
  if (plan->goldens.empty() || plan->goldens.begin()->second.empty())
    return fail(ErrorKind::check_failed, "this build has no golden case");
  bless.plan = std::move(*plan);
  bless.resources = no_resource_check();

  const auto file = [&](std::string_view name, const std::optional<std::string>& before, std::string now) {
    bless.files.push_back({.path = (folder / name).string(),
                           .place = base ? base->path_of(name) : fmt::format("golden/{}", name),
                           .before = before,
                           .now = std::move(now)});
  };
  file(golden::golden_file_name, *text, golden::goldens_text(bless.plan.goldens));
  if (wants_resources(arguments) && !bless.refused()) {
    bless.resources = {};
    golden::ResourceGoldens updated = in_folder->resources;
    if (const auto done = bless_resources(pinned, base, compilers, bless, updated); !done)
      return std::unexpected(done.error());
    file(golden::resource_file_name, *resources, golden::resources_text(updated));
  }
  return bless;
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  refuse_contradictions(arguments, refusals);
  check_golden_outputs(arguments, {"patch"}, refusals);
  const runtime::CompilerPoolOptions compilers = all_workers(arguments, refusals);
  const auto folder = golden_folder(arguments, std::move(refusals));
  if (!folder) return std::unexpected(folder.error());
  const golden::Interrupts interrupts;
  Expected<Bless> bless = make_bless(arguments, *folder, compilers);
  if (!bless) return std::unexpected(bless.error());

  if (const auto patch = arguments.value("patch"); patch && !bless->refused()) {
    const Expected<std::string> text = bless_patch(*bless);
    if (!text) return std::unexpected(text.error());
    if (const auto written = write_output(*patch, *text, "patch"); !written)
      return std::unexpected(written.error());
    bless->patch = *patch;
  }
  if (arguments.flag("yes") && !bless->refused() && bless->changes()) {
    if (const auto written = write_files(*bless); !written) return std::unexpected(written.error());
    bless->written = true;
  }
  Report report;
  report.failed = !bless->ok();
  report.json = bless_json(*bless);
  report.stdout_taken = bless->patch == "-";
  if (const auto written = write_golden_outputs(arguments, bless_review(*bless), bless_cases(*bless), report);
      !written)
    return std::unexpected(written.error());
  return report;
}

}  // namespace

Command golden_bless_command() {
  return {.name = "golden bless",
          .meaning = "what pinning the present text and resources would change; --yes writes it",
          .example = {"wavesmith golden bless --base-folder build/golden-base --patch bless.patch"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
