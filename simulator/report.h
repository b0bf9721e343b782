// Turns what a dispatch counted into the Report of the public interface.
#pragma once

#include "wavesmith/simulator.h"

#include "simulator/dispatch.h"

namespace wavesmith::simulator {

Report make_report(const Dispatch& dispatch, DispatchResult result);

}  // namespace wavesmith::simulator
