// `--flavour auto`: the flavour of the compiler that would be used.
#pragma once

#include <string_view>

#include "wavesmith/error.h"

#include "lowering/flavour.h"
#include "runtime/compiler.h"

namespace wavesmith::cli {

/// The flavour of that name, or for "auto" that of the backend's LLVM. Errors: environment, where no compiler
/// can be started or its version has no flavour.
[[nodiscard]] Expected<const lowering::Flavour*> choose_flavour(std::string_view name,
                                                                runtime::CompilerPool& compilers,
                                                                runtime::Backend backend);

/// Reads "--compiler"; appends a refusal for another name.
[[nodiscard]] runtime::Backend read_backend(std::string_view name, std::vector<Refusal>& refusals);

/// The compilers of one command line: one worker is enough.
[[nodiscard]] inline runtime::CompilerPoolOptions one_worker() {
  runtime::CompilerPoolOptions options;
  options.workers = 1;
  return options;
}

}  // namespace wavesmith::cli
