// Byte permutation and sums of absolute differences. Source: the instruction descriptions of the CDNA3 and
// CDNA4 guides.
#include "simulator/groups/groups.h"
#include "simulator/groups/half.h"
#include "simulator/groups/lanes.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr u32 byte_of(u64 value, unsigned index) {
  return static_cast<u32>(value >> (8 * index)) & 0xffu;
}
constexpr u32 distance(u32 a, u32 b) {
  return a > b ? a - b : b - a;
}

/// Selectors 0 to 7 take a byte of {S0, S1}; 8 to 11 the sign of byte 1, 3, 5 or 7; 12 zeros; others ones.
constexpr auto permute = [](u32 high, u32 low, u32 selectors) {
  u32 result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const u32 select = selectors >> (8 * k) & 0xffu;
    const u32 value = pick((select & 4) != 0, high, low) >> (8 * (select & 3));
    const u32 sign = 0u - (pick((select & 2) != 0, high, low) >> (16 * (select & 1) + 15) & 1u);
    const u32 constant = pick(select == 12, 0u, 0xffu);
    result |= (pick(select < 8, value, pick(select < 12, sign, constant)) & 0xffu) << (8 * k);
  }
  return result;
};

constexpr u32 sum_of_bytes(u32 a, u32 b, bool masked) {
  u32 sum = 0;
  for (unsigned k = 0; k < 4; ++k) {
    if (!masked || byte_of(b, k) != 0) sum += distance(byte_of(a, k), byte_of(b, k));
  }
  return sum;
}
constexpr auto sad_u8 = [](u32 a, u32 b, u32 c) { return c + sum_of_bytes(a, b, false); };
constexpr auto sad_high_u8 = [](u32 a, u32 b, u32 c) { return c + (sum_of_bytes(a, b, false) << 16); };
constexpr auto masked_sad_u8 = [](u32 a, u32 b, u32 c) { return c + sum_of_bytes(a, b, true); };
constexpr auto sad_u16 = [](u32 a, u32 b, u32 c) {
  return c + distance(a & 0xffffu, b & 0xffffu) + distance(a >> 16, b >> 16);
};
constexpr auto sad_u32 = [](u32 a, u32 b, u32 c) { return c + distance(a, b); };

/// Four sums at byte offsets 0 to 3 of S0, each added to a 16-bit part of S2.
template <bool Masked>
constexpr auto four_sads = [](u64 a, u32 b, u64 c) {
  u64 result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const u64 sum = (c >> (16 * k) & 0xffffu) + sum_of_bytes(static_cast<u32>(a >> (8 * k)), b, Masked);
    result |= (sum & 0xffffu) << (16 * k);
  }
  return result;
};

/// The same with four 32-bit sums.
struct FourWideSads {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<u64> ba;
    SourceBuffers<u32> bb;
    const Source<u64> a = source<u64>(wave, i, 1, ba);
    const Source<u32> b = source<u32>(wave, i, 2, bb);
    const Operand &c = i.operands[3], &d = i.operands[0];
    LaneBuffer sums[4];
    for (unsigned k = 0; k < 4; ++k) {
      const u32* addend = wave.row(c.reg + k);
      for (u32 lane = 0; lane < kLanes; ++lane) {
        sums[k].lane[lane] = addend[lane] + sum_of_bytes(static_cast<u32>(a[lane] >> (8 * k)), b[lane], true);
      }
    }
    for_each_lane(wave.exec(), [&](u32 lane) {
      for (unsigned k = 0; k < 4; ++k) wave.row(d.reg + k)[lane] = sums[k].lane[lane];
    });
  }
};

/// (a + b + bit) / 2 of each byte; the bit is the low one of the byte of S2.
constexpr auto average = [](u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    result |= (byte_of(a, k) + byte_of(b, k) + (byte_of(c, k) & 1)) >> 1 << (8 * k);
  }
  return result;
};

constexpr Row plain3(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop3, "b32 = b32 b32 b32", handlers, Unit::valu, kNoModifiers, 0, kCdna};
}

constexpr Row kRows[] = {
    plain3("v_perm_b32", lanes3<u32, u32, u32, u32, permute>),
    plain3("v_sad_u8", lanes3<u32, u32, u32, u32, sad_u8>),
    plain3("v_sad_hi_u8", lanes3<u32, u32, u32, u32, sad_high_u8>),
    plain3("v_msad_u8", lanes3<u32, u32, u32, u32, masked_sad_u8>),
    plain3("v_sad_u16", lanes3<u32, u32, u32, u32, sad_u16>),
    plain3("v_sad_u32", lanes3<u32, u32, u32, u32, sad_u32>),
    plain3("v_lerp_u8", lanes3<u32, u32, u32, u32, average>),
    {"v_qsad_pk_u16_u8", kVop3, "u64 = u64 b32 u64", lanes3<u64, u64, u32, u64, four_sads<false>>, Unit::valu,
     kNoModifiers, 0, kCdna},
    {"v_mqsad_pk_u16_u8", kVop3, "u64 = u64 b32 u64", lanes3<u64, u64, u32, u64, four_sads<true>>, Unit::valu,
     kNoModifiers, 0, kCdna},
    {"v_mqsad_u32_u8", kVop3, "b128 = u64 b32 b128", both<FourWideSads>, Unit::valu, kNoModifiers, 0, kCdna},
};

}  // namespace

std::span<const Row> vector_bytes() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
