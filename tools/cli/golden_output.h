// --junit and --markdown of the `golden` commands.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/golden_junit.h"
#include "tools/cli/golden_review.h"

namespace wavesmith::cli {

/// --junit, --markdown.
[[nodiscard]] OptionGroup golden_output_options();

/// Refuses what check_outputs() refuses. `more`: other files that the command writes.
void check_golden_outputs(const Arguments& arguments, std::vector<std::string_view> more,
                          std::vector<Refusal>& refusals);

/// Writes what was asked for and makes the review the report's text. Errors: a file that cannot be written.
[[nodiscard]] Expected<void> write_golden_outputs(const Arguments& arguments, const Review& review,
                                                  std::span<const JUnitCase> cases, Report& report);

}  // namespace wavesmith::cli
