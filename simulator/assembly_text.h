// Takes one line of disassembly apart: mnemonic, form, operands, modifiers. Knows the syntax of LLVM's AMDGPU
// printer and nothing of what an instruction does; decoder.cpp combines it with the rows of the instruction
// tables.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "simulator/instruction.h"

namespace wavesmith::simulator {

/// A line cut at its first blank. Views point into the line.
struct AssemblyLine {
  std::string_view mnemonic;  ///< without _e32, _e64, _dpp, _sdwa
  std::string_view rest;      ///< operands and modifiers
  Form form = Form::plain;
};
AssemblyLine split_line(std::string_view line);

/// The operands of `rest`, of which there are `count`, and the modifiers behind them.
struct AssemblyOperands {
  std::vector<std::string_view> operands;
  std::vector<std::string_view> modifiers;  ///< words, e.g. "offset:16", "sc0", "quad_perm:[1,0,3,2]"
};
std::optional<AssemblyOperands> split_operands(std::string_view rest, std::size_t count, bool last_takes_all);

/// What an operand's text needs from its surroundings.
struct OperandContext {
  const Processor* processor = nullptr;
  std::uint32_t wave_size = 64;
  bool destination = false;
};
/// An operand; an empty result means the text is not understood. AGPRs come out with `accumulator` set and
/// `reg` still counted from a0.
std::optional<Operand> parse_operand(std::string_view text, OperandType type, const OperandContext& context);

/// Applies one modifier word; returns what a row must accept for it, or nothing when the word is not known.
std::optional<AcceptSet> parse_modifier(std::string_view word, Instruction& instruction);

/// Types of Row::operands; the destinations come first. Empty on a spelling mistake in the row.
struct OperandTypes {
  std::vector<OperandType> types;
  unsigned destinations = 0;
};
std::optional<OperandTypes> parse_types(std::string_view operands);

/// Dwords of a type in a wave size; 0 where the text decides.
unsigned width_of(OperandType type, std::uint32_t wave_size);

}  // namespace wavesmith::simulator
