// Which compiler a command line asks for (--compiler, --comgr, --worker) and, with `--flavour auto`, the
// flavour that it reads.
#pragma once

#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "lowering/flavour.h"
#include "runtime/compiler.h"
#include "runtime/compiler_choice.h"
#include "tools/cli/command.h"

namespace wavesmith::cli {

/// The compilers of one command line: one worker is enough.
[[nodiscard]] inline runtime::CompilerPoolOptions one_worker() {
  runtime::CompilerPoolOptions options;
  options.workers = 1;
  return options;
}

/// --comgr and --worker: which compilers there are.
[[nodiscard]] std::vector<Option> compiler_place_options();
/// The same and --compiler: which of them is to compile.
[[nodiscard]] OptionGroup compiler_options();

struct CompilerOptions {
  runtime::Backend backend = runtime::Backend::automatic;
  runtime::CompilerPoolOptions pool = one_worker();
};
/// Reads them; appends refusals.
[[nodiscard]] CompilerOptions read_compiler_options(const Arguments& arguments,
                                                    std::vector<Refusal>& refusals);

/// The flavour of that name, which needs no compiler, or for "auto" that of the compiler that would be chosen
/// for the target. Errors: those of runtime::choose_compiler().
[[nodiscard]] Expected<const lowering::Flavour*> choose_flavour(std::string_view name,
                                                                runtime::CompilerPool& compilers,
                                                                std::string_view target);

}  // namespace wavesmith::cli
