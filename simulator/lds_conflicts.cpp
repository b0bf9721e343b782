// The bank model: distinct dwords wanted from each bank, phase by phase.
#include "simulator/lds_conflicts.h"

#include <algorithm>
#include <bit>

namespace wavesmith::simulator {
namespace {

using Addresses = std::span<const std::uint32_t, 64>;

constexpr std::uint32_t kDword = 4;
constexpr std::uint32_t kMostBanks = 64;

constexpr auto kLaneBit = [] {
  std::array<std::uint32_t, 32> bits{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) bits[lane] = 1u << lane;
  return bits;
}();

/// All ones for a lane that is in `half`, the mask of 32 lanes.
std::uint32_t lane_mask(std::uint32_t half, std::uint32_t lane) {
  return (half & kLaneBit[lane]) != 0 ? ~0u : 0u;
}

/// Address bits that are set in some active lane.
std::uint32_t any_bits(Addresses address, std::uint64_t active) {
  std::uint32_t bits = 0;
  for (std::uint32_t half = 0; half < 2; ++half) {
    const auto lanes = static_cast<std::uint32_t>(active >> (32 * half));
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      bits |= address[32 * half + lane] & lane_mask(lanes, lane);
  }
  return bits;
}

/// The pieces that one lane's access can be counted in: the largest power of two from a dword up to the
/// access that divides its size and every address. All banks that a piece spans are loaded alike, so that an
/// aligned wide access is one piece instead of several dwords.
std::uint32_t piece_bytes(Addresses address, std::uint64_t active, std::uint32_t bytes) {
  const std::uint32_t bits = any_bits(address, active) | bytes;
  return std::max(kDword, std::min(16u, bits & (0u - bits)));
}

/// What the slots, groups of banks as wide as a piece, have to deliver in one phase. A lane's pieces are in
/// different slots, so that 64 lanes bound the list of each.
class Slots {
 public:
  void clear(std::uint32_t slots) { std::fill_n(count_.begin(), slots, 0u); }

  /// Returns how many pieces the slot has to deliver so far.
  std::uint32_t add(std::uint32_t slot, std::uint32_t piece, bool serialize_equal) {
    auto& pieces = pieces_[slot];
    std::uint32_t& count = count_[slot];
    if (!serialize_equal &&
        std::find(pieces.begin(), pieces.begin() + count, piece) != pieces.begin() + count)
      return count;
    pieces[count] = piece;
    return ++count;
  }

 private:
  std::array<std::uint32_t, kMostBanks> count_;
  std::array<std::array<std::uint32_t, 64>, kMostBanks> pieces_;
};

}  // namespace

LdsCost count_lds(const LdsPhaseRow& row, Addresses address, Lanes lanes, std::uint32_t bytes,
                  bool serialize_equal) {
  LdsCost cost;
  const std::uint32_t piece_size = piece_bytes(address, lanes.active, bytes);
  const auto shift = static_cast<unsigned>(std::countr_zero(piece_size));
  const std::uint32_t slots = row.banks * kDword / piece_size;
  Slots wanted;
  for (const std::uint64_t phase : row.phases) {
    if ((phase & lanes.existing) == 0) continue;
    wanted.clear(slots);
    std::uint32_t busiest = 0;
    for (std::uint64_t left = phase & lanes.active; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint32_t last = (address[lane] + bytes - 1) >> shift;
      for (std::uint32_t piece = address[lane] >> shift; piece <= last; ++piece) {
        busiest = std::max(busiest, wanted.add(piece & (slots - 1), piece, serialize_equal));
      }
    }
    cost.cycles += std::max(busiest, 1u);
    cost.conflict_cycles += busiest > 1 ? busiest - 1 : 0;
    cost.max_lanes_per_bank = std::max(cost.max_lanes_per_bank, busiest);
  }
  return cost;
}

LdsCost LdsCounter::count(std::uint32_t instruction, const LdsPhaseRow& phases, Addresses address,
                          Lanes lanes, std::uint32_t bytes, bool serialize_equal) {
  if (lanes.active == 0) return count_lds(phases, address, lanes, bytes, serialize_equal);
  Memo& memo = memo_[instruction];
  const std::uint32_t base =
      address[static_cast<std::size_t>(std::countr_zero(lanes.active))] & ~(kDword - 1);
  if (memo.phases == &phases && memo.exec == lanes.active && memo.bytes == bytes) {
    std::uint32_t difference = 0;
    for (std::uint32_t half = 0; half < 2; ++half) {
      const auto active = static_cast<std::uint32_t>(lanes.active >> (32 * half));
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint32_t at = 32 * half + lane;
        difference |= ((address[at] - base) ^ memo.distance[at]) & lane_mask(active, lane);
      }
    }
    if (difference == 0) return memo.cost;
  }
  memo.phases = &phases;
  memo.exec = lanes.active;
  memo.bytes = bytes;
  for (std::size_t lane = 0; lane < 64; ++lane) memo.distance[lane] = address[lane] - base;
  memo.cost = count_lds(phases, address, lanes, bytes, serialize_equal);
  return memo.cost;
}

}  // namespace wavesmith::simulator
