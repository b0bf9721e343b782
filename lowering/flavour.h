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
};

[[nodiscard]] const Flavour* find_flavour(std::string_view name);
[[nodiscard]] std::span<const Flavour> all_flavours();
/// "llvm21, llvm22": for error messages.
[[nodiscard]] std::string flavour_names();

}  // namespace wavesmith::lowering
