// Golden files as JSON.
#include "golden/golden_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/strict_json.h"

namespace wavesmith::golden {
namespace {

using nlohmann::json;

// Walks the parsed file; the first thing that is not the schema stops it.
class Reader {
 public:
  [[nodiscard]] bool failed() const { return !problem.empty(); }

  // True when `value` is an object with exactly these keys.
  bool object(const json& value, std::string_view where, std::initializer_list<std::string_view> keys) {
    if (!value.is_object()) return wrong(where, "is not an object");
    for (const auto& [key, unused] : value.items())
      if (std::ranges::find(keys, key) == keys.end())
        return wrong(where, fmt::format("has an unknown key \"{}\"", key));
    for (std::string_view key : keys)
      if (!value.contains(key)) return wrong(where, fmt::format("has no key \"{}\"", key));
    return true;
  }

  bool entry(const json& value, std::string_view where, Entry& entry) {
    if (!object(value, where, {"bytes", "sha256", "symbol"})) return false;
    if (!value["symbol"].is_string() || value["symbol"].get_ref<const std::string&>().empty())
      return wrong(where, "symbol is not a name");
    if (!value["sha256"].is_string()) return wrong(where, "sha256 is not a string");
    if (!value["bytes"].is_number_unsigned()) return wrong(where, "bytes is not a length");
    entry = {.symbol = value["symbol"], .sha256 = value["sha256"], .bytes = value["bytes"]};
    const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (entry.sha256.size() != 64 || !std::ranges::all_of(entry.sha256, hex))
      return wrong(where, "sha256 is not 64 lower-case hexadecimal digits");
    return true;
  }

  std::string problem;

 private:
  bool wrong(std::string_view where, std::string_view what) {
    problem = fmt::format("{} {}", where, what);
    return false;
  }
};

}  // namespace

Expected<Goldens> parse_goldens(std::string_view text, std::string_view name) {
  const auto damaged = [&](std::string_view why) {
    return fail(ErrorKind::check_failed, fmt::format("{} is not a golden file: {}", name, why));
  };
  const auto parsed = parse_strict_json(text);
  if (!parsed) return damaged(parsed.error());

  Reader reader;
  if (!reader.object(*parsed, "the file", {"flavours", "schema"})) return damaged(reader.problem);
  const json& schema = (*parsed)["schema"];
  if (schema != golden_schema)
    return damaged(fmt::format("schema is {}, not \"{}\"", schema.dump(-1, ' ', true), golden_schema));
  const json& flavours = (*parsed)["flavours"];
  if (!flavours.is_object()) return damaged("flavours is not an object");

  Goldens goldens;
  for (const auto& [flavour, section] : flavours.items()) {
    if (!reader.object(section, flavour, {"cases"})) return damaged(reader.problem);
    if (!section["cases"].is_object()) return damaged(fmt::format("{}: cases is not an object", flavour));
    Entries& entries = goldens[flavour];
    for (const auto& [id, value] : section["cases"].items())
      if (!reader.entry(value, fmt::format("{}, {}", flavour, id), entries[id]))
        return damaged(reader.problem);
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
