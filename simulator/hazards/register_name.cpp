// register_name.h says what these are for.
#include "simulator/hazards/register_name.h"

#include <fmt/format.h>

#include "simulator/wave.h"

namespace wavesmith::simulator {

std::string vector_name(const Wave& wave, std::uint32_t row) {
  const std::uint32_t first = wave.program->first_agpr_row;
  return wave.program->agprs != 0 && row >= first ? fmt::format("a{}", row - first) : fmt::format("v{}", row);
}

std::string scalar_name(std::uint32_t index) {
  if (index == kVcc || index == kVcc + 1) return "vcc";
  if (index == kExec || index == kExec + 1) return "exec";
  if (index == kM0) return "m0";
  return index < kVcc ? fmt::format("s{}", index) : fmt::format("scalar register {}", index);
}

}  // namespace wavesmith::simulator
