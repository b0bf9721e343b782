// The options of commands that simulate: threads, schedule, and the choices where the hardware's behaviour is
// not certain.
#pragma once

#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "tools/cli/command.h"

namespace wavesmith::cli {

[[nodiscard]] OptionGroup simulator_options();

/// Appends a refusal for each value that is none.
[[nodiscard]] simulator::Options read_simulator_options(const Arguments& arguments,
                                                        std::vector<Refusal>& refusals);

}  // namespace wavesmith::cli
