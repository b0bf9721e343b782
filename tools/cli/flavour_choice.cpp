// From a compiler's identity to a flavour.
#include "tools/cli/flavour_choice.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace wavesmith::cli {

Expected<const lowering::Flavour*> choose_flavour(std::string_view name, runtime::CompilerPool& compilers,
                                                  runtime::Backend backend) {
  if (name != "auto") {
    const lowering::Flavour* named = lowering::find_flavour(name);
    if (named != nullptr) return named;
    return std::unexpected(
        Error::refused({{"flavour", std::string(name), "auto, " + lowering::flavour_names()}}));
  }
  const Expected<std::string> identity = compilers.identity(backend);
  if (!identity) return std::unexpected(identity.error());
  constexpr std::string_view llvm = "LLVM ";  // "LLVM 22.1.8 (llvm), LLD 22.1.8"
  unsigned major = 0;
  if (const std::size_t at = identity->find(llvm); at != std::string::npos)
    std::from_chars(identity->data() + at + llvm.size(), identity->data() + identity->size(), major);
  const auto row = std::ranges::find(lowering::all_flavours(), major, &lowering::Flavour::llvm_major);
  if (row != lowering::all_flavours().end()) return &*row;
  return fail(ErrorKind::environment, fmt::format("there is no flavour for the compiler {}; flavours are {}",
                                                  *identity, lowering::flavour_names()));
}

runtime::Backend read_backend(std::string_view name, std::vector<Refusal>& refusals) {
  using runtime::Backend;
  for (const Backend backend : {Backend::automatic, Backend::comgr, Backend::llvm})
    if (runtime::name_of(backend) == name) return backend;
  refusals.push_back({"compiler", std::string(name), "auto, comgr, llvm"});
  return Backend::automatic;
}

}  // namespace wavesmith::cli
