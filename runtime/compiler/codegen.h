// From a verified module to a relocatable object: the target machine, the IR pipeline, instruction selection.
#pragma once

#include <memory>
#include <string>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "wavesmith/error.h"

#include "runtime/compiler_interface.h"

namespace wavesmith::runtime {

/// The target machine of a request. A processor that this LLVM does not have is refused: LLVM itself would
/// warn and compile for something else.
[[nodiscard]] Expected<std::unique_ptr<llvm::TargetMachine>> make_target_machine(
    const CompileRequest& request, const TargetId& target);

/// Runs the IR pipeline of -O0 to -O3 with the target machine's own passes in it (without it the AMDGPU
/// attributor does not run and kernels keep registers and arguments they do not need).
void optimize(llvm::Module& module, llvm::TargetMachine& machine, std::uint32_t level);

/// Generates code. The module is used up.
[[nodiscard]] Expected<llvm::SmallVector<char, 0>> emit(llvm::Module& module, llvm::TargetMachine& machine,
                                                        llvm::CodeGenFileType type);

}  // namespace wavesmith::runtime
