// How many waves of a kernel a compute unit can hold, and what keeps it from holding more. occupancy() is a
// pure function of the numbers; the formulas are stated here and the processors' limits are in
// occupancy_limits.cpp.
//
//   waves per SIMD = min(wave slots,
//                        VGPRs of the SIMD / VGPRs of a wave rounded up to the granule,
//                        SGPRs of the SIMD / SGPRs of a wave rounded up to the granule)
//   waves per CU   = min(waves per SIMD * SIMDs, workgroups that fit into the LDS * waves of a workgroup)
//
// Two figures come out. `waves_per_cu` is the usual one, which lets waves of part of a workgroup count. Waves
// arrive and leave in whole workgroups, though: `workgroups` and `resident_waves` say what can really be
// there at once. They assume that waves spread evenly over the SIMDs.
#pragma once

#include <cstdint>
#include <string_view>

#include "wavesmith/error.h"

#include "runtime/code_object.h"

namespace wavesmith::runtime {

/// What keeps more waves or workgroups out. Of several that do so equally, the first in this order is named.
enum class Limiter : std::uint8_t {
  waves,       ///< wave slots of the SIMDs
  vgpr,        ///< vector registers
  sgpr,        ///< scalar registers
  lds,         ///< local data share
  workgroups,  ///< barriers of the compute unit
};

/// "WAVES", "VGPR", "SGPR", "LDS", "WORKGROUPS".
[[nodiscard]] std::string_view name_of(Limiter limiter);

struct OccupancyRequest {
  std::string_view processor;        ///< "gfx950"
  std::uint32_t vgprs = 0;           ///< of a wave, accumulation registers included where they share the file
  std::uint32_t sgprs = 0;           ///< of a wave, VCC and its like included
  std::uint32_t lds_bytes = 0;       ///< of a workgroup, static and dynamic
  std::uint32_t workgroup_size = 0;  ///< work-items, 1 to 1024
  std::uint32_t wavefront_size = 0;  ///< 32 or 64
  bool wgp_mode = false;  ///< RDNA: a workgroup's waves may be on both CUs of a WGP and use the LDS of both
};

struct Occupancy {
  std::uint32_t waves_per_simd = 0;  ///< by wave slots and registers
  std::uint32_t waves_per_cu = 0;    ///< by wave slots, registers and LDS; not rounded to whole workgroups
  Limiter limiter{};                 ///< of waves_per_cu

  std::uint32_t waves_per_workgroup = 0;
  std::uint32_t compute_units = 1;   ///< CUs that the next two count together: 2 in WGP mode, else 1
  std::uint32_t workgroups = 0;      ///< whole workgroups resident on those CUs; 0: the kernel cannot run
  std::uint32_t resident_waves = 0;  ///< workgroups * waves_per_workgroup
  Limiter resident_limiter{};        ///< of workgroups

  /// Whole workgroups per CU; in WGP mode an odd number on two CUs is rounded down.
  [[nodiscard]] std::uint32_t workgroups_per_cu() const { return workgroups / compute_units; }
};

/// Refuses a processor whose limits are not known and numbers that no kernel can have.
[[nodiscard]] Expected<Occupancy> occupancy(const OccupancyRequest& request);

/// The occupancy of a kernel of a code object, with its required workgroup size or else its largest one, and
/// that much dynamic LDS on top of its own.
[[nodiscard]] Expected<Occupancy> occupancy(const CodeObject& object, const Kernel& kernel,
                                            std::uint32_t dynamic_lds_bytes = 0);

}  // namespace wavesmith::runtime
