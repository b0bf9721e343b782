// Notes about IR text that LLVM understood only by rewriting it: a sign that it was written for another
// version. (String attributes leave no trace: LLVM keeps those it does not know and ignores them.)
#pragma once

#include <string_view>

#include <llvm/IR/Module.h>

#include "runtime/compiler/diagnostics.h"

namespace wavesmith::runtime {

/// Compares the text with the module parsed from it: adds a line to the log for every intrinsic that the text
/// names and the module does not have.
void note_upgrades(std::string_view ir, const llvm::Module& module, Diagnostics& diagnostics);

}  // namespace wavesmith::runtime
