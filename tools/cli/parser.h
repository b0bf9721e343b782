// From a command line to a command and its Arguments, or to help. CLI11 is used in parser.cpp alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/command.h"

namespace wavesmith::cli {

struct Invocation {
  const Command* command = nullptr;  ///< null where none was named; then `help` or `refusals` is filled
  Arguments arguments;
  bool json = false;
  std::string help;               ///< asked for: print it and succeed
  std::vector<Refusal> refusals;  ///< unknown options, repeated ones, missing or empty values
};

/// `words`: the command line without the program's name.
[[nodiscard]] Invocation parse(std::span<const Command> commands, std::span<const std::string> words);

}  // namespace wavesmith::cli
