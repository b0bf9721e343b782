// Strict JSON through nlohmann's parser and its callback.
#include "golden/strict_json.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace wavesmith::golden {

namespace {

/// nlohmann's values are copied and written by recursion.
constexpr int most_nested = 100;

/// How deep arrays and objects stand in one another, whether the text is JSON or not.
int nesting(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{'))
      deepest = std::max(deepest, ++depth);
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return deepest;
}

}  // namespace

std::expected<nlohmann::json, std::string> parse_strict_json(std::string_view text) {
  if (const int depth = nesting(text); depth > most_nested)
    return std::unexpected(
        fmt::format("arrays and objects stand {} deep in one another, at most {}", depth, most_nested));
  std::vector<std::set<std::string>> open_objects;
  std::string repeated;
  const auto watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) open_objects.emplace_back();
    if (event == Event::object_end) open_objects.pop_back();
    if (event == Event::key && repeated.empty()) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open_objects.back().insert(key).second) repeated = key;
    }
    return true;
  };
  try {
    nlohmann::json value = nlohmann::json::parse(text, watch);
    if (!repeated.empty())
      return std::unexpected(fmt::format("the key \"{}\" stands twice in one object", repeated));
    return value;
  } catch (const nlohmann::json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, …": the bracket is of no use to a reader.
    const std::string_view what = error.what();
    const std::size_t bracket = what.find("] ");
    return std::unexpected(std::string(bracket == std::string_view::npos ? what : what.substr(bracket + 2)));
  }
}

}  // namespace wavesmith::golden
