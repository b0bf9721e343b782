// The ELF structures of a code object, read and checked, before anything is made of them. Internal to the
// code-object reader; the only entry is read_elf_image(). Types are those of code_object.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/code_object.h"

namespace wavesmith::runtime {

struct ElfImage {
  std::uint32_t flags = 0;
  std::uint8_t abi_version = 0;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;
  std::vector<Relocation> relocations;
  std::string_view metadata;  ///< msgpack bytes of the NT_AMDGPU_METADATA note; points into the input
};

/// Reads a little-endian ELF64 shared object for AMDGPU HSA. `file` must outlive the result's metadata view.
[[nodiscard]] Expected<ElfImage> read_elf_image(std::span<const std::byte> file);

/// The segment whose memory contains the address, or null. `segments` ascend, as read_elf_image leaves them.
[[nodiscard]] const Segment* segment_at(std::span<const Segment> segments, std::uint64_t address);

/// Whether `size` bytes at `offset` lie inside `limit` bytes, computed without overflow.
[[nodiscard]] constexpr bool inside(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

/// An Error about malformed input: "not a valid code object: …".
[[nodiscard]] std::unexpected<Error> malformed(std::string_view what);

}  // namespace wavesmith::runtime
