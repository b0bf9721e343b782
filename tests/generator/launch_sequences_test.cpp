// plan_launch(): lengths and pages in memory. Each kernel gets the buffers that its text reads, and refuses
// the others.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/launch.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

using Texts = std::vector<std::string>;

Plan plan_of(Sequences sequences, Kv kv, bool lse = false) {
  Spec spec = test::spec(64, 8, 2);
  spec.sequences = sequences;
  spec.kv = kv;
  spec.page_size = 16;
  spec.lse = lse;
  return test::resolved(spec);
}

Shapes shapes_of(const Plan& plan) {
  Shapes shapes;
  shapes.batch = 3;
  shapes.seqlen_q = 300;
  shapes.seqlen_kv = 500;
  shapes.q = shapes.o = packed_q(plan.spec) ? thd(8, 64) : bshd(300, 8, 64);
  shapes.k = shapes.v = packed_kv(plan.spec) ? thd(2, 64) : bshd(500, 2, 64);
  if (plan.spec.kv == Kv::paged) {
    shapes.k = shapes.v = thd(2, 64, 16);
    shapes.block_table_stride = 32;
  }
  return shapes;
}

Buffers buffers_of(const Plan& plan) {
  Buffers at{.q = 0x1000, .k = 0x2000, .v = 0x3000, .o = 0x4000};
  if (packed_q(plan.spec)) at.cu_seqlens_q = 0x5004;
  if (packed_kv(plan.spec)) at.cu_seqlens_kv = 0x6004;
  if (plan.spec.sequences == Sequences::ragged) at.seqlens_q = 0x7004;
  if (reads_seqlen_kv(plan.spec) && !packed_kv(plan.spec)) at.seqlens_kv = 0x8004;
  if (plan.spec.kv == Kv::paged) at.block_table = 0x9004;
  return at;
}

Texts refusals(const Plan& plan, const Shapes& shapes, const Buffers& at) {
  Texts texts;
  if (const auto launch = plan_launch(plan, shapes, at); !launch)
    for (const Refusal& refusal : launch.error().refusals) texts.push_back(refusal.message());
  return texts;
}

std::vector<std::string> pointers_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const Argument& argument : plan.arguments)
    if (argument.type == ir::global_ptr) names.emplace_back(argument.name);
  return names;
}

TEST_CASE("plan_launch: sequences and pages decide which buffers and strides a kernel takes") {
  struct Row {
    Sequences sequences;
    Kv kv;
    Texts tables, strides, lengths;
  };
  const Texts batch_strides{"q_stride_batch", "k_stride_batch", "v_stride_batch", "o_stride_batch"};
  const Texts page_strides{"q_stride_batch", "k_stride_page", "v_stride_page", "o_stride_batch"};
  for (const auto& [sequences, kv, tables, strides, lengths] :
       {Row{Sequences::batch, Kv::contiguous, {}, batch_strides, {"seqlen_q", "seqlen_kv"}},
        {Sequences::varlen, Kv::contiguous, {"cu_seqlens_q", "cu_seqlens_kv"}, {}, {}},
        {Sequences::ragged, Kv::contiguous, {"seqlens_q", "seqlens_kv"}, batch_strides, {}},
        {Sequences::batch, Kv::paged, {"seqlens_kv", "block_table"}, page_strides, {"seqlen_q"}},
        {Sequences::varlen,
         Kv::paged,
         {"cu_seqlens_q", "seqlens_kv", "block_table"},
         {"k_stride_page", "v_stride_page"},
         {}},
        {Sequences::ragged, Kv::paged, {"seqlens_q", "seqlens_kv", "block_table"}, page_strides, {}}}) {
    const Plan plan = plan_of(sequences, kv);
    CAPTURE(value_text(sequences), value_text(kv));
    Texts expected{"q", "k", "v", "o"};
    expected.insert(expected.end(), tables.begin(), tables.end());
    CHECK(pointers_of(plan) == expected);
    Texts found_strides, found_lengths;
    for (const Argument& argument : plan.arguments) {
      if (argument.name.ends_with("_batch") || argument.name.ends_with("_page"))
        found_strides.emplace_back(argument.name);
      if (argument.name.starts_with("seqlen_")) found_lengths.emplace_back(argument.name);
    }
    CHECK(found_strides == strides);
    CHECK(found_lengths == lengths);

    const auto launch = plan_launch(plan, shapes_of(plan), buffers_of(plan));
    REQUIRE(launch);
    REQUIRE(launch->arguments.size() == plan.arguments.size());
    for (std::size_t i = 0; i < plan.arguments.size(); ++i)
      CHECK(launch->arguments[i].name == plan.arguments[i].name);
    // Two blocks of 256 rows in each of three batch elements and eight heads.
    CHECK(launch->work_items == 2 * 3 * 8);
    for (const std::string& name : tables) {
      const auto value = std::ranges::find(launch->arguments, name, &Launch::Value::name)->value;
      CHECK(std::get<std::uint64_t>(value) % 0x1000 == 4);
    }
  }
}

TEST_CASE("plan_launch: a buffer that the kernel does not read is refused, and so is a misaligned one") {
  const Plan batch = plan_of(Sequences::batch, Kv::contiguous);
  Buffers all = buffers_of(batch);
  all.cu_seqlens_q = all.cu_seqlens_kv = all.seqlens_q = all.seqlens_kv = all.block_table = 0x5000;
  Shapes shapes = shapes_of(batch);
  shapes.block_table_stride = 4;
  CHECK(refusals(batch, shapes, all) ==
        Texts{"cu_seqlens_q = 0x5000 is refused: nothing: the kernel was built without sequences varlen",
              "cu_seqlens_kv = 0x5000 is refused: nothing: the kernel was built without sequences varlen",
              "seqlens_q = 0x5000 is refused: nothing: the kernel was built without sequences ragged",
              "seqlens_kv = 0x5000 is refused: nothing: the kernel was built without sequences ragged and "
              "without kv paged",
              "block_table = 0x5000 is refused: nothing: the kernel was built without kv paged",
              "block_table_stride = 4 is refused: nothing: the kernel was built without kv paged"});
  const Plan paged = plan_of(Sequences::varlen, Kv::paged);
  Buffers odd = buffers_of(paged);
  odd.cu_seqlens_q = 0x5002;
  odd.seqlens_kv = 0x5001;
  odd.block_table = 0x5003;
  odd.cu_seqlens_kv = 0x5000;
  CHECK(refusals(paged, shapes_of(paged), odd) ==
        Texts{"cu_seqlens_q = 0x5002 is refused: an address aligned to 4 bytes",
              "cu_seqlens_kv = 0x5000 is refused: nothing: the kernel was built with kv paged, whose lengths "
              "are in seqlens_kv",
              "seqlens_kv = 0x5001 is refused: an address aligned to 4 bytes",
              "block_table = 0x5003 is refused: an address aligned to 4 bytes"});
}

TEST_CASE("plan_launch: packed tensors have no distance of batch elements, and LSE must be told its own") {
  const Plan plan = plan_of(Sequences::varlen, Kv::contiguous, true);
  Shapes shapes = shapes_of(plan);
  Buffers at = buffers_of(plan);
  at.lse = 0xa004;
  CHECK(
      refusals(plan, shapes, at) ==
      Texts{
          "lse_stride_head = (missing) is refused: a number of elements: of packed sequences only the caller "
          "knows how many queries there are"});
  shapes.lse = LseStrides{.batch = 0, .head = 700};
  CHECK(refusals(plan, shapes, at).empty());
  shapes.lse->batch = 16;
  shapes.q.batch = 64;
  shapes.v.batch = 128;
  const std::string packed =
      "0: sequences are packed one after another, and cu_seqlens say where each begins";
  CHECK(refusals(plan, shapes, at) == Texts{"q_stride_batch = 64 is refused: " + packed,
                                            "v_stride_batch = 128 is refused: " + packed,
                                            "lse_stride_batch = 16 is refused: 0: sequences are packed"});
}

TEST_CASE("plan_launch: a block table has room for the pages of the longest sequence") {
  const Plan plan = plan_of(Sequences::batch, Kv::paged);  // pages of 16
  Shapes shapes = shapes_of(plan);
  const auto stride = [&](std::int64_t keys, std::int64_t pages) {
    shapes.seqlen_kv = keys;
    shapes.block_table_stride = pages;
    return refusals(plan, shapes, buffers_of(plan));
  };
  CHECK(stride(512, 32).empty());
  CHECK(stride(513, 33).empty());
  CHECK(stride(0, 1).empty());
  CHECK(
      stride(513, 32) ==
      Texts{"block_table_stride = 32 is refused: 33 to 2147483647: as many pages of 16 tokens as seqlen_kv = "
            "513 needs, at least one"});
  CHECK(stride(0, 0).size() == 1);
  CHECK(stride(16, std::int64_t{1} << 31).size() == 1);
  shapes.k.batch = 8 * 3 + 4;
  CHECK(stride(16, 1) == Texts{"k_stride_page = 28 is refused: a multiple of 8 elements (16 bytes)"});
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
