// Generated contents of the buffers of launch files.
#pragma once

#include <cstddef>
#include <span>

#include "tools/verify/launch_file.h"

namespace wavesmith::verify {

/// Writes the buffer's elements, little-endian; `to` holds buffer.bytes() zeros. The same description gives
/// the same bytes everywhere, but that a host's logarithm and cosine may differ in the last place of a
/// double, which rounding hides in all but about one value in 2^29.
void fill(const BufferArgument& buffer, std::span<std::byte> to);

}  // namespace wavesmith::verify
