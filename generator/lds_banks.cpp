// Bank conflicts from lane addresses.
#include "generator/lds_banks.h"

#include <algorithm>
#include <array>
#include <set>

namespace wavesmith::generator {
namespace {

constexpr std::uint64_t lanes(unsigned first, unsigned last) {
  return (~std::uint64_t{0} >> (63 - (last - first))) << first;
}

}  // namespace

const LdsPhases& gfx950_read_b128() {
  // Four phases of 16 lanes, keyed by lane bits (5, 4 ^ 3 ^ 2).
  static const LdsPhases table{
      .name = "ds_read_b128",
      .banks = 64,
      .dwords_per_lane = 4,
      .phases = {lanes(0, 3) | lanes(12, 15) | lanes(20, 27), lanes(4, 11) | lanes(16, 19) | lanes(28, 31),
                 lanes(32, 35) | lanes(44, 47) | lanes(52, 59),
                 lanes(36, 43) | lanes(48, 51) | lanes(60, 63)},
      .source = "measured by several public projects on MI355X"};
  return table;
}

const LdsPhases& gfx950_read_tr_b64() {
  static const LdsPhases table{.name = "ds_read_b64_tr_b16",
                               .banks = 64,
                               .dwords_per_lane = 2,
                               .phases = {lanes(0, 31), lanes(32, 63)},
                               .source = "assumed: 64 banks and two phases fit the published pads"};
  return table;
}

BankConflicts analyse(const LdsPhases& table, std::span<const unsigned> addresses) {
  BankConflicts result{};
  std::vector<unsigned> lanes_on_bank(table.banks);
  for (unsigned address : addresses)
    for (unsigned dword = 0; dword < table.dwords_per_lane; ++dword)
      ++lanes_on_bank[(address / 4 + dword) % table.banks];
  result.banks_used =
      static_cast<unsigned>(std::ranges::count_if(lanes_on_bank, [](unsigned n) { return n > 0; }));
  result.lanes_per_bank = std::ranges::max(lanes_on_bank);

  for (std::uint64_t phase : table.phases) {
    std::vector<std::set<unsigned>> dwords(table.banks);
    for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
      if ((phase >> lane & 1) == 0) continue;
      for (unsigned i = 0; i < table.dwords_per_lane; ++i) {
        const unsigned dword = addresses[lane] / 4 + i;
        dwords[dword % table.banks].insert(dword);
      }
    }
    std::size_t busiest = 1;
    for (const auto& wanted : dwords) busiest = std::max(busiest, wanted.size());
    result.cycles += static_cast<unsigned>(busiest);
    result.conflict_cycles += static_cast<unsigned>(busiest - 1);
  }
  return result;
}

}  // namespace wavesmith::generator
