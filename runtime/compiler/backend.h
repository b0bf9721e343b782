// One compiler inside the worker program. The types are those of compiler_interface.h; main.cpp asks,
// llvm_backend.cpp answers with LLVM and LLD, comgr_backend.cpp with ROCm's comgr.
#pragma once

#include <memory>
#include <string>

#include "wavesmith/error.h"

#include "runtime/compiler_interface.h"

namespace wavesmith::runtime {

class CompilerBackend {
 public:
  virtual ~CompilerBackend() = default;

  /// What compiles, with its version as the loaded library reports it.
  [[nodiscard]] virtual const CompilerInfo& info() const = 0;

  /// Compiles a request that check_request accepted. May end the process on input that the compiler cannot
  /// bear.
  [[nodiscard]] virtual Expected<CompileResult> compile(const CompileRequest& request,
                                                        const TargetId& target) = 0;

  /// False when the compiler's process-wide state is damaged: the worker then ends after its answer.
  [[nodiscard]] virtual bool can_go_on() const = 0;
};

/// LLVM with its AMDGPU target and LLD, both in this process, nothing on disk.
[[nodiscard]] std::unique_ptr<CompilerBackend> make_llvm_backend();

/// The comgr at `path`, or where that is empty the first that the loader finds. Errors: environment.
[[nodiscard]] Expected<std::unique_ptr<CompilerBackend>> make_comgr_backend(const std::string& path);

}  // namespace wavesmith::runtime
