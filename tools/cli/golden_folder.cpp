// Finding the golden folder.
#include "tools/cli/golden_folder.h"

#include <fmt/format.h>

#include "golden/golden_file.h"

namespace wavesmith::cli {

namespace fs = std::filesystem;

Option golden_folder_option() {
  return {.name = "dir",
          .placeholder = "FOLDER",
          .meaning = fmt::format("folder of {} (default: golden, here or in a folder above)",
                                 golden::golden_file_name)};
}

Expected<fs::path> golden_folder(const Arguments& arguments, std::vector<Refusal> refusals) {
  std::error_code error;
  const auto named = arguments.value("dir");
  if (named && !fs::is_directory(*named, error)) refusals.push_back({"dir", *named, "a folder that exists"});
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  if (named) return fs::path(*named);
  const fs::path here = fs::current_path(error);
  fs::path relative = ".";
  for (fs::path folder = here; !folder.empty(); folder = folder.parent_path(), relative /= "..") {
    const fs::path candidate = relative / "golden";
    if (fs::is_regular_file(candidate / golden::golden_file_name, error)) return candidate.lexically_normal();
    if (folder == folder.parent_path()) break;
  }
  return std::unexpected(
      Error::refused({{"dir", "(missing)",
                       fmt::format("a folder; neither {} nor a folder above it has golden/{}", here.string(),
                                   golden::golden_file_name)}}));
}

}  // namespace wavesmith::cli
