// The DPP controls. Sources: CDNA4 guide and RDNA guides, DPP chapters; codes as in the encoding, bits [8:0].
#include "simulator/groups/dpp.h"

#include <vector>

namespace wavesmith::simulator::groups {
namespace {

constexpr unsigned kNoLane = 64;

/// The lane that lane i reads, or kNoLane when it is out of range.
unsigned source_lane(unsigned ctrl, unsigned i, bool cdna) {
  const unsigned row = i & ~15u, column = i & 15u, count = ctrl & 15u;
  if (ctrl <= 0x0ff) return (i & ~3u) | (ctrl >> (2 * (i & 3)) & 3);                      // quad_perm
  if (ctrl >= 0x101 && ctrl <= 0x10f) return column + count <= 15 ? i + count : kNoLane;  // row_shl
  if (ctrl >= 0x111 && ctrl <= 0x11f) return column >= count ? i - count : kNoLane;       // row_shr
  if (ctrl >= 0x121 && ctrl <= 0x12f) return row | ((column - count) & 15u);              // row_ror
  switch (ctrl) {
    case 0x130:
      return i < 63 ? i + 1 : kNoLane;  // wave_shl:1
    case 0x134:
      return (i + 1) & 63;  // wave_rol:1
    case 0x138:
      return i > 0 ? i - 1 : kNoLane;  // wave_shr:1
    case 0x13c:
      return (i - 1) & 63;  // wave_ror:1
    case 0x140:
      return row | (15 - column);  // row_mirror
    case 0x141:
      return (i & ~7u) | (7 - (i & 7u));  // row_half_mirror
    case 0x142:
      return i >= 16 ? row - 1 : kNoLane;  // row_bcast:15
    case 0x143:
      return i >= 32 ? 31 : kNoLane;  // row_bcast:31
    default:
      break;
  }
  if (ctrl >= 0x150 && ctrl <= 0x15f) return row | count;         // row_newbcast, row_share
  if (ctrl >= 0x160 && ctrl <= 0x16f && !cdna) return i ^ count;  // row_xmask
  return kNoLane;
}

/// The lanes of one control for a wave of 64.
struct Moves {
  std::array<std::uint8_t, kLanes> source{};
  std::uint64_t in_range = 0;
};
template <bool Cdna>
const Moves& moves_of(unsigned ctrl) {
  static const std::vector<Moves> all = [] {
    std::vector<Moves> moves(512);
    for (unsigned c = 0; c < 512; ++c) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned from = source_lane(c, lane, Cdna);
        moves[c].source[lane] = static_cast<std::uint8_t>(from % kLanes);
        moves[c].in_range |= std::uint64_t{from < kLanes} << lane;
      }
    }
    return moves;
  }();
  return all[ctrl];
}

/// Bit i*16 + j is set when row_mask and bank_mask allow lane j of row i.
std::uint64_t enabled_lanes(unsigned row_mask, unsigned bank_mask) {
  std::uint64_t row = 0, all = 0;
  for (unsigned bank = 0; bank < 4; ++bank)
    row |= (bank_mask >> bank & 1) != 0 ? std::uint64_t{15} << (4 * bank) : 0;
  for (unsigned r = 0; r < 4; ++r) all |= (row_mask >> r & 1) != 0 ? row << (16 * r) : 0;
  return all;
}

}  // namespace

DppLanes dpp_lanes(const Wave& wave, const Instruction& i) {
  const Dpp& dpp = i.modifiers.dpp;
  const std::uint64_t exec = wave.exec();
  DppLanes lanes{};
  if (i.form == Form::dpp8 || i.form == Form::e64_dpp8) {
    for (unsigned lane = 0; lane < wave.size; ++lane) {
      const unsigned from = (lane & ~7u) | (dpp.dpp8 >> (3 * (lane & 7)) & 7);
      lanes.source[lane] = static_cast<std::uint8_t>(from);
      lanes.valid |= std::uint64_t{dpp.fetch_inactive || (exec >> from & 1) != 0} << lane;
    }
    // DPP8 gives an inactive source lane 0 instead of leaving the destination alone.
    lanes.written = wave.full_exec;
    return lanes;
  }
  const Moves& moves = wave.processor->is_cdna() ? moves_of<true>(dpp.ctrl) : moves_of<false>(dpp.ctrl);
  lanes.source = moves.source;
  lanes.valid = moves.in_range & wave.full_exec;
  // Lanes beyond a wave of 32 and inactive ones are no sources.
  const std::uint64_t sources = dpp.fetch_inactive ? wave.full_exec : exec;
  if (sources != ~std::uint64_t{0}) {
    for (unsigned lane = 0; lane < wave.size; ++lane) {
      lanes.valid &= ~(std::uint64_t{(sources >> lanes.source[lane] & 1) == 0} << lane);
    }
  }
  const std::uint64_t enabled = enabled_lanes(dpp.row_mask, dpp.bank_mask);
  lanes.written = enabled & (dpp.bound_ctrl ? wave.full_exec : lanes.valid);
  return lanes;
}

void dpp_gather(const Wave& wave, const Instruction& i, const std::uint32_t* row,
                std::array<std::uint32_t, kLanes>& out) {
  const DppLanes lanes = dpp_lanes(wave, i);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const auto keep = static_cast<std::uint32_t>(0 - (lanes.valid >> lane & 1));
    out[lane] = row[lanes.source[lane]] & keep;
  }
}

}  // namespace wavesmith::simulator::groups
