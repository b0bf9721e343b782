// The kernels of a code object as text.
#pragma once

#include <span>
#include <string>

#include "wavesmith/error.h"

namespace wavesmith::runtime {

/// Each kernel's name, then its instructions with their offset from the kernel's entry point, one a line.
[[nodiscard]] Expected<std::string> disassemble(std::span<const std::byte> hsaco);

}  // namespace wavesmith::runtime
