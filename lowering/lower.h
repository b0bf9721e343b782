// Kernel IR -> AMDGPU LLVM IR text. The only entry is lower(); target facts come from target.h, the dialect
// from flavour.h. The text depends on the arguments alone: same kernel, target, flavour and options, same
// bytes everywhere.
#pragma once

#include <string>

#include "ir_builder/finish.h"
#include "lowering/flavour.h"
#include "lowering/target.h"

namespace wavesmith::lowering {

struct LowerOptions {
  unsigned code_object_version = 5;  ///< 5 or 6
  /// Adds a line table that names the Plan step of each instruction (file name = step); the code is
  /// unchanged.
  bool line_table = false;
};

/// Errors: an operation that the target does not have, or a kernel whose LDS pool exceeds the target's limit.
[[nodiscard]] Expected<std::string> lower(const ir::FinishedKernel& kernel, const TargetFacts& target,
                                          const Flavour& flavour, const LowerOptions& options = {});

}  // namespace wavesmith::lowering
