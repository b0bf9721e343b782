// VALU moves: select by mask, between lanes and scalars, between VGPRs and AGPRs, and the swaps of gfx950.
// Source: the instruction descriptions of the CDNA3 and CDNA4 guides; which of them look at EXEC: CDNA4
// guide 3.3.
#include <algorithm>
#include <utility>

#include "simulator/groups/groups.h"
#include "simulator/groups/lanes.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

/// D = mask bit of the lane ? source 1 : source 0.
struct Select {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<u32> ba, bb;
    const Source<u32> a = source<u32>(wave, i, 1, ba), b = source<u32>(wave, i, 2, bb);
    const u64 mask = wave.mask(i.operands[3]);
    Result<u32> d(wave, i);
    for (u32 half = 0; half < 2; ++half) {
      const u32 bits = static_cast<u32>(mask >> (32 * half));
      WAVESMITH_LANES
      for (u32 lane = 0; lane < 32; ++lane) {
        const u32 at = 32 * half + lane;
        d.set(at, (bits & kLaneBit[lane]) != 0 ? b[at] : a[at]);
      }
    }
    d.finish();
  }
};

constexpr auto copy = [](auto a) { return a; };

/// The value of the lowest active lane, or of lane 0 when none is active.
void read_first_lane(Wave& wave, const Instruction& i) {
  const u64 exec = wave.exec();
  const u32 lane = exec == 0 ? 0 : static_cast<u32>(std::countr_zero(exec));
  LaneBuffer buffer;
  wave.write32(i.operands[0], source32(wave, i, 1, buffer)[lane]);
}

void read_lane(Wave& wave, const Instruction& i) {
  const u32 lane = wave.read32(i.operands[2]) % wave.size;
  wave.write32(i.operands[0], wave.row(i.operands[1].reg)[lane]);
}

void write_lane(Wave& wave, const Instruction& i) {
  const u32 lane = wave.read32(i.operands[2]) % wave.size;
  wave.row(i.operands[0].reg)[lane] = wave.read32(i.operands[1]);
}

/// Lanes [Lanes, 2 Lanes) of the first register change places with lanes [0, Lanes) of the second, in each
/// group of 2 Lanes. The guide's description does not mention EXEC; neither do fi and bound_ctrl change it.
template <u32 Lanes>
void swap_lanes(Wave& wave, const Instruction& i) {
  u32* first = wave.row(i.operands[0].reg);
  u32* second = wave.row(i.operands[1].reg);
  for (u32 base = 0; base < wave.size; base += 2 * Lanes) {
    std::swap_ranges(second + base, second + base + Lanes, first + base + Lanes);
  }
}

void swap_registers(Wave& wave, const Instruction& i) {
  u32* first = wave.row(i.operands[0].reg);
  u32* second = wave.row(i.operands[1].reg);
  for_each_lane(wave.exec(), [&](u32 lane) { std::swap(first[lane], second[lane]); });
}

void nothing(Wave&, const Instruction&) {}

constexpr TraitSet kUpdates = traits(Trait::reads_destination);
constexpr AcceptSet kSelectModifiers = Accepts::neg | Accepts::abs | Accepts::sext;

constexpr Row kRows[] = {
    {"v_cndmask_b32", kVop12, "b32 = b32 b32 mask", both<Select>, Unit::valu, kSelectModifiers, 0, kCdna},
    {"v_mov_b32", kVop12, "b32 = b32", lanes1<u32, u32, copy>, Unit::valu, kIntegerModifiers, 0, kCdna},
    {"v_mov_b64", kVop12NoSdwa, "b64 = b64", lanes1<u64, u64, copy>, Unit::valu, kNoModifiers, 0, kCdna},
    {"v_readfirstlane_b32", kVop3, "b32 = b32", same(read_first_lane), Unit::valu, kNoModifiers, 0, kCdna},
    {"v_readlane_b32", kVop3, "b32 = b32 b32", same(read_lane), Unit::valu, kNoModifiers, 0, kCdna},
    {"v_writelane_b32", kVop3, "b32 = b32 b32", same(write_lane), Unit::valu, kNoModifiers, kUpdates, kCdna},
    {"v_nop", kVop3, "=", same(nothing), Unit::valu, kNoModifiers, 0, kCdna},
    {"v_swap_b32", kVop3, "b32 b32 =", same(swap_registers), Unit::valu, kNoModifiers, kUpdates, kCdna},
    {"v_permlane32_swap_b32", kE32E64, "b32 b32 =", same(swap_lanes<32>), Unit::valu, kNoModifiers, kUpdates,
     kGfx950Only},
    {"v_permlane16_swap_b32", kE32E64, "b32 b32 =", same(swap_lanes<16>), Unit::valu, kNoModifiers, kUpdates,
     kGfx950Only},
    {"v_accvgpr_read_b32", kVop3, "b32 = b32", lanes1<u32, u32, copy>, Unit::valu, kNoModifiers, 0, kCdna},
    {"v_accvgpr_write_b32", kVop3, "b32 = b32", lanes1<u32, u32, copy>, Unit::valu, kNoModifiers, 0, kCdna},
    {"v_accvgpr_mov_b32", kVop3, "b32 = b32", lanes1<u32, u32, copy>, Unit::valu, kNoModifiers, 0, kCdna},
};

}  // namespace

std::span<const Row> vector_move() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
