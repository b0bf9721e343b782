// Sorting the pieces of a store by address and comparing neighbours; store_conflicts.h says of what.
#include "simulator/hazards/store_conflicts.h"

#include <algorithm>

#include <fmt/format.h>

#include "simulator/groups/flat_address.h"
#include "simulator/hazards/hazard_kind.h"
#include "simulator/wave.h"

namespace wavesmith::simulator {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Byte `at` of what a lane stores.
std::uint32_t byte_of(const PendingOp& op, std::uint32_t lane, std::uint32_t first_dword, std::uint64_t at,
                      unsigned shift) {
  return op.data[first_dword + at / 4][lane] >> (shift + 8 * (at % 4)) & 0xff;
}

}  // namespace

StoreConflicts::Store StoreConflicts::store_of(const Instruction& i) {
  const std::string_view mnemonic = i.row->mnemonic;
  if ((i.row->traits & static_cast<TraitSet>(Trait::ordered_global)) != 0) return {};
  Store store;
  unsigned data = 1;
  if (i.row->unit == Unit::vmem_store && !mnemonic.starts_with("scratch")) {
    store.target = mnemonic.starts_with("buffer") ? Target::buffer
                   : mnemonic.starts_with("flat") ? Target::flat
                                                  : Target::global;
    if (store.target == Target::buffer) data = 0;
  } else if (i.row->unit == Unit::lds && mnemonic.starts_with("ds_write") && !has(mnemonic, "addtid")) {
    store.target = Target::lds;
  } else {
    return {};
  }
  const bool byte = has(mnemonic, "_byte") || has(mnemonic, "_b8");
  const bool half = has(mnemonic, "_short") || has(mnemonic, "_b16");
  store.bytes = static_cast<std::uint8_t>(byte ? 1 : half ? 2 : 4 * i.operands[data].width);
  store.shift = mnemonic.ends_with("_d16_hi") ? 16 : 0;
  if (mnemonic.starts_with("ds_write2")) {
    const int unit = store.bytes * (has(mnemonic, "st64") ? 64 : 1);
    store.second = (i.modifiers.offset1 - i.modifiers.offset0) * unit;
  }
  return store;
}

void StoreConflicts::start(const Program& program) {
  stores_.clear();
  for (const Instruction& instruction : program.code) stores_.push_back(store_of(instruction));
}

void StoreConflicts::collect(const PendingOp& op, const Store& store, unsigned dwords) {
  pieces_.clear();
  for_each_lane(op.exec, [&](std::uint32_t lane) {
    switch (store.target) {
      case Target::none:
        break;
      case Target::global:
        pieces_.push_back({op.address[lane], lane, 0, store.bytes});
        break;
      case Target::flat:
        if (groups::flat_space(op.address[lane]) != groups::FlatSpace::scratch)
          pieces_.push_back({op.address[lane], lane, 0, store.bytes});
        break;
      case Target::buffer:
        for (unsigned d = 0; d < dwords; ++d)
          if ((op.in_range[d] >> lane & 1) != 0)
            pieces_.push_back({op.address[lane] + std::uint64_t{d} * op.dword_step, lane, d,
                               std::min<std::uint32_t>(store.bytes, 4)});
        break;
      case Target::lds:
        pieces_.push_back({op.lds[lane], lane, 0, store.bytes});
        if (store.second != 0)
          pieces_.push_back({op.lds[lane] + static_cast<std::uint64_t>(std::int64_t{store.second}), lane,
                             store.bytes / 4u, store.bytes});
        break;
    }
  });
}

void StoreConflicts::check(Wave& wave, const Instruction& instruction) {
  const Store& store = stores_[instruction.index];
  if (store.target == Target::none) return;
  const PendingOp& op = wave.in_flight.newest();
  collect(op, store, (store.bytes + 3u) / 4u);
  const auto apart = [](const Piece& a, const Piece& b) { return a.address + a.bytes > b.address; };
  if (std::ranges::adjacent_find(pieces_, apart) == pieces_.end()) return;  // rising, as most are
  std::ranges::sort(pieces_, {}, &Piece::address);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& a = pieces_[i];
    for (std::size_t k = i + 1; k < pieces_.size() && pieces_[k].address < a.address + a.bytes; ++k) {
      const Piece& b = pieces_[k];
      const std::uint64_t end = std::min(a.address + a.bytes, b.address + b.bytes);
      for (std::uint64_t at = b.address; a.lane != b.lane && at < end; ++at) {
        if (byte_of(op, a.lane, a.first_dword, at - a.address, store.shift) ==
            byte_of(op, b.lane, b.first_dword, at - b.address, store.shift))
          continue;
        wave.hazard(
            instruction, HazardKind::store_conflict,
            fmt::format("lanes {} and {} store different values to one {}", std::min(a.lane, b.lane),
                        std::max(a.lane, b.lane), store.target == Target::lds ? "byte of LDS" : "address"),
            std::max(a.lane, b.lane), at);
        return;
      }
    }
  }
}

}  // namespace wavesmith::simulator
