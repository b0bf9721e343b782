// Every geometry (rows of a workgroup x keys of a tile x head size) with the other masks, outputs and
// rescaling is right where lengths are awkward; pads move bytes within LDS and no bit of O or LSE.
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "generator/fields.h"
#include "tests/verify/cases.h"
#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace generator = wavesmith::generator;
namespace verify = wavesmith::verify;

namespace {

dense::Spec geometry(int head_size, int block_m, int block_n) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = 2;
  spec.num_kv_heads = 1;
  spec.block_m = block_m;
  spec.block_n = block_n;
  spec.lse = true;
  // LDS has room for one workgroup of four waves.
  if (head_size == 128 && block_m == 128 && block_n == 128) spec.waves_per_eu = 1;
  return spec;
}

void check_right(const Kernel& kernel, std::int64_t seqlen_q, std::int64_t seqlen_kv) {
  const verify::AttentionCase shape{
      .batch = 1, .seqlen_q = seqlen_q, .seqlen_kv = seqlen_kv, .bhsd = true, .softmax_scale = {}};
  INFO(name(shape));
  const verify::AttentionRun result = run(kernel, shape);
  INFO((result.report.fault ? result.report.fault->message() : ""));
  CHECK(result.accuracy.mismatched == 0);
  CHECK(result.ok());
  REQUIRE(result.lse);
  CHECK(result.lse->elements == result.runs * static_cast<std::size_t>(2 * seqlen_q));
  CHECK(result.lse->mismatched == 0);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("variants: geometries are right with tails, with more and with fewer keys than rows",
                       "", ((int HeadSize, int BlockM, int BlockN), HeadSize, BlockM, BlockN), (64, 128, 32),
                       (64, 128, 64), (64, 128, 128), (64, 256, 32), (64, 256, 128), (128, 128, 32),
                       (128, 128, 64), (128, 128, 128), (128, 256, 32), (128, 256, 128)) {
  dense::Spec spec = geometry(HeadSize, BlockM, BlockN);
  // Two kernels of each: together they have both types, both kinds of rescaling and two of the masks.
  spec.mask = BlockN == 64 ? dense::Mask::full : dense::Mask::causal;
  spec.lazy_rescale = BlockM == 256;
  spec.dtype = BlockN == 128 ? dense::DType::fp16 : dense::DType::bf16;
  const Kernel kernel = compiled(spec);
  check_right(kernel, BlockM + 1, 2 * BlockN + 1);
  check_right(kernel, BlockM - 1, 4 * BlockN - 1);
  check_right(kernel, 1, 1);
#ifndef WAVESMITH_SANITIZED
  spec.mask = dense::Mask::causal_top_left;
  spec.lazy_rescale = !spec.lazy_rescale;
  const Kernel top_left = compiled(spec);
  check_right(top_left, BlockM + 1, BlockN + 1);
  check_right(top_left, BlockN + 2, BlockM + 3);
  check_right(top_left, 2 * BlockM + 1, BlockM - 1);
#endif
}

TEST_CASE("variants: without a key O is zero and LSE -infinity, whatever the mask") {
  for (const dense::Mask mask : {dense::Mask::full, dense::Mask::causal, dense::Mask::causal_top_left})
    for (const bool lazy : {false, true}) {
      CAPTURE(generator::value_text(mask), lazy);
      dense::Spec spec = geometry(64, 128, 32);
      spec.mask = mask;
      spec.lazy_rescale = lazy;
      check_right(compiled(spec), 65, 0);
    }
  // Of 200 rows only the last 40 see a key.
  const Kernel causal = compiled(geometry(64, 128, 32));
  check_right(causal, 200, 40);
}

TEST_CASE("variants: LSE that is judged as that of another scale or mask is wrong") {
  const Kernel right = compiled(geometry(64, 256, 64));
  Kernel as_top_left{right.plan, right.code};
  as_top_left.plan.spec.mask = dense::Mask::causal_top_left;
  const verify::AttentionCase shape{.batch = 1, .seqlen_q = 60, .seqlen_kv = 65, .softmax_scale = {}};
  CHECK(run(right, shape).ok());
  const verify::AttentionRun wrong = run(as_top_left, shape);
  REQUIRE(wrong.lse);
  CHECK(wrong.lse->mismatched > 100);
  CHECK_FALSE(wrong.ok());
}

TEMPLATE_TEST_CASE_SIG("variants: every pad gives the same bits of O and LSE", "",
                       ((int HeadSize, int BlockN), HeadSize, BlockN), (64, 32), (64, 64), (64, 128),
                       (128, 32), (128, 64), (128, 128)) {
  for (const dense::DType dtype : {dense::DType::bf16, dense::DType::fp16}) {
    CAPTURE(generator::value_text(dtype));
    std::vector<std::uint16_t> o;
    std::vector<std::uint32_t> lse;
    for (const auto& [k, v] : {std::pair{8, 32}, {0, 0}, {16, 8}, {24, 24}, {32, 32}}) {
#ifdef WAVESMITH_SANITIZED
      if (k > 0 && k < 32) continue;
#endif
      CAPTURE(k, v);
      dense::Spec spec = geometry(HeadSize, 256, BlockN);
      spec.dtype = dtype;
      spec.lds_k_group_pad = spec.lds_k_row_pad = k;
      spec.lds_v_group_pad = spec.lds_v_row_pad = v;
      const verify::AttentionRun result = run(
          compiled(spec), {.batch = 1, .seqlen_q = 130, .seqlen_kv = 3 * BlockN + 9, .softmax_scale = {}});
      CHECK(result.ok());
      if (o.empty()) o = result.output;
      if (lse.empty()) lse = result.lse_output;
      CHECK(result.output == o);
      CHECK(result.lse_output == lse);
    }
  }
}
