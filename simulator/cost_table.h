// Busy cycles of one execution of an instruction on its unit, by processor. Data only: cost_of finds the row,
// and report.cpp multiplies. Every row carries its source.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "simulator/instruction.h"
#include "simulator/target.h"

namespace wavesmith::simulator {

struct CostRow {
  GfxSet targets;
  Unit unit;
  std::string_view
      mnemonic;   ///< whole, or a prefix that ends in '*'; "*" is every other instruction of the unit
  double cycles;  ///< for each execution by a wave
  double bytes_per_cycle;  ///< and for the bytes moved; 0: none
  bool lds_cycles;         ///< and the counted LDS cycles
  std::string_view source;
};

/// The first row that matches. Every unit of every processor ends in a "*" row.
const CostRow& cost_of(Gfx gfx, Unit unit, std::string_view mnemonic);

std::span<const CostRow> cost_rows();

}  // namespace wavesmith::simulator
