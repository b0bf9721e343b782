// Checks a kernel's IR. Both functions return their findings as sentences; an empty list means valid.
#pragma once

#include <string>
#include <vector>

#include "ir_builder/function.h"

namespace wavesmith::ir {

/// Operand, result and region counts, region ends, required attributes: what every pass takes for granted.
[[nodiscard]] std::vector<std::string> verify_structure(const Kernel& kernel);

/// Dominance, types, address spaces, value ranges of attributes, and no whole-wave operation (barrier, MFMA,
/// transposed read, lane swap, LDS DMA) where lanes may have parted. Needs names and uniformity (finish.h
/// runs it in order).
[[nodiscard]] std::vector<std::string> verify(const Kernel& kernel);

}  // namespace wavesmith::ir
