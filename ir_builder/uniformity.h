// How far values are the same: in a lane only, in a wave, in the workgroup. Decides where barriers and
// whole-wave operations may stand.
#pragma once

#include "ir_builder/function.h"

namespace wavesmith::ir {

/// Sets ValueData::extent throughout the kernel. Kernel parameters and constants are the same in the whole
/// workgroup; a loop-carried value is as uniform as its start, its next values and the trip count.
void compute_uniformity(Kernel& kernel);

}  // namespace wavesmith::ir
