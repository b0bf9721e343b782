// The kinds of hazards that are looked for, and their stable names. A hazard is a fault of the code that need
// not show in one run's results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  wait_states,                   ///< the same between other instructions
  barrier_mismatch,              ///< the waves of a workgroup meet at different barriers
  lds_dma_overwritten,           ///< a load to LDS goes where another, still on its way, was to go
  store_conflict,                ///< lanes of one store write different values to one address
  // Used as address, for control, as operand of a matrix instruction or stored:
  uninitialized_register,  ///< what a register held at the start
  uninitialized_lds,       ///< a dword of LDS that was never written
  uninitialized_scratch,   ///< a dword of scratch that was never written
  uninitialized_value,     ///< what was computed from such a thing, or a part of it
};

/// As in the enumeration; stable.
std::string_view name(HazardKind kind);

/// Kinds that a dispatch with these options, and Options::hazards, does not look for.
std::vector<std::string> hazards_not_checked(const Options& options);

using HazardLog = FindingLog<HazardKind>;

}  // namespace wavesmith::simulator
