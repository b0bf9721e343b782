// Predicts LDS bank conflicts of one wave's access from its lane addresses: by the published whole-wave view,
// and by the hardware's phases. The simulator counts conflicts from executed addresses with a table of its
// own; this one serves
// --explain and the choice of layouts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace wavesmith::generator {

/// How an access of one kind is cut into phases: lanes that share a phase are served together, and within a
/// phase a bank serves one dword a cycle (equal addresses are broadcast).
struct LdsPhases {
  std::string_view name;  ///< "ds_read_b128"
  unsigned banks;         ///< dwords wide
  unsigned dwords_per_lane;
  std::vector<std::uint64_t> phases;  ///< lane masks, in order
  std::string_view source;            ///< where the lane sets are from, and how sure they are
};

/// gfx950, ds_read_b128.
[[nodiscard]] const LdsPhases& gfx950_read_b128();
/// gfx950, ds_read_b64_tr_b16.
[[nodiscard]] const LdsPhases& gfx950_read_tr_b64();

struct BankConflicts {
  unsigned banks_used;       ///< whole wave: banks that any lane wants
  unsigned lanes_per_bank;   ///< whole wave: most lanes that touch one bank
  unsigned cycles;           ///< by phase: sum of the busiest bank's distinct dwords
  unsigned conflict_cycles;  ///< cycles beyond one a phase
};

/// `addresses`: byte address of each lane of the wave, in lane order.
[[nodiscard]] BankConflicts analyse(const LdsPhases& phases, std::span<const unsigned> addresses);

}  // namespace wavesmith::generator
