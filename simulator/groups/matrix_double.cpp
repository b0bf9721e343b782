// MFMA with f64: one fused multiply-add for each k, in rising order. neg:[a,b,c] flips the signs of the
// operands; lane broadcasts are not defined for these.
#include <cmath>

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/matrix_shape.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

/// An inline constant of eight registers was read as f32; as f64 a float is the same number, a whole number
/// its bits.
u64 wide_constant(const Operand& operand) {
  if (operand.width == 2) return operand.value;
  const u32 bits = static_cast<u32>(operand.value);
  const f32 size = std::fabs(std::bit_cast<f32>(bits));
  if (bits == 0x3e22f983u) return 0x3fc45f306dc9c882u;  // 1 / (2 pi), to the precision of each format
  if (size >= 0.5f && size <= 4.0f) return std::bit_cast<u64>(static_cast<f64>(std::bit_cast<f32>(bits)));
  return static_cast<u64>(i64{static_cast<i32>(bits)});
}

/// Item `item` of each lane.
template <unsigned Items>
void read_doubles(Wave& wave, const Operand& operand, bool negate, f64 (&out)[Items][kLanes]) {
  for (unsigned item = 0; item < Items; ++item) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u64 bits =
          operand.kind == OperandKind::vector
              ? wave.row(operand.reg + 2 * item)[lane] | u64{wave.row(operand.reg + 2 * item + 1)[lane]} << 32
              : wide_constant(operand);
      const f64 value = std::bit_cast<f64>(bits);
      out[item][lane] = negate ? -value : value;
    }
  }
}

template <class S>
struct DoubleMatrix {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    if (matrix_overlap(wave, i)) return;
    const Modifiers& m = i.modifiers;
    if (m.cbsz != 0 || m.abid != 0) return wave.fail(i, "cbsz and abid are not defined for f64 matrices");
    f64 a[S::kItems][kLanes], b[S::kItems][kLanes], c[S::kResults][kLanes];
    read_doubles(wave, i.operands[1], (m.blgp & 1) != 0, a);
    read_doubles(wave, i.operands[2], (m.blgp & 2) != 0, b);
    read_doubles(wave, i.operands[3], (m.blgp & 4) != 0, c);
    const u32 d = i.operands[0].reg;
    for (unsigned reg = 0; reg < S::kResults; ++reg) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const auto place = S::place_of_results(reg, lane / S::kColumns);
        f64 sum = c[reg][lane];
        for (unsigned k = 0; k < S::kDepth; ++k) {
          sum = std::fma(a[k % S::kItems][S::lane_of_factor(place.block, place.row, k)],
                         b[k % S::kItems][S::lane_of_factor(place.block, lane % S::kColumns, k)], sum);
        }
        const u64 bits = sum != sum ? kNan<f64>[0] : std::bit_cast<u64>(sum);
        wave.row(d + 2 * reg)[lane] = static_cast<u32>(bits);
        wave.row(d + 2 * reg + 1)[lane] = static_cast<u32>(bits >> 32);
      }
    }
  }
};

constexpr Row kRows[] = {
    {"v_mfma_f64_16x16x4_f64", kVop3, "b256 = b64 b64 b256", both<DoubleMatrix<Shape<16, 16, 4, 1, 1>>>,
     Unit::mfma, accepts(Accepts::mfma), 0, kCdna},
    {"v_mfma_f64_4x4x4_4b_f64", kVop3, "b64 = f64 f64 f64", both<DoubleMatrix<Shape<4, 4, 4, 4, 1>>>,
     Unit::mfma, accepts(Accepts::mfma), 0, kCdna},
};

}  // namespace

std::span<const Row> matrix_double() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
