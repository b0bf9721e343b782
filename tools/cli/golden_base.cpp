// Options to a built base revision.
#include "tools/cli/golden_base.h"

#include "tools/cli/progress.h"

namespace wavesmith::cli {

std::vector<Option> golden_base_options() {
  return {
      {.name = "base",
       .placeholder = "REV",
       .meaning = "commit whose sources and goldens are compared with (default HEAD); its emitter is built "
                  "in a git worktree of its own"},
      {.name = "base-folder",
       .placeholder = "FOLDER",
       .meaning = "keep that worktree and its build in FOLDER, so that the next call is quick (default: a "
                  "temporary folder)"}};
}

Expected<golden::BaseRevision> golden_base(const Arguments& arguments,
                                           const std::filesystem::path& golden_folder) {
  ProgressBar bar("building the base revision");
  return golden::BaseRevision::build(
      {.golden_folder = golden_folder,
       .revision = arguments.value_or("base", "HEAD"),
       .keep = arguments.value_or("base-folder", ""),
       .progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); }});
}

}  // namespace wavesmith::cli
