// Linking one relocatable object into a code object, through LLD in this process and without a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::runtime {

struct LinkOutput {
  std::vector<std::byte> hsaco;
  std::string log;  ///< warnings
};

/// Links. Undefined symbols are an error that names them. Sets `can_go_on` to false when LLD's process-wide
/// state is damaged and must not be used again. One link at a time.
[[nodiscard]] Expected<LinkOutput> link_object(std::span<const char> object, bool& can_go_on);

/// LLD's version.
[[nodiscard]] std::string linker_version();

}  // namespace wavesmith::runtime
