// Specs as JSON.
#include "tools/cli/spec_file.h"

#include <algorithm>

#include "golden/strict_json.h"
#include "tools/cli/files.h"

namespace wavesmith::cli {
namespace {

using generator::FieldInfo;

bool has_type(const nlohmann::json& value, const FieldInfo& field) {
  if (field.type == "integer") return value.is_number_integer();
  if (field.type == "flag") return value.is_boolean();
  return value.is_string();
}

std::string type_text(const FieldInfo& field) {
  if (field.type == "integer") return "a number: " + field.allowed;
  if (field.type == "flag") return "true or false, without quotes";
  return "a string: " + field.allowed;
}

// As a flag of the command line would have it. ASCII alone, since the value may go into messages.
std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true);
}

}  // namespace

SpecFile read_spec_file(const std::string& path, const generator::Family& family,
                        std::vector<Refusal>& refusals) {
  SpecFile spec;
  const Expected<std::string> text = read_input(path, "spec");
  if (!text) {
    refusals.insert(refusals.end(), text.error().refusals.begin(), text.error().refusals.end());
    spec.readable = false;
    return spec;
  }
  const auto parsed = golden::parse_strict_json(*text);
  if (!parsed || !parsed->is_object()) {
    spec.readable = false;
    refusals.push_back(
        {"spec", path, "a JSON object of spec fields" + (parsed ? std::string() : ": " + parsed.error())});
    return spec;
  }
  const std::vector<FieldInfo> fields = family.fields();
  for (const auto& [name, value] : parsed->items()) {
    if (name == "preset" && value.is_string()) {
      spec.preset = value.get<std::string>();
      continue;
    }
    const auto field = std::ranges::find(fields, name, &FieldInfo::name);
    if (field != fields.end() && !has_type(value, *field))
      refusals.push_back({name, value.dump(-1, ' ', true), type_text(*field)});
    else
      spec.fields.emplace(name, text_of(value));
  }
  return spec;
}

Json spec_json(const generator::Family& family, const generator::ResolvedKernel& kernel) {
  Json spec = Json::object();
  const std::vector<FieldInfo> fields = family.fields();
  for (const auto& [name, value] : kernel.spec()) {
    const auto field = std::ranges::find(fields, name, &FieldInfo::name);
    const std::string type = field == fields.end() ? "choice" : field->type;
    if (type == "integer")
      spec[name] = std::stoll(value);
    else if (type == "flag")
      spec[name] = value == "true";
    else
      spec[name] = value;
  }
  return spec;
}

}  // namespace wavesmith::cli
