// What the `cache` commands share: which folder is meant, and how kernels and sizes are shown.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/jit/record.h"
#include "tools/cli/command.h"

namespace wavesmith::cli {

/// --cache-dir.
[[nodiscard]] Option cache_directory_option();

/// A group of options that ends with --cache-dir.
[[nodiscard]] std::vector<OptionGroup> cache_options(std::vector<Option> options = {});

/// The folder of --cache-dir, else of the environment. Errors: `refusals`, if any; environment where no
/// variable names one.
[[nodiscard]] Expected<std::string> cache_directory(const Arguments& arguments,
                                                    std::vector<Refusal> refusals);

/// "2026-01-31T12:00:00Z".
[[nodiscard]] std::string time_text(std::chrono::system_clock::time_point time);

/// One line of a terminal for each text, with the command's name.
[[nodiscard]] std::string message_lines(std::string_view command, const std::vector<std::string>& texts);

}  // namespace wavesmith::cli
