// The bank model: distinct dwords wanted from each bank, phase by phase.
#include "simulator/lds_conflicts.h"

#include <algorithm>
#include <bit>

namespace wavesmith::simulator {
namespace {

/// Dwords one bank has to deliver in one phase. A lane's at most 5 dwords (16 bytes, unaligned) are in
/// different banks, so that 64 lanes bound the list.
struct Bank {
  std::array<std::uint64_t, 64> dwords;
  std::uint32_t count = 0;
};

}  // namespace

LdsCost count_lds(const LdsPhaseRow& row, std::span<const std::uint64_t, 64> address, Lanes lanes,
                  std::uint32_t bytes, bool serialize_equal) {
  LdsCost cost;
  std::array<Bank, 64> banks;
  for (const std::uint64_t phase : row.phases) {
    if ((phase & lanes.existing) == 0) continue;
    for (std::uint32_t b = 0; b < row.banks; ++b) banks[b].count = 0;
    std::uint32_t busiest = 0;
    for (std::uint64_t left = phase & lanes.active; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint64_t last = (address[lane] + bytes - 1) / 4;
      for (std::uint64_t dword = address[lane] / 4; dword <= last; ++dword) {
        Bank& bank = banks[dword % row.banks];
        const auto end = bank.dwords.begin() + bank.count;
        if (!serialize_equal && std::find(bank.dwords.begin(), end, dword) != end) continue;
        bank.dwords[bank.count++] = dword;
        busiest = std::max(busiest, bank.count);
      }
    }
    cost.cycles += std::max(busiest, 1u);
    cost.conflict_cycles += busiest > 1 ? busiest - 1 : 0;
    cost.max_lanes_per_bank = std::max(cost.max_lanes_per_bank, busiest);
  }
  return cost;
}

LdsCost LdsCounter::count(std::uint32_t instruction, const LdsPhaseRow& phases,
                          std::span<const std::uint64_t, 64> address, Lanes lanes, std::uint32_t bytes,
                          bool serialize_equal) {
  if (lanes.active == 0) return count_lds(phases, address, lanes, bytes, serialize_equal);
  Memo& memo = memo_[instruction];
  const std::uint64_t base =
      address[static_cast<std::size_t>(std::countr_zero(lanes.active))] & ~std::uint64_t{3};
  std::array<std::uint32_t, 64> distance;
  for (std::size_t lane = 0; lane < 64; ++lane) {
    const bool active = ((lanes.active >> lane) & 1) != 0;
    distance[lane] = active ? static_cast<std::uint32_t>(address[lane] - base) : 0u;
  }
  if (memo.phases == &phases && memo.exec == lanes.active && memo.bytes == bytes && memo.distance == distance)
    return memo.cost;
  memo = {&phases, lanes.active, bytes, distance, count_lds(phases, address, lanes, bytes, serialize_equal)};
  return memo.cost;
}

}  // namespace wavesmith::simulator
