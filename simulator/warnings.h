// What works on hardware but should not be done: the rules that Wave::warn notes.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/findings.h"

namespace wavesmith::simulator {

enum class WarningKind : std::uint8_t {
  misaligned_lds,     ///< DS access at an address that its size does not divide (16 for 96 bits)
  misaligned_buffer,  ///< MUBUF access of dwords at an address that is no multiple of 4
};

/// What a reader of the report is told.
std::string_view sentence(WarningKind kind);

using WarningLog = FindingLog<WarningKind>;

}  // namespace wavesmith::simulator
