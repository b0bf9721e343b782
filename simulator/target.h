// The processors the simulator knows, and the facts of each that change how code executes.
// find_processor is the entry; everything target-dependent in the executor asks a Processor, never a name.
#pragma once

#include <cstdint>
#include <string_view>

namespace wavesmith::simulator {

/// One bit per processor, so that an instruction row can name the set it holds for.
enum class Gfx : std::uint8_t {
  gfx942 = 1 << 0,
  gfx950 = 1 << 1,
  gfx1030 = 1 << 2,
  gfx1100 = 1 << 3,
  gfx1151 = 1 << 4,
  gfx1201 = 1 << 5,
};

using GfxSet = std::uint8_t;
inline constexpr GfxSet kCdna = static_cast<GfxSet>(Gfx::gfx942) | static_cast<GfxSet>(Gfx::gfx950);
inline constexpr GfxSet kRdna = static_cast<GfxSet>(Gfx::gfx1030) | static_cast<GfxSet>(Gfx::gfx1100) |
                                static_cast<GfxSet>(Gfx::gfx1151) | static_cast<GfxSet>(Gfx::gfx1201);
inline constexpr GfxSet kEveryTarget = kCdna | kRdna;
inline constexpr GfxSet kGfx10 = static_cast<GfxSet>(Gfx::gfx1030);
inline constexpr GfxSet kGfx11 = static_cast<GfxSet>(Gfx::gfx1100) | static_cast<GfxSet>(Gfx::gfx1151);
inline constexpr GfxSet kGfx12 = static_cast<GfxSet>(Gfx::gfx1201);
inline constexpr GfxSet kGfx11Up = kGfx11 | kGfx12;

/// How s_waitcnt packs its counters.
enum class WaitEncoding : std::uint8_t {
  gfx9,   ///< vmcnt {15:14,3:0}, expcnt 6:4, lgkmcnt 11:8
  gfx10,  ///< the same with lgkmcnt 13:8
  gfx11,  ///< expcnt 2:0, lgkmcnt 9:4, vmcnt 15:10
  gfx12,  ///< one instruction per counter
};

struct Processor {
  std::string_view name;
  Gfx gfx;
  std::uint32_t lds_bytes;             ///< most LDS one workgroup can have
  std::uint32_t max_vector_registers;  ///< rows of the register file one wave can have
  WaitEncoding wait_encoding;
  bool store_counter;             ///< stores count on vscnt/storecnt, not on vmcnt
  bool unified_agprs;             ///< AGPRs follow the VGPRs in one file at ACCUM_OFFSET
  bool packed_work_item_ids;      ///< v0 holds x | y << 10 | z << 20
  bool architected_flat_scratch;  ///< FLAT_SCRATCH is set up before the wave starts
  bool workgroup_ids_in_ttmp;     ///< TTMP9 and TTMP7 instead of SGPRs
  bool ieee_mode;                 ///< MODE has DX10_CLAMP and IEEE
  std::uint32_t max_load_count;   ///< largest value of vmcnt/loadcnt; one more outstanding stalls the wave
  std::uint32_t max_lds_count;    ///< the same for lgkmcnt/dscnt
  bool is_cdna() const { return (static_cast<GfxSet>(gfx) & kCdna) != 0; }
};

/// The processor of a name like "gfx950" (no features), or null when the simulator has none of that name.
const Processor* find_processor(std::string_view name);

/// The names find_processor knows, for messages: "gfx942, gfx950, …".
std::string_view processor_names();

}  // namespace wavesmith::simulator
