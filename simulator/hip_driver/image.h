// Finds the code object in what a program gives to hipModuleLoadData: an address without a size, where an ELF
// file or a bundle of them begins (the form that clang's offload bundler writes, uncompressed).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace wavesmith::simulator::hip_driver {

/// The bytes of the code object for a processor; of a bundle, that of the first entry whose target id begins
/// with the processor's name. Empty when there is none. The caller vouches that the bytes which the headers
/// name are there: nothing else can.
[[nodiscard]] std::span<const std::byte> code_object_at(const std::byte* image, std::string_view processor);

}  // namespace wavesmith::simulator::hip_driver
