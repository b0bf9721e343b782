// Folders below the system's folder for temporary files.
#include "golden/temporary_folder.h"

#include <string>

#include <stdlib.h>

#include <fmt/format.h>

namespace wavesmith::golden {

Expected<std::filesystem::path> make_temporary_folder(std::string_view prefix) {
  std::error_code error;
  std::string name = (std::filesystem::temp_directory_path(error) / fmt::format("{}XXXXXX", prefix)).string();
  if (error || ::mkdtemp(name.data()) == nullptr)
    return fail(ErrorKind::environment, fmt::format("there is no place for a temporary folder: {}", name));
  return name;
}

}  // namespace wavesmith::golden
