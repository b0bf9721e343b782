// Orders of work items: what decode_of() makes of each is held to the order's own equations, written here
// with divisions and conditions, item by item; and every order visits every item once.
#include "generator/attention_dense/order.h"

#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

// w is the item, n the counts; each returns batch, query head and block.
WorkItem qb_major(std::int64_t w, const ItemCounts& n, bool interleave) {
  const std::int64_t heads = n.kv_heads * n.group, head = w / n.batch % heads, block = w / (n.batch * heads);
  return {w % n.batch, head, interleave && head % 2 == 1 ? n.blocks - 1 - block : block};
}

WorkItem hkv_major(std::int64_t w, const ItemCounts& n) {
  const std::int64_t in_group = w / n.batch % n.group, at = w / (n.batch * n.group) % n.blocks,
                     kv_head = w / (n.batch * n.group * n.blocks), half = (n.blocks + 1) / 2;
  return {w % n.batch, kv_head * n.group + in_group, at < half ? at : n.blocks - 1 - (at - half)};
}

WorkItem gqa_pair(std::int64_t w, const ItemCounts& n) {
  const std::int64_t workgroups = n.blocks * n.kv_heads * n.batch, workgroup = w % workgroups,
                     phase = w / workgroups, lane = workgroup % 2, rest = workgroup / 2;
  const std::int64_t kv_head = rest / n.batch % n.kv_heads, pair = rest / (n.batch * n.kv_heads);
  const bool high = phase >= n.group / 2;
  return {rest % n.batch, kv_head * n.group + lane * (n.group / 2) + phase % (n.group / 2),
          high ? n.blocks - 1 - pair : pair};
}

WorkItem gqa_pair_2phase(std::int64_t w, const ItemCounts& n) {
  const std::int64_t workgroups = n.items() / 2, workgroup = w % workgroups, rest = workgroup / n.group;
  const std::int64_t kv_head = rest / n.batch % n.kv_heads, pair = rest / (n.batch * n.kv_heads);
  return {rest % n.batch, kv_head * n.group + workgroup % n.group,
          w < workgroups ? pair : n.blocks - 1 - pair};
}

WorkItem chiplet(std::int64_t w, const ItemCounts& n) {
  const std::int64_t kv_head = w / n.batch % n.kv_heads, in_group = w / (n.batch * n.kv_heads) % n.group;
  return {w % n.batch, kv_head * n.group + in_group, n.blocks - 1 - w / (n.batch * n.kv_heads * n.group)};
}

WorkItem by_equations(Order order, std::int64_t w, const ItemCounts& n, bool interleave) {
  switch (order) {
    case Order::hkv_major:
      return hkv_major(w, n);
    case Order::gqa_pair:
      return gqa_pair(w, n);
    case Order::gqa_pair_2phase:
      return gqa_pair_2phase(w, n);
    case Order::chiplet:
      return chiplet(w, n);
    default:
      return qb_major(w, n, interleave);
  }
}

TEST_CASE("order: each decodes items as its equations say, and visits every item once") {
  std::mt19937 random(3);
  const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % std::uint64_t(n)); };
  for (int round = 0; round < 200; ++round) {
    const ItemCounts any{1 + below(9), 1 + below(5), 1 + below(8), 1 + below(12)};
    const ItemCounts even{any.batch, any.kv_heads, any.group + any.group % 2, any.blocks + any.blocks % 2};
    for (const auto& [order, n, interleave] : {std::tuple{Order::qb_major, any, false},
                                               {Order::qb_major, any, true},
                                               {Order::hkv_major, any, false},
                                               {Order::chiplet, any, false},
                                               {Order::gqa_pair, even, false},
                                               {Order::gqa_pair_2phase, even, false}}) {
      CAPTURE(name_of(order), interleave, n.batch, n.kv_heads, n.group, n.blocks);
      const Decode decode = decode_of(order, n, interleave);
      std::set<WorkItem> visited;
      std::int64_t wrong = 0;
      for (std::int64_t w = 0; w < n.items(); ++w) {
        const WorkItem item = decoded(decode, static_cast<std::uint32_t>(w));
        wrong += item == by_equations(order, w, n, interleave) ? 0 : 1;
        visited.insert(item);
      }
      CHECK(wrong == 0);
      CHECK(visited.size() == static_cast<std::size_t>(n.items()));
      CHECK(*visited.begin() == WorkItem{0, 0, 0});
      CHECK(*visited.rbegin() == WorkItem{n.batch - 1, n.kv_heads * n.group - 1, n.blocks - 1});
    }
  }
}

TEST_CASE("order: items are divided exactly up to 2^31") {
  // Sizes at and beside powers of two, with as many items as there may be.
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  for (const ItemCounts& n : {ItemCounts{127, 1, 1, (1 << 24) - 1},
                              {3, 5, 7, most / 105},
                              {65535, 1, 1, 32769 - 1},
                              {2, 32767, 2, 16384},
                              {1, 65535, 1, 32768},
                              {255, 257, 4, 8191},
                              {7, 8, 9, 4260880}})
    for (Order order : {Order::qb_major, Order::hkv_major, Order::chiplet}) {
      CAPTURE(n.batch, n.kv_heads, n.group, n.blocks, name_of(order));
      REQUIRE(n.items() <= most);
      const Decode decode = decode_of(order, n, false);
      std::int64_t wrong = 0;
      const auto check = [&](std::int64_t w) {
        if (w < 0 || w >= n.items()) return;
        wrong += decoded(decode, static_cast<std::uint32_t>(w)) == by_equations(order, w, n, false) ? 0 : 1;
      };
      // Around the multiples of every divisor, near both ends.
      for (std::int64_t divisor : {n.batch, n.batch * n.kv_heads, n.batch * n.group,
                                   n.batch * n.kv_heads * n.group, n.batch * n.group * n.blocks})
        for (std::int64_t multiple :
             {std::int64_t{1}, std::int64_t{2}, n.items() / divisor - 1, n.items() / divisor})
          for (std::int64_t beside : {-1, 0, 1}) check(multiple * divisor + beside);
      std::mt19937 random(5);
      for (int i = 0; i < 2000; ++i) check(static_cast<std::int64_t>(random()) % n.items());
      CHECK(wrong == 0);
    }
}

TEST_CASE("order: a workgroup of a pair order has blocks of constant cost together") {
  const ItemCounts n{2, 3, 4, 6};
  for (Order order : {Order::gqa_pair, Order::gqa_pair_2phase}) {
    CAPTURE(name_of(order));
    const Decode decode = decode_of(order, n, false);
    const std::int64_t workgroups = workgroups_of(order, n).value();
    CHECK(workgroups == (order == Order::gqa_pair ? 6 * 3 * 2 : 6 * 3 * 4 * 2 / 2));
    for (std::int64_t workgroup = 0; workgroup < workgroups; ++workgroup) {
      std::int64_t blocks = 0, items = 0;
      for (std::int64_t w = workgroup; w < n.items(); w += workgroups, ++items)
        blocks += decoded(decode, static_cast<std::uint32_t>(w)).block;
      CHECK(items == n.items() / workgroups);
      CHECK(2 * blocks == items * (n.blocks - 1));
    }
  }
}

TEST_CASE("order: auto is chiplet below eight batches, else qb_major, interleaved where blocks are unequal") {
  const auto text = [](std::int64_t batch, std::int64_t blocks, bool causal) {
    const OrderChoice choice = choose_order({batch, 4, 2, blocks}, causal);
    return fmt::format("{}{}", name_of(choice.order), choice.interleave ? " interleaved" : "");
  };
  CHECK(text(1, 8, true) == "chiplet");
  CHECK(text(7, 8, true) == "chiplet");
  CHECK(text(7, 1, false) == "chiplet");
  CHECK(text(8, 8, true) == "qb_major interleaved");
  CHECK(text(8, 1, true) == "qb_major");
  CHECK(text(100, 8, false) == "qb_major");
  for (std::string_view name : order_names()) CHECK(name_of(find_order(name).value()) == name);
  CHECK_FALSE(find_order("rev"));
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
