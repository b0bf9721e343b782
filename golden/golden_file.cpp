// Golden files as JSON.
#include "golden/golden_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/schema_reader.h"
#include "golden/strict_json.h"

namespace wavesmith::golden {
namespace {

using nlohmann::json;

bool read_entry(SchemaReader& reader, const json& value, std::string_view where, Entry& entry) {
  if (!reader.object(value, where, {"bytes", "sha256", "symbol"})) return false;
  if (!value["symbol"].is_string() || value["symbol"].get_ref<const std::string&>().empty())
    return reader.wrong(where, "symbol is not a name");
  if (!value["sha256"].is_string()) return reader.wrong(where, "sha256 is not a string");
  if (!reader.number(value["bytes"], fmt::format("{}: bytes", where), entry.bytes)) return false;
  entry.symbol = value["symbol"];
  entry.sha256 = value["sha256"];
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (entry.sha256.size() != 64 || !std::ranges::all_of(entry.sha256, hex))
    return reader.wrong(where, "sha256 is not 64 lower-case hexadecimal digits");
  return true;
}

}  // namespace

Expected<Goldens> parse_goldens(std::string_view text, std::string_view name) {
  const auto damaged = [&](std::string_view why) {
    return fail(ErrorKind::check_failed, fmt::format("{} is not a golden file: {}", name, why));
  };
  const auto parsed = parse_strict_json(text);
  if (!parsed) return damaged(parsed.error());

  SchemaReader reader;
  if (!reader.object(*parsed, "the file", {"flavours", "schema"}) ||
      !reader.schema((*parsed)["schema"], golden_schema) || !reader.object((*parsed)["flavours"], "flavours"))
    return damaged(reader.problem());

  Goldens goldens;
  for (const auto& [flavour, section] : (*parsed)["flavours"].items()) {
    if (!reader.object(section, flavour, {"cases"}) ||
        !reader.object(section["cases"], fmt::format("{}: cases", flavour)))
      return damaged(reader.problem());
    Entries& entries = goldens[flavour];
    for (const auto& [id, value] : section["cases"].items())
      if (!read_entry(reader, value, fmt::format("{}, {}", flavour, id), entries[id]))
        return damaged(reader.problem());
  }
  return goldens;
}

std::string goldens_text(const Goldens& goldens) {
  json flavours = json::object();
  for (const auto& [flavour, entries] : goldens) {
    json cases = json::object();
    for (const auto& [id, entry] : entries)
      cases[id] = {{"bytes", entry.bytes}, {"sha256", entry.sha256}, {"symbol", entry.symbol}};
    flavours[flavour] = {{"cases", std::move(cases)}};
  }
  const json file = {{"flavours", std::move(flavours)}, {"schema", golden_schema}};
  return file.dump(2) + "\n";
}

}  // namespace wavesmith::golden
