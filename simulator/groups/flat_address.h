// FLAT addresses: bits 63:32 tell LDS, scratch or global memory, for each lane by itself.
#pragma once

#include <string_view>

#include "simulator/groups/global_address.h"
#include "simulator/groups/lds_address.h"

namespace wavesmith::simulator::groups {

enum class FlatSpace : std::uint8_t { global, lds, scratch };

inline FlatSpace flat_space(u64 address) {
  const u64 high = address >> 32;
  if (high == kSharedAperture >> 32) return FlatSpace::lds;
  return high == kPrivateAperture >> 32 ? FlatSpace::scratch : FlatSpace::global;
}

/// op.address[lane] = VGPR pair + offset. The aperture test sees the sum.
inline void capture_flat_address(Wave& wave, PendingOp& op, const Operand& vaddr) {
  capture_global_address(wave, op, *op.instruction, vaddr, vaddr);
}

/// Host bytes behind a lane's address, or null after a fault.
std::byte* flat_bytes(Wave& wave, const PendingOp& op, u32 lane, u32 bytes, bool write,
                      std::string_view access);

/// Counts each space for what it is.
void count_flat(Wave& wave, PendingOp& op, LdsAccess access, u32 bytes, bool atomic = false);

}  // namespace wavesmith::simulator::groups
