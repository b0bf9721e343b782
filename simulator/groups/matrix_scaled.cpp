// MFMA of gfx950 whose factors are fp8, bf8, fp6, bf6 or fp4, as CBSZ says for A and BLGP for B, and the
// forms with a power of two for each 32 factors of a row or column. Nothing is known of the order of their
// sums: they are exact and rounded once, or one fused multiply-add after the other. Source: CDNA4 guide,
// matrix core chapter.
#include <array>
#include <cmath>
#include <limits>

#include "simulator/groups/groups.h"
#include "simulator/groups/matrix_accumulate.h"
#include "simulator/groups/matrix_element.h"
#include "simulator/groups/vector_rows.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator::groups {
namespace {

/// A format of at most 8 bits: how many, and the values of its patterns.
struct SmallFormat {
  unsigned bits = 0;
  std::array<f32, 256> values{};
};

/// Formats without infinities and NaNs.
SmallFormat finite_format(unsigned exponent_bits, unsigned mantissa_bits, int bias) {
  SmallFormat format;
  format.bits = 1 + exponent_bits + mantissa_bits;
  for (unsigned code = 0; code < 1u << format.bits; ++code) {
    const unsigned mantissa = code & ((1u << mantissa_bits) - 1);
    const int exponent = static_cast<int>(code >> mantissa_bits & ((1u << exponent_bits) - 1));
    const unsigned significand = exponent == 0 ? mantissa : mantissa + (1u << mantissa_bits);
    const f32 size = std::ldexp(static_cast<f32>(significand),
                                std::max(exponent, 1) - bias - static_cast<int>(mantissa_bits));
    format.values[code] = (code >> (format.bits - 1)) != 0 ? -size : size;
  }
  return format;
}

const SmallFormat* small_format(unsigned code, const Processor& processor) {
  static const std::array<SmallFormat, 5> formats = [&] {
    return std::array<SmallFormat, 5>{SmallFormat{8, byte_values(Element::fp8, processor)},
                                      SmallFormat{8, byte_values(Element::bf8, processor)},
                                      finite_format(2, 3, 1), finite_format(3, 2, 3), finite_format(2, 1, 1)};
  }();
  return code < formats.size() ? &formats[code] : nullptr;
}

/// Where factor k of a row lies: 32 consecutive ones in a lane, but for 8-bit formats two runs of 16.
struct Position {
  unsigned group, item;
};
template <unsigned Size, unsigned Depth>
Position position(unsigned k, unsigned bits) {
  if (bits < 8) return {k / 32, k % 32};
  constexpr unsigned half = Depth / 2;
  return {k % half / 16, 16 * (k / half) + k % 16};
}

/// The matrix of one operand as [k][row or column].
template <unsigned Size, unsigned Depth>
using Factor = std::array<std::array<f64, Size>, Depth>;

/// `scales`: lanes of a register of E8M0 exponents, or null; `byte` of them is used.
template <unsigned Size, unsigned Depth>
void read_factor(Wave& wave, const Operand& operand, const SmallFormat& format, const u32* scales,
                 unsigned byte, Factor<Size, Depth>& out) {
  for (unsigned k = 0; k < Depth; ++k) {
    const Position at = position<Size, Depth>(k, format.bits);
    const unsigned first = at.item * format.bits;
    for (unsigned ij = 0; ij < Size; ++ij) {
      const unsigned lane = ij + Size * at.group;
      u64 dwords = wave.row(operand.reg + first / 32)[lane];
      if (first % 32 + format.bits > 32) dwords |= u64{wave.row(operand.reg + first / 32 + 1)[lane]} << 32;
      f64 value = static_cast<f64>(format.values[dwords >> (first % 32) & ((1u << format.bits) - 1)]);
      if (scales != nullptr) {
        const u32 exponent = scales[ij + Size * (k / 32)] >> (8 * byte) & 0xffu;
        value = exponent == 0xff ? std::numeric_limits<f64>::quiet_NaN()
                                 : std::ldexp(value, static_cast<int>(exponent) - 127);
      }
      out[k][ij] = value;
    }
  }
}

template <unsigned Size, unsigned Depth, bool Scaled>
void multiply(Wave& wave, const Instruction& i) {
  if (matrix_overlap(wave, i)) return;
  const Modifiers& m = i.modifiers;
  const SmallFormat *format_a = small_format(m.cbsz, *wave.processor),
                    *format_b = small_format(m.blgp, *wave.processor);
  if (format_a == nullptr || format_b == nullptr) return wave.fail(i, "cbsz and blgp name formats 0 to 4");
  if (i.operands[1].width != format_a->bits || i.operands[2].width != format_b->bits) {
    return wave.fail(i, "the registers of a factor do not fit its format");
  }
  LaneBuffer buffers[2];
  const u32 *scale_a = nullptr, *scale_b = nullptr;
  if constexpr (Scaled) {
    scale_a = source32(wave, i, 4, buffers[0]);
    scale_b = source32(wave, i, 5, buffers[1]);
  }
  const auto byte = [&](unsigned k) { return (m.op_sel >> k & 1u) + 2 * (m.op_sel_hi >> k & 1u); };
  Factor<Size, Depth> a, b;
  read_factor<Size, Depth>(wave, i.operands[1], *format_a, scale_a, byte(0), a);
  read_factor<Size, Depth>(wave, i.operands[2], *format_b, scale_b, byte(1), b);

  using S = Shape<Size, Size, Depth, 1>;
  std::array<LaneBuffer, S::kResults> old;
  const MatrixSource c = matrix_accumulator<S::kResults>(wave, i, old);
  const bool sequential = wave.group->dispatch->options->mfma_accumulation == MfmaAccumulation::sequential;
  u32* d = wave.row(i.operands[0].reg);
  for (unsigned first = 0; first < S::kResults; first += 4) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned row = S::place_of_results(first, lane / Size).row;
      for (unsigned r = 0; r < 4; ++r) {
        const f32 start = std::bit_cast<f32>(c.rows[(first + r) * c.stride + lane]);
        f64 sum = static_cast<f64>(start);
        for (unsigned k = 0; k < Depth; ++k) {
          sum += a[k][row + r] * b[k][lane % Size];
          if (sequential) sum = static_cast<f64>(static_cast<f32>(sum));
        }
        d[(first + r) * kLanes + lane] = std::bit_cast<u32>(matrix_result(sum));
      }
    }
  }
}

constexpr TraitSet kPacked = traits(Trait::packed);
constexpr AcceptSet kScaled = Accepts::mfma | Accepts::op_sel | Accepts::op_sel_hi;

constexpr Row kRows[] = {
    {"v_mfma_f32_32x32x64_f8f6f4", kVop3, "b512 = any any b512", same(multiply<32, 64, false>), Unit::mfma,
     accepts(Accepts::mfma), 0, kGfx950Only},
    {"v_mfma_f32_16x16x128_f8f6f4", kVop3, "b128 = any any b128", same(multiply<16, 128, false>), Unit::mfma,
     accepts(Accepts::mfma), 0, kGfx950Only},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", kVop3, "b512 = any any b512 b32 b32", same(multiply<32, 64, true>),
     Unit::mfma, kScaled, kPacked, kGfx950Only},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", kVop3, "b128 = any any b128 b32 b32", same(multiply<16, 128, true>),
     Unit::mfma, kScaled, kPacked, kGfx950Only},
};

}  // namespace

std::span<const Row> matrix_scaled() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
