// Byte offsets of SCRATCH instructions in the private memory of each lane. The interleaving of lanes in
// physical memory is invisible to a kernel and not modelled.
#pragma once

#include <string_view>

#include "simulator/groups/vector_memory.h"

namespace wavesmith::simulator::groups {

/// Host bytes at an offset that was checked.
inline std::byte* scratch_bytes(Wave& wave, u32 lane, u64 offset) {
  return wave.scratch.data() + std::size_t{lane} * wave.scratch_bytes + offset;
}

/// Whether a lane has `bytes` at an offset; a fault if not.
bool check_scratch(Wave& wave, const Instruction& i, u32 lane, u64 offset, u32 bytes,
                   std::string_view access);

/// op.address[lane] = VGPR, if any, + SGPR, if any, + signed immediate, checked for active lanes.
void capture_scratch_address(Wave& wave, PendingOp& op, const Operand& vaddr, const Operand& saddr, u32 bytes,
                             std::string_view access);

}  // namespace wavesmith::simulator::groups
