// The base revision of `golden bless` and `golden diff`.
#pragma once

#include <filesystem>
#include <vector>

#include "golden/base_revision.h"
#include "tools/cli/command.h"

namespace wavesmith::cli {

/// --base, --base-folder.
[[nodiscard]] std::vector<Option> golden_base_options();

/// Builds the revision that the options name. Errors: those of BaseRevision::build().
[[nodiscard]] Expected<golden::BaseRevision> golden_base(const Arguments& arguments,
                                                         const std::filesystem::path& golden_folder);

}  // namespace wavesmith::cli
