// The golden file of resources as JSON.
#include "golden/resource_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/schema_reader.h"
#include "golden/strict_json.h"

namespace wavesmith::golden {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, std::uint64_t Slack::*>, 3> slack_fields{
    {{"agpr", &Slack::agpr}, {"sgpr", &Slack::sgpr}, {"vgpr", &Slack::vgpr}}};

bool read_resources(SchemaReader& reader, const json& value, const std::string& where, Resources& resources) {
  if (!reader.object(value, where,
                     {"agpr", "instructions", "lds_bytes", "scratch_bytes", "sgpr", "sgpr_spills", "vgpr",
                      "vgpr_spills"}))
    return false;
  for (const auto& [field, member] : resource_fields)
    if (!reader.number(value[field], fmt::format("{}: {}", where, field), resources.*member)) return false;
  if (!reader.object(value["instructions"], fmt::format("{}: instructions", where))) return false;
  for (const auto& [start, count] : value["instructions"].items())
    if (!reader.number(count, fmt::format("{}: instructions {}", where, start),
                       resources.instructions[start]))
      return false;
  return true;
}

}  // namespace

Expected<ResourceGoldens> parse_resources(std::string_view text, std::string_view name) {
  const auto damaged = [&](std::string_view why) {
    return fail(ErrorKind::check_failed, fmt::format("{} is not a golden file of resources: {}", name, why));
  };
  const auto parsed = parse_strict_json(text);
  if (!parsed) return damaged(parsed.error());
  SchemaReader reader;
  if (!reader.object(*parsed, "the file", {"compilers", "schema", "slack"}) ||
      !reader.schema((*parsed)["schema"], resource_schema) ||
      !reader.object((*parsed)["slack"], "slack", {"agpr", "sgpr", "vgpr"}) ||
      !reader.object((*parsed)["compilers"], "compilers"))
    return damaged(reader.problem());

  ResourceGoldens goldens;
  for (const auto& [field, member] : slack_fields)
    if (!reader.number((*parsed)["slack"][field], fmt::format("slack: {}", field), goldens.slack.*member))
      return damaged(reader.problem());
  for (const auto& [compiler, section] : (*parsed)["compilers"].items()) {
    if (!reader.object(section, compiler, {"cases"}) ||
        !reader.object(section["cases"], fmt::format("{}: cases", compiler)))
      return damaged(reader.problem());
    ResourceEntries& entries = goldens.compilers[compiler];
    for (const auto& [id, value] : section["cases"].items())
      if (!read_resources(reader, value, fmt::format("{}, {}", compiler, id), entries[id]))
        return damaged(reader.problem());
  }
  return goldens;
}

std::string resources_text(const ResourceGoldens& goldens) {
  json compilers = json::object();
  for (const auto& [compiler, entries] : goldens.compilers) {
    json cases = json::object();
    for (const auto& [id, resources] : entries) {
      json& entry = cases[id];
      for (const auto& [field, member] : resource_fields) entry[field] = resources.*member;
      entry["instructions"] = json::object();
      for (const auto& [start, count] : resources.instructions) entry["instructions"][start] = count;
    }
    compilers[compiler] = {{"cases", std::move(cases)}};
  }
  json slack = json::object();
  for (const auto& [field, member] : slack_fields) slack[field] = goldens.slack.*member;
  const json file = {{"compilers", std::move(compilers)}, {"schema", resource_schema}, {"slack", slack}};
  return file.dump(2) + "\n";
}

}  // namespace wavesmith::golden
