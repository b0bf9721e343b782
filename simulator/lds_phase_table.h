// How the LDS of each processor serves the lanes of one wave: in fixed groups of lanes (phases), each of
// which takes one cycle plus one for every further distinct dword that a bank has to deliver. Data only;
// lds_conflicts.h counts with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wavesmith/simulator.h"

#include "simulator/target.h"

namespace wavesmith::simulator {

/// Kinds of access that phases are known for; narrower reads and writes behave like b32.
enum class LdsAccess : std::uint8_t {
  read_b32,
  read_b64,
  read_b96,
  read_b128,
  read_tr_b64,
  write_b32,
  write_b64,
  write_b96,
  write_b128,
};
inline constexpr std::size_t kLdsAccesses = 9;
constexpr bool is_write(LdsAccess access) {
  return access >= LdsAccess::write_b32;
}

/// How sure a row is; isa tables and their sources.
enum class Confidence : std::uint8_t { high, medium, low, assumed };

struct LdsPhaseRow {
  GfxSet targets;
  LdsAccess access;
  std::uint32_t banks;
  std::span<const std::uint64_t> phases;  ///< a lane mask each
  Confidence confidence;
  std::string_view source;
};

/// The row for an access, with the switches for uncertain ones applied. Every processor has one for every
/// access.
const LdsPhaseRow& find_lds_phases(Gfx gfx, LdsAccess access, LdsReadB32 read_b32,
                                   LdsReadTranspose read_transpose);

/// All rows, the alternatives included, for documentation and tests.
std::span<const LdsPhaseRow> lds_phase_rows();

}  // namespace wavesmith::simulator
