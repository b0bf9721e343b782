// The shape of one MFMA and where its matrices lie in the registers of the 64 lanes. An operand is a list of
// items for each lane; D = A * B + C for each block. Source: CDNA3 and CDNA4 guides, matrix core chapter; the
// formulas agree with AMD's matrix instruction calculator.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "simulator/groups/lanes.h"

namespace wavesmith::simulator::groups {

/// A is M x K, B is K x N, C and D are M x N, `Blocks` times. `Rows` is the number of rows of D that one lane
/// holds in consecutive registers: 4, and 1 for f64.
template <unsigned M, unsigned N, unsigned K, unsigned Blocks, unsigned Rows = 4>
struct Shape {
  static constexpr unsigned kRows = M, kColumns = N, kDepth = K, kBlocks = Blocks;
  static constexpr unsigned kItems = K * M * Blocks / 64;  ///< of A and of B in a lane
  static_assert(K * N * Blocks / 64 == kItems);
  static constexpr unsigned kResults = M * N * Blocks / 64;  ///< of C and D in a lane
  static constexpr unsigned kQuad = Rows;

  /// Item k % kItems of this lane is A[block, i, k], or B[block, k, j] with j for i.
  static constexpr unsigned lane_of_factor(unsigned block, unsigned ij, unsigned k) {
    return ij + M * (block + Blocks * (k / kItems));
  }

  /// Distance of factor k from factor 0 of the same row or column in [item][lane].
  static constexpr unsigned offset_of_factor(unsigned k) {
    return k % kItems * kLanes + M * Blocks * (k / kItems);
  }

  struct Place {
    unsigned block, row;
  };
  /// Block and first row of the results [first, first + kQuad) of the lanes [group * N, (group + 1) * N); the
  /// column is the lane's place in its group.
  static constexpr Place place_of_results(unsigned first, unsigned group) {
    constexpr unsigned blocks_of_register = (64 * Rows + N * M - 1) / (N * M);
    constexpr unsigned rows_of_register = 64 / blocks_of_register / N;
    constexpr unsigned registers_of_block = M / (Rows * rows_of_register);
    const unsigned step = first / Rows;
    return {group / rows_of_register + blocks_of_register * (step / registers_of_block),
            Rows * (group % rows_of_register + rows_of_register * (step % registers_of_block))};
  }
};

/// CBSZ and ABID: the lane that A of `lane` comes from.
constexpr unsigned broadcast_lane(unsigned lane, unsigned cbsz, unsigned abid) {
  const unsigned size = 64u >> cbsz;
  return (lane % size + size * abid) % 64;
}
/// BLGP: the lane that B of `lane` comes from.
constexpr unsigned pattern_lane(unsigned lane, unsigned blgp) {
  switch (blgp) {
    case 0:
      return lane;
    case 1:
      return lane % 32;
    case 2:
      return lane % 32 + 32;
    case 3:
      return (lane + 16) % 64;
    default:
      return lane % 16 + 16 * (blgp - 4);
  }
}

/// A register operand that lies in rows, or a constant that every register of it holds.
struct MatrixSource {
  const u32* rows;
  unsigned stride;  ///< dwords from one register to the next: kLanes, or 0 for a constant
};
inline MatrixSource matrix_source(Wave& wave, const Operand& operand, LaneBuffer& buffer) {
  if (operand.kind == OperandKind::vector) return {wave.row(operand.reg), kLanes};
  buffer.lane.fill(static_cast<u32>(operand.value));
  return {buffer.lane.data(), 0};
}

/// C, copied when it lies where D goes in another order.
template <unsigned Results>
MatrixSource matrix_accumulator(Wave& wave, const Instruction& i, std::array<LaneBuffer, Results>& copy) {
  const Operand &d = i.operands[0], &c = i.operands[3];
  const MatrixSource in_place = matrix_source(wave, c, copy[0]);
  const bool shifted =
      c.kind == OperandKind::vector && c.reg != d.reg && c.reg < d.reg + d.width && d.reg < c.reg + c.width;
  if (!shifted) return in_place;
  for (unsigned r = 0; r < Results; ++r)
    std::copy_n(in_place.rows + r * kLanes, kLanes, copy[r].lane.begin());
  return {copy[0].lane.data(), kLanes};
}

/// Results of more than four registers are written while C is still read, unless C is the destination itself:
/// another overlap is undefined and ends the dispatch. LLVM's assembler refuses exactly these. A and B are
/// read first: compilers reuse their registers (LLVM 22 does).
bool matrix_overlap(Wave& wave, const Instruction& i);

}  // namespace wavesmith::simulator::groups
