// From a Plan to LLVM IR text: builds the kernel IR, verifies it, lowers it.
#pragma once

#include <memory>
#include <string>

#include "generator/attention_dense/plan.h"
#include "ir_builder/finish.h"
#include "lowering/lower.h"

namespace wavesmith::generator::attention_dense {

/// The kernel IR as it is built, before it is put in canonical form and verified; for those who plant faults.
[[nodiscard]] std::unique_ptr<ir::Kernel> draft(const Plan& plan);

/// The verified kernel IR. Errors are faults of the generator.
[[nodiscard]] Expected<ir::FinishedKernel> build(const Plan& plan);

/// Errors: as build() and lowering::lower().
[[nodiscard]] Expected<std::string> emit(const Plan& plan, const lowering::Flavour& flavour,
                                         const lowering::LowerOptions& options = {});

}  // namespace wavesmith::generator::attention_dense
