// A kernel's machine code as a list of instructions with its loops, read from what llvm-objdump prints. Gates
// and resource tests count and compare on it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::test {

struct Instruction {
  std::uint64_t address = 0;
  std::string mnemonic;  ///< "v_mfma_f32_32x32x16_bf16"
  std::string operands;  ///< "v[0:15], v[76:79], …"
};

class Listing {
 public:
  /// Parses the output of `llvm-objdump -d` for one kernel. Throws where a branch leaves the kernel.
  explicit Listing(std::string_view disassembly);

  std::vector<Instruction> instructions;
  /// Each innermost set of instructions that can reach one another, in the order of one round from the entry
  /// on.
  std::vector<std::vector<Instruction>> loops;
};

/// Instructions whose mnemonic starts with `prefix`.
[[nodiscard]] std::vector<Instruction> those(const std::vector<Instruction>& instructions,
                                             std::string_view prefix);
[[nodiscard]] std::size_t count(const std::vector<Instruction>& instructions, std::string_view prefix);

/// The number behind "offset:" of a memory instruction; 0 where there is none.
[[nodiscard]] unsigned offset_of(const Instruction& instruction);
/// The count that an s_waitcnt leaves on a counter ("vmcnt", "lgkmcnt"); -1 where it does not wait for it.
[[nodiscard]] int wait_of(const Instruction& instruction, std::string_view counter);

}  // namespace wavesmith::test
