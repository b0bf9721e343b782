// Golden cases through one compiler: text to code object to numbers on the simulator.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "golden/cases.h"
#include "tests/compilers/toolchains.h"

namespace wavesmith::test {

/// What a kernel needs of the machine.
struct Needs {
  std::uint32_t vgprs = 0, sgprs = 0, spills = 0, scratch_bytes = 0, lds_bytes = 0;
  friend auto operator<=>(const Needs&, const Needs&) = default;
};

/// One case of one compiler. What went wrong is in `problems`, in the words of whoever noticed.
struct LaneResult {
  bool compiled = false;  ///< and the compiler read every line as it was written
  bool right = false;     ///< on the simulator, by the oracle
  std::vector<std::string> problems;
  Needs needs;
  std::vector<std::byte> code;        ///< the kernel's instructions
  std::vector<std::uint16_t> output;  ///< bits of O on the simulator
};

/// Compiles, checks what the compiler read, runs the kernel on a shape that has several tiles of keys, rows
/// of part of a tile, and key/value tiles that a causal mask cuts.
[[nodiscard]] LaneResult run_case(Toolchain& compiler, const golden::Case& one);

}  // namespace wavesmith::test
