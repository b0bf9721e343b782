// Checks a kernel's IR. All functions return their findings as sentences; an empty list means valid.
#pragma once

#include <string>
#include <vector>

#include "ir_builder/function.h"

namespace wavesmith::ir {

/// Operand, result and region counts, region ends, attributes, names: what every pass takes for granted.
[[nodiscard]] std::vector<std::string> verify_structure(const Kernel& kernel);

/// Dominance, types, address spaces, value ranges of attributes, and no whole-wave operation (barrier, MFMA,
/// transposed read, lane swap, LDS DMA) where lanes may have parted. Needs names and uniformity (finish.h
/// runs it in order).
[[nodiscard]] std::vector<std::string> verify(const Kernel& kernel);

/// Types and promises of the parameters, accesses that break them (a load through a writeonly pointer, a
/// store through any other), and the workgroup's size. Needs verify_structure() to accept it.
[[nodiscard]] std::vector<std::string> verify_interface(const Kernel& kernel);

}  // namespace wavesmith::ir
