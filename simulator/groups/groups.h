// The instruction groups. Each function returns the rows of one file of this folder; registry.cpp lists them.
#pragma once

#include <span>

#include "simulator/instruction.h"

namespace wavesmith::simulator::groups {

std::span<const Row> control();            ///< branches, waits, barriers, end, getreg and setreg
std::span<const Row> scalar_arithmetic();  ///< SALU: add, multiply, compare, select, move
std::span<const Row> scalar_bits();        ///< SALU: logic, shifts, bit fields, EXEC saves
std::span<const Row> scalar_memory();      ///< SMEM
std::span<const Row> vector_basic();       ///< VALU moves and simple arithmetic
std::span<const Row> lds_basic();          ///< DS reads and writes of one dword
std::span<const Row> global_basic();       ///< GLOBAL loads and stores of one dword

}  // namespace wavesmith::simulator::groups
