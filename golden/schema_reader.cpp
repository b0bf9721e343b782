// The checks.
#include "golden/schema_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::golden {

using nlohmann::json;

bool SchemaReader::wrong(std::string_view where, std::string_view what) {
  if (problem_.empty()) problem_ = fmt::format("{} {}", where, what);
  return false;
}

bool SchemaReader::object(const json& value, std::string_view where) {
  return value.is_object() || wrong(where, "is not an object");
}

bool SchemaReader::object(const json& value, std::string_view where,
                          std::initializer_list<std::string_view> keys) {
  if (!object(value, where)) return false;
  for (auto member = value.begin(); member != value.end(); ++member)
    if (std::ranges::find(keys, member.key()) == keys.end())
      return wrong(where, fmt::format("has an unknown key \"{}\"", member.key()));
  for (std::string_view key : keys)
    if (!value.contains(key)) return wrong(where, fmt::format("has no key \"{}\"", key));
  return true;
}

bool SchemaReader::schema(const json& value, std::string_view expected) {
  return (value.is_string() && value.get_ref<const std::string&>() == expected) ||
         wrong("schema", fmt::format("is {}, not \"{}\"", value.dump(-1, ' ', true), expected));
}

bool SchemaReader::number(const json& value, std::string_view where, std::uint64_t& number) {
  if (!value.is_number_unsigned()) return wrong(where, "is not a count");
  number = value.get<std::uint64_t>();
  return true;
}

}  // namespace wavesmith::golden
