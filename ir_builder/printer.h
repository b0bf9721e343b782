// Prints a kernel's IR as stable text, for people and for tests.
#pragma once

#include <string>

#include "ir_builder/function.h"

namespace wavesmith::ir {

/// One operation a line, regions indented, every value with its type where it is defined.
[[nodiscard]] std::string print(const Kernel& kernel);

/// A value as an operand: "%name", or a constant as "12 : i32" or "1.5 : f32".
[[nodiscard]] std::string print_operand(const Value& value);

}  // namespace wavesmith::ir
