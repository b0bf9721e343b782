// What tells one build of a loaded library from every other.
#pragma once

#include <string>

namespace wavesmith::runtime {

/// The build id that the linker wrote into the library or program whose code has this address, in
/// hexadecimal; where it has none, "sha256:" and the hash of its file. Empty for an address outside of all of
/// them.
[[nodiscard]] std::string build_id_of(const void* address);

}  // namespace wavesmith::runtime
