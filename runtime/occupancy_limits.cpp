// The occupancy table. Sources: vector registers, granules and wave slots are those by which LLVM 22 computes
// the "Occupancy" comment of its assembly output (tests compare every step); LDS sizes and granules are
// LLVM's AMDGPU usage guide (GRANULATED_LDS_SIZE: 128 dwords, 320 on gfx950) and the CDNA 3, CDNA 4 and RDNA
// instruction set documents. RDNA's granule of 512 bytes is the one LLVM encodes; the hardware of gfx10.3 and
// later may round up to 1024.
#include "runtime/occupancy_limits.h"

#include <algorithm>
#include <array>

namespace wavesmith::runtime {
namespace {

/// CDNA 3 and 4: one file of 512 registers per lane and SIMD for vector and accumulation registers; 800
/// scalar registers.
constexpr OccupancyLimits cdna(std::string_view processor, std::uint32_t lds_bytes,
                               std::uint32_t lds_granule) {
  return {.processor = processor,
          .simds_per_cu = 4,
          .waves_per_simd = 8,
          .wave32_vgprs = 0,
          .wave32_vgpr_granule = 0,
          .wave64_vgprs = 512,
          .wave64_vgpr_granule = 8,
          .sgprs_per_simd = 800,
          .sgpr_granule = 16,
          .lds_bytes = lds_bytes,
          .lds_granule = lds_granule,
          .workgroups_per_cu = 16,
          .cus_per_wgp = 1};
}

/// RDNA 2 to 4: 64 KiB of LDS a CU; scalar registers are a fixed 128 a wave.
constexpr OccupancyLimits rdna(std::string_view processor, std::uint32_t wave32_vgprs,
                               std::uint32_t granule) {
  return {.processor = processor,
          .simds_per_cu = 2,
          .waves_per_simd = 16,
          .wave32_vgprs = wave32_vgprs,
          .wave32_vgpr_granule = granule,
          .wave64_vgprs = wave32_vgprs / 2,
          .wave64_vgpr_granule = granule / 2,
          .sgprs_per_simd = 0,
          .sgpr_granule = 0,
          .lds_bytes = 64 * 1024,
          .lds_granule = 512,
          .workgroups_per_cu = 16,
          .cus_per_wgp = 2};
}

constexpr std::array kLimits = {
    cdna("gfx942", 64 * 1024, 512), cdna("gfx950", 160 * 1024, 1280), rdna("gfx1030", 1024, 16),
    rdna("gfx1100", 1536, 24),      rdna("gfx1151", 1536, 24),        rdna("gfx1201", 1536, 24),
};

}  // namespace

std::span<const OccupancyLimits> occupancy_limits() {
  return kLimits;
}

const OccupancyLimits* find_occupancy_limits(std::string_view processor) {
  const auto found = std::ranges::find(kLimits, processor, &OccupancyLimits::processor);
  return found != kLimits.end() ? &*found : nullptr;
}

}  // namespace wavesmith::runtime
