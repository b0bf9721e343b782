// Launches of sequences of different lengths and of pages: their shapes, what of them is named, and the part
// that runs alone. Nothing here compiles or runs a kernel.
#include "tools/contract/tensors.h"

#include <algorithm>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/sequences.h"
#include "tests/contract/support.h"

using namespace wavesmith;
using namespace wavesmith::contract;
using wavesmith::test::contract_case;

namespace {

/// Two page sizes to a tile's rows, keys of every length from none to more than two pages.
Shape several_pages() {
  return {.batch = 4,
          .seqlen_q = 5,
          .seqlen_kv = 37,
          .seqlens_kv = {37, 0, 16, 17},
          .kv_heads = 2,
          .window_left = {},
          .window_right = {}};
}

const dense::Plan& paged16() {
  static const dense::Plan plan = contract_case("d64_bf16_causal_q32_kv8_paged16").plan;
  return plan;
}

std::vector<std::uint16_t> row(const verify::TensorData& tensor, std::int64_t b, std::int64_t t,
                               std::int64_t h) {
  const auto first = tensor.bits.begin() + tensor.shape.offset(b, t, h);
  return {first, first + tensor.shape.head_size};
}

}  // namespace

TEST_CASE("contract tensors: launches have sequences of no, of one and of many tokens, around every edge") {
  for (const std::string_view variant :
       {"d64_bf16_causal_q32_kv8_varlen", "d64_bf16_causal_q32_kv8_ragged_lse",
        "d64_bf16_causal_q32_kv8_paged16", "d64_bf16_causal_q32_kv8_varlen_paged64"}) {
    INFO(variant);
    const ContractCase one = contract_case(variant);
    const std::int64_t edge = one.plan.spec.kv == dense::Kv::paged ? one.plan.spec.page_size : 64;
    std::set<std::int64_t> queries, keys;
    for (const Shape& shape : one.shapes) {
      keys.insert(shape.seqlens_kv.begin(), shape.seqlens_kv.end());
      queries.insert(shape.seqlens_q.begin(), shape.seqlens_q.end());
      CHECK(std::ssize(shape.seqlens_kv) == shape.batch);
      CHECK(std::ranges::max(shape.seqlens_kv) == shape.seqlen_kv);
      if (one.plan.spec.sequences == dense::Sequences::batch) continue;
      CHECK(std::ssize(shape.seqlens_q) == shape.batch);
      CHECK(std::ranges::max(shape.seqlens_q) == shape.seqlen_q);
      CHECK(shape.seqlens_q.back() > 0);
    }
    for (const std::int64_t length :
         {std::int64_t{0}, std::int64_t{1}, edge - 1, edge, edge + 1, std::int64_t{64}})
      CHECK(keys.contains(length));
    if (one.plan.spec.sequences == dense::Sequences::batch)
      CHECK(queries.empty());
    else  // 256 rows are a block
      for (const std::int64_t length : {0, 1, 256}) CHECK(queries.contains(length));
  }
  // Where one length is for all, there is no list.
  for (const Shape& shape : contract_case("d64_bf16_causal_q32_kv8").shapes) {
    CHECK(shape.seqlens_q.empty());
    CHECK(shape.seqlens_kv.empty());
  }
}

TEST_CASE("contract tensors: everything in a cache that is no key of a sequence is NaN") {
  const Tensors tensors = random_tensors(paged16(), several_pages());
  CHECK(tensors.tables.seqlens_kv == std::vector<std::int32_t>{37, 0, 16, 17});
  CHECK(tensors.tables.seqlens_q.empty());
  for (const verify::TensorData* cache : {&tensors.k, &tensors.v}) {
    const auto named =
        std::ranges::count_if(cache->bits, [](auto bits) { return bits != verify::poison_bits; });
    CHECK(named == (37 + 16 + 17) * 2 * 64);
    // 3 + 1 + 2 pages are in use, and more than those are there, each with room for 16 keys.
    CHECK(cache->shape.pages.count() > 6);
    CHECK(cache->shape.extent() > cache->shape.pages.count() * 15 * 2 * 64);
  }
}

TEST_CASE("contract tensors: a part has the elements of its batch element and head, in other places") {
  const Tensors all = random_tensors(paged16(), several_pages());
  const Tensors part = part_of(all, paged16(), 3, 1);
  CHECK(part.batch() == 1);
  CHECK(part.q.shape.heads == 4);
  CHECK(part.tables.seqlens_kv == std::vector<std::int32_t>{17});
  CHECK(part.k.shape.strides.batch != all.k.shape.strides.batch);
  for (std::int64_t t = 0; t < 17; ++t) {
    CHECK(row(part.k, 0, t, 0) == row(all.k, 3, t, 1));
    CHECK(row(part.v, 0, t, 0) == row(all.v, 3, t, 1));
    CHECK(std::equal(part.k.view().row(0, t, 0), part.k.view().row(0, t, 0) + 64, all.k.view().row(3, t, 1)));
  }
  for (std::int64_t t = 0; t < 5; ++t)
    for (std::int64_t h = 0; h < 4; ++h) CHECK(row(part.q, 0, t, h) == row(all.q, 3, t, 4 + h));
}

TEST_CASE(
    "contract tensors: pages far apart are the same pages, with 2^31, 2^32 and 2^33 bytes between them") {
  const Tensors near = random_tensors(paged16(), several_pages());
  const Tensors far = with_pages_far_apart(near);
  CHECK(far.k.bits == near.k.bits);
  CHECK(far.v.bits == near.v.bits);
  const std::int64_t page_bytes = 2 * far.k.shape.strides.batch;
  const std::vector<std::int64_t>& numbers = far.k.shape.pages.numbers;
  CHECK(far.v.shape.pages.numbers == numbers);
  CHECK(far.tables.num_pages == numbers.back() + 1);
  for (const std::int64_t place : {std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{1} << 33})
    CHECK(std::ranges::any_of(numbers, [&](std::int64_t page) { return page == place / page_bytes; }));
  // Entry i of a batch element names the page that holds its keys 16 i and following.
  const auto stride = static_cast<std::size_t>(far.k.shape.pages.stride);
  for (std::int64_t t = 0; t < 37; t += 16)
    CHECK(far.tables.block_table[static_cast<std::size_t>(t / 16)] ==
          numbers[static_cast<std::size_t>(far.k.shape.pages.slots[static_cast<std::size_t>(t / 16)])]);
  CHECK(far.tables.block_table.size() == 4 * stride);

  const Tensors contiguous = random_tensors(contract_case("d64_bf16_causal_q32_kv8").plan, {.seqlen_kv = 9});
  CHECK(with_pages_far_apart(contiguous).k.bits == contiguous.k.bits);
}
