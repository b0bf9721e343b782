// The list of instruction groups and the index over their rows.
#include "simulator/registry.h"

#include <unordered_map>

#include "simulator/groups/groups.h"

namespace wavesmith::simulator {
namespace {

struct Index {
  std::vector<const Row*> rows;
  std::unordered_map<std::string_view, std::vector<const Row*>> by_mnemonic;

  Index() {
    for (const auto group : {groups::control,
                             groups::scalar_arithmetic,
                             groups::scalar_bits,
                             groups::scalar_memory,
                             groups::lds,
                             groups::lds_pair,
                             groups::lds_transpose,
                             groups::lds_permute,
                             groups::lds_atomic,
                             groups::flat,
                             groups::atomic,
                             groups::global,
                             groups::buffer,
                             groups::scratch,
                             groups::dma,
                             groups::vector_integer,
                             groups::vector_move,
                             groups::vector_single,
                             groups::vector_transcendental,
                             groups::vector_compare,
                             groups::vector_packed_single,
                             groups::vector_carry,
                             groups::vector_convert,
                             groups::matrix_float,
                             groups::vector_half,
                             groups::vector_double,
                             groups::vector_packed_half,
                             groups::vector_short,
                             groups::vector_bytes,
                             groups::vector_division,
                             groups::vector_mix,
                             groups::matrix_integer,
                             groups::matrix_double,
                             groups::matrix_scaled,
                             groups::vector_fp8}) {
      for (const Row& row : group()) {
        rows.push_back(&row);
        by_mnemonic[row.mnemonic].push_back(&row);
      }
    }
  }
};

const Index& index() {
  static const Index built;
  return built;
}

}  // namespace

std::span<const Row* const> rows_of(std::string_view mnemonic) {
  const auto found = index().by_mnemonic.find(mnemonic);
  if (found == index().by_mnemonic.end()) return {};
  return found->second;
}

const Row* find_row(std::string_view mnemonic, Form form, Gfx gfx) {
  for (const Row* row : rows_of(mnemonic)) {
    if (contains(row->forms, form) && (row->targets & static_cast<GfxSet>(gfx)) != 0) return row;
  }
  return nullptr;
}

std::span<const Row* const> all_rows() {
  return index().rows;
}

}  // namespace wavesmith::simulator
