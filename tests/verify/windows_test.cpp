// Windows and sinks: every width around a tile and a block of rows, alone and together, judged by the oracle.
#include <tuple>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;

namespace {

// Each run takes seconds under the sanitizers: a covering part.
#ifdef WAVESMITH_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

dense::Spec spec_of(int head_size, dense::Mask mask) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = 2;
  spec.num_kv_heads = 1;
  spec.mask = mask;
  spec.lse = true;
  return spec;
}

void check(const Kernel& kernel, const verify::AttentionCase& shape) {
  CAPTURE(kernel.plan.symbol, shape.seqlen_q, shape.seqlen_kv, shape.window_left.value_or(-1),
          shape.window_right.value_or(-1));
  const verify::AttentionRun result = run(kernel, shape);
  CHECK(result.report.fault == std::nullopt);
  CHECK(result.accuracy.ok());
  CHECK((!result.lse || result.lse->ok()));
  CHECK(result.ok());
}

}  // namespace

TEST_CASE("windows: every width around tiles and blocks is right, with more and with fewer keys than rows") {
  for (const int head_size : {64, 128}) {
    if (sanitized && head_size == 128) continue;
    const Kernel kernel = compiled(spec_of(head_size, dense::Mask::window));
    struct Width {
      std::int64_t left, right;
    };
    std::vector<Width> widths{{0, 0}, {63, 0}, {64, 0}, {127, 0}, {-1, 0}, {0, 65}, {127, 1}};
    if (head_size == 64 && !sanitized)
      widths.insert(widths.end(),
                    {{1, 0}, {62, 0}, {126, 0}, {128, 0}, {200, 0}, {0, -1}, {63, 64}, {1000, 1000}});
    for (const auto& [left, right] : widths)
      check(kernel, {.seqlen_q = 270,
                     .seqlen_kv = 300,
                     .softmax_scale = {},
                     .window_left = left,
                     .window_right = right});
    for (const auto& [seqlen_q, seqlen_kv] : {std::pair{300, 130}, {40, 500}, {257, 64}, {129, 0}})
      for (const auto& [left, right] : {Width{0, 0}, {127, 0}, {40, 70}})
        check(kernel, {.seqlen_q = seqlen_q,
                       .seqlen_kv = seqlen_kv,
                       .softmax_scale = {},
                       .window_left = left,
                       .window_right = right});
  }
}

TEST_CASE(
    "windows: a window without bounds and one that ends at the diagonal give the bits of full and causal") {
  for (const int head_size : {64, 128}) {
    if (sanitized && head_size == 128) continue;
    const Kernel window = compiled(spec_of(head_size, dense::Mask::window));
    for (const auto& [mask, right] : {std::pair{dense::Mask::full, -1}, {dense::Mask::causal, 0}}) {
      verify::AttentionCase shape{.seqlen_q = 300, .seqlen_kv = 410, .softmax_scale = {}};
      const verify::AttentionRun plain = run(compiled(spec_of(head_size, mask)), shape);
      shape.window_right = right;
      const verify::AttentionRun windowed = run(window, shape);
      CHECK(windowed.output == plain.output);
      CHECK(windowed.lse_output == plain.lse_output);
    }
  }
}

TEST_CASE("windows: one key more or fewer on either side changes the output") {
  const Kernel kernel = compiled(spec_of(64, dense::Mask::window));
  const verify::AttentionCase shape{
      .seqlen_q = 200, .seqlen_kv = 200, .softmax_scale = {}, .window_left = 63, .window_right = 0};
  const verify::AttentionRun right = run(kernel, shape);
  for (const auto& [left, behind] : {std::pair{62, 0}, {64, 0}, {63, 1}}) {
    verify::AttentionCase other = shape;
    other.window_left = left;
    other.window_right = behind;
    CHECK(run(kernel, other).output != right.output);
  }
}

TEST_CASE("sinks: with every mask, for rows with and without a key, on both types") {
  using enum dense::Mask;
  for (const auto& [head_size, dtype, mask] : {std::tuple{64, dense::DType::bf16, full},
                                               {64, dense::DType::bf16, causal},
                                               {64, dense::DType::fp16, causal_top_left},
                                               {64, dense::DType::fp16, window},
                                               {128, dense::DType::fp16, causal},
                                               {128, dense::DType::bf16, window}}) {
    if (sanitized && mask != window) continue;
    dense::Spec spec = spec_of(head_size, mask);
    spec.dtype = dtype;
    spec.sinks = true;
    spec.num_query_heads = 4;
    spec.num_kv_heads = 2;
    const Kernel kernel = compiled(spec);
    for (const auto& [seqlen_q, seqlen_kv] : {std::pair{160, 100}, {65, 130}, {33, 0}}) {
      verify::AttentionCase shape{.seqlen_q = seqlen_q, .seqlen_kv = seqlen_kv, .softmax_scale = {}};
      if (mask == window) {
        shape.window_left = 127;
        shape.window_right = 0;
      }
      check(kernel, shape);
    }
  }
}

TEST_CASE("windows: a public model with window 128, sinks and 8 query heads to a key/value head is right") {
  // gpt-oss: 64 query heads, 8 key/value heads, head size 64; the text has the ratio alone.
  dense::Spec spec = spec_of(64, dense::Mask::window);
  spec.num_query_heads = 8;
  spec.sinks = true;
  spec.lse = false;
  for (const bool persistent : {false, true}) {
    spec.persistent = persistent;
    check(compiled(spec),
          {.seqlen_q = 200, .seqlen_kv = 300, .softmax_scale = {}, .window_left = 127, .window_right = 0});
  }
}
