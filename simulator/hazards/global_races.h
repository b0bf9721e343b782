// Races between workgroups on global memory. Nothing orders two workgroups, so a byte that one writes must
// not be touched by another, unless both do it by atomics.
#pragma once

#include <span>

#include "simulator/dispatch.h"

namespace wavesmith::simulator {

/// Adds a hazard for each instruction of the later workgroup that meets an earlier one's bytes.
void find_global_races(const Dispatch& dispatch, std::span<const Tally> tallies, HazardLog& hazards);

}  // namespace wavesmith::simulator
