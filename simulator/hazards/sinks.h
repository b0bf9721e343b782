// Where an instruction uses values in a way that matters: addresses, control, factors of a matrix
// instruction, data that leaves the workgroup. Copies and arithmetic are no such uses. sinks_of() is the
// entry; shadow.h compares what it names.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/instruction.h"

namespace wavesmith::simulator {

enum class SinkUse : std::uint8_t {
  none,
  address,  ///< or a buffer resource, an offset, the lane that a permute through LDS names
  matrix,   ///< factor, accumulator or scale, of all lanes
  stored,   ///< to memory other than LDS and scratch
  branch,
  exec,
  lane,  ///< that v_readlane or v_writelane select
  jump,
  mode,
};
/// The end of a sentence that begins with the register.
[[nodiscard]] std::string_view sentence(SinkUse use);

struct Sinks {
  SinkUse use = SinkUse::none;  ///< of `operands`, M0, SCC and VCC
  std::uint8_t operands = 0;    ///< bit k: operand k
  bool all_lanes = false;       ///< whatever EXEC says
  bool lanes_needed = false;    ///< nothing is used when no lane is active
  bool m0 = false, scc = false, vcc = false;

  std::uint8_t data = kNoData;    ///< operand that is stored
  std::uint32_t data_bits = ~0u;  ///< of each of its dwords
  static constexpr std::uint8_t kNoData = 0xff;

  [[nodiscard]] bool any_before() const { return operands != 0 || m0 || scc || vcc; }
};

[[nodiscard]] Sinks sinks_of(const Instruction& instruction);

}  // namespace wavesmith::simulator
