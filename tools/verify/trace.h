// Writes what a wave executed, one line an instruction, from and to an address, with registers on request.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

namespace wavesmith::verify {

/// Registers of one kind with consecutive numbers.
struct RegisterRange {
  char kind = 'v';  ///< s, v or a
  std::uint32_t first = 0, last = 0;
};

/// What of a dispatch is traced. The default is everything, without registers.
struct TraceSelection {
  std::optional<std::array<std::uint32_t, 3>> workgroup = {};
  std::optional<std::uint32_t> wave = {};  ///< in its workgroup
  std::uint64_t from = 0;                  ///< addresses as a disassembler prints them, both inclusive
  std::uint64_t to = std::numeric_limits<std::uint64_t>::max();
  std::vector<RegisterRange> registers = {};
};

/// Reads "v0-v3,s4,a0-a1". Errors: invalid_request, refusing `field`.
[[nodiscard]] Expected<std::vector<RegisterRange>> parse_registers(std::string_view text,
                                                                   std::string_view field);

/// Writes the event to `file` and gives true where it is selected:
///
///     workgroup 0,0,0 wave 1  0x1a40  v_add_f32_e32 v1, v2, v3  exec ffffffffffffffff vcc 0000000000000000
///     scc 0
///         v1  3f800000 … (64 lanes)
bool write_trace(std::FILE* file, const TraceSelection& selection, const simulator::TraceEvent& event);

}  // namespace wavesmith::verify
