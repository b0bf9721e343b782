// The bank model: distinct dwords wanted from each bank, phase by phase.
#include "simulator/lds_conflicts.h"

#include <algorithm>
#include <bit>

namespace wavesmith::simulator {
namespace {

using Addresses = std::span<const std::uint32_t, 64>;

constexpr std::uint32_t kDword = 4;
constexpr std::uint32_t kMostBanks = 64;
constexpr std::uint32_t kTableSize = 65536;  // no processor has more than 40960 dwords of LDS

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
std::uint32_t piece_bytes(std::uint32_t address_bits, std::uint32_t bytes) {
  const std::uint32_t bits = address_bits | bytes;
  return std::max(kDword, std::min(16u, bits & (0u - bits)));
}

/// An access cut into pieces of a power of two of bytes; the banks form slots as wide as a piece.
struct Pieces {
  unsigned shift;
  std::uint32_t slots;
};

/// Aligned accesses of one phase that all need different slots: the common case, told from a mask of slots.
bool all_differ(Addresses address, std::uint64_t lanes, Pieces pieces) {
  std::uint64_t used = 0;
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    const std::uint32_t piece = address[static_cast<std::size_t>(std::countr_zero(left))] >> pieces.shift;
    used |= std::uint64_t{1} << (piece & (pieces.slots - 1));
  }
  return std::popcount(used) == std::popcount(lanes);
}

}  // namespace

std::uint32_t LdsArithmetic::busiest_slot(Addresses address, std::uint64_t lanes, std::uint32_t bytes,
                                          unsigned shift, std::uint32_t slots, bool serialize_equal) {
  std::array<std::uint32_t, kMostBanks> wanted;
  std::fill_n(wanted.begin(), slots, 0u);
  if (seen_in_.empty() || ++phase_ == 0) {
    seen_in_.assign(kTableSize, 0);
    phase_ = 1;
  }
  std::uint32_t busiest = 0;
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint32_t last = (address[lane] + bytes - 1) >> shift;
    for (std::uint32_t piece = address[lane] >> shift; piece <= last; ++piece) {
      std::uint32_t& seen_in = seen_in_[piece % kTableSize];
      if (seen_in == phase_ && !serialize_equal) continue;
      seen_in = phase_;
      busiest = std::max(busiest, ++wanted[piece & (slots - 1)]);
    }
  }
  return busiest;
}

LdsCost LdsArithmetic::count(const LdsPhaseRow& row, Addresses address, Lanes lanes, std::uint32_t bytes,
                             bool serialize_equal) {
  LdsCost cost;
  const std::uint32_t bits = any_bits(address, lanes.active);
  const std::uint32_t piece_size = piece_bytes(bits, bytes);
  const auto shift = static_cast<unsigned>(std::countr_zero(piece_size));
  const std::uint32_t slots = row.banks * kDword / piece_size;
  const bool one_piece = piece_size == bytes && bits % piece_size == 0;
  for (const std::uint64_t phase : row.phases) {
    if ((phase & lanes.existing) == 0) continue;
    const std::uint64_t active = phase & lanes.active;
    const std::uint32_t busiest = one_piece && all_differ(address, active, {shift, slots})
                                      ? static_cast<std::uint32_t>(active != 0)
                                      : busiest_slot(address, active, bytes, shift, slots, serialize_equal);
    cost.cycles += std::max(busiest, 1u);
    cost.conflict_cycles += busiest > 1 ? busiest - 1 : 0;
    cost.max_lanes_per_bank = std::max(cost.max_lanes_per_bank, busiest);
  }
  return cost;
}

LdsCost LdsCounter::count(std::uint32_t instruction, const LdsPhaseRow& phases, Addresses address,
                          Lanes lanes, std::uint32_t bytes, bool serialize_equal) {
  if (lanes.active == 0) return arithmetic_.count(phases, address, lanes, bytes, serialize_equal);
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
  memo.cost = arithmetic_.count(phases, address, lanes, bytes, serialize_equal);
  return memo.cost;
}

}  // namespace wavesmith::simulator
