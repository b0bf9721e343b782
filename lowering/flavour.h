// Flavours: dialects of LLVM IR text, one a major version of LLVM. A flavour is the text that this version
// reads without upgrading it and without ignoring a line. All differences are data in this row; lowering has
// no other branches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wavesmith::lowering {

struct Flavour {
  std::string_view name;  ///< "llvm22"
  unsigned llvm_major;
  std::string_view data_layout;          ///< exactly the target's, so that nothing is replaced on reading
  std::string_view num_records_type;     ///< of llvm.amdgcn.make.buffer.rsrc
  std::string_view buffer_rsrc_suffix;   ///< mangled types of llvm.amdgcn.make.buffer.rsrc
  std::string_view uniform_workgroup;    ///< function attribute: every workgroup is full
  std::string_view flush_f32_denormals;  ///< function attribute
  /// The compilers of this version that every golden case was tried with (docs/compilers.md), "; " between
  /// them. Empty where none could be had: the flavour then follows published descriptions alone.
  std::string_view verified_with;

  /// For people: verified_with, or that there is nothing of the kind.
  [[nodiscard]] std::string_view verification() const {
    return verified_with.empty() ? "not verified here" : verified_with;
  }
};

[[nodiscard]] const Flavour* find_flavour(std::string_view name);
[[nodiscard]] std::span<const Flavour> all_flavours();
/// "llvm21, llvm22": for error messages.
[[nodiscard]] std::string flavour_names();

}  // namespace wavesmith::lowering
