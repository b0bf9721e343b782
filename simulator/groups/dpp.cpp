// The DPP controls. Sources: CDNA4 guide and RDNA guides, DPP chapters; codes as in the encoding, bits [8:0].
#include "simulator/groups/dpp.h"

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

}  // namespace

DppLanes dpp_lanes(const Wave& wave, const Instruction& i) {
  const Dpp& dpp = i.modifiers.dpp;
  const std::uint64_t exec = wave.exec();
  const bool eight = i.form == Form::dpp8 || i.form == Form::e64_dpp8;
  DppLanes lanes{};
  for (unsigned lane = 0; lane < wave.size; ++lane) {
    const unsigned from = eight ? (lane & ~7u) | (dpp.dpp8 >> (3 * (lane & 7)) & 7)
                                : source_lane(dpp.ctrl, lane, wave.processor->is_cdna());
    const bool in_range = from < wave.size;
    const bool valid = in_range && (dpp.fetch_inactive || (exec >> from & 1) != 0);
    lanes.source[lane] = static_cast<std::uint8_t>(valid ? from : 0);
    lanes.valid |= std::uint64_t{valid} << lane;
    const bool enabled =
        eight || ((dpp.row_mask >> (lane / 16 % 4) & 1) != 0 && (dpp.bank_mask >> (lane % 16 / 4) & 1) != 0);
    // DPP8 gives an inactive source lane 0 instead of leaving the destination alone.
    lanes.written |= std::uint64_t{enabled && (valid || dpp.bound_ctrl || eight)} << lane;
  }
  return lanes;
}

void dpp_gather(const Wave& wave, const Instruction& i, const std::uint32_t* row,
                std::array<std::uint32_t, kLanes>& out) {
  const DppLanes lanes = dpp_lanes(wave, i);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    out[lane] = (lanes.valid >> lane & 1) != 0 ? row[lanes.source[lane]] : 0;
  }
}

}  // namespace wavesmith::simulator::groups
