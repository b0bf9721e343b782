// LDS pads move bytes within LDS and nothing else; the conflicts of K and V reads are what the published bank
// table, recomputed with the measured phases, says.
#include <map>

#include <catch2/catch_test_macros.hpp>

#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;

namespace {

const verify::AttentionCase shape{.batch = 1, .seqlen_q = 257, .seqlen_kv = 321, .softmax_scale = {}};

dense::Spec spec(int head_size) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = 2;
  spec.num_kv_heads = 1;
  return spec;
}

verify::AttentionRun right(const dense::Spec& spec) {
  verify::AttentionRun result = run(compiled(spec), shape);
  REQUIRE(result.ok());
  return result;
}

}  // namespace

TEST_CASE("pads: K conflict cycles per read at head size 64, and the same bits of O for every pad") {
  const std::map<int, std::uint64_t> expected{{0, 28}, {8, 0}, {16, 4}, {24, 0}, {32, 12}};
  std::vector<std::uint16_t> output;
  std::uint64_t reads = 0;
  for (const auto& [pad, cycles] : expected) {
    CAPTURE(pad);
    dense::Spec padded = spec(64);
    padded.lds_k_group_pad = pad;
    const verify::AttentionRun result = right(padded);
    const auto [k, v] = verify::tile_reads(result.report);
    CHECK(k.conflict_cycles == cycles * k.count);
    // 5 tiles of 64 keys for the first workgroup's 8 waves and 6 for the second's, 8 reads of 32 keys x 16
    // columns each, 2 heads.
    CHECK(k.count == (5 + 6) * 8 * 8 * 2);
    // V's pad is the same in all of them: unpadded, each transposing read takes 4 cycles instead of 2.
    CHECK(v.conflict_cycles == 2 * v.count);
    CHECK(v.count == 2 * k.count);
    CHECK(result.report.counters.at("SQ_LDS_BANK_CONFLICT") == k.conflict_cycles + v.conflict_cycles);
    if (output.empty()) output = result.output;
    CHECK(result.output == output);
    reads += k.count;
  }
  CHECK(reads > 0);
}

TEST_CASE("pads: K conflict cycles per read at head size 128, and the same bits of O for every pad") {
  const std::map<int, std::uint64_t> expected{{0, 60}, {8, 0}};
  std::vector<std::uint16_t> output;
  for (const auto& [pad, cycles] : expected) {
    CAPTURE(pad);
    dense::Spec padded = spec(128);
    padded.lds_k_row_pad = pad;
    const verify::AttentionRun result = right(padded);
    const auto [k, v] = verify::tile_reads(result.report);
    CHECK(k.conflict_cycles == cycles * k.count);
    CHECK(k.count > 0);
    CHECK(v.conflict_cycles == 0);  // the default pad of 32
    CHECK(result.report.counters.at("SQ_LDS_BANK_CONFLICT") == k.conflict_cycles);
    if (output.empty()) output = result.output;
    CHECK(result.output == output);
  }
}

TEST_CASE("pads: V conflict cycles follow V's pad alone") {
  dense::Spec padded = spec(64);
  padded.lds_v_group_pad = 32;
  const verify::AttentionRun result = right(padded), unpadded = right(spec(64));
  CHECK(verify::tile_reads(result.report).v.conflict_cycles == 0);
  CHECK(verify::tile_reads(result.report).v.count > 0);
  CHECK(verify::tile_reads(result.report).k.conflict_cycles == 0);
  CHECK(result.output == unpadded.output);
}
