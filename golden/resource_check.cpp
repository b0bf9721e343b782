// Which changes of resources fail.
#include "golden/resource_check.h"

#include <algorithm>
#include <set>

#include "golden/cases.h"

namespace wavesmith::golden {
namespace {

std::uint64_t slack_of(std::string_view field, const Slack& slack) {
  if (field == "vgpr") return slack.vgpr;
  if (field == "agpr") return slack.agpr;
  if (field == "sgpr") return slack.sgpr;
  return 0;
}

void compare_case(const std::string& id, const Resources& golden, const Resources& measured,
                  const Slack& slack, std::vector<ResourceChange>& changes) {
  const auto compare = [&](std::string field, std::uint64_t before, std::uint64_t now,
                           std::uint64_t allowed) {
    if (before == now) return;
    const bool fails = std::max(before, now) - std::min(before, now) > allowed;
    changes.push_back({id, std::move(field), before, now, fails});
  };
  for (const auto& [field, member] : resource_fields)
    compare(std::string(field), golden.*member, measured.*member, slack_of(field, slack));
  std::set<std::string> starts;
  for (const auto* side : {&golden, &measured})
    for (const auto& [start, count] : side->instructions) starts.insert(start);
  const auto count_of = [](const Resources& side, const std::string& start) {
    const auto found = side.instructions.find(start);
    return found == side.instructions.end() ? 0 : found->second;
  };
  for (const std::string& start : starts)
    compare("instructions " + start, count_of(golden, start), count_of(measured, start), 0);
}

}  // namespace

bool ResourceResult::ok() const {
  return checked > 0 && missing.empty() && unexpected.empty() &&
         std::ranges::none_of(changes, &ResourceChange::fails);
}

bool ResourceCheck::ok() const {
  return std::ranges::all_of(results, &ResourceResult::ok);
}

ResourceResult compare_resources(std::string_view compiler, const ResourceEntries& golden,
                                 const ResourceEntries& measured, const Slack& slack) {
  ResourceResult result;
  result.compiler = compiler;
  for (const auto& [id, now] : measured) {
    const auto pinned = golden.find(id);
    if (pinned == golden.end()) {
      result.missing.push_back(id);
      continue;
    }
    ++result.checked;
    if (pinned->second == now)
      result.agreed.push_back(id);
    else
      compare_case(id, pinned->second, now, slack, result.changes);
  }
  for (const auto& [id, unused] : golden)
    if (!measured.contains(id)) result.unexpected.push_back(id);
  return result;
}

Expected<ResourceCheck> check_resources(const ResourceGoldens& golden, runtime::CompilerPool& pool,
                                        const std::function<void(std::size_t, std::size_t)>& progress) {
  ResourceCheck check;
  CompilersAtHand at_hand = compilers_at_hand(pool);
  check.not_checked = std::move(at_hand.absent);
  for (const Compiler& compiler : at_hand.found) {
    const auto pinned = golden.compilers.find(compiler.name);
    if (pinned == golden.compilers.end()) {
      check.not_checked.push_back({compiler.name, "at hand, but the file has no numbers of it"});
      continue;
    }
    const Expected<ResourceEntries> measured = measure_cases(pool, compiler, progress);
    if (!measured) return std::unexpected(measured.error());
    check.results.push_back(compare_resources(compiler.name, pinned->second, *measured, golden.slack));
  }
  for (const auto& [name, unused] : golden.compilers)
    if (std::ranges::find(at_hand.found, name, &Compiler::name) == at_hand.found.end())
      check.not_checked.push_back({name, "pinned, but this compiler is not at hand"});
  return check;
}

}  // namespace wavesmith::golden
