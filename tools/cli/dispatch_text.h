// What a simulated dispatch counted, as text for people; tools/verify/report.h has the JSON.
#pragma once

#include <string>

#include "wavesmith/simulator.h"

#include "tools/verify/accuracy.h"
#include "tools/verify/lse.h"

namespace wavesmith::cli {

/// LDS accesses by Plan step, executed instructions by class, busy cycles by unit, hazards, warnings; or why
/// the dispatch was stopped.
[[nodiscard]] std::string dispatch_text(const simulator::Report& report);

[[nodiscard]] std::string accuracy_text(const verify::Accuracy& accuracy);
[[nodiscard]] std::string lse_text(const verify::LseAccuracy& accuracy);

}  // namespace wavesmith::cli
