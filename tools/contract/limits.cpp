// Which numbers break a limit.
#include "tools/contract/limits.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "runtime/occupancy.h"

namespace wavesmith::contract {
namespace {

using golden::Resources;

void check_limits(const ContractCase& one, const Resources& resources, std::vector<LimitProblem>& problems) {
  const auto add = [&](std::string what) { problems.push_back({one.id, std::move(what)}); };
  if (resources.vgpr_spills + resources.sgpr_spills != 0)
    add(fmt::format("{} vector and {} scalar registers are spilled, 0 are allowed", resources.vgpr_spills,
                    resources.sgpr_spills));
  if (resources.scratch_bytes != 0)
    add(fmt::format("{} bytes of scratch a work-item, 0 are allowed", resources.scratch_bytes));
  const dense::Plan& plan = one.plan;
  if (resources.lds_bytes > plan.facts->lds_bytes)
    add(fmt::format("{} bytes of LDS, {} has {} a workgroup", resources.lds_bytes, plan.facts->processor,
                    plan.facts->lds_bytes));
  const auto occupancy = runtime::occupancy({.processor = plan.target.processor,
                                             .vgprs = static_cast<std::uint32_t>(resources.vgpr),
                                             .sgprs = static_cast<std::uint32_t>(resources.sgpr),
                                             .lds_bytes = static_cast<std::uint32_t>(resources.lds_bytes),
                                             .workgroup_size = plan.attributes.workgroup_size,
                                             .wavefront_size = plan.facts->wave_size});
  if (!occupancy)
    add(occupancy.error().message);
  else if (occupancy->workgroups == 0)
    add("no workgroup fits on a compute unit");
  else if (occupancy->waves_per_simd < plan.attributes.waves_per_eu)
    add(fmt::format("{} waves fit on a SIMD, {} were asked for", occupancy->waves_per_simd,
                    plan.attributes.waves_per_eu));
}

std::uint64_t count_of(const Resources& resources, const std::string& start) {
  const auto found = resources.instructions.find(start);
  return found == resources.instructions.end() ? 0 : found->second;
}

void compare_case(const std::string& id, const Resources& base, const Resources& now, LimitResult& result) {
  for (const auto& [field, member] : golden::resource_fields) {
    const LimitRow row{id, std::string(field), base.*member, now.*member};
    result.numbers.push_back(row);
    if (row.base != row.now) result.drift.push_back(row);
  }
  std::set<std::string> starts;
  for (const Resources* side : {&base, &now})
    for (const auto& [start, unused] : side->instructions) starts.insert(start);
  for (const std::string& start : starts)
    if (count_of(base, start) != count_of(now, start))
      result.drift.push_back(
          {id, fmt::format("instructions {}", start), count_of(base, start), count_of(now, start)});
}

}  // namespace

std::string LimitResult::summary() const {
  return fmt::format("LIMITS {}: {} cases; problems: {} at base, {} now; {} numbers differ, {} not recorded",
                     compiler, checked, base_problems.size(), now_problems.size(), drift.size(),
                     unrecorded.size());
}

LimitResult compare_limits(std::string_view compiler, std::span<const ContractCase> cases,
                           const golden::ResourceEntries& base, const golden::ResourceEntries& now) {
  LimitResult result;
  result.compiler = compiler;
  for (const ContractCase& one : cases) {
    const auto measured = now.find(one.id), recorded = base.find(one.id);
    if (measured == now.end()) continue;
    ++result.checked;
    check_limits(one, measured->second, result.now_problems);
    if (recorded == base.end()) {
      result.unrecorded.push_back(one.id);
      continue;
    }
    check_limits(one, recorded->second, result.base_problems);
    compare_case(one.id, recorded->second, measured->second, result);
  }
  return result;
}

}  // namespace wavesmith::contract
