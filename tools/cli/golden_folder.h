// Which golden folder a `golden` command means.
#pragma once

#include <filesystem>

#include "tools/cli/command.h"

namespace wavesmith::cli {

/// --dir.
[[nodiscard]] Option golden_folder_option();

/// The folder that --dir names, else the `golden` folder here or in the nearest folder above that holds a
/// golden file. Errors: `refusals`, and a folder that does not exist or was not found.
[[nodiscard]] Expected<std::filesystem::path> golden_folder(const Arguments& arguments,
                                                            std::vector<Refusal> refusals);

}  // namespace wavesmith::cli
