// `contract --limits`: what kernels need of the machine, recorded and now, without running them.
#pragma once

#include <span>

#include "golden/cases.h"
#include "tools/cli/command.h"
#include "tools/cli/flavour_choice.h"

namespace wavesmith::cli {

/// Compiles the cases with the compilers at hand. Errors: no recorded resources, cases that do not compile.
[[nodiscard]] Expected<Report> contract_limits(const Arguments& arguments,
                                               std::span<const golden::Case> cases,
                                               const CompilerOptions& compilers, unsigned jobs);

}  // namespace wavesmith::cli
