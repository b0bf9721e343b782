// All implemented instructions in one index. Each file of groups/ defines one function that returns its rows;
// they are listed in registry.cpp, nothing registers itself.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "simulator/instruction.h"

namespace wavesmith::simulator {

/// Rows of one mnemonic, for all forms and processors.
std::span<const Row* const> rows_of(std::string_view mnemonic);

/// The row for a mnemonic in one form on one processor, or null: not implemented.
const Row* find_row(std::string_view mnemonic, Form form, Gfx gfx);

/// Every row.
std::span<const Row* const> all_rows();

}  // namespace wavesmith::simulator
