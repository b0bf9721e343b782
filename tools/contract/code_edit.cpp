// Words in the code object's executable segment.
#include "tools/contract/code_edit.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tools/contract/ir_edit.h"

namespace wavesmith::contract {

Expected<CodeEditor> CodeEditor::create(std::vector<std::byte>& code,
                                        std::span<const simulator::InstructionReport> instructions) {
  auto object = runtime::read_code_object(code);
  if (!object) return std::unexpected(object.error());
  return CodeEditor(code, instructions, std::move(object->segments));
}

Expected<std::vector<const simulator::InstructionReport*>> CodeEditor::find(
    std::string_view mnemonic, std::string_view step, std::size_t expected,
    const Condition& condition) const {
  std::vector<const Instruction*> found;
  for (const Instruction& one : instructions_)
    if (one.mnemonic == mnemonic && (step.empty() || one.step == step) && one.counters.executions > 0 &&
        (!condition || condition(one)))
      found.push_back(&one);
  if (found.empty() || (expected != 0 && found.size() != expected))
    return not_applicable(fmt::format("{} instructions {} of the kind in step \"{}\", {} expected",
                                      found.size(), mnemonic, step,
                                      expected == 0 ? "at least one" : fmt::format("{}", expected)));
  return found;
}

std::optional<std::size_t> CodeEditor::offset(std::uint64_t address) const {
  for (const runtime::Segment& segment : segments_)
    if (segment.executable && address >= segment.address &&
        address + sizeof(std::uint32_t) <= segment.address + segment.file_bytes)
      return static_cast<std::size_t>(segment.file_offset + (address - segment.address));
  return std::nullopt;
}

std::uint32_t CodeEditor::word(std::uint64_t address) const {
  std::uint32_t word = 0;
  if (const auto at = offset(address)) std::memcpy(&word, code_->data() + *at, sizeof word);
  return word;
}

void CodeEditor::set_word(std::uint64_t address, std::uint32_t word) {
  if (const auto at = offset(address)) std::memcpy(code_->data() + *at, &word, sizeof word);
}

const simulator::InstructionReport* CodeEditor::next(const Instruction& instruction) const {
  const auto after = std::ranges::upper_bound(instructions_, instruction.address, {}, &Instruction::address);
  return after == instructions_.end() ? nullptr : &*after;
}

void CodeEditor::remove(const Instruction& instruction) {
  constexpr std::uint32_t s_nop = 0xbf800000;
  constexpr std::uint64_t longest = 12;  // a 64-bit encoding and a literal
  const Instruction* after = next(instruction);
  const std::uint64_t end =
      std::min(after == nullptr ? instruction.address + 4 : after->address, instruction.address + longest);
  for (std::uint64_t address = instruction.address; address < end; address += 4) set_word(address, s_nop);
}

}  // namespace wavesmith::contract
