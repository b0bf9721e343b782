// Where the worker program is. It belongs to the library: it is looked for relative to the file that this
// code is in and to the running executable, in the layouts of an installed tree and of a build tree, and
// nowhere else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::runtime {

/// The places where the worker of a library or executable in `directory` (absolute) may be, best first.
[[nodiscard]] std::vector<std::string> worker_candidates(std::string_view directory);

/// The first candidate that is an executable file. An Error of kind environment lists the places that were
/// tried.
[[nodiscard]] Expected<std::string> find_compiler_worker();

}  // namespace wavesmith::runtime
