// The instruction groups. Each function returns the rows of one file of this folder; registry.cpp lists them.
#pragma once

#include <span>

#include "simulator/instruction.h"

namespace wavesmith::simulator::groups {

std::span<const Row> control();                ///< branches, waits, barriers, end, getreg and setreg
std::span<const Row> scalar_arithmetic();      ///< SALU: add, multiply, compare, select, move
std::span<const Row> scalar_bits();            ///< SALU: logic, shifts, bit fields, EXEC saves
std::span<const Row> scalar_memory();          ///< SMEM
std::span<const Row> lds();                    ///< DS reads and writes
std::span<const Row> lds_pair();               ///< DS with two addresses
std::span<const Row> lds_transpose();          ///< DS reads that transpose
std::span<const Row> lds_permute();            ///< DS moves between lanes
std::span<const Row> lds_atomic();             ///< DS atomics
std::span<const Row> global();                 ///< GLOBAL loads and stores
std::span<const Row> buffer();                 ///< MUBUF loads and stores
std::span<const Row> scratch();                ///< SCRATCH loads and stores
std::span<const Row> flat();                   ///< FLAT loads and stores
std::span<const Row> atomic();                 ///< GLOBAL, FLAT and MUBUF atomics
std::span<const Row> dma();                    ///< loads from memory to LDS
std::span<const Row> vector_integer();         ///< VALU: 32-bit integers
std::span<const Row> vector_move();            ///< VALU: selects, moves between lanes, AGPRs
std::span<const Row> vector_single();          ///< VALU: f32
std::span<const Row> vector_transcendental();  ///< VALU: reciprocals, roots, exponentials
std::span<const Row> vector_compare();         ///< VALU: comparisons
std::span<const Row> vector_packed_single();   ///< VALU: packed f32
std::span<const Row> vector_carry();           ///< VALU: 64-bit integers and carries
std::span<const Row> vector_convert();         ///< VALU: conversions
std::span<const Row> matrix_float();           ///< MFMA with f32 results
std::span<const Row> vector_half();            ///< VALU: f16
std::span<const Row> vector_double();          ///< VALU: f64
std::span<const Row> vector_packed_half();     ///< VALU: packed f16 and 16-bit integers
std::span<const Row> vector_short();           ///< VALU: 16-bit integers
std::span<const Row> vector_bytes();           ///< VALU: byte permutation and differences
std::span<const Row> vector_division();        ///< VALU: steps of a division
std::span<const Row> vector_mix();             ///< VALU: mixed precision and dot products
std::span<const Row> matrix_integer();         ///< MFMA with 8-bit integers
std::span<const Row> matrix_double();          ///< MFMA with f64
std::span<const Row> matrix_scaled();          ///< MFMA of gfx950 with small formats
std::span<const Row> vector_fp8();             ///< VALU: conversions with 8-bit floats

}  // namespace wavesmith::simulator::groups
