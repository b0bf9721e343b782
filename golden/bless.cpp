// The summary of a bless.
#include "golden/bless.h"

#include <algorithm>
#include <set>
#include <utility>

#include "golden/emission.h"

namespace wavesmith::golden {
namespace {

using Specs = std::map<std::string, std::map<std::string, std::string>>;

std::vector<CommonField> common_fields(const BlessPlan& plan, const Specs& specs) {
  std::map<std::string, std::set<std::string>> moved_values, all_values;
  for (const auto& [id, spec] : specs)
    for (const auto& [field, value] : spec) {
      all_values[field].insert(value);
      if (plan.moved.contains(id)) moved_values[field].insert(value);
    }
  std::vector<CommonField> common;
  for (const auto& [field, values] : moved_values) {
    if (values.size() != 1 || all_values[field].size() == 1) continue;
    CommonField shared{.field = field, .value = *values.begin()};
    for (const auto& [id, spec] : specs) {
      const auto own = spec.find(field);
      if (!plan.moved.contains(id) && own != spec.end() && own->second == shared.value) ++shared.unmoved;
    }
    common.push_back(std::move(shared));
  }
  std::ranges::sort(common, {}, [](const CommonField& shared) {
    return std::pair(shared.unmoved, std::string_view(shared.field));
  });
  return common;
}

}  // namespace

BlessPlan plan_bless(const Goldens& golden, Goldens emitted, const Specs& specs) {
  BlessPlan plan;
  const CheckResult result = compare(golden, emitted);
  for (const Drift& drift : result.drifted) plan.moved[drift.name.id].push_back(drift.name.flavour);
  for (const CaseName& name : result.missing) plan.added[name.id].push_back(name.flavour);
  for (const CaseName& name : result.unexpected) plan.removed[name.id].push_back(name.flavour);
  plan.moved_entries = result.drifted.size();
  plan.unmoved_entries = result.checked - result.drifted.size();
  constexpr std::size_t values_of_an_entry = 3;
  plan.unmoved_values = plan.unmoved_entries * values_of_an_entry;
  for (const auto& [name, before, now] : result.drifted)
    plan.unmoved_values += static_cast<std::size_t>(before.symbol == now.symbol) +
                           static_cast<std::size_t>(before.sha256 == now.sha256) +
                           static_cast<std::size_t>(before.bytes == now.bytes);
  for (const auto& [id, spec] : specs)
    if (!plan.moved.contains(id) && !plan.added.contains(id)) ++plan.unmoved_cases;
  plan.common = common_fields(plan, specs);
  plan.goldens = std::move(emitted);
  return plan;
}

Expected<BlessPlan> plan_bless(const Goldens& golden) {
  Expected<Goldens> emitted = emit_all();
  if (!emitted) return std::unexpected(emitted.error());
  Specs specs;
  for (const Case& golden_case : cases()) {
    // A spec does not depend on the flavour; emit_all() has shown that every case emits.
    const Expected<Emission> emission = emit(golden_case, lowering::all_flavours().front());
    if (!emission) return std::unexpected(emission.error());
    auto& spec = specs[golden_case.id()];
    spec.insert(emission->spec.begin(), emission->spec.end());
    spec.insert({{"family", golden_case.family}, {"target", golden_case.target}});
  }
  return plan_bless(golden, std::move(*emitted), specs);
}

}  // namespace wavesmith::golden
