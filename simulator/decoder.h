// Decodes the code of a kernel that control can reach from its entry into a Program. Anything not implemented
// there is an error that names its text and address.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "wavesmith/error.h"

#include "simulator/disassembler.h"
#include "simulator/program.h"

namespace wavesmith::simulator {

/// Bytes of code at a simulated address.
struct CodeRange {
  std::uint64_t address = 0;
  std::span<const std::byte> bytes;
};

struct DecodeRequest {
  const Processor* processor = nullptr;
  std::uint32_t wave_size = 64;
  CodeRange code;                        ///< the executable segment; control must not leave it
  std::uint64_t entry = 0;               ///< simulated address
  std::vector<std::uint64_t> functions;  ///< where indirect calls may go, if there are any
  std::uint64_t load_base = 0;           ///< for messages: address 0 of the code object
  std::uint32_t vector_registers = 512;  ///< rows the descriptor reserves; code that names more is an error
  std::uint32_t first_agpr = 0;          ///< ACCUM_OFFSET; 0: the kernel has no AGPRs
};

[[nodiscard]] Expected<Program> decode(Disassembler& disassembler, const DecodeRequest& request);

/// Turns one line of disassembly into an Instruction without control flow. Used by decode; for tests of the
/// text.
[[nodiscard]] Expected<Instruction> decode_line(std::string_view line, std::uint32_t first_word,
                                                std::uint32_t second_word, const Processor& processor,
                                                std::uint32_t wave_size);

/// Whether handlers for wide CPU vectors can run here.
[[nodiscard]] bool cpu_has_wide_vectors();

/// Chooses between the handlers of each instruction.
void select_handlers(Program& program, bool wide);

}  // namespace wavesmith::simulator
