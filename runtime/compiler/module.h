// IR text turned into a module that is known to be fit for compiling: parsed, verified, in agreement with the
// request, and without calls into nothing. What LLVM would silently rewrite or ignore is written to the log.
#pragma once

#include <memory>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "wavesmith/error.h"

#include "runtime/compiler/diagnostics.h"
#include "runtime/compiler_interface.h"

namespace wavesmith::runtime {

/// Parses request.ir. `machine` gives the data layout. A syntax error is compiler_failed with line, column
/// and the line itself; a data layout or triple of its own that is not the target's is invalid_request and
/// shows both.
[[nodiscard]] Expected<std::unique_ptr<llvm::Module>> parse_module(const CompileRequest& request,
                                                                   const llvm::TargetMachine& machine,
                                                                   llvm::LLVMContext& context,
                                                                   Diagnostics& diagnostics);

/// Runs LLVM's verifier and checks what it does not: unknown intrinsics and undefined functions (by name),
/// code object version and target-cpu attributes against the request. Sets the code object version in the
/// module.
[[nodiscard]] Expected<void> verify_module(const CompileRequest& request, const TargetId& target,
                                           llvm::Module& module);

}  // namespace wavesmith::runtime
