// What one compute unit of each processor offers to resident waves. The numbers and their sources are in
// occupancy_limits.cpp; occupancy.h turns them into figures for a kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wavesmith::runtime {

struct OccupancyLimits {
  std::string_view processor;
  std::uint32_t simds_per_cu;
  std::uint32_t waves_per_simd;  ///< wave slots

  // Vector registers. A register is one per lane, so wave64 sees half of what wave32 sees where both exist.
  // Counts include accumulation registers where they share the file. 0: the processor has no such waves.
  std::uint32_t wave32_vgprs;         ///< registers a SIMD can hand out to wave32 waves together
  std::uint32_t wave32_vgpr_granule;  ///< a wave gets a multiple of this
  std::uint32_t wave64_vgprs;
  std::uint32_t wave64_vgpr_granule;

  // Scalar registers. 0: every wave has its own fixed set, which limits nothing.
  std::uint32_t sgprs_per_simd;
  std::uint32_t sgpr_granule;

  std::uint32_t lds_bytes;          ///< of one CU
  std::uint32_t lds_granule;        ///< a workgroup gets a multiple of this, in bytes
  std::uint32_t workgroups_per_cu;  ///< barriers: workgroups of more than one wave
  std::uint32_t cus_per_wgp;  ///< CUs whose LDS, SIMDs and barriers a workgroup in WGP mode shares; 1: no WGP
};

/// The processors whose limits are known.
[[nodiscard]] std::span<const OccupancyLimits> occupancy_limits();
/// The limits of that processor ("gfx950"), or null.
[[nodiscard]] const OccupancyLimits* find_occupancy_limits(std::string_view processor);

}  // namespace wavesmith::runtime
