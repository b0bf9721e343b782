// JSON, tables and JUnit cases of resource checks.
#include "tools/cli/golden_resources.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tools/cli/flavour_choice.h"

namespace wavesmith::cli {
namespace {

std::string number(std::uint64_t value) {
  return fmt::format("{}", value);
}

std::string_view consequence(const golden::ResourceChange& change) {
  return change.fails ? "fails" : "within the slack";
}

std::size_t failed_cases(const golden::ResourceResult& result) {
  std::vector<std::string> ids;
  for (const golden::ResourceChange& change : result.changes)
    if (change.fails && (ids.empty() || ids.back() != change.id)) ids.push_back(change.id);
  return ids.size();
}

}  // namespace

Option golden_resources_option() {
  return {.name = "resources",
          .placeholder = "",
          .meaning = "compile the cases with the compilers at hand, for resources.json (default on)",
          .negatable = true};
}

bool wants_resources(const Arguments& arguments) {
  return arguments.value_or("resources", "true") == "true";
}

runtime::CompilerPoolOptions all_workers(const Arguments& arguments, std::vector<Refusal>& refusals) {
  runtime::CompilerPoolOptions options = read_compiler_options(arguments, refusals).pool;
  options.workers = 0;
  return options;
}

golden::ResourceCheck no_resource_check() {
  return {.results = {}, .not_checked = {{"every compiler", "--no-resources"}}};
}

Json resource_change_json(const golden::ResourceChange& change) {
  return {{"case", change.id},
          {"field", change.field},
          {"golden", change.golden},
          {"measured", change.measured},
          {"fails", change.fails}};
}

Json resource_check_json(const golden::ResourceCheck& check) {
  std::size_t checked = 0;
  Json compilers = Json::array(), not_checked = Json::array();
  for (const golden::ResourceResult& result : check.results) {
    checked += result.checked;
    Json changes = Json::array();
    for (const golden::ResourceChange& change : result.changes)
      changes.push_back(resource_change_json(change));
    compilers.push_back({{"compiler", result.compiler},
                         {"ok", result.ok()},
                         {"checked", result.checked},
                         {"changes", std::move(changes)},
                         {"missing", result.missing},
                         {"unexpected", result.unexpected}});
  }
  for (const golden::NotChecked& one : check.not_checked)
    not_checked.push_back({{"compiler", one.compiler}, {"reason", one.reason}});
  return {{"checked", checked}, {"compilers", std::move(compilers)}, {"not_checked", std::move(not_checked)}};
}

std::vector<ReviewBlock> resource_blocks(const golden::ResourceCheck& check) {
  std::vector<ReviewBlock> blocks;
  for (const golden::ResourceResult& result : check.results) {
    ReviewBlock block{.title = fmt::format("resources by {}", result.compiler),
                      .columns = {"case", "resource", "pinned", "now", ""}};
    for (const golden::ResourceChange& change : result.changes)
      block.rows.push_back({change.id, change.field, number(change.golden), number(change.measured),
                            std::string(consequence(change))});
    if (result.checked == 0 && !result.missing.empty())
      block.rows.push_back(
          {fmt::format("all {} cases", result.missing.size()), "all", "none", "", "this compiler is new"});
    else
      for (const std::string& id : result.missing) block.rows.push_back({id, "all", "none", "", "missing"});
    for (const std::string& id : result.unexpected)
      block.rows.push_back({id, "all", "", "no such case", "unexpected"});
    if (!block.rows.empty()) blocks.push_back(std::move(block));
  }
  ReviewBlock unchecked{.title = "resources not checked", .columns = {"compiler", "reason"}};
  for (const golden::NotChecked& one : check.not_checked)
    unchecked.rows.push_back({one.compiler, one.reason});
  if (!unchecked.rows.empty()) blocks.push_back(std::move(unchecked));
  return blocks;
}

std::vector<std::string> resource_verdicts(const golden::ResourceCheck& check) {
  std::vector<std::string> lines;
  for (const golden::ResourceResult& result : check.results) {
    const auto shown =
        static_cast<std::size_t>(std::ranges::count(result.changes, false, &golden::ResourceChange::fails));
    lines.push_back(fmt::format(
        "resources by {}: {} cases checked, {} failed, {} numbers changed within the slack, {} missing, {} "
        "unexpected",
        result.compiler, result.checked, failed_cases(result), shown, result.missing.size(),
        result.unexpected.size()));
  }
  if (lines.empty()) lines.emplace_back("resources: not checked");
  return lines;
}

void append_resource_cases(const golden::ResourceCheck& check, std::vector<JUnitCase>& cases) {
  using enum JUnitCase::Outcome;
  for (const golden::ResourceResult& result : check.results) {
    const std::string suite = fmt::format("resources by {}", result.compiler);
    for (const std::string& id : result.agreed)
      cases.push_back({.suite = suite, .name = id, .outcome = passed});
    std::map<std::string, std::pair<std::string, bool>> changed;  // case -> what changed, whether it fails
    for (const golden::ResourceChange& change : result.changes) {
      auto& [text, fails] = changed[change.id];
      fmt::format_to(std::back_inserter(text), "{}{}: {} -> {}", text.empty() ? "" : "; ", change.field,
                     change.golden, change.measured);
      fails = fails || change.fails;
    }
    for (auto& [id, what] : changed)
      cases.push_back({.suite = suite,
                       .name = id,
                       .outcome = what.second ? failed : passed,
                       .message = what.first,
                       .output = what.first});
    for (const std::string& id : result.missing)
      cases.push_back({.suite = suite, .name = id, .outcome = failed, .message = "not in the golden file"});
    for (const std::string& id : result.unexpected)
      cases.push_back({.suite = suite, .name = id, .outcome = failed, .message = "no case of this build"});
  }
  for (const golden::NotChecked& one : check.not_checked)
    cases.push_back(
        {.suite = "resources not checked", .name = one.compiler, .outcome = skipped, .message = one.reason});
}

}  // namespace wavesmith::cli
