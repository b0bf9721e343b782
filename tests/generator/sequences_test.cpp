// check_sequences(): every reason why lengths and pages in memory are refused, word for word.
#include "generator/attention_dense/sequences.h"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

using Texts = std::vector<std::string>;
using Table = std::vector<std::int32_t>;

Plan plan_of(Sequences sequences, Kv kv = Kv::contiguous) {
  Plan plan = test::resolved(test::spec(64, 4, 1));
  plan.spec.sequences = sequences;
  plan.spec.kv = kv;
  plan.spec.page_size = 16;
  return plan;
}

/// Three batch elements with at most 100 queries and 40 keys, and room for 4 pages of 16 keys.
Shapes shapes_of(const Plan& plan) {
  Shapes shapes;
  shapes.batch = 3;
  shapes.seqlen_q = 100;
  shapes.seqlen_kv = 40;
  if (plan.spec.kv == Kv::paged) shapes.block_table_stride = 4;
  return shapes;
}

Texts refused(const Plan& plan, const SequenceData& data) {
  Texts texts;
  if (const auto checked = check_sequences(plan, shapes_of(plan), data); !checked)
    for (const Refusal& refusal : checked.error().refusals) texts.push_back(refusal.message());
  return texts;
}

const Table cu_q{0, 100, 100, 130}, cu_kv{0, 0, 40, 57};
const Table q{100, 0, 30}, kv{0, 40, 17};
// Pages of keys: none; 0 to 2; 3 and 4. What lies behind is not looked at.
const Table pages{-1, -1, -1, -1, 2, 0, 1, 99, 4, 3, -7, 99};

}  // namespace

TEST_CASE("sequences: what the kernels take is accepted, with lengths of 0 and the longest") {
  using enum Sequences;
  CHECK(refused(plan_of(batch), {}).empty());
  CHECK(refused(plan_of(varlen), {.cu_seqlens_q = cu_q, .cu_seqlens_kv = cu_kv}).empty());
  CHECK(refused(plan_of(ragged), {.seqlens_q = q, .seqlens_kv = kv}).empty());
  CHECK(refused(plan_of(batch, Kv::paged), {.seqlens_kv = kv, .block_table = pages, .num_pages = 5}).empty());
  CHECK(refused(plan_of(varlen, Kv::paged),
                {.cu_seqlens_q = cu_q, .seqlens_kv = kv, .block_table = pages, .num_pages = 5})
            .empty());
  CHECK(refused(plan_of(ragged, Kv::paged),
                {.seqlens_q = q, .seqlens_kv = kv, .block_table = pages, .num_pages = 5})
            .empty());
}

TEST_CASE("sequences: tables of the wrong size, and such as the kernel does not take") {
  const Table few{0, 1};
  CHECK(refused(plan_of(Sequences::varlen), {.cu_seqlens_q = few}) ==
        Texts{"cu_seqlens_q = 2 entries is refused: 4: batch + 1",
              "cu_seqlens_kv = 0 entries is refused: 4: batch + 1"});
  CHECK(refused(plan_of(Sequences::ragged), {.seqlens_q = few, .seqlens_kv = cu_kv}) ==
        Texts{"seqlens_q = 2 entries is refused: 3: batch", "seqlens_kv = 4 entries is refused: 3: batch"});
  CHECK(
      refused(plan_of(Sequences::batch, Kv::paged), {.seqlens_kv = kv, .block_table = few, .num_pages = 5}) ==
      Texts{"block_table = 2 entries is refused: 12: batch * block_table_stride"});
  const std::string no = " entries is refused: nothing: the kernel does not take it";
  CHECK(refused(plan_of(Sequences::batch), {.cu_seqlens_q = cu_q,
                                            .cu_seqlens_kv = cu_kv,
                                            .seqlens_q = q,
                                            .seqlens_kv = kv,
                                            .block_table = pages,
                                            .num_pages = 5}) ==
        Texts{"cu_seqlens_q = 4" + no, "cu_seqlens_kv = 4" + no, "seqlens_q = 3" + no, "seqlens_kv = 3" + no,
              "num_pages = 5 is refused: nothing: the kernel was built without kv paged",
              "block_table = 12" + no});
  CHECK(refused(plan_of(Sequences::varlen, Kv::paged), {.cu_seqlens_q = cu_q,
                                                        .cu_seqlens_kv = cu_kv,
                                                        .seqlens_kv = kv,
                                                        .block_table = pages,
                                                        .num_pages = 5}) == Texts{"cu_seqlens_kv = 4" + no});
}

TEST_CASE("sequences: cumulative lengths that do not begin at 0, fall, or hold too long a sequence") {
  const Table shifted{1, 100, 100, 130}, falling{0, 40, 39, 80};
  CHECK(refused(plan_of(Sequences::varlen), {.cu_seqlens_q = shifted, .cu_seqlens_kv = falling}) ==
        Texts{"cu_seqlens_q[0] = 1 is refused: 0: the first sequence begins with the first token",
              "cu_seqlens_kv[2] = 39 is refused: at least cu_seqlens_kv[1] = 40",
              "cu_seqlens_kv[3] = 80 is refused: at most cu_seqlens_kv[2] = 39 and seqlen_kv = 40"});
  const Table long_q{0, 100, 201, 201};
  CHECK(refused(plan_of(Sequences::varlen), {.cu_seqlens_q = long_q, .cu_seqlens_kv = cu_kv}) ==
        Texts{"cu_seqlens_q[2] = 201 is refused: at most cu_seqlens_q[1] = 100 and seqlen_q = 100"});
}

TEST_CASE("sequences: lengths that are negative or longer than the launch says") {
  const Table wrong_q{-1, 100, 101}, wrong_kv{41, 0, -2147483647};
  CHECK(refused(plan_of(Sequences::ragged), {.seqlens_q = wrong_q, .seqlens_kv = wrong_kv}) ==
        Texts{"seqlens_q[0] = -1 is refused: 0 to seqlen_q = 100",
              "seqlens_q[2] = 101 is refused: 0 to seqlen_q = 100",
              "seqlens_kv[0] = 41 is refused: 0 to seqlen_kv = 40",
              "seqlens_kv[2] = -2147483647 is refused: 0 to seqlen_kv = 40"});
}

TEST_CASE("sequences: pages of keys that are not in the cache, and more of them than there is room for") {
  const Plan plan = plan_of(Sequences::batch, Kv::paged);
  const auto with = [&](const Table& table, std::int64_t num_pages) {
    return refused(plan, {.seqlens_kv = kv, .block_table = table, .num_pages = num_pages});
  };
  CHECK(with(pages, 4) ==
        Texts{"block_table[2, 0] = 4 is refused: a page of the cache: at least 0, below num_pages = 4"});
  Table negative = pages;
  negative[6] = -1;
  CHECK(with(negative, 5) ==
        Texts{"block_table[1, 2] = -1 is refused: a page of the cache: at least 0, below num_pages = 5"});
  // 40 keys need three pages of 16, 17 need two.
  Shapes shapes = shapes_of(plan);
  shapes.block_table_stride = 2;
  const Table small{-1, -1, 0, 1, 3, 4};
  const auto checked =
      check_sequences(plan, shapes, {.seqlens_kv = kv, .block_table = small, .num_pages = 5});
  REQUIRE_FALSE(checked);
  CHECK(checked.error().message ==
        "seqlens_kv[1] = 40 is refused: at most 32: block_table_stride = 2 pages of 16 tokens");
}

TEST_CASE("sequences: of a table that is wrong everywhere the first entries are named") {
  const Plan plan = plan_of(Sequences::ragged);
  Shapes shapes = shapes_of(plan);
  shapes.batch = 1000;
  const Table wrong(1000, -1), right(1000, 0);
  const auto checked = check_sequences(plan, shapes, {.seqlens_q = wrong, .seqlens_kv = right});
  REQUIRE_FALSE(checked);
  REQUIRE(checked.error().refusals.size() == 8);
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(checked.error().refusals[i].field == fmt::format("seqlens_q[{}]", i));
}

}  // namespace wavesmith::generator::attention_dense
