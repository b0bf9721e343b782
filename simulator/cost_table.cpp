// The cost rows. Sources: C4 = CDNA4 guide, table of MFMA passes; CALC = AMD's matrix instruction calculator;
// LS = LLVM's AMDGPU scheduling models; RR = rocRoller's LDS model; CNC = published micro-architecture
// measurements.
#include "simulator/cost_table.h"

#include <array>

namespace wavesmith::simulator {
namespace {

constexpr GfxSet kGfx950 = static_cast<GfxSet>(Gfx::gfx950);
constexpr GfxSet kGfx942 = static_cast<GfxSet>(Gfx::gfx942);

// MFMA cycles are four for each pass of the matrix pipe of one SIMD, back to back.
constexpr std::array kRows = {
    CostRow{kGfx950, Unit::mfma, "v_mfma_f32_32x32x16_f16", 32, 0, false, "C4"},
    CostRow{kGfx950, Unit::mfma, "v_mfma_f32_32x32x16_bf16", 32, 0, false, "C4"},
    CostRow{kGfx950, Unit::mfma, "v_mfma_f32_16x16x32_f16", 16, 0, false, "C4"},
    CostRow{kGfx950, Unit::mfma, "v_mfma_f32_16x16x32_bf16", 16, 0, false, "C4"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_32x32x8_*", 32, 0, false, "C4, CALC"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_16x16x16_*", 16, 0, false, "C4, CALC"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_4x4x4_*", 8, 0, false, "C4, CALC"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_32x32x4_*", 64, 0, false, "C4, CALC"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_16x16x4_4b_*", 32, 0, false, "C4, CALC"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_32x32x2_*", 64, 0, false, "C4, CALC"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_16x16x4_f32", 32, 0, false, "C4, CALC"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_32x32x16_*", 32, 0, false, "C4, CALC: fp8 and bf8"},
    CostRow{kCdna, Unit::mfma, "v_mfma_f32_16x16x32_*", 16, 0, false, "C4, CALC: fp8 and bf8"},
    CostRow{kGfx950, Unit::mfma, "v_mfma_f32_32x32x64_f8f6f4", 64, 0, false,
            "C4: with an fp8 operand; 32 without"},
    CostRow{kGfx950, Unit::mfma, "v_mfma_f32_16x16x128_f8f6f4", 32, 0, false,
            "C4: with an fp8 operand; 16 without"},
    CostRow{kGfx942, Unit::mfma, "v_mfma_f64_16x16x4_*", 32, 0, false, "C4, CALC"},
    CostRow{kGfx950, Unit::mfma, "v_mfma_f64_16x16x4_*", 64, 0, false, "C4"},
    CostRow{kGfx12, Unit::mfma, "*", 16, 0, false, "LS: WMMA 16x16x16"},
    CostRow{kGfx11, Unit::mfma, "*", 32, 0, false, "LS: WMMA 16x16x16"},
    CostRow{kEveryTarget, Unit::mfma, "*", 32, 0, false, "assumed for other shapes"},

    CostRow{kCdna, Unit::valu, "v_mul_lo_u32", 16, 0, false, "LS: quarter rate"},
    CostRow{kCdna, Unit::valu, "v_mul_hi_*", 16, 0, false, "LS: quarter rate"},
    CostRow{kCdna, Unit::valu, "v_mad_u64_u32", 16, 0, false, "LS: quarter rate"},
    CostRow{kCdna, Unit::valu, "v_mad_i64_i32", 16, 0, false, "LS: quarter rate"},
    CostRow{kCdna, Unit::valu, "*", 4, 0, false,
            "CNC: 64 lanes on 16-wide SIMDs; packed f32 gives two results"},
    CostRow{kRdna, Unit::valu, "v_mul_lo_u32", 4, 0, false, "LS: quarter rate"},
    CostRow{kRdna, Unit::valu, "v_mul_hi_*", 4, 0, false, "LS: quarter rate"},
    CostRow{kRdna, Unit::valu, "*", 1, 0, false, "CNC: 32 lanes on 32-wide SIMDs; VOPD counts once"},

    CostRow{kGfx942, Unit::trans, "*", 16, 0, false, "LS: quarter rate"},
    CostRow{kGfx950, Unit::trans, "*", 8, 0, false, "uncertain: said to be twice the rate of gfx942"},
    CostRow{kRdna, Unit::trans, "*", 4, 0, false, "LS: quarter rate"},

    CostRow{kCdna, Unit::salu, "*", 4, 0, false, "CNC: one issue each four clocks"},
    CostRow{kRdna, Unit::salu, "*", 1, 0, false, "CNC"},
    CostRow{kEveryTarget, Unit::smem, "*", 4, 0, false, "issue only"},
    CostRow{kEveryTarget, Unit::branch, "*", 4, 0, false, "issue only"},
    CostRow{kEveryTarget, Unit::wait, "*", 0, 0, false, "time spent waiting is not modelled"},
    CostRow{kEveryTarget, Unit::other, "*", 0, 0, false, "no effect on a pipe"},
    CostRow{kEveryTarget, Unit::vmem_load, "*", 4, 64, false, "CNC: 64 bytes a clock from the vector cache"},
    CostRow{kEveryTarget, Unit::vmem_store, "*", 4, 64, false, "CNC"},
    CostRow{kEveryTarget, Unit::lds, "*", 4, 0, true, "RR: issue, then phases and conflicts as counted"},
};

bool matches(std::string_view pattern, std::string_view mnemonic) {
  if (!pattern.ends_with('*')) return pattern == mnemonic;
  return mnemonic.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

const CostRow& cost_of(Gfx gfx, Unit unit, std::string_view mnemonic) {
  for (const CostRow& row : kRows) {
    if ((row.targets & static_cast<GfxSet>(gfx)) != 0 && row.unit == unit && matches(row.mnemonic, mnemonic))
      return row;
  }
  return kRows.back();
}

std::span<const CostRow> cost_rows() {
  return kRows;
}

}  // namespace wavesmith::simulator
