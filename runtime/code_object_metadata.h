// The msgpack metadata note of a code object turned into Kernel values. Internal to the code-object reader;
// the only entry is read_metadata(). The fields of a kernel that come from its descriptor and symbols are
// left at their defaults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/code_object.h"

namespace wavesmith::runtime {

struct Metadata {
  std::string target;  ///< "amdgcn-amd-amdhsa--gfx950:sramecc+"
  std::vector<Kernel> kernels;
};

/// Reads the note's msgpack bytes. `family` decides what the register counts mean.
[[nodiscard]] Expected<Metadata> read_metadata(std::string_view msgpack, Family family);

}  // namespace wavesmith::runtime
