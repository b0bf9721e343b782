// Assembles AMDGPU text in process with LLVM's MC layer, what llvm-mc does: Assembler gives the bytes of a
// snippet; kernel_source and link_code_object make a whole HSACO that the loader accepts. For tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::simulator::testing {

/// The machine code (.text) of `text`; the error holds the assembler's diagnostics.
[[nodiscard]] Expected<std::vector<std::byte>> assemble(std::string_view text, std::string_view processor,
                                                        std::uint32_t wave_size = 64);

/// A relocatable object file.
[[nodiscard]] Expected<std::vector<std::byte>> assemble_object(std::string_view text,
                                                               std::string_view processor,
                                                               std::uint32_t wave_size = 64,
                                                               unsigned code_object_version = 5);

/// What a test kernel needs besides its instructions.
struct KernelTraits {
  std::string name = "kernel";
  std::string body;  ///< instructions; s_endpgm is added
  unsigned vgprs = 32, sgprs = 32, agprs = 0;
  unsigned lds_bytes = 0, scratch_bytes = 0;
  std::vector<unsigned> arguments;  ///< sizes in bytes, laid out with natural alignment
  std::vector<std::string>
      hidden;              ///< value kinds, e.g. "hidden_block_count_x"; offsets as the ABI lays them out
  std::string directives;  ///< more .amdhsa_ lines
  unsigned max_work_items = 1024;
  std::uint32_t wave_size = 64;
};
/// Assembly source with descriptor and metadata. s[0:1] is the kernarg pointer unless `directives` ask for
/// more, and the workgroup ids follow it.
[[nodiscard]] std::string kernel_source(const KernelTraits& traits, std::string_view processor,
                                        unsigned code_object_version = 5);

/// Assembles and links (with ld.lld) an HSACO.
[[nodiscard]] Expected<std::vector<std::byte>> link_code_object(std::string_view source,
                                                                std::string_view processor,
                                                                std::uint32_t wave_size = 64,
                                                                unsigned code_object_version = 5);

}  // namespace wavesmith::simulator::testing
