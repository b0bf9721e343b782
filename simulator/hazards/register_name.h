// Names of registers for messages: rows of the vector file and indices into Wave::scalar, as assembly has
// them.
#pragma once

#include <cstdint>
#include <string>

namespace wavesmith::simulator {

struct Wave;

/// "v12", "a3".
[[nodiscard]] std::string vector_name(const Wave& wave, std::uint32_t row);
/// "s7", "vcc", "m0", "exec"; others by their operand code.
[[nodiscard]] std::string scalar_name(std::uint32_t index);

}  // namespace wavesmith::simulator
