// The phase rows. Sources: HK = HipKittens' phase solver on MI355X, SHK = measurements in amd-shark-ai's
// empirical-lds study, RKE = rocKE architecture profiles, RR = rocRoller's LDS model, CK = Composable
// Kernel's documentation.
#include "simulator/lds_phase_table.h"

#include <array>

namespace wavesmith::simulator {
namespace {

/// Lanes first to last, both included.
constexpr std::uint64_t lanes(unsigned first, unsigned last) {
  return (last == 63 ? ~std::uint64_t{0} : (std::uint64_t{1} << (last + 1)) - 1) &
         ~((std::uint64_t{1} << first) - 1);
}

template <unsigned Count, unsigned Waves = 64>
constexpr auto contiguous() {
  std::array<std::uint64_t, Count> phases{};
  constexpr unsigned each = Waves / Count;
  for (unsigned p = 0; p < Count; ++p) phases[p] = lanes(p * each, p * each + each - 1);
  return phases;
}

constexpr auto kWhole = contiguous<1>();
constexpr auto kTwoOf32 = contiguous<2>();
constexpr auto kFourOf16 = contiguous<4>();
constexpr auto kEightOf8 = contiguous<8>();

// gfx950 ds_read_b128: phase key (lane bit 5, bit 4 ^ bit 3 ^ bit 2).
constexpr std::array<std::uint64_t, 4> kSixteenKeyed = {
    lanes(0, 3) | lanes(12, 15) | lanes(20, 27), lanes(4, 11) | lanes(16, 19) | lanes(28, 31),
    lanes(32, 35) | lanes(44, 47) | lanes(52, 59), lanes(36, 43) | lanes(48, 51) | lanes(60, 63)};
// The pairs of four lanes that 32-bank parts join for wide reads.
constexpr std::array<std::uint64_t, 8> kEightPaired = {
    lanes(0, 3) | lanes(20, 23),   lanes(4, 7) | lanes(16, 19),   lanes(8, 11) | lanes(28, 31),
    lanes(12, 15) | lanes(24, 27), lanes(32, 35) | lanes(52, 55), lanes(36, 39) | lanes(48, 51),
    lanes(40, 43) | lanes(60, 63), lanes(44, 47) | lanes(56, 59)};

constexpr GfxSet kGfx950 = static_cast<GfxSet>(Gfx::gfx950);
constexpr GfxSet kGfx942 = static_cast<GfxSet>(Gfx::gfx942);
constexpr GfxSet kGfx10and11 = kGfx10 | kGfx11;

using enum LdsAccess;
using enum Confidence;

// A wave64 on RDNA is served as its two halves, so that its rows are the wave32 phases twice.
// Alternatives follow their default; find_lds_phases() knows their positions by `source`.
constexpr std::array kRows = {
    LdsPhaseRow{kGfx950, read_b128, 64, kSixteenKeyed, high, "HK, SHK, RKE"},
    LdsPhaseRow{kGfx950, read_b64, 64, kTwoOf32, high, "HK, SHK"},
    LdsPhaseRow{kGfx950, read_b96, 32, kEightPaired, medium, "HK"},
    LdsPhaseRow{kGfx950, read_b32, 32, kTwoOf32, low, "RKE, RR; SHK disagrees"},
    LdsPhaseRow{kGfx950, read_b32, 64, kWhole, low, "SHK; RKE and RR disagree"},
    LdsPhaseRow{kGfx950, read_tr_b64, 64, kTwoOf32, low, "fits HK and published paddings"},
    LdsPhaseRow{kGfx950, read_tr_b64, 64, kFourOf16, low, "fits the same"},
    LdsPhaseRow{kGfx950, write_b32, 32, kTwoOf32, medium, "HK"},
    LdsPhaseRow{kGfx950, write_b64, 32, kFourOf16, high, "HK"},
    LdsPhaseRow{kGfx950, write_b96, 32, kEightOf8, assumed, "as write_b128"},
    LdsPhaseRow{kGfx950, write_b128, 32, kEightOf8, medium, "HK"},

    LdsPhaseRow{kGfx942, read_b32, 32, kTwoOf32, high, "SHK"},
    LdsPhaseRow{kGfx942, read_b64, 32, kFourOf16, high, "SHK"},
    LdsPhaseRow{kGfx942, read_b96, 32, kEightPaired, assumed, "as read_b128"},
    LdsPhaseRow{kGfx942, read_b128, 32, kEightPaired, high, "CK, SHK, HK"},
    LdsPhaseRow{kGfx942, read_tr_b64, 32, kFourOf16, assumed, "gfx942 has no such read; as read_b64"},
    LdsPhaseRow{kGfx942, write_b32, 32, kTwoOf32, medium, "SHK"},
    LdsPhaseRow{kGfx942, write_b64, 32, kFourOf16, high, "SHK"},
    LdsPhaseRow{kGfx942, write_b96, 32, kEightOf8, assumed, "as write_b128"},
    LdsPhaseRow{kGfx942, write_b128, 32, kEightOf8, high, "SHK"},

    LdsPhaseRow{kGfx10and11, read_b32, 32, kTwoOf32, high,
                "SHK on gfx1100; gfx1030 and gfx1151 assumed alike"},
    LdsPhaseRow{kGfx10and11, read_b64, 32, kFourOf16, high, "the same"},
    LdsPhaseRow{kGfx10and11, read_b96, 32, kEightPaired, assumed, "as read_b128"},
    LdsPhaseRow{kGfx10and11, read_b128, 32, kEightPaired, high, "the same"},
    LdsPhaseRow{kGfx10and11, read_tr_b64, 32, kFourOf16, assumed, "no such read; as read_b64"},
    LdsPhaseRow{kGfx12, read_b32, 32, kTwoOf32, high, "SHK"},
    LdsPhaseRow{kGfx12, read_b64, 32, kFourOf16, high, "SHK"},
    LdsPhaseRow{kGfx12, read_b96, 32, kEightOf8, assumed, "as read_b128"},
    LdsPhaseRow{kGfx12, read_b128, 32, kEightOf8, high, "SHK"},
    LdsPhaseRow{kGfx12, read_tr_b64, 32, kFourOf16, assumed, "no such read; as read_b64"},
    LdsPhaseRow{kRdna, write_b32, 32, kTwoOf32, medium, "SHK"},
    LdsPhaseRow{kRdna, write_b64, 32, kFourOf16, medium, "SHK"},
    LdsPhaseRow{kRdna, write_b96, 32, kEightOf8, assumed, "as write_b128"},
    LdsPhaseRow{kRdna, write_b128, 32, kEightOf8, medium, "SHK"},
};

}  // namespace

const LdsPhaseRow& find_lds_phases(Gfx gfx, LdsAccess access, LdsReadB32 read_b32_choice,
                                   LdsReadTranspose read_transpose_choice) {
  const bool second =
      (access == read_b32 && read_b32_choice == LdsReadB32::one_phase_of_64_banks) ||
      (access == read_tr_b64 && read_transpose_choice == LdsReadTranspose::four_phases_of_16_lanes);
  const LdsPhaseRow* found = nullptr;
  for (const LdsPhaseRow& row : kRows) {
    if ((row.targets & static_cast<GfxSet>(gfx)) == 0 || row.access != access) continue;
    if (found == nullptr || second) found = &row;
  }
  return *found;
}

std::span<const LdsPhaseRow> lds_phase_rows() {
  return kRows;
}

}  // namespace wavesmith::simulator
