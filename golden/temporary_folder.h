// A new, empty folder of this process's own, for who removes it again.
#pragma once

#include <filesystem>
#include <string_view>

#include "wavesmith/error.h"

namespace wavesmith::golden {

/// Its name begins with `prefix`. Errors: environment, with the name that could not be made.
[[nodiscard]] Expected<std::filesystem::path> make_temporary_folder(std::string_view prefix);

}  // namespace wavesmith::golden
