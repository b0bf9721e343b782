// MFMA with 8-bit integers: 32-bit sums that wrap. All lanes take part whatever EXEC is.
#include "simulator/groups/groups.h"
#include "simulator/groups/matrix_shape.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

template <unsigned Items>
struct alignas(64) Bytes {
  i32 item[Items][kLanes];
};

template <unsigned Items, class F>
WAVESMITH_INLINE void unpack_bytes(const MatrixSource& source, Bytes<Items>& out, F&& from) {
  for (unsigned item = 0; item < Items; ++item) {
    const u32* row = source.rows + item / 4 * source.stride;
    for (u32 lane = 0; lane < kLanes; ++lane) {
      out.item[item][lane] = static_cast<std::int8_t>(row[from(lane)] >> (8 * (item % 4)));
    }
  }
}

template <class S>
struct IntegerMatrix {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    if (matrix_overlap(wave, i)) return;
    const Modifiers& m = i.modifiers;
    LaneBuffer buffers[2];
    std::array<LaneBuffer, S::kResults> old;
    Bytes<S::kItems> a, b;
    unpack_bytes(matrix_source(wave, i.operands[1], buffers[0]), a,
                 [&](u32 lane) { return broadcast_lane(lane, m.cbsz, m.abid); });
    unpack_bytes(matrix_source(wave, i.operands[2], buffers[1]), b,
                 [&](u32 lane) { return pattern_lane(lane, m.blgp); });
    u32* d = wave.row(i.operands[0].reg);
    const MatrixSource c = matrix_accumulator<S::kResults>(wave, i, old);
    for (unsigned first = 0; first < S::kResults; first += S::kQuad) {
      for (unsigned group = 0; group < kLanes / S::kColumns; ++group) {
        const auto place = S::place_of_results(first, group);
        for (unsigned r = 0; r < S::kQuad; ++r) {
          const unsigned lane = group * S::kColumns;
          const u32* start = c.rows + (first + r) * c.stride + lane;
          u32 sum[S::kColumns];
          for (unsigned j = 0; j < S::kColumns; ++j) sum[j] = start[j];
          for (unsigned k = 0; k < S::kDepth; ++k) {
            const i32 x = a.item[k % S::kItems][S::lane_of_factor(place.block, place.row + r, k)];
            const i32* y = b.item[k % S::kItems] + S::lane_of_factor(place.block, 0, k);
            for (unsigned j = 0; j < S::kColumns; ++j) sum[j] += static_cast<u32>(x * y[j]);
          }
          std::copy_n(sum, S::kColumns, d + (first + r) * kLanes + lane);
        }
      }
    }
  }
};

template <class S>
constexpr Row row(std::string_view mnemonic, std::string_view operands, GfxSet targets = kCdna) {
  return {mnemonic, kVop3, operands, both<IntegerMatrix<S>>, Unit::mfma, accepts(Accepts::mfma), 0, targets};
}

constexpr Row kRows[] = {
    row<Shape<32, 32, 16, 1>>("v_mfma_i32_32x32x16_i8", "b512 = b64 b64 b512"),
    row<Shape<16, 16, 32, 1>>("v_mfma_i32_16x16x32_i8", "b128 = b64 b64 b128"),
    row<Shape<32, 32, 32, 1>>("v_mfma_i32_32x32x32_i8", "b512 = b128 b128 b512", kGfx950Only),
    row<Shape<16, 16, 64, 1>>("v_mfma_i32_16x16x64_i8", "b128 = b128 b128 b128", kGfx950Only),
    row<Shape<32, 32, 4, 2>>("v_mfma_i32_32x32x4_2b_i8", "b1024 = b32 b32 b1024"),
    row<Shape<16, 16, 4, 4>>("v_mfma_i32_16x16x4_4b_i8", "b512 = b32 b32 b512"),
    row<Shape<4, 4, 4, 16>>("v_mfma_i32_4x4x4_16b_i8", "b128 = b32 b32 b128"),
};

}  // namespace

std::span<const Row> matrix_integer() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
