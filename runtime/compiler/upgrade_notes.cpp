// Looks for intrinsic names in the text, outside comments, and asks the module for them. See upgrade_notes.h.
#include "runtime/compiler/upgrade_notes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace wavesmith::runtime {
namespace {

bool in_name(char character) {
  const bool letter = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
  return letter || (character >= '0' && character <= '9') || character == '.' || character == '_' ||
         character == '-' || character == '$';
}

std::set<std::string_view> intrinsics_named_in(std::string_view ir) {
  std::set<std::string_view> names;
  constexpr std::string_view kStart = "@llvm.";
  for (std::size_t at = ir.find_first_of(";@"); at != std::string_view::npos;
       at = ir.find_first_of(";@", at)) {
    if (ir[at] == ';') {
      at = std::min(ir.find('\n', at), ir.size());
      continue;
    }
    const std::size_t start = at + 1;
    at = start;
    while (at < ir.size() && in_name(ir[at])) ++at;
    if (ir.substr(start - 1).starts_with(kStart)) names.insert(ir.substr(start, at - start));
  }
  return names;
}

}  // namespace

void note_upgrades(std::string_view ir, const llvm::Module& module, Diagnostics& diagnostics) {
  for (const std::string_view name : intrinsics_named_in(ir)) {
    if (module.getNamedValue(llvm::StringRef(name)) != nullptr) continue;
    diagnostics.note(
        fmt::format("note: {} was rewritten by this LLVM; it is the name of another version", name));
  }
}

}  // namespace wavesmith::runtime
