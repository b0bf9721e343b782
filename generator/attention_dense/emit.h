// From a Plan to LLVM IR text: builds the kernel IR, verifies it, lowers it.
#pragma once

#include <string>

#include "generator/attention_dense/plan.h"
#include "ir_builder/finish.h"
#include "lowering/lower.h"

namespace wavesmith::generator::attention_dense {

/// The verified kernel IR. Errors are faults of the generator.
[[nodiscard]] Expected<ir::FinishedKernel> build(const Plan& plan);

/// Errors: as build() and lowering::lower().
[[nodiscard]] Expected<std::string> emit(const Plan& plan, const lowering::Flavour& flavour,
                                         const lowering::LowerOptions& options = {});

}  // namespace wavesmith::generator::attention_dense
