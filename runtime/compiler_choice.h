// Which compiler compiles a kernel, and in which flavour the text for it has to be. choose_compiler() is the
// one place that decides; everything that emits text for compiling asks it first.
#pragma once

#include <string_view>

#include "wavesmith/error.h"

#include "lowering/flavour.h"
#include "runtime/compiler.h"

namespace wavesmith::runtime {

struct CompilerChoice {
  Backend backend = Backend::llvm;  ///< never automatic
  const lowering::Flavour* flavour = nullptr;
  CompilerInfo compiler;
};

/// comgr where it is wanted, or where the choice is free and it is there, compiles for the target and its
/// LLVM has a flavour (that of `flavour`, unless that is "auto"); else the LLVM of the worker.
///
/// Errors: invalid_request for a flavour or target that does not exist, or a flavour that the compiler does
/// not read, or a target that it does not have; environment where the compiler is not there or is of a
/// version without a flavour.
[[nodiscard]] Expected<CompilerChoice> choose_compiler(CompilerPool& compilers, Backend wanted,
                                                       std::string_view flavour, std::string_view target);

/// The same with the compilers given, or why they are not there.
[[nodiscard]] Expected<CompilerChoice> choose_compiler(const Expected<CompilerInfo>& comgr,
                                                       const Expected<CompilerInfo>& llvm, Backend wanted,
                                                       std::string_view flavour, std::string_view target);

}  // namespace wavesmith::runtime
