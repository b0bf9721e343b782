// Cycles and bank conflicts of one LDS access, from the executed lane addresses and the phase table alone.
// LdsArithmetic counts; LdsCounter remembers the last pattern of each instruction, because loops
// repeat it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/lds_phase_table.h"

namespace wavesmith::simulator {

struct LdsCost {
  std::uint32_t cycles = 0;  ///< one for each phase, whether or not its lanes are active, and the conflicts
  std::uint32_t conflict_cycles =
      0;  ///< for each phase, the dwords its busiest bank delivers beyond the first
  std::uint32_t max_lanes_per_bank = 0;  ///< most distinct dwords of one bank in one phase

  friend bool operator==(const LdsCost&, const LdsCost&) = default;
};

struct Lanes {
  std::uint64_t active = 0;    ///< EXEC
  std::uint64_t existing = 0;  ///< all lanes of the wave: 32 or 64; phases beyond them do not happen
};

/// The arithmetic. It keeps a table, which is why it is an object: which dwords a phase has already asked
/// for.
class LdsArithmetic {
 public:
  /// The cost of an access of `bytes` (1 to 16) by each active lane at a byte address. With
  /// `serialize_equal`, as for atomics, equal addresses are served one after the other instead of together.
  LdsCost count(const LdsPhaseRow& phases, std::span<const std::uint32_t, 64> address, Lanes lanes,
                std::uint32_t bytes, bool serialize_equal);

 private:
  std::uint32_t busiest_slot(std::span<const std::uint32_t, 64> address, std::uint64_t lanes,
                             std::uint32_t bytes, unsigned shift, std::uint32_t slots, bool serialize_equal);

  std::vector<std::uint32_t> seen_in_;  ///< by piece of LDS; made when it is first needed
  std::uint32_t phase_ = 0;
};

/// Count for instructions of one program. A shift of all addresses by the same number of dwords only turns
/// the banks round, so that a repeated pattern of distances costs a comparison.
class LdsCounter {
 public:
  explicit LdsCounter(std::size_t instructions) : memo_(instructions) {}

  LdsCost count(std::uint32_t instruction, const LdsPhaseRow& phases,
                std::span<const std::uint32_t, 64> address, Lanes lanes, std::uint32_t bytes,
                bool serialize_equal);

 private:
  struct Memo {
    const LdsPhaseRow* phases = nullptr;
    std::uint64_t exec = 0;
    std::uint32_t bytes = 0;
    alignas(64) std::array<std::uint32_t, 64> distance{};  ///< to the first active lane's dword
    LdsCost cost;
  };
  std::vector<Memo> memo_;
  LdsArithmetic arithmetic_;
};

}  // namespace wavesmith::simulator
