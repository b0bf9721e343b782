// The list as JSON.
#include "tools/contract/allow_list.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "golden/schema_reader.h"
#include "golden/strict_json.h"

namespace wavesmith::contract {

bool AllowList::has(const Finding& finding) const {
  return std::ranges::any_of(entries, [&](const AllowedFinding& entry) {
    return entry.id == finding.id && entry.kind == finding.kind;
  });
}

Expected<AllowList> parse_allow_list(std::string_view text, std::string_view name,
                                     std::span<const std::string> ids) {
  const auto damaged = [&](std::string_view why) {
    return fail(ErrorKind::invalid_request,
                fmt::format("{} is not a list of allowed findings: {}", name, why));
  };
  const auto parsed = golden::parse_strict_json(text);
  if (!parsed) return damaged(parsed.error());
  golden::SchemaReader reader;
  if (!reader.object(*parsed, "the file", {"findings", "schema"}) ||
      !reader.schema((*parsed)["schema"], allow_list_schema))
    return damaged(reader.problem());
  if (!(*parsed)["findings"].is_array()) return damaged("findings is not a list");
  AllowList list;
  for (const auto& value : (*parsed)["findings"]) {
    const std::string where = fmt::format("findings[{}]", list.entries.size());
    if (!reader.object(value, where, {"case", "finding", "reason"})) return damaged(reader.problem());
    for (const char* key : {"case", "finding", "reason"})
      if (!value[key].is_string()) return damaged(fmt::format("{}: {} is not a text", where, key));
    const AllowedFinding entry{value["case"], value["finding"], value["reason"]};
    if (std::ranges::find(ids, entry.id) == ids.end())
      return damaged(fmt::format("{}: there is no case {}", where, entry.id));
    if (std::ranges::find(finding_kinds, entry.kind) == finding_kinds.end())
      return damaged(fmt::format("{}: there is no finding {}; there are {}", where, entry.kind,
                                 fmt::join(finding_kinds, ", ")));
    if (entry.reason.empty()) return damaged(fmt::format("{}: the reason is empty", where));
    if (list.has({entry.id, entry.kind, ""}))
      return damaged(fmt::format("{}: {} of {} stands twice", where, entry.kind, entry.id));
    list.entries.push_back(entry);
  }
  return list;
}

}  // namespace wavesmith::contract
