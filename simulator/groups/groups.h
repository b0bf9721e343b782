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
std::span<const Row> lds();                ///< DS reads and writes
std::span<const Row> lds_pair();           ///< DS with two addresses
std::span<const Row> lds_transpose();      ///< DS reads that transpose
std::span<const Row> lds_permute();        ///< DS moves between lanes
std::span<const Row> lds_atomic();         ///< DS atomics
std::span<const Row> global();             ///< GLOBAL loads and stores
std::span<const Row> buffer();             ///< MUBUF loads and stores
std::span<const Row> scratch();            ///< SCRATCH loads and stores
std::span<const Row> flat();               ///< FLAT loads and stores
std::span<const Row> atomic();             ///< GLOBAL, FLAT and MUBUF atomics
std::span<const Row> dma();                ///< loads from memory to LDS

}  // namespace wavesmith::simulator::groups
