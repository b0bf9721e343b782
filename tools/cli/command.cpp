// Lookups in a parsed command line.
#include "tools/cli/command.h"

#include <algorithm>

namespace wavesmith::cli {

std::optional<std::string> Arguments::value(std::string_view name) const {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  return found->second;
}

std::string Arguments::value_or(std::string_view name, std::string_view fallback) const {
  return value(name).value_or(std::string(fallback));
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  const auto found = lists.find(name);
  return found == lists.end() ? std::vector<std::string>() : found->second;
}

std::string field_name(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace wavesmith::cli
