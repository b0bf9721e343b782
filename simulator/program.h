// The decoded code of one kernel. decoder.h makes it; the executor only reads it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/instruction.h"

namespace wavesmith::simulator {

struct Program {
  const Processor* processor = nullptr;
  std::vector<Instruction> code;   ///< reachable instructions by rising address
  std::vector<std::string> text;   ///< disassembly of each
  std::vector<std::string> steps;  ///< by the line table, what each belongs to; empty without one
  std::unordered_map<std::uint64_t, std::uint32_t> index_of;  ///< simulated address -> index in `code`
  std::uint32_t entry = 0;                                    ///< index of the first instruction
  std::uint64_t load_base = 0;  ///< simulated address of the code object's address 0
  std::uint32_t wave_size = 64;
  std::uint32_t vgprs = 0;           ///< arch VGPRs the code names, from v0
  std::uint32_t agprs = 0;           ///< AGPRs the code names, from a0
  std::uint32_t first_agpr_row = 0;  ///< row of a0; rows in all: first_agpr_row + agprs
  bool ordered_global = false;       ///< has global atomics: workgroups run one after the other

  std::uint32_t rows() const { return agprs != 0 ? first_agpr_row + agprs : vgprs; }
};

}  // namespace wavesmith::simulator
