// Changes single instructions of a code object, for faults that are planted there. Instructions are found by
// what the simulator's report of an unchanged run says of them (text, Plan step, address), and replaced by
// others of the same size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "runtime/code_object.h"

namespace wavesmith::contract {

/// s_waitcnt of gfx9: vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8 (CDNA guides, SOPP). A
/// counter that is all ones is not waited for.
struct Waitcnt {
  std::uint32_t word = 0;

  static constexpr std::uint32_t opcode = 0xbf8c0000, opcode_mask = 0xffff0000;
  static constexpr unsigned any_vmcnt = 63, any_lgkmcnt = 15;

  [[nodiscard]] unsigned vmcnt() const { return (word & 15) | (word >> 14 & 3) << 4; }
  [[nodiscard]] unsigned lgkmcnt() const { return word >> 8 & 15; }
  [[nodiscard]] std::uint32_t with_vmcnt(unsigned count) const {
    return (word & ~0xc00fu) | (count & 15) | (count >> 4 & 3) << 14;
  }
  [[nodiscard]] std::uint32_t with_lgkmcnt(unsigned count) const {
    return (word & ~0xf00u) | (count & 15) << 8;
  }
};

class CodeEditor {
 public:
  /// `code` must outlive the editor; `instructions`: of a run of the unchanged code. Errors: no code object.
  [[nodiscard]] static Expected<CodeEditor> create(
      std::vector<std::byte>& code, std::span<const simulator::InstructionReport> instructions);

  using Instruction = simulator::InstructionReport;
  using Condition = std::function<bool(const Instruction&)>;

  /// Executed instructions of that mnemonic and step (empty: any), by address. Errors: none, or not as many
  /// as `expected` (0: any number).
  [[nodiscard]] Expected<std::vector<const Instruction*>> find(std::string_view mnemonic,
                                                               std::string_view step,
                                                               std::size_t expected = 0,
                                                               const Condition& condition = {}) const;

  [[nodiscard]] std::uint32_t word(std::uint64_t address) const;
  void set_word(std::uint64_t address, std::uint32_t word);
  /// s_nop 0, as many as the instruction is long.
  void remove(const Instruction& instruction);
  /// The instruction behind another, or null.
  [[nodiscard]] const Instruction* next(const Instruction& instruction) const;

 private:
  CodeEditor(std::vector<std::byte>& code, std::span<const Instruction> instructions,
             std::vector<runtime::Segment> segments)
      : code_(&code), instructions_(instructions), segments_(std::move(segments)) {}
  /// Where an address of code lies in the file.
  [[nodiscard]] std::optional<std::size_t> offset(std::uint64_t address) const;

  std::vector<std::byte>* code_;
  std::span<const Instruction> instructions_;
  std::vector<runtime::Segment> segments_;
};

}  // namespace wavesmith::contract
