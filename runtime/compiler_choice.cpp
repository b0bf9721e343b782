// The rules of the choice; see compiler_choice.h.
#include "runtime/compiler_choice.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::runtime {
namespace {

const lowering::Flavour* flavour_of(const CompilerInfo& compiler) {
  const auto flavours = lowering::all_flavours();
  const auto row = std::ranges::find(flavours, compiler.llvm_major, &lowering::Flavour::llvm_major);
  return row == flavours.end() ? nullptr : &*row;
}

/// Whether a compiler can be taken for a text of the flavour `named` (null: any) and a target.
Expected<const lowering::Flavour*> check(const CompilerInfo& compiler, const lowering::Flavour* named,
                                         const TargetId& target) {
  const lowering::Flavour* own = flavour_of(compiler);
  if (own == nullptr)
    return fail(ErrorKind::environment,
                fmt::format("there is no flavour for the compiler {}; flavours are {}", compiler.version,
                            lowering::flavour_names()));
  std::vector<Refusal> refusals;
  if (named != nullptr && named != own)
    refusals.push_back({"flavour", std::string(named->name),
                        fmt::format("auto or {}, which the compiler {} reads", own->name, compiler.version)});
  if (!compiler.supports(target))
    refusals.push_back(
        {"target", target.text(), fmt::format("a target of the compiler {}", compiler.version)});
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  return own;
}

}  // namespace

Expected<CompilerChoice> choose_compiler(const Expected<CompilerInfo>& comgr,
                                         const Expected<CompilerInfo>& llvm, Backend wanted,
                                         std::string_view flavour, std::string_view target_text) {
  const lowering::Flavour* named = lowering::find_flavour(flavour);
  if (named == nullptr && flavour != "auto")
    return std::unexpected(
        Error::refused({{"flavour", std::string(flavour), "auto, " + lowering::flavour_names()}}));
  const auto target = parse_target_id(target_text);
  if (!target) return std::unexpected(target.error());
  if (wanted != Backend::llvm && comgr) {
    if (const auto own = check(*comgr, named, *target))
      return CompilerChoice{.backend = Backend::comgr, .flavour = *own, .compiler = *comgr};
    else if (wanted == Backend::comgr)
      return std::unexpected(own.error());
  }
  if (wanted == Backend::comgr) return std::unexpected(comgr.error());
  if (!llvm) return std::unexpected(llvm.error());
  const auto own = check(*llvm, named, *target);
  if (!own) return std::unexpected(own.error());
  return CompilerChoice{.backend = Backend::llvm, .flavour = *own, .compiler = *llvm};
}

Expected<CompilerChoice> choose_compiler(CompilerPool& compilers, Backend wanted, std::string_view flavour,
                                         std::string_view target) {
  const auto not_asked = fail(ErrorKind::environment, "not asked");
  return choose_compiler(wanted == Backend::llvm ? not_asked : compilers.describe(Backend::comgr),
                         wanted == Backend::comgr ? not_asked : compilers.describe(Backend::llvm), wanted,
                         flavour, target);
}

}  // namespace wavesmith::runtime
