// What a compiler changed of a module's text on reading it. A flavour is right when that is nothing: every
// declaration, attribute, flag and instruction is still the one that was written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::test {

/// Compares the text with what llvm-dis prints of the bitcode that llvm-as made of it. Bitcode, because some
/// attributes that a newer LLVM ignores in text are upgraded only on that way and then show. Each difference
/// is a line for people; what every LLVM adds to the declarations of its own intrinsics is none.
[[nodiscard]] std::vector<std::string> changes_on_reading(std::string_view written, std::string_view read);

}  // namespace wavesmith::test
