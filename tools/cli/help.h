// The help texts, from the commands' own data.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.h"

namespace wavesmith::cli {

/// Help of one command.
[[nodiscard]] std::string command_help(const Command& command, std::span<const OptionGroup> groups);

/// What commands there are; `prefix`: "" or "golden".
[[nodiscard]] std::string overview(std::span<const Command> commands, std::string_view prefix);

}  // namespace wavesmith::cli
