// Sources of the tables: CDNA3 and CDNA4 guides, "dependency resolution: required independent instructions",
// and LLVM's hazard recogniser, which insert the same numbers.
#include "simulator/hazards/matrix_waits.h"

#include <array>
#include <bit>

#include <fmt/format.h>

#include "simulator/cost_table.h"
#include "simulator/hazards/hazard_kind.h"
#include "simulator/wave.h"

namespace wavesmith::simulator {
namespace {

/// By passes: 2, 4, 8, 16.
using ByPasses = std::array<unsigned, 4>;

/// Behind an MFMA with f64 factors, by what touches its result.
struct DoubleWaits {
  unsigned factor;             ///< of an MFMA
  unsigned accumulator;        ///< of another f64 MFMA
  unsigned read, overwritten;  ///< by VALU
  unsigned memory;             ///< instruction that reads it
};
constexpr DoubleWaits kDouble4x4{6, 4, 6, 6, 9};

struct Table {
  ByPasses xdl_to_xdl_c;    ///< accumulator overlaps the result in part
  ByPasses xdl_to_other_c;  ///< the same, of an f32 or f64 MFMA
  ByPasses xdl_to_use;      ///< factor of an MFMA, VALU, memory instruction
  DoubleWaits double_16x16;
};
constexpr Table kGfx942{{3, 5, 9, 17}, {3, 5, 9, 17}, {5, 7, 11, 19}, {11, 9, 11, 11, 18}};
constexpr Table kGfx950{{4, 6, 10, 18}, {3, 6, 10, 18}, {5, 8, 12, 20}, {19, 17, 19, 11, 18}};
constexpr ByPasses kSameAccumulator{2, 0, 0, 0}, kSingleToC{2, 4, 8, 16}, kSingleToUse{4, 6, 10, 18};
constexpr ByPasses kReadCToWrite{1, 3, 7, 15};
constexpr unsigned kVectorToMatrix = 2;
constexpr unsigned kDwordsOf16x16 = 8;  ///< of a result of v_mfma_f64_16x16x4, against 2 of 4x4x4

unsigned at(const ByPasses& table, unsigned passes) {
  const auto index = static_cast<unsigned>(std::bit_width(passes)) - 2;
  return table.at(std::min(index, 3u));
}

/// Slots that an instruction counts as.
std::uint64_t slots(const Instruction& i) {
  return i.row->mnemonic == "s_nop" ? (i.simm16 & 15u) + 1u : 1u;
}

template <class F>
void for_each_row(const Operand& operand, F&& f) {
  if (operand.kind != OperandKind::vector) return;
  for (std::uint32_t row = operand.reg; row < operand.reg + std::uint32_t{operand.width}; ++row) f(row);
}

}  // namespace

MatrixWaits::Kind MatrixWaits::kind_of(const Instruction& instruction) {
  if (instruction.row->unit != Unit::mfma) return Kind::none;
  const std::string_view mnemonic = instruction.row->mnemonic;
  if (mnemonic.starts_with("v_mfma_f64")) return Kind::double_precision;
  return mnemonic.ends_with("_f32") ? Kind::single_precision : Kind::xdl;
}

unsigned MatrixWaits::passes_of(const Wave& wave, const Instruction& instruction) {
  const CostRow& cost = cost_of(wave.processor->gfx, Unit::mfma, instruction.row->mnemonic);
  const auto passes = static_cast<unsigned>(cost.cycles) / 4;
  // The cost of f8f6f4 is that of 8-bit factors; formats from 2 on are narrower.
  const bool narrow = instruction.row->mnemonic.ends_with("_f8f6f4") && instruction.modifiers.cbsz >= 2 &&
                      instruction.modifiers.blgp >= 2;
  return narrow ? passes / 2 : passes;
}

void MatrixWaits::start(const Program& program, std::size_t waves) {
  row_count_ = program.rows();
  waves_.resize(waves);
  for (WaveState& state : waves_) {
    state.slot = 1;
    state.rows.assign(row_count_, {});
  }
}

void MatrixWaits::check(Wave& wave, const Instruction& instruction) {
  if (!wave.processor->is_cdna()) return;
  const WaveState& state = waves_[wave.index];
  if (instruction.row->unit == Unit::mfma) {
    check_matrix(wave, instruction, state);
  } else {
    check_other(wave, instruction, state);
  }
}

void MatrixWaits::check_matrix(Wave& wave, const Instruction& i, const WaveState& state) {
  const Table& table = wave.processor->gfx == Gfx::gfx950 ? kGfx950 : kGfx942;
  const Kind kind = kind_of(i);
  const auto demand = [&](std::uint32_t row, std::uint64_t since, unsigned wanted, std::string_view after) {
    if (since == 0 || state.slot - since - 1 >= wanted) return;
    wave.hazard(i, HazardKind::matrix_wait_states,
                fmt::format("row {} follows {} by {} wait states; {} are needed", row, after,
                            state.slot - since - 1, wanted));
  };
  for (unsigned k = i.destinations; k < i.operand_count; ++k) {
    const bool accumulator = k == i.destinations + 2u;
    for_each_row(i.operands[k], [&](std::uint32_t r) {
      const Row& row = state.rows[r];
      demand(r, row.vector_write, kVectorToMatrix, "a VALU result");
      if (row.kind == Kind::none) return;
      unsigned wanted = 0;
      const bool same = row.first == i.operands[k].reg && row.width == i.operands[k].width;
      if (row.kind == Kind::double_precision) {
        const bool large = row.width == kDwordsOf16x16;
        const DoubleWaits& waits = large ? table.double_16x16 : kDouble4x4;
        if (!accumulator) wanted = waits.factor;
        if (accumulator && kind == Kind::double_precision && !(large && same)) wanted = waits.accumulator;
      } else if (row.kind == Kind::xdl) {
        wanted = !accumulator        ? at(table.xdl_to_use, row.passes)
                 : kind != Kind::xdl ? at(table.xdl_to_other_c, row.passes)
                 : same              ? at(kSameAccumulator, row.passes)
                                     : at(table.xdl_to_xdl_c, row.passes);
      } else {
        wanted = !accumulator               ? at(kSingleToUse, row.passes)
                 : same && kind == row.kind ? 0
                                            : at(kSingleToC, row.passes);
      }
      demand(r, row.matrix_write, wanted, "the MFMA that writes it");
    });
  }
}

void MatrixWaits::check_other(Wave& wave, const Instruction& i, const WaveState& state) {
  const Table& table = wave.processor->gfx == Gfx::gfx950 ? kGfx950 : kGfx942;
  const bool vector = i.row->unit == Unit::valu || i.row->unit == Unit::trans;
  const auto after_double = [&](const Row& row, bool writes) {
    const DoubleWaits& waits = row.width == kDwordsOf16x16 ? table.double_16x16 : kDouble4x4;
    return !vector ? waits.memory : writes ? waits.overwritten : waits.read;
  };
  for (unsigned k = 0; k < i.operand_count; ++k) {
    const bool writes = k < i.destinations;
    if (writes && !vector) continue;  // what memory returns comes much later
    for_each_row(i.operands[k], [&](std::uint32_t r) {
      const Row& row = state.rows[r];
      const auto demand = [&](std::uint64_t since, unsigned wanted, std::string_view after) {
        if (since == 0 || state.slot - since - 1 >= wanted) return;
        wave.hazard(i, HazardKind::matrix_wait_states,
                    fmt::format("row {} follows {} by {} wait states; {} are needed", r, after,
                                state.slot - since - 1, wanted));
      };
      const unsigned wanted = row.kind == Kind::double_precision ? after_double(row, writes)
                              : row.kind == Kind::xdl            ? at(table.xdl_to_use, row.passes)
                                                                 : at(kSingleToUse, row.passes);
      if (row.kind != Kind::none) demand(row.matrix_write, wanted, "the MFMA that writes it");
      if (writes && row.read_c_kind == Kind::xdl)
        demand(row.matrix_read_c, at(kReadCToWrite, row.read_c_passes), "the MFMA that accumulates onto it");
    });
  }
}

void MatrixWaits::note(const Wave& wave, const Instruction& i) {
  if (!wave.processor->is_cdna()) return;
  WaveState& state = waves_[wave.index];
  const Kind kind = kind_of(i);
  const auto passes = static_cast<std::uint8_t>(kind == Kind::none ? 0 : passes_of(wave, i));
  if (kind != Kind::none) {
    const Operand& c = i.operands[i.destinations + 2u];
    for_each_row(c, [&](std::uint32_t r) {
      Row& row = state.rows[r];
      row.matrix_read_c = state.slot;
      row.read_c_kind = kind;
      row.read_c_passes = passes;
    });
  }
  for (unsigned k = 0; k < i.destinations; ++k)
    for_each_row(i.operands[k], [&](std::uint32_t r) {
      Row& row = state.rows[r];
      row.kind = kind;
      row.passes = passes;
      row.first = i.operands[k].reg;
      row.width = i.operands[k].width;
      row.matrix_write = kind == Kind::none ? 0 : state.slot;
      row.vector_write = i.row->unit == Unit::valu || i.row->unit == Unit::trans ? state.slot : 0;
    });
  state.slot += slots(i);
}

}  // namespace wavesmith::simulator
