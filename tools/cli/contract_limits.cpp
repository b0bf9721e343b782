// Measures the cases and prints base and now.
#include "tools/cli/contract_limits.h"

#include <iterator>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/check.h"
#include "golden/emission.h"
#include "golden/resource_check.h"
#include "tools/cli/files.h"
#include "tools/cli/golden_folder.h"
#include "tools/cli/golden_junit.h"
#include "tools/cli/progress.h"
#include "tools/cli/table.h"
#include "tools/contract/limits.h"
#include "tools/contract/parallel.h"

namespace wavesmith::cli {
namespace {

/// Resources of the cases by one compiler. Errors: all that do not compile, at once.
Expected<golden::ResourceEntries> measured(std::span<const golden::Case> cases,
                                           const golden::Compiler& compiler, runtime::CompilerPool& pool,
                                           unsigned jobs) {
  std::mutex mutex;
  golden::ResourceEntries entries;
  std::vector<std::string> problems;
  ProgressBar progress("compiling the cases");
  contract::for_each_index(cases.size(), contract::jobs_or_cpus(jobs), [&](std::size_t i) {
    const auto emission = golden::emit(cases[i], *compiler.flavour);
    const auto one = emission ? golden::measure(pool, compiler, emission->text, cases[i].target)
                              : std::unexpected(emission.error());
    const std::scoped_lock lock(mutex);
    if (one)
      entries.emplace(cases[i].id(), one->resources);
    else
      problems.push_back(fmt::format("{} by {}: {}", cases[i].id(), compiler.name, one.error().message));
    progress.update(entries.size() + problems.size(), cases.size());
  });
  if (!problems.empty())
    return fail(ErrorKind::compiler_failed, fmt::format("{}", fmt::join(problems, "\n")));
  return entries;
}

Json rows_json(std::span<const contract::LimitRow> rows) {
  Json all = Json::array();
  for (const contract::LimitRow& row : rows)
    all.push_back({{"case", row.id}, {"field", row.field}, {"base", row.base}, {"now", row.now}});
  return all;
}

Json problems_json(std::span<const contract::LimitProblem> problems) {
  Json all = Json::array();
  for (const contract::LimitProblem& problem : problems)
    all.push_back({{"case", problem.id}, {"what", problem.what}});
  return all;
}

Json result_json(const contract::LimitResult& result) {
  return {{"compiler", result.compiler},
          {"ok", result.ok()},
          {"checked", result.checked},
          {"numbers", rows_json(result.numbers)},
          {"drift", rows_json(result.drift)},
          {"unrecorded", result.unrecorded},
          {"problems",
           {{"base", problems_json(result.base_problems)}, {"now", problems_json(result.now_problems)}}},
          {"summary", result.summary()}};
}

/// "200" where both agree, else "200 -> 204".
std::string change(const contract::LimitRow& row) {
  return row.base == row.now ? fmt::format("{}", row.now) : fmt::format("{} -> {}", row.base, row.now);
}

std::string result_text(const contract::LimitResult& result) {
  using enum Table::Align;
  constexpr std::size_t fields = golden::resource_fields.size();
  std::vector<Table::Column> columns{{"base -> now", left}};
  for (const auto& [name, unused] : golden::resource_fields) columns.push_back({std::string(name), right});
  Table numbers(columns);
  for (std::size_t i = 0; i + fields <= result.numbers.size(); i += fields) {
    std::vector<std::string> cells{for_cell(result.numbers[i].id)};
    for (std::size_t field = 0; field < fields; ++field) cells.push_back(change(result.numbers[i + field]));
    numbers.row(std::move(cells));
  }
  std::string text = fmt::format("resources by {}, recorded and now\n{}", result.compiler, numbers.text(2));
  const auto out = std::back_inserter(text);
  for (const contract::LimitRow& row : result.drift)
    fmt::format_to(out, "differs: {}: {}: {} at base, {} now\n", row.id, row.field, row.base, row.now);
  for (const std::string& id : result.unrecorded) fmt::format_to(out, "not recorded: {}\n", id);
  for (const contract::LimitProblem& problem : result.base_problems)
    fmt::format_to(out, "problem at base: {}: {}\n", problem.id, problem.what);
  for (const contract::LimitProblem& problem : result.now_problems)
    fmt::format_to(out, "PROBLEM: {}: {}\n", problem.id, problem.what);
  return text;
}

}  // namespace

Expected<Report> contract_limits(const Arguments& arguments, std::span<const golden::Case> cases,
                                 const CompilerOptions& compilers, unsigned jobs) {
  const auto folder = golden_folder(arguments, {});
  if (!folder) return std::unexpected(folder.error());
  const Expected<golden::ResourceGoldens> recorded = golden::read_resources(*folder);
  if (!recorded) return std::unexpected(recorded.error());
  const std::vector<contract::ContractCase> contracts = contract::contract_cases(cases);
  runtime::CompilerPool pool(compilers.pool);
  const golden::CompilersAtHand at_hand = golden::compilers_at_hand(pool);
  Report report;
  report.json = {{"ok", true}, {"limits", Json::array()}, {"not_checked", Json::array()}};
  std::string summaries;
  const auto not_checked = [&](const std::string& compiler, const std::string& reason) {
    report.json["not_checked"].push_back({{"compiler", compiler}, {"reason", reason}});
    report.text += fmt::format("not checked: {}: {}\n", compiler, reason);
  };
  for (const golden::Compiler& compiler : at_hand.found) {
    if (compilers.backend != runtime::Backend::automatic && compilers.backend != compiler.backend) continue;
    const auto base = recorded->compilers.find(compiler.name);
    const Expected<golden::ResourceEntries> now = measured(cases, compiler, pool, jobs);
    if (!now) return std::unexpected(now.error());
    const contract::LimitResult result = contract::compare_limits(
        compiler.name, contracts,
        base == recorded->compilers.end() ? golden::ResourceEntries{} : base->second, *now);
    report.failed = report.failed || !result.ok();
    report.json["limits"].push_back(result_json(result));
    report.text += result_text(result);
    summaries += result.summary() + "\n";
  }
  for (const golden::NotChecked& absent : at_hand.absent) not_checked(absent.compiler, absent.reason);
  for (const auto& [name, unused] : recorded->compilers)
    if (std::ranges::find(at_hand.found, name, &golden::Compiler::name) == at_hand.found.end())
      not_checked(name, "recorded, but this compiler is not at hand");
  if (summaries.empty()) {
    report.failed = true;  // comparing nothing is no success
    summaries = "nothing was compared\n";
  }
  report.text += summaries;
  report.json["ok"] = !report.failed;
  return report;
}

}  // namespace wavesmith::cli
