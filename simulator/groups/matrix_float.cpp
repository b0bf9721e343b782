// MFMA with f16, bf16, f32, fp8 and bf8 matrices and f32 results. All lanes take part whatever EXEC is;
// rounding is to nearest even and denormals are kept, whatever MODE says, but for the f32 forms.
// matrix_accumulate.h has the sums.
#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/matrix_accumulate.h"
#include "simulator/groups/matrix_element.h"
#include "simulator/groups/matrix_exact.h"
#include "simulator/groups/matrix_grouped.h"
#include "simulator/groups/vector_rows.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator::groups {
namespace {

/// f(register, lane, block, row, column) for every result.
template <class S, class F>
WAVESMITH_INLINE void for_each_result(F&& f) {
  for (unsigned first = 0; first < S::kResults; first += S::kQuad) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto place = S::place_of_results(first, lane / S::kColumns);
      for (unsigned r = 0; r < S::kQuad; ++r) {
        f(first + r, lane, place.block, place.row + r, lane % S::kColumns);
      }
    }
  }
}

template <Element E>
inline constexpr bool kIsByte = E == Element::fp8 || E == Element::bf8;

/// One result after the other.
template <class S, Element A, Element B>
void accumulate_each(const Wave& wave, MfmaAccumulation way, const Factors<S::kItems>& a,
                     const Factors<S::kItems>& b, const MatrixSource& c, u32* d) {
  const bool grouped = way == MfmaAccumulation::groups_of_8 || way == MfmaAccumulation::groups_of_16;
  const unsigned group = std::min(way == MfmaAccumulation::groups_of_16 ? 16u : 8u, S::kDepth);
  const int least_a = least_exponent(A, *wave.processor), least_b = least_exponent(B, *wave.processor);
  // Only the f32 forms look at MODE.
  const bool flush_sources = A == Element::single && wave.mode.flush_f32_sources();
  const bool flush_results = A == Element::single && wave.mode.flush_f32_results();
  for_each_result<S>([&](unsigned reg, unsigned lane, unsigned block, unsigned row, unsigned column) {
    f32 sum = std::bit_cast<f32>(c.rows[reg * c.stride + lane]);
    if (flush_sources) sum = flush_denormal(sum);
    if (grouped && kIsByte<A>) {
      sum = add_groups_of_bytes<S>(a, b, block, row, column, sum, least_a, least_b);
    } else if (grouped && A != Element::single) {
      sum = add_groups<S>(a, b, block, row, column, sum, group, least_a, least_b);
    } else {
      for (unsigned k = 0; k < S::kDepth; ++k) {
        sum = std::fma(a.item[k % S::kItems][S::lane_of_factor(block, row, k)],
                       b.item[k % S::kItems][S::lane_of_factor(block, column, k)], sum);
        if (flush_results) sum = flush_denormal(sum);
      }
      sum = matrix_result(static_cast<f64>(sum));
    }
    d[reg * kLanes + lane] = std::bit_cast<u32>(sum);
  });
}

/// Sums in vectors of the CPU, where there is a way; false when there is none and nothing was done.
template <class S, Element A, bool Wide>
WAVESMITH_INLINE bool accumulate_vectors(const Wave& wave, MfmaAccumulation way, const Factors<S::kItems>& a,
                                         const Factors<S::kItems>& b, const MatrixSource& c, u32* d) {
#if defined(__x86_64__)
  if constexpr (Wide && S::kColumns >= 16) {
    const bool flush =
        A == Element::single && (wave.mode.flush_f32_sources() || wave.mode.flush_f32_results());
    if (!flush && (way == MfmaAccumulation::sequential || A == Element::single)) {
      sum_in_sequence_wide<S>(a, b, c, d);
      return true;
    }
    if constexpr (A == Element::half || A == Element::bfloat) {
      const int least = least_exponent(A, *wave.processor);
      if (way == MfmaAccumulation::groups_of_8) {
        return accumulate_grouped<S, std::min(8u, S::kDepth)>(a, b, c, d, least);
      }
      if (way == MfmaAccumulation::groups_of_16) {
        return accumulate_grouped<S, std::min(16u, S::kDepth)>(a, b, c, d, least);
      }
    }
  }
#endif
  return false;
}

template <class S, Element A, Element B, bool Wide>
struct MatrixBody {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    if (matrix_overlap(wave, i)) return;
    const Modifiers& m = i.modifiers;
    LaneBuffer buffers[2];
    std::array<LaneBuffer, S::kResults> old;
    Factors<S::kItems> a, b;
    unpack<A>(wave, matrix_source(wave, i.operands[1], buffers[0]), a);
    unpack<B>(wave, matrix_source(wave, i.operands[2], buffers[1]), b);
    if (m.cbsz != 0) move_lanes(a, [&](u32 lane) { return broadcast_lane(lane, m.cbsz, m.abid); });
    if (m.blgp != 0) move_lanes(b, [&](u32 lane) { return pattern_lane(lane, m.blgp); });
    u32* d = wave.row(i.operands[0].reg);
    const MatrixSource c = matrix_accumulator<S::kResults>(wave, i, old);
    const MfmaAccumulation way = wave.group->dispatch->options->mfma_accumulation;
    if (way == MfmaAccumulation::exact && A != Element::single) {
      accumulate_exact<S, Wide>(a, b, c, d);
    } else if (!accumulate_vectors<S, A, Wide>(wave, way, a, b, c, d)) {
      accumulate_each<S, A, B>(wave, way, a, b, c, d);
    }
  }
};

template <class S, Element A, Element B>
inline constexpr Handlers matrix = {plain_handler<MatrixBody<S, A, B, false>>,
                                    wide_handler<MatrixBody<S, A, B, true>>};

constexpr AcceptSet kMatrix = accepts(Accepts::mfma);

template <class S, Element A, Element B = A>
constexpr Row row(std::string_view mnemonic, std::string_view operands, GfxSet targets = kCdna) {
  return {mnemonic, kVop3, operands, matrix<S, A, B>, Unit::mfma, kMatrix, 0, targets};
}

using enum Element;
constexpr std::string_view k32Of1 = "b1024 = b32 b32 b1024", k16Of1 = "b512 = b32 b32 b512",
                           k4Of1 = "b128 = b32 b32 b128";
constexpr std::string_view k32Of2 = "b1024 = b64 b64 b1024", k16Of2 = "b512 = b64 b64 b512",
                           k4Of2 = "b128 = b64 b64 b128";
constexpr std::string_view k16Of4 = "b512 = b128 b128 b512", k4Of4 = "b128 = b128 b128 b128";

constexpr Row kRows[] = {
    row<Shape<32, 32, 16, 1>, half>("v_mfma_f32_32x32x16_f16", k16Of4, kGfx950Only),
    row<Shape<16, 16, 32, 1>, half>("v_mfma_f32_16x16x32_f16", k4Of4, kGfx950Only),
    row<Shape<32, 32, 8, 1>, half>("v_mfma_f32_32x32x8_f16", k16Of2),
    row<Shape<16, 16, 16, 1>, half>("v_mfma_f32_16x16x16_f16", k4Of2),
    row<Shape<32, 32, 4, 2>, half>("v_mfma_f32_32x32x4_2b_f16", k32Of2),
    row<Shape<16, 16, 4, 4>, half>("v_mfma_f32_16x16x4_4b_f16", k16Of2),
    row<Shape<4, 4, 4, 16>, half>("v_mfma_f32_4x4x4_16b_f16", k4Of2),
    row<Shape<32, 32, 16, 1>, bfloat>("v_mfma_f32_32x32x16_bf16", k16Of4, kGfx950Only),
    row<Shape<16, 16, 32, 1>, bfloat>("v_mfma_f32_16x16x32_bf16", k4Of4, kGfx950Only),
    row<Shape<32, 32, 8, 1>, bfloat>("v_mfma_f32_32x32x8_bf16", k16Of2),
    row<Shape<16, 16, 16, 1>, bfloat>("v_mfma_f32_16x16x16_bf16", k4Of2),
    row<Shape<32, 32, 4, 2>, bfloat>("v_mfma_f32_32x32x4_2b_bf16", k32Of2),
    row<Shape<16, 16, 4, 4>, bfloat>("v_mfma_f32_16x16x4_4b_bf16", k16Of2),
    row<Shape<4, 4, 4, 16>, bfloat>("v_mfma_f32_4x4x4_16b_bf16", k4Of2),
    row<Shape<32, 32, 2, 1>, single>("v_mfma_f32_32x32x2_f32", k16Of1),
    row<Shape<16, 16, 4, 1>, single>("v_mfma_f32_16x16x4_f32", k4Of1),
    row<Shape<32, 32, 1, 2>, single>("v_mfma_f32_32x32x1_2b_f32", k32Of1),
    row<Shape<16, 16, 1, 4>, single>("v_mfma_f32_16x16x1_4b_f32", k16Of1),
    row<Shape<4, 4, 1, 16>, single>("v_mfma_f32_4x4x1_16b_f32", k4Of1),
    row<Shape<32, 32, 16, 1>, fp8>("v_mfma_f32_32x32x16_fp8_fp8", k16Of2),
    row<Shape<32, 32, 16, 1>, fp8, bf8>("v_mfma_f32_32x32x16_fp8_bf8", k16Of2),
    row<Shape<32, 32, 16, 1>, bf8, fp8>("v_mfma_f32_32x32x16_bf8_fp8", k16Of2),
    row<Shape<32, 32, 16, 1>, bf8>("v_mfma_f32_32x32x16_bf8_bf8", k16Of2),
    row<Shape<16, 16, 32, 1>, fp8>("v_mfma_f32_16x16x32_fp8_fp8", k4Of2),
    row<Shape<16, 16, 32, 1>, fp8, bf8>("v_mfma_f32_16x16x32_fp8_bf8", k4Of2),
    row<Shape<16, 16, 32, 1>, bf8, fp8>("v_mfma_f32_16x16x32_bf8_fp8", k4Of2),
    row<Shape<16, 16, 32, 1>, bf8>("v_mfma_f32_16x16x32_bf8_bf8", k4Of2),
};

}  // namespace

std::span<const Row> matrix_float() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
