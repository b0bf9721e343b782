// DPP: source 0 of a VALU instruction taken from another lane. dpp_lanes says from where and which lanes are
// written.
#pragma once

#include <array>
#include <cstdint>

#include "simulator/wave.h"

namespace wavesmith::simulator::groups {

struct DppLanes {
  std::array<std::uint8_t, kLanes> source;  ///< lane to read, where `valid`
  std::uint64_t valid = 0;  ///< the source lane exists and is active, or inactive lanes may be fetched
  std::uint64_t written =
      0;  ///< row and bank masks allow the lane, and it has a source or bound_ctrl gives it 0
};
DppLanes dpp_lanes(const Wave& wave, const Instruction& i);

/// The moved source: 0 for lanes without a valid one.
void dpp_gather(const Wave& wave, const Instruction& i, const std::uint32_t* row,
                std::array<std::uint32_t, kLanes>& out);

}  // namespace wavesmith::simulator::groups
