// The kinds of hazards that are looked for, and their stable names. A hazard is a fault of the code that need
// not show in one run's results.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/findings.h"

namespace wavesmith::simulator {

enum class HazardKind : std::uint8_t {
  register_read_before_wait,     ///< a register is read while a load into it is outstanding
  register_written_before_wait,  ///< the same, overwritten; loads that return in order may follow one another
  lds_read_before_dma,           ///< LDS is read while a load to it may still be on its way
  lds_overwritten_while_read,    ///< LDS is written while a read of it may not have been served
  lds_race,                      ///< two waves touch LDS without wait and barrier between, one of them writes
  global_race,                   ///< two workgroups touch a byte of memory, one of them writes
  matrix_partial_exec,           ///< MFMA with inactive lanes, whose values it uses all the same
  matrix_wait_states,            ///< too few instructions between an MFMA and what depends on it
};
inline constexpr unsigned kHazardKinds = 8;

/// As in the enumeration; stable.
std::string_view name(HazardKind kind);

using HazardLog = FindingLog<HazardKind>;

}  // namespace wavesmith::simulator
