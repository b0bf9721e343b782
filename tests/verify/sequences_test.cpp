// Kernels on sequences of different lengths: every mask, both grids, packed and padded, judged by the oracle;
// the same bits wherever the sequences lie. A sequence without queries has NaN for keys and values: nothing
// of it may reach its neighbours.
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/verify/bits.h"
#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;

namespace {

dense::Spec spec_of(int head_size, dense::Mask mask, dense::Sequences sequences, bool persistent) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = 2;
  spec.num_kv_heads = 1;
  spec.mask = mask;
  spec.sequences = sequences;
  spec.persistent = persistent;
  spec.lse = true;
  return spec;
}

/// None, one, a tile less one, a tile, one more, several blocks: shorter and longer than the keys, with
/// sequences that have no queries or no keys first, last and between others.
verify::AttentionCase mixed() {
  return {.batch = 12,
          .seqlens_q = {0, 500, 0, 64, 1, 63, 65, 64, 0, 65, 1, 0},
          .seqlens_kv = {65, 64, 500, 0, 500, 64, 63, 65, 0, 65, 1, 64},
          .softmax_scale = {}};
}

}  // namespace

TEST_CASE("sequences: every mask is right on mixed lengths, in both grids, packed and padded") {
  using enum dense::Mask;
  using enum dense::Sequences;
  struct Variant {
    int head_size;
    dense::Mask mask;
    dense::Sequences sequences;
    bool persistent, fp16, sinks;
    int block_m, block_n;
    bool schedules;
  };
  for (const Variant& one :
       std::vector<Variant>{{64, full, varlen, false, false, false, 128, 32, true},
                            {64, causal, varlen, true, true, true, 256, 64, true},
                            {128, causal_top_left, varlen, false, false, true, 256, 64, false},
                            {128, window, ragged, true, true, true, 128, 32, true},
                            {64, window, varlen, false, false, true, 256, 128, false},
                            {64, full, ragged, true, true, false, 128, 64, false},
                            {128, causal, varlen, true, false, false, 256, 64, false},
                            {64, causal_top_left, ragged, false, false, false, 128, 64, false}}) {
    if (sanitized && !one.schedules) continue;
    dense::Spec spec = spec_of(one.head_size, one.mask, one.sequences, one.persistent);
    spec.dtype = one.fp16 ? dense::DType::fp16 : dense::DType::bf16;
    spec.sinks = one.sinks;
    spec.block_m = one.block_m;
    spec.block_n = one.block_n;
    verify::AttentionCase shape = mixed();
    shape.every_schedule = one.schedules && !sanitized;
    if (one.persistent) shape.num_persistent = 5;
    if (one.mask == window) {
      shape.window_left = 70;
      shape.window_right = one.persistent ? 0 : 5;
    }
    bits_of(compiled(spec), shape);
  }
}

TEST_CASE(
    "sequences: packed, padded, in either order of axes and anywhere in memory, they give the same bits") {
  const Kernel packed = compiled(spec_of(64, dense::Mask::causal, dense::Sequences::varlen, false));
  const Kernel padded = compiled(spec_of(64, dense::Mask::causal, dense::Sequences::ragged, false));
  const Bits expected = bits_of(packed, mixed());
  CHECK(bits_of(padded, mixed()) == expected);
  for (const Kernel* kernel : {&packed, &padded}) {
    verify::AttentionCase moved = mixed();
    moved.bhsd = true;
    moved.placement = verify::Placement::across_4_gib;
    CHECK(bits_of(*kernel, moved) == expected);
    moved.placement = verify::Placement::at_the_top;
    CHECK(bits_of(*kernel, moved) == expected);
  }
}

TEST_CASE("sequences: of one length, packed and padded ones give the bits of a batch") {
  for (const bool persistent : {false, true}) {
    const auto kernel = [&](dense::Sequences sequences) {
      return compiled(spec_of(64, dense::Mask::causal, sequences, persistent));
    };
    const verify::AttentionCase shape{.batch = 3, .seqlen_q = 257, .seqlen_kv = 300, .softmax_scale = {}};
    const Bits expected = bits_of(kernel(dense::Sequences::batch), shape);
    CHECK(bits_of(kernel(dense::Sequences::varlen), shape) == expected);
    CHECK(bits_of(kernel(dense::Sequences::ragged), shape) == expected);
  }
}

TEST_CASE("sequences: lengths that the kernel gets wrong are found") {
  const auto wrong = [](dense::Sequences sequences, const auto& plant) {
    static const Kernel packed = compiled(spec_of(64, dense::Mask::causal, dense::Sequences::varlen, false));
    static const Kernel padded = compiled(spec_of(64, dense::Mask::causal, dense::Sequences::ragged, false));
    verify::AttentionCase shape{
        .batch = 3, .seqlens_q = {70, 200, 65}, .seqlens_kv = {90, 200, 80}, .softmax_scale = {}};
    shape.plant = plant;
    return run(sequences == dense::Sequences::varlen ? packed : padded, shape);
  };
  using enum dense::Sequences;
  using Tables = verify::SequenceTables;
  for (const auto sequences : {varlen, ragged}) CHECK(wrong(sequences, [](Tables&) {}).ok());
  // One query of the first sequence goes to the second.
  CHECK_FALSE(wrong(varlen, [](Tables& t) { --t.cu_seqlens_q[1]; }).accuracy.ok());
  // The first sequence sees a key of the second.
  CHECK_FALSE(wrong(varlen, [](Tables& t) { ++t.cu_seqlens_kv[1]; }).accuracy.ok());
  // Behind the last key nothing is allocated.
  CHECK(wrong(varlen, [](Tables& t) { ++t.cu_seqlens_kv[3]; }).report.fault);
  CHECK(wrong(varlen, [](Tables& t) { ++t.cu_seqlens_q[3]; }).report.fault);
  // A key of poison; a query that is not written; one that is none.
  CHECK_FALSE(wrong(ragged, [](Tables& t) { ++t.seqlens_kv[0]; }).accuracy.ok());
  CHECK_FALSE(wrong(ragged, [](Tables& t) { --t.seqlens_q[2]; }).accuracy.ok());
  CHECK_FALSE(wrong(ragged, [](Tables& t) { ++t.seqlens_q[0]; }).accuracy.ok());
}
