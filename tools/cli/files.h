// Reading and writing files, where "-" is standard input or output.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::cli {

/// The whole file, at most 1 GiB. Errors: invalid_request, refusing `field`.
[[nodiscard]] Expected<std::string> read_input(const std::string& path, std::string_view field);

/// Writes or replaces the file. Errors: environment, naming `field`; a file that could only be written in
/// part is removed. A reader of standard output that has gone away (`| head`) is no error.
[[nodiscard]] Expected<void> write_output(const std::string& path, std::string_view bytes,
                                          std::string_view field);

/// A file that a command is asked to write, or to read.
struct Output {
  std::string field;  ///< "output"
  std::string path;
};

/// Refuses empty names, two results for one file, and standard output where it is taken: by another result,
/// or by the document of --json. Names that mean one file count as one, and a file of `inputs` is not
/// written.
void check_outputs(std::span<const Output> outputs, bool json, std::vector<Refusal>& refusals,
                   std::span<const Output> inputs = {});

[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace wavesmith::cli
