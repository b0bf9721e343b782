// Test data of sequences of different lengths and of pages: every element that has no name is poison, and the
// judges look at those that have one. No compiler.
#include <algorithm>
#include <cmath>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/sequences.h"
#include "tools/verify/accuracy.h"
#include "tools/verify/attention.h"
#include "tools/verify/attention_launch.h"
#include "tools/verify/attention_launch_file.h"
#include "tools/verify/attention_tensors.h"

using namespace wavesmith::verify;
namespace dense = wavesmith::generator::attention_dense;
namespace oracle = wavesmith::oracle;

namespace {

using Table = std::vector<std::int32_t>;
using Texts = std::vector<std::string>;

dense::Plan plan_of(dense::Sequences sequences, dense::Kv kv = dense::Kv::contiguous) {
  dense::Spec spec;
  spec.head_size = 64;
  spec.num_query_heads = 4;
  spec.num_kv_heads = 2;
  spec.sequences = sequences;
  spec.kv = kv;
  spec.page_size = 16;
  spec.lse = true;
  return dense::resolve(spec, {.processor = "gfx950"}).value();
}

// Without keys, without queries, without both, whole pages and parts of them.
AttentionCase mixed() {
  return {.batch = 5, .seqlens_q = {3, 0, 20, 0, 1}, .seqlens_kv = {0, 33, 16, 0, 47}, .softmax_scale = {}};
}

/// Named elements have values that are those of the bits; nothing else is named.
void check_poison(const TensorData& tensor, std::span<const std::int64_t> lengths) {
  const TensorShape& shape = tensor.shape;
  std::set<std::int64_t> named;
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    CHECK(shape.length(b) == lengths[static_cast<std::size_t>(b)]);
    for (std::int64_t t = 0; t < shape.length(b); ++t)
      for (std::int64_t h = 0; h < shape.heads; ++h)
        for (std::int64_t d = 0; d < shape.head_size; ++d, ++count) {
          const std::int64_t at = shape.offset(b, t, h) + d;
          named.insert(at);
          const float value = tensor.view().row(b, t, h)[d];
          const std::uint16_t bits = tensor.bits.at(static_cast<std::size_t>(at));
          if (bits == poison_bits)
            CHECK(std::isnan(value));
          else
            CHECK(value == oracle::widen(oracle::ElementType::bf16, bits));
        }
  }
  CHECK(static_cast<std::int64_t>(named.size()) == count);  // no two share a place
  for (std::size_t i = 0; i < tensor.bits.size(); ++i)
    if (!named.contains(static_cast<std::int64_t>(i))) CHECK(tensor.bits[i] == poison_bits);
  CHECK(named.size() < tensor.bits.size());
}

Texts refused(const dense::Plan& plan, const AttentionCase& shape) {
  Texts texts;
  if (const auto checked = check_case(plan, shape); !checked)
    for (const auto& refusal : checked.error().refusals) texts.push_back(refusal.message());
  return texts;
}

}  // namespace

TEST_CASE("sequence data: packed tensors end with the last token, and cu_seqlens say where each begins") {
  const dense::Plan plan = plan_of(dense::Sequences::varlen);
  for (const bool bhsd : {false, true}) {
    AttentionCase shape = mixed();
    shape.bhsd = bhsd;
    const AttentionLayout layout = layout_of(plan, shape, poisoned_gaps);
    CHECK(layout.tables.cu_seqlens_q == Table{0, 3, 3, 23, 23, 24});
    CHECK(layout.tables.cu_seqlens_kv == Table{0, 0, 33, 49, 49, 96});
    CHECK(layout.tables.seqlens_q.empty());
    CHECK(layout.tables.seqlens_kv.empty());
    CHECK(layout.tables.block_table.empty());
    CHECK(layout.query.strides.batch == 0);
    CHECK(layout.query.offset(4, 0, 3) + 64 == layout.query.extent());
    CHECK(layout.key.offset(4, 46, 1) + 64 == layout.key.extent());
    CHECK(layout.key.offset(2, 0, 0) == 33 * layout.key.strides.token);
    CHECK(layout.lse.strides.batch == 0);
    CHECK(layout.lse.offset(4, 3, 0) + 1 == layout.lse.extent());
    const AttentionTensors tensors = make_tensors(plan, layout, 1, 2);
    check_poison(tensors.q, shape.seqlens_q);
    check_poison(tensors.k, shape.seqlens_kv);
  }
}

TEST_CASE("sequence data: ragged tensors have room for the longest everywhere") {
  const dense::Plan plan = plan_of(dense::Sequences::ragged);
  const AttentionCase shape = mixed();
  const AttentionLayout layout = layout_of(plan, shape, poisoned_gaps);
  CHECK(layout.tables.seqlens_q == Table{3, 0, 20, 0, 1});
  CHECK(layout.tables.seqlens_kv == Table{0, 33, 16, 0, 47});
  CHECK(layout.tables.cu_seqlens_q.empty());
  // Rows of the longest and three more; 16 elements after the heads of each.
  CHECK(layout.query.strides.batch == 23 * (4 * 64 + 16));
  CHECK(layout.query.extent() == layout.query.offset(4, 19, 3) + 64);
  const AttentionTensors tensors = make_tensors(plan, layout, 1, 2);
  check_poison(tensors.q, shape.seqlens_q);
  check_poison(tensors.v, shape.seqlens_kv);
}

TEST_CASE("sequence data: keys of a sequence without queries are poison, the others are numbers") {
  const AttentionCase shape = mixed();
  for (const auto kv : {dense::Kv::contiguous, dense::Kv::paged}) {
    const dense::Plan plan = plan_of(dense::Sequences::varlen, kv);
    const AttentionTensors tensors = make_tensors(plan, layout_of(plan, shape, poisoned_gaps), 1, 2);
    for (const TensorData* tensor : {&tensors.k, &tensors.v})
      for (std::int64_t b = 0; b < 5; ++b)
        for (std::int64_t t = 0; t < tensor->shape.length(b); ++t)
          for (std::int64_t d = 0; d < 64; ++d) CHECK(std::isnan(tensor->view().row(b, t, 1)[d]) == (b == 1));
  }
}

TEST_CASE("sequence data: the values are the same wherever they lie") {
  const AttentionCase shape = mixed();
  const auto named = [&](const dense::Plan& plan) {
    const AttentionTensors tensors = make_tensors(plan, layout_of(plan, shape, poisoned_gaps), 7, 2);
    return std::pair(named_elements(tensors.q.shape, tensors.q.bits),
                     named_elements(tensors.v.shape, tensors.v.bits));
  };
  const auto packed = named(plan_of(dense::Sequences::varlen));
  CHECK(packed.first.size() == 24 * 4 * 64);
  CHECK(packed.second.size() == 96 * 2 * 64);
  CHECK(named(plan_of(dense::Sequences::ragged)) == packed);
  CHECK(named(plan_of(dense::Sequences::varlen, dense::Kv::paged)) == packed);
  CHECK(named(plan_of(dense::Sequences::ragged, dense::Kv::paged)) == packed);
}

TEST_CASE("sequence data: pages belong to one sequence at most, some to none, and the table tells which") {
  const dense::Plan plan = plan_of(dense::Sequences::batch, dense::Kv::paged);
  AttentionCase shape{.batch = 4, .seqlen_q = 2, .seqlens_kv = {33, 0, 16, 47}, .softmax_scale = {}};
  for (const PageOrder order : {PageOrder::shuffled, PageOrder::rising, PageOrder::far_apart})
    for (const std::uint64_t seed : {3, 4, 5}) {
      shape.page_order = order;
      shape.seed = seed;
      const AttentionLayout layout = layout_of(plan, shape, poisoned_gaps);
      const Pages& pages = layout.key.pages;
      const std::int64_t page_bytes = 2 * layout.key.strides.batch;
      // 3 + 0 + 1 + 3 pages; 0, 1 and 2 entries more than the longest needs.
      CHECK(pages.stride == 3 + static_cast<std::int64_t>(seed) % 3);
      CHECK(layout.tables.num_pages == pages.count());
      CHECK(launch_shapes(plan, shape, poisoned_gaps).block_table_stride == pages.stride);
      REQUIRE(layout.tables.block_table.size() == static_cast<std::size_t>(4 * pages.stride));
      std::set<std::int32_t> used;
      for (std::int64_t b = 0; b < 4; ++b)
        for (std::int64_t i = 0; i < pages.stride; ++i) {
          const std::int32_t page = layout.tables.block_table[static_cast<std::size_t>(b * pages.stride + i)];
          if (i < (layout.key.length(b) + 15) / 16) {
            CHECK(used.insert(page).second);
            CHECK(page < pages.count());
            // The place in the cache, were all of it there.
            const std::int64_t slot = pages.slot(b, i * 16);
            CHECK(pages.numbers.at(static_cast<std::size_t>(slot)) == page);
            CHECK(layout.key.offset(b, i * 16, 1) == slot * layout.key.strides.batch + 64);
          } else {
            CHECK(page * page_bytes > (std::int64_t{1} << 40) - page_bytes);
          }
        }
      CHECK(used.size() == 7);
      CHECK(pages.numbers.size() == 7 + 8);
      CHECK(std::ranges::is_sorted(pages.numbers));
      if (order == PageOrder::rising) CHECK(*used.rbegin() == 6);
      if (order == PageOrder::shuffled)
        CHECK_FALSE(std::ranges::equal(used, std::array{0, 1, 2, 3, 4, 5, 6}));
      check_poison(make_tensors(plan, layout, seed, 2).k, shape.seqlens_kv);
    }
}

TEST_CASE("sequence data: pages that lie far apart are in use on both sides of 2^31, 2^32 and 2^33 bytes") {
  const dense::Plan plan = plan_of(dense::Sequences::batch, dense::Kv::paged);
  AttentionCase shape{.batch = 1, .seqlen_q = 2, .seqlen_kv = 24 * 16, .softmax_scale = {}};
  shape.page_order = PageOrder::far_apart;
  const AttentionLayout layout = layout_of(plan, shape, poisoned_gaps);
  const std::int64_t page_bytes = 2 * layout.key.strides.batch;
  const auto in_use = [&](std::int64_t low, std::int64_t high) {
    return std::ranges::count_if(layout.tables.block_table, [&](std::int32_t page) {
      return page * page_bytes >= low && page * page_bytes < high;
    });
  };
  for (const int bit : {31, 32, 33}) {
    const std::int64_t place = std::int64_t{1} << bit;
    CHECK(in_use(place - 5 * page_bytes, place) > 0);
    CHECK(in_use(place, place + 5 * page_bytes) > 0);
  }
  CHECK(layout.tables.num_pages * page_bytes > std::int64_t{1} << 33);
  CHECK(layout.key.extent() * 2 < 100 * page_bytes);  // the kept ones alone
}

TEST_CASE("sequence data: the judges look at every sequence's own length") {
  const dense::Plan plan = plan_of(dense::Sequences::varlen);
  const AttentionLayout layout = layout_of(plan, mixed(), poisoned_gaps);
  const AttentionTensors tensors = make_tensors(plan, layout, 1, 2);
  const oracle::Problem problem =
      problem_of(plan.spec, {.q = tensors.q, .k = tensors.k, .v = tensors.v}, 0.125F);
  CHECK(problem.seqlen_q == mixed().seqlens_q);
  CHECK(problem.seqlen_kv == mixed().seqlens_kv);
  const auto type = oracle::ElementType::bf16;
  Sample sample{tensors.o.bits, oracle::attention(problem, 1), oracle::attention_rounded(problem, type, 1)};
  LseSample lse{std::vector<std::uint32_t>(static_cast<std::size_t>(layout.lse.extent()), lse_poison_bits),
                sample.exact.lse, score_bounds(problem)};
  std::size_t row = 0;
  for (std::int64_t b = 0; b < 5; ++b)
    for (std::int64_t t = 0; t < layout.query.length(b); ++t)
      for (std::int64_t h = 0; h < 4; ++h, ++row) {
        lse.output.at(static_cast<std::size_t>(layout.lse.offset(b, h, t))) =
            std::bit_cast<std::uint32_t>(static_cast<float>(sample.exact.lse.at(row)));
        for (std::size_t d = 0; d < 64; ++d)
          sample.output.at(static_cast<std::size_t>(layout.query.offset(b, t, h)) + d) =
              oracle::round_to(type, sample.exact.o.at(row * 64 + d));
      }
  const auto judged = [&] { return judge(layout.query, type, std::vector{sample}); };
  CHECK(judged().ok());
  CHECK(judged().elements == 24 * 4 * 64);
  CHECK(judge_lse(layout.lse, std::vector{lse}).ok());
  CHECK(judge_lse(layout.lse, std::vector{lse}).elements == 24 * 4);
  CHECK(named_elements(layout.lse, lse.output).size() == 24 * 4);

  const auto last = static_cast<std::size_t>(layout.query.offset(4, 0, 2));
  sample.output.at(last) = poison_bits;
  REQUIRE(judged().mismatched == 1);
  CHECK(judged().mismatches.front().where == "o[batch 4, query 0, head 2, column 0], never written");
  lse.output.at(static_cast<std::size_t>(layout.lse.offset(2, 1, 19))) = 0;
  const LseAccuracy wrong = judge_lse(layout.lse, std::vector{lse});
  REQUIRE(wrong.mismatched == 1);
  CHECK(wrong.mismatches.front().where == "lse[batch 2, head 1, query 19]");
}

TEST_CASE("sequence data: rows that see no key do not count for the number of runs") {
  const AttentionCase shape = mixed();
  dense::Plan plan = plan_of(dense::Sequences::varlen);  // causal
  CHECK(rows_with_keys(plan, shape) == 4 * (16 + 1));
  plan.spec.mask = dense::Mask::full;
  CHECK(rows_with_keys(plan, shape) == 4 * 24);
}

TEST_CASE("cases: lists of lengths are refused where they do not fit, with the reason") {
  const dense::Plan varlen = plan_of(dense::Sequences::varlen);
  CHECK(refused(varlen, mixed()).empty());
  AttentionCase shape = mixed();
  shape.batch = 4;
  CHECK(refused(varlen, shape) == Texts{"seqlen_q = 5 lengths is refused: one length, or 4, as batch says",
                                        "seqlen_kv = 5 lengths is refused: one length, or 4, as batch says"});
  shape = mixed();
  shape.seqlens_kv[2] = -7;
  CHECK(refused(varlen, shape) == Texts{"seqlen_kv = -7 is refused: lengths of at least 0"});
  shape = mixed();
  CHECK(
      refused(plan_of(dense::Sequences::batch), shape) ==
      Texts{
          "seqlen_q = 3,0,20,0,1 is refused: one length: the kernel was built with sequences batch",
          "seqlen_kv = 0,33,16,0,47 is refused: one length: the kernel was built with sequences batch and kv "
          "contiguous"});
  CHECK(refused(plan_of(dense::Sequences::batch, dense::Kv::paged), shape) ==
        Texts{"seqlen_q = 3,0,20,0,1 is refused: one length: the kernel was built with sequences batch"});
  shape.seqlens_q = {};
  shape.seqlen_q = 7;
  CHECK(refused(plan_of(dense::Sequences::batch, dense::Kv::paged), shape).empty());
  CHECK(refused(varlen, shape).empty());
}

TEST_CASE("cases: lengths that memory has no room for are refused before anything is made of them") {
  AttentionCase shape{.batch = 2, .seqlen_q = 1 << 20, .seqlens_kv = {1, 2'000'000'000}, .softmax_scale = {}};
  const std::string too_many =
      " elements is refused: at most 1073741824: verification keeps tensors in memory";
  for (const auto kv : {dense::Kv::contiguous, dense::Kv::paged}) {
    const Texts texts = refused(plan_of(dense::Sequences::varlen, kv), shape);
    REQUIRE(texts.size() == 1);
    CHECK(texts.front() == "k = 512000000000" + too_many);
  }
  shape.seqlens_kv = {};
  shape.batch = std::int64_t{1} << 60;
  CHECK_FALSE(refused(plan_of(dense::Sequences::varlen), shape).empty());
}

TEST_CASE("launch files: tables of lengths and pages are files beside it, in the order of the arguments") {
  const AttentionCase shape = mixed();
  const auto varlen = attention_launch_file(plan_of(dense::Sequences::varlen), shape, "l.json");
  REQUIRE(varlen);
  REQUIRE(varlen->companions.size() == 2);
  CHECK(varlen->companions[0].name == "l.json.cu_seqlens_q.bin");
  CHECK(varlen->companions[1].name == "l.json.cu_seqlens_kv.bin");
  CHECK(varlen->companions[0].bytes ==
        std::string("\0\0\0\0\3\0\0\0\3\0\0\0\27\0\0\0\27\0\0\0\30\0\0\0", 24));
  const auto argument = [](const AttentionLaunchFile& file, std::string_view name) {
    for (const auto& one : file.json["args"])
      if (one["name"] == name) return one;
    return nlohmann::ordered_json();
  };
  CHECK(argument(*varlen, "cu_seqlens_kv")["file"] == "l.json.cu_seqlens_kv.bin");
  // Contiguous: 24 queries of 4 heads, 96 keys of 2.
  CHECK(argument(*varlen, "q")["buffer"]["elements"] == 24 * 4 * 64);
  CHECK(argument(*varlen, "v")["buffer"]["elements"] == 96 * 2 * 64);
  CHECK(argument(*varlen, "lse")["buffer"]["elements"] == 24 * 4);
  CHECK(argument(*varlen, "lse_stride_head")["i32"] == 24);

  const auto paged =
      attention_launch_file(plan_of(dense::Sequences::ragged, dense::Kv::paged), shape, "l.json");
  REQUIRE(paged);
  Texts names;
  for (const CompanionFile& one : paged->companions) names.push_back(one.name);
  CHECK(names == Texts{"l.json.seqlens_q.bin", "l.json.seqlens_kv.bin", "l.json.block_table.bin"});
  // Seven pages that are used and eight that are not; a table of five rows of four entries (seed 1: one
  // more).
  CHECK(argument(*paged, "k")["buffer"]["elements"] == (7 + 8) * 16 * 2 * 64);
  CHECK(paged->companions[2].bytes.size() == std::size_t{4 * 5 * 4});
}
