// The options of compilers, and the flavour of the one that would be used.
#include "tools/cli/flavour_choice.h"

namespace wavesmith::cli {

std::vector<Option> compiler_place_options() {
  return {
      {.name = "comgr",
       .placeholder = "FILE",
       .meaning = "the comgr library to open (default: libamd_comgr.so.3 or .so.2 where the loader or ROCm "
                  "has one)"},
      {.name = "worker",
       .placeholder = "FILE",
       .meaning = "the compiler worker program to start (default: the one of this build)"}};
}

OptionGroup compiler_options() {
  OptionGroup group{
      .title = "Compiler",
      .options = {{.name = "compiler",
                   .placeholder = "NAME",
                   .meaning =
                       "auto, comgr, llvm (default auto: comgr where it is there, has the target and its "
                       "LLVM has a flavour)"}}};
  for (Option& option : compiler_place_options()) group.options.push_back(std::move(option));
  return group;
}

CompilerOptions read_compiler_options(const Arguments& arguments, std::vector<Refusal>& refusals) {
  using runtime::Backend;
  CompilerOptions options;
  const std::string name = arguments.value_or("compiler", "auto");
  bool known = false;
  for (const Backend backend : {Backend::automatic, Backend::comgr, Backend::llvm}) {
    if (runtime::name_of(backend) != name) continue;
    options.backend = backend;
    known = true;
  }
  if (!known) refusals.push_back({"compiler", name, "auto, comgr, llvm"});
  // A library that is named is taken or refused, never replaced.
  if (const auto library = arguments.value("comgr")) {
    options.pool.comgr_library = *library;
    if (options.backend == Backend::llvm)
      refusals.push_back({"comgr", *library, "only with --compiler auto or comgr"});
    options.backend = Backend::comgr;
  }
  options.pool.worker_path = arguments.value_or("worker", "");
  return options;
}

Expected<const lowering::Flavour*> choose_flavour(std::string_view name, runtime::CompilerPool& compilers,
                                                  std::string_view target) {
  if (const lowering::Flavour* named = lowering::find_flavour(name)) return named;
  const auto choice = runtime::choose_compiler(compilers, runtime::Backend::automatic, name, target);
  if (!choice) return std::unexpected(choice.error());
  return choice->flavour;
}

}  // namespace wavesmith::cli
