// Kernels on keys and values in pages: every page size with tiles that are smaller and larger, in caches that
// reach past 4 GiB; the same bits in any order of the pages, and as from keys without pages. What is left of
// a page, and pages that no sequence has, are NaN; entries of the table that no key needs name no memory.
#include <algorithm>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/verify/bits.h"
#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;

namespace {

dense::Spec paged(int head_size, int page_size, int block_n, dense::Mask mask, dense::Sequences sequences) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = 2;
  spec.num_kv_heads = 1;
  spec.mask = mask;
  spec.sequences = sequences;
  spec.kv = dense::Kv::paged;
  spec.page_size = page_size;
  spec.block_n = block_n;
  spec.lse = true;
  return spec;
}

/// Keys that fill their last page and such as leave one key, or all but one, of it.
verify::AttentionCase mixed(const dense::Spec& spec) {
  verify::AttentionCase shape{.batch = 8,
                              .seqlens_q = {64, 0, 1, 63, 130, 65, 1, 0},
                              .seqlens_kv = {129, 64, 500, 0, 64, 63, 1, 500},
                              .softmax_scale = {}};
  if (spec.sequences == dense::Sequences::batch) {
    shape.seqlens_q = {};
    shape.seqlen_q = 65;
  }
  if (spec.mask == dense::Mask::window) {
    shape.window_left = 100;
    shape.window_right = 0;
  }
  return shape;
}

}  // namespace

TEST_CASE(
    "paging: every page size with every tile, mask and way of sequences is right, in any order of pages") {
  using enum dense::Mask;
  using enum dense::Sequences;
  struct Variant {
    int head_size, page_size, block_n;
    dense::Mask mask;
    dense::Sequences sequences;
    bool persistent, fp16, sinks, schedules;
    int block_m;
  };
  for (const Variant& one :
       std::vector<Variant>{{64, 16, 32, causal, varlen, false, false, false, false, 128},
                            {64, 16, 128, full, batch, false, true, true, true, 256},
                            {64, 32, 64, window, ragged, true, false, true, false, 256},
                            {64, 64, 128, causal_top_left, varlen, false, true, false, false, 128},
                            {64, 128, 32, full, ragged, false, false, false, true, 256},
                            {64, 128, 64, causal, varlen, true, false, true, true, 128},
                            {128, 16, 64, window, varlen, true, false, false, true, 256},
                            {128, 32, 32, full, varlen, false, false, true, false, 128},
                            {128, 64, 64, causal, batch, true, true, false, false, 256},
                            {128, 128, 128, causal_top_left, ragged, false, false, false, false, 128}}) {
    if (sanitized && !one.schedules) continue;
    dense::Spec spec = paged(one.head_size, one.page_size, one.block_n, one.mask, one.sequences);
    spec.persistent = one.persistent;
    spec.dtype = one.fp16 ? dense::DType::fp16 : dense::DType::bf16;
    spec.sinks = one.sinks;
    spec.block_m = one.block_m;
    // LDS has room for one workgroup of such tiles.
    if (one.head_size == 128 && one.block_n == 128) spec.waves_per_eu = 1;
    const Kernel kernel = compiled(spec);
    verify::AttentionCase shape = mixed(spec);
    if (one.persistent) shape.num_persistent = 3;
    shape.page_order = verify::PageOrder::rising;
    const Bits rising = bits_of(kernel, shape);
    shape.page_order = verify::PageOrder::shuffled;
    shape.every_schedule = one.schedules && !sanitized;
    CHECK(bits_of(kernel, shape) == rising);
  }
}

TEST_CASE("paging: pages give the bits of packed and of padded keys") {
  for (const int head_size : {64, 128}) {
    if (sanitized && head_size == 128) continue;
    const auto kernel = [&](dense::Sequences sequences, dense::Kv kv) {
      dense::Spec spec = paged(head_size, 16, 64, dense::Mask::causal, sequences);
      spec.kv = kv;
      return compiled(spec);
    };
    using enum dense::Sequences;
    const Kernel packed = kernel(varlen, dense::Kv::contiguous);
    const verify::AttentionCase shape = mixed(packed.plan.spec);
    const Bits expected = bits_of(packed, shape);
    CHECK(bits_of(kernel(varlen, dense::Kv::paged), shape) == expected);
    CHECK(bits_of(kernel(ragged, dense::Kv::paged), shape) == expected);
    CHECK(bits_of(kernel(ragged, dense::Kv::contiguous), shape) == expected);
    const verify::AttentionCase same{.batch = 2, .seqlen_q = 130, .seqlen_kv = 200, .softmax_scale = {}};
    CHECK(bits_of(kernel(batch, dense::Kv::paged), same) ==
          bits_of(kernel(batch, dense::Kv::contiguous), same));
  }
}

TEST_CASE("paging: caches past 4 GiB, and pages anywhere in memory") {
  for (const int page_size : {16, 128}) {
    dense::Spec spec =
        paged(page_size == 16 ? 64 : 128, page_size, 64, dense::Mask::causal, dense::Sequences::batch);
    spec.persistent = page_size == 16;
    const Kernel kernel = compiled(spec);
    verify::AttentionCase shape{
        .batch = 2, .seqlen_q = 140, .seqlen_kv = 12 * page_size + 5, .softmax_scale = {}};
    shape.page_order = verify::PageOrder::rising;
    const Bits near = bits_of(kernel, shape);
    shape.page_order = verify::PageOrder::far_apart;
    CHECK(bits_of(kernel, shape) == near);
    shape.placement = verify::Placement::at_the_top;
    CHECK(bits_of(kernel, shape) == near);
    shape.bhsd = true;
    shape.placement = verify::Placement::across_4_gib;
    CHECK(bits_of(kernel, shape) == near);
  }
}

TEST_CASE("paging: pages that the kernel gets wrong are found") {
  const Kernel kernel = compiled(paged(64, 16, 64, dense::Mask::causal, dense::Sequences::batch));
  const auto wrong = [&](const auto& plant) {
    // Seed 1: a row of the table has an entry more than the longest sequence needs.
    verify::AttentionCase shape{.batch = 2, .seqlen_q = 40, .seqlens_kv = {40, 72}, .softmax_scale = {}};
    shape.plant = plant;
    return run(kernel, shape);
  };
  using Tables = verify::SequenceTables;
  CHECK(wrong([](Tables&) {}).ok());
  CHECK_FALSE(wrong([](Tables& t) { std::swap(t.block_table[0], t.block_table[1]); }).accuracy.ok());
  // The first page that no sequence has.
  CHECK_FALSE(wrong([](Tables& t) {
                std::int32_t unused = 0;
                while (std::ranges::find(t.block_table, unused) != t.block_table.end()) ++unused;
                t.block_table[7] = unused;
              }).accuracy.ok());
  // The rest of a page; a page that the table has for no key.
  CHECK_FALSE(wrong([](Tables& t) { ++t.seqlens_kv[0]; }).accuracy.ok());
  CHECK(wrong([](Tables& t) { t.seqlens_kv[0] = 49; }).report.fault);
  CHECK(wrong([](Tables& t) { t.block_table[6 + 4] = t.block_table[5]; }).report.fault);
}

TEST_CASE("paging: pages before the window of every row of a block may be given away") {
  // Keys of two tiles and more lie before the first window; with them go whole pages, and a part of one that
  // must stay. Of the second block's window the first page begins later.
  struct Variant {
    int head_size, page_size, block_n, block_m;
    bool persistent;
  };
  for (const Variant& one : std::vector<Variant>{{64, 16, 64, 256, false},
                                                 {64, 64, 32, 128, true},
                                                 {128, 16, 128, 128, false},
                                                 {128, 32, 64, 256, true}}) {
    dense::Spec spec =
        paged(one.head_size, one.page_size, one.block_n, dense::Mask::window, dense::Sequences::batch);
    spec.persistent = one.persistent && one.block_n != 128;
    spec.block_m = one.block_m;
    if (one.block_m == 128) spec.waves_per_eu = 1;
    const Kernel kernel = compiled(spec);
    constexpr std::int64_t rows = 150, keys = 517, left = 90;
    verify::AttentionCase shape{.seqlen_q = rows, .seqlens_kv = {keys}, .softmax_scale = {}};
    shape.window_left = left;
    shape.window_right = 0;
    constexpr std::int64_t first_seen = keys - rows - left;
    const std::int64_t unseen_pages = first_seen / one.page_size;
    CAPTURE(one.head_size, one.page_size, one.block_n, unseen_pages);
    REQUIRE(unseen_pages > 2);
    const auto give_away = [&](std::int64_t pages) {
      shape.plant = [=](verify::SequenceTables& tables) {
        for (std::int64_t i = 0; i < pages; ++i) tables.block_table[static_cast<std::size_t>(i)] = -1;
      };
      return run(kernel, shape);
    };
    CHECK(give_away(unseen_pages).ok());
    CHECK_FALSE(give_away(unseen_pages + 1).ok());
  }
}
