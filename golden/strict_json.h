// JSON text from people into a value, as strictly as the standard allows: a key that stands twice in an
// object (a merge gone wrong) is an error here, while most readers silently keep one of the two.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace wavesmith::golden {

/// The value, or one sentence on what is wrong and where.
[[nodiscard]] std::expected<nlohmann::json, std::string> parse_strict_json(std::string_view text);

}  // namespace wavesmith::golden
