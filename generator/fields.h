// Reflection over the fields of a spec. A family lists each field of its Spec once, as a Field in a tuple;
// parsing, printing, range checks, the request key, the symbol's hash, `wavesmith list` and the JSON all walk
// that tuple, so a field cannot be left out of any of them. all_fields_listed() makes the compiler compare
// the tuple with the struct.
#pragma once

#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wavesmith/error.h"

namespace wavesmith::generator {

/// What an integer field accepts: the listed values if any are listed, else min to max in steps of
/// `multiple`.
struct IntRule {
  int min = 1;
  int max = 1 << 30;
  int multiple = 1;
  std::array<int, 4> only{};  ///< zero entries do not count

  [[nodiscard]] constexpr bool accepts(int value) const {
    if (only[0] != 0) {
      for (int choice : only)
        if (choice != 0 && choice == value) return true;
      return false;
    }
    return value >= min && value <= max && value % multiple == 0;
  }
  [[nodiscard]] std::string text() const {
    if (only[0] != 0) {
      std::vector<int> choices;
      for (int choice : only)
        if (choice != 0) choices.push_back(choice);
      return fmt::format("{}", fmt::join(choices, ", "));
    }
    const std::string bounds = max == 1 << 30 ? fmt::format(">= {}", min) : fmt::format("{} to {}", min, max);
    return multiple == 1 ? bounds : fmt::format("{}, a multiple of {}", bounds, multiple);
  }
};

/// Specialise for each enumeration that a spec uses: the names of its values, in order.
template <class Enum>
struct EnumNames;

template <class Spec, class T>
struct Field {
  std::string_view name;
  T Spec::* member;
  IntRule rule;              ///< integers only
  std::string_view meaning;  ///< one sentence for `wavesmith list`
  bool required = false;     ///< has no default
};

template <class Spec>
constexpr Field<Spec, int> field(std::string_view name, int Spec::* member, IntRule rule,
                                 std::string_view meaning, bool required = false) {
  return {name, member, rule, meaning, required};
}
template <class Spec, class T>
  requires(std::is_enum_v<T> || std::is_same_v<T, bool>)
constexpr Field<Spec, T> field(std::string_view name, T Spec::* member, std::string_view meaning) {
  return {name, member, {}, meaning, false};
}

/// \name One field's value as text
/// @{
template <class T>
std::string value_text(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>)
    return std::string(EnumNames<T>::names.at(static_cast<std::size_t>(value)));
  else
    return fmt::format("{}", value);
}

template <class Spec, class T>
std::string allowed_text(const Field<Spec, T>& field) {
  if constexpr (std::is_same_v<T, bool>)
    return "true, false";
  else if constexpr (std::is_enum_v<T>)
    return fmt::format("{}", fmt::join(EnumNames<T>::names, ", "));
  else
    return field.rule.text();
}

/// Parses `text` into the field; false where it is not a value of the field's type (ranges are not checked
/// here).
template <class T>
bool parse_value(std::string_view text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false") return false;
    value = text == "true";
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    for (std::size_t i = 0; i < EnumNames<T>::names.size(); ++i)
      if (EnumNames<T>::names[i] == text) {
        value = static_cast<T>(i);
        return true;
      }
    return false;
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }
}
/// @}

/// Calls `visit(field)` for each field of the spec, in order.
template <class Spec, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Spec::fields);
}

/// Field names and values as text: how specs arrive from command lines and files.
using FieldTexts = std::map<std::string, std::string, std::less<>>;

/// Reads a spec from texts; fields that are absent keep the value in `spec`. Appends a refusal for each
/// unknown name, value that does not parse, and required field that is missing.
template <class Spec>
void read_fields(const FieldTexts& texts, Spec& spec, std::vector<Refusal>& refusals) {
  std::vector<std::string_view> names;
  for_each_field<Spec>([&](const auto& field) {
    names.push_back(field.name);
    const auto text = texts.find(field.name);
    if (text == texts.end()) {
      if (field.required) refusals.push_back({std::string(field.name), "(missing)", allowed_text(field)});
    } else if (!parse_value(text->second, spec.*field.member)) {
      refusals.push_back({std::string(field.name), text->second, allowed_text(field)});
    }
  });
  for (const auto& [name, value] : texts) {
    bool known = false;
    for (std::string_view field : names) known = known || field == name;
    if (!known)
      refusals.push_back({name, value, fmt::format("no such field; there are {}", fmt::join(names, ", "))});
  }
}

/// Appends a refusal for each integer outside its field's rule.
template <class Spec>
void check_ranges(const Spec& spec, std::vector<Refusal>& refusals) {
  for_each_field<Spec>([&](const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(spec.*field.member)>, int>)
      if (!field.rule.accepts(spec.*field.member))
        refusals.push_back({std::string(field.name), value_text(spec.*field.member), field.rule.text()});
  });
}

/// "name=value" for every field, one a line, in order: the canonical text of a spec.
template <class Spec>
std::string spec_text(const Spec& spec) {
  std::string text;
  for_each_field<Spec>(
      [&](const auto& field) { text += fmt::format("{}={}\n", field.name, value_text(spec.*field.member)); });
  return text;
}

/// The same for the fields that differ from their default, and all required ones.
template <class Spec>
std::string non_default_text(const Spec& spec) {
  const Spec defaults;
  std::string text;
  for_each_field<Spec>([&](const auto& field) {
    if (field.required || spec.*field.member != defaults.*field.member)
      text += fmt::format("{}={}\n", field.name, value_text(spec.*field.member));
  });
  return text;
}

/// What `wavesmith list` says of a field.
struct FieldInfo {
  std::string name;
  std::string type;           ///< "integer", "flag" or "choice"
  std::string default_value;  ///< empty when required
  std::string allowed;
  std::string meaning;
  std::vector<std::string> not_built;  ///< values that the specification names and that are refused for now
};

/// The values of a field that can be listed: of flags, choices, and integers with a list of values.
template <class Spec, class T>
std::vector<T> listed_values(const Field<Spec, T>& field) {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_enum_v<T>) {
    std::vector<T> values;
    for (std::size_t i = 0; i < EnumNames<T>::names.size(); ++i) values.push_back(static_cast<T>(i));
    return values;
  } else {
    std::vector<T> values;
    for (int value : field.rule.only)
      if (value != 0) values.push_back(value);
    return values;
  }
}

/// `valid`: a spec that is served; `is_refused(spec, field name)`: whether a spec is refused because of that
/// field.
template <class Spec, class IsRefused>
std::vector<FieldInfo> describe_fields(const Spec& valid, IsRefused is_refused) {
  const Spec defaults;
  std::vector<FieldInfo> infos;
  for_each_field<Spec>([&](const auto& field) {
    using T = std::remove_cvref_t<decltype(defaults.*field.member)>;
    FieldInfo info{std::string(field.name),
                   std::is_same_v<T, bool> ? "flag"
                   : std::is_enum_v<T>     ? "choice"
                                           : "integer",
                   field.required ? "" : value_text(defaults.*field.member),
                   allowed_text(field),
                   std::string(field.meaning),
                   {}};
    for (const T value : listed_values(field)) {
      Spec changed = valid;
      changed.*field.member = value;
      if (is_refused(changed, field.name)) info.not_built.push_back(value_text(value));
    }
    infos.push_back(std::move(info));
  });
  return infos;
}

namespace detail {
struct Anything {
  template <class T>
  constexpr operator T() const;  // NOLINT(google-explicit-constructor): stands in for a member of any type
};
template <class Spec, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Spec{((void)I, Anything{})...}; };
}
template <class Spec, std::size_t N = 0>
constexpr std::size_t member_count() {
  if constexpr (takes<Spec>(std::make_index_sequence<N + 1>()))
    return member_count<Spec, N + 1>();
  else
    return N;
}
}  // namespace detail

/// True when the tuple has as many fields as the (aggregate) struct has members.
template <class Spec>
constexpr bool all_fields_listed() {
  return detail::member_count<Spec>() == std::tuple_size_v<std::remove_cvref_t<decltype(Spec::fields)>>;
}

}  // namespace wavesmith::generator
