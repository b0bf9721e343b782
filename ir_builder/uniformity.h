// Which values are equal in all lanes of a wave. Decides where barriers and whole-wave operations may stand.
#pragma once

#include "ir_builder/function.h"

namespace wavesmith::ir {

/// Sets ValueData::uniform throughout the kernel. Kernel parameters and constants are uniform; a loop-carried
/// value is uniform when its start, every next value and the trip count are.
void compute_uniformity(Kernel& kernel);

}  // namespace wavesmith::ir
