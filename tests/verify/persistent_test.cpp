// Persistent kernels on the simulator: every order of work items gives the bits of the default grid with any
// number of workgroups, under every schedule; and every order visits each item once, counted by the stores
// that were executed.
#include <array>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/verify/cases.h"
#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;

namespace {

dense::Spec small_spec(int head_size, int query_heads, int kv_heads, bool persistent) {
  dense::Spec spec;
  spec.head_size = head_size;
  spec.num_query_heads = query_heads;
  spec.num_kv_heads = kv_heads;
  spec.block_m = 128;
  spec.block_n = 32;
  spec.persistent = persistent;
  return spec;
}

struct Ordered {
  dense::Order order;
  bool interleave;
};
const std::vector<Ordered>& all_orders() {
  static const std::vector<Ordered> all{
      {dense::Order::qb_major, false},        {dense::Order::qb_major, true},
      {dense::Order::hkv_major, false},       {dense::Order::gqa_pair, false},
      {dense::Order::gqa_pair_2phase, false}, {dense::Order::chiplet, false}};
  return all;
}

bool is_pair(dense::Order order) {
  return order == dense::Order::gqa_pair || order == dense::Order::gqa_pair_2phase;
}

// Work items that the launch's waves went through: stores of O by one of a workgroup's four waves.
std::uint64_t visits(const Kernel& kernel, const verify::AttentionRun& result) {
  const std::uint64_t stores = counted(result.report, "store_o", "buffer_store_dwordx4").executions;
  return stores / (kernel.plan.waves * kernel.plan.d_tiles * 2);
}

}  // namespace

TEST_CASE("persistent: every order and number of workgroups gives the bits of the default grid") {
  for (const int head_size : {64, 128}) {
#ifdef WAVESMITH_SANITIZED
    if (head_size == 128) continue;
#endif
    dense::Spec spec = small_spec(head_size, 4, 1, false);
    spec.lse = true;
    // Four blocks of rows, the last one with a tail; keys past the diagonal's start and a tail of them.
    const verify::AttentionCase shape{.batch = 2, .seqlen_q = 400, .seqlen_kv = 431, .softmax_scale = {}};
    const verify::AttentionRun grid = run(compiled(spec), shape);
    REQUIRE(grid.ok());
    spec.persistent = true;
    const Kernel kernel = compiled(spec);
    // One with all items, some with several, more than there are items: by turns, another one at each head
    // size.
    std::size_t turn = static_cast<std::size_t>(head_size) / 64;
    for (const auto& [order, interleave] : all_orders()) {
      verify::AttentionCase ordered = shape;
      ordered.persist_decode = order;
      ordered.interleave = interleave;
      constexpr std::array<std::int64_t, 3> workgroups{1, 5, 40};
      if (!is_pair(order)) ordered.num_persistent = workgroups.at(turn++ % workgroups.size());
      CAPTURE(head_size, dense::name_of(order), interleave, ordered.num_persistent.value_or(0));
      const verify::AttentionRun result = run(kernel, ordered);
      INFO((result.report.fault ? result.report.fault->message() : ""));
      CHECK(result.ok());
      CHECK(result.report.hazards->empty());
      CHECK(result.output == grid.output);
      CHECK(result.lse_output == grid.lse_output);
      CHECK(visits(kernel, result) == 32);
    }
  }
}

TEST_CASE("persistent: no schedule finds a hazard between the work items of a workgroup") {
  for (const int head_size : {64, 128}) {
    const Kernel kernel = compiled(small_spec(head_size, 2, 1, true));
    // Four items: one workgroup has all of them, one of three has two, one of five has none.
    for (const std::int64_t workgroups : {1, 3, 5}) {
      verify::AttentionCase shape{.batch = 1, .seqlen_q = 200, .seqlen_kv = 170, .softmax_scale = {}};
      shape.num_persistent = workgroups;
#ifndef WAVESMITH_SANITIZED
      shape.every_schedule = true;
#endif
      CAPTURE(head_size, workgroups);
      const verify::AttentionRun result = run(kernel, shape);
      INFO((result.report.fault ? result.report.fault->message() : ""));
      CHECK(result.ok());
      CHECK(result.report.hazards->empty());
    }
  }
}

TEST_CASE("persistent: the kernel visits every item once, whatever the shape and the order") {
  std::mt19937 random(11);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  // The text depends on heads through their ratio: three kernels run all shapes.
  for (const int group : {1, 2, 6}) {
    Kernel kernel = compiled(small_spec(64, group, 1, true));
#ifdef WAVESMITH_SANITIZED
    constexpr int rounds = 1;
#else
    constexpr int rounds = 3;
#endif
    for (int round = 0; round < rounds; ++round)
      for (const auto& [order, interleave] : all_orders()) {
        if (order == dense::Order::gqa_pair && group % 2 != 0) continue;
        const int batch = 1 + below(3), kv_heads = 1 + below(3);
        int blocks = 1 + below(4);
        if (is_pair(order)) blocks += blocks % 2;
        if (interleave && blocks == 1) blocks = 3;
        kernel.plan.spec.num_query_heads = group * kv_heads;
        kernel.plan.spec.num_kv_heads = kv_heads;
        verify::AttentionCase shape{.batch = batch, .softmax_scale = {}};
        shape.seqlen_q = blocks * 128 - below(128);
        shape.seqlen_kv = 1 + below(50);
        shape.persist_decode = order;
        shape.interleave = interleave;
        if (!is_pair(order)) shape.num_persistent = 1 + below(20);
        CAPTURE(group, kv_heads, name(shape), dense::name_of(order), interleave,
                shape.num_persistent.value_or(0));
        const verify::AttentionRun result = run(kernel, shape);
        INFO((result.report.fault ? result.report.fault->message() : ""));
        CHECK(result.ok());
        CHECK(visits(kernel, result) == static_cast<std::uint64_t>(batch * group * kv_heads * blocks));
      }
  }
}

TEST_CASE("persistent: an order that the kernel does not have the numbers of is wrong") {
  // Planted: a plan whose ratio of heads is not the kernel's reads the keys of other heads.
  Kernel kernel = compiled(small_spec(64, 2, 1, true));
  kernel.plan.spec.num_query_heads = 4;
  kernel.plan.spec.num_kv_heads = 4;
  const verify::AttentionCase shape{.batch = 1, .seqlen_q = 200, .seqlen_kv = 100, .softmax_scale = {}};
  CHECK_FALSE(run(kernel, shape).ok());
}
