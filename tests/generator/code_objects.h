// Compiles IR text in the compiler worker and reads the result with the code-object reader and LLVM's
// disassembler, so that a test says what the machine code of a kernel is and not what the generator meant.
#pragma once

#include <string>

#include "runtime/code_object.h"
#include "tests/generator/isa_listing.h"

namespace wavesmith::test {

struct Compiled {
  runtime::CodeObject object;
  Listing listing;

  /// The only kernel.
  [[nodiscard]] const runtime::Kernel& kernel() const { return object.kernels.at(0); }
};

/// For gfx950. Throws, with the compiler's output, when the text does not compile.
[[nodiscard]] Compiled compile(const std::string& ir);

}  // namespace wavesmith::test
