// Lane addresses of GLOBAL instructions, which loads, stores, atomics and LDS-DMA form alike.
#pragma once

#include "simulator/groups/vector_memory.h"

namespace wavesmith::simulator::groups {

/// Whether the 64-bit base is in SGPRs.
inline bool has_scalar_base(Form form) {
  return form == Form::saddr || form == Form::saddr_return;
}

/// op.address[lane] = base + offset: `vaddr` is a VGPR pair, or one VGPR beside the SGPR pair `saddr`.
inline void capture_global_address(Wave& wave, PendingOp& op, const Instruction& i, const Operand& vaddr,
                                   const Operand& saddr) {
  const u64 offset = static_cast<u64>(std::int64_t{i.modifiers.offset});
  const u32* low = wave.row(vaddr.reg);
  if (has_scalar_base(i.form)) {
    const u64 base = wave.read64(saddr) + offset;
    for (u32 lane = 0; lane < kLanes; ++lane) op.address[lane] = base + low[lane];
    return;
  }
  const u32* high = wave.row(vaddr.reg + 1u);
  for (u32 lane = 0; lane < kLanes; ++lane) op.address[lane] = (low[lane] | u64{high[lane]} << 32) + offset;
}

}  // namespace wavesmith::simulator::groups
