// In which order work items (a block of rows of one query head and batch) follow one another: decode_of()
// turns an order and the sizes of a launch into the numbers with which one and the same kernel text decodes
// an item. docs/attention_dense.md has the equations.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace wavesmith::generator::attention_dense {

enum class Order : std::uint8_t {
  automatic,        ///< choose_order()
  qb_major,         ///< batch, query head, block: all heads of a block, then the next block
  hkv_major,        ///< batch, query head of the group, folded block, kv head
  gqa_pair,         ///< a workgroup has two blocks of constant cost together, each with half of a group
  gqa_pair_2phase,  ///< a workgroup has two blocks of constant cost together of one query head
  chiplet,          ///< batch, kv head, query head of the group, blocks descending
};

/// Names as on the command line: auto, qb_major, hkv_major, gqa_pair, gqa_pair_2phase, chiplet.
[[nodiscard]] std::string_view name_of(Order order);
[[nodiscard]] std::optional<Order> find_order(std::string_view name);
[[nodiscard]] std::vector<std::string_view> order_names();

/// Workgroups of one axis of a grid: a dispatch packet counts its work-items in 32 bits (HSA runtime
/// specification, AQL).
[[nodiscard]] constexpr std::int64_t most_workgroups(unsigned workgroup_size) {
  return ((std::int64_t{1} << 32) - 1) / workgroup_size;
}

/// What a launch counts. All at least 1; query heads are kv heads times the group.
struct ItemCounts {
  std::int64_t batch = 1, kv_heads = 1, group = 1, blocks = 1;

  [[nodiscard]] std::int64_t items() const { return batch * kv_heads * group * blocks; }
};

/// Digits of the longest order, and of the one that the default grid uses.
inline constexpr unsigned most_digits = 6, grid_digits = 4;
/// Batch and query head share one number: batch + 2^16 * head.
inline constexpr unsigned head_shift = 16;
/// Bits of one shift in Decode::shifts.
inline constexpr unsigned shift_bits = 6;

/// The numbers of one decode. With q(0) = item and q(i) = item * magic[i - 1] >> shift i, which is the
/// item divided by the product of the first i radices,
///
///     batch + 2^16 * head = sum of q(i) * place[i],   block = first_block + sum of q(i) * block[i]   mod
///     2^32
///
/// and where block >= (head & interleave ? 0 : fold_from), the block is fold_sum - block instead.
struct Decode {
  std::array<std::uint32_t, most_digits - 1> magic{};
  std::uint32_t shifts = 0;
  std::array<std::uint32_t, most_digits> place{}, block{};
  std::uint32_t first_block = 0;
  std::int32_t fold_from = 0, fold_sum = 0, interleave = 0;
};

/// The numbers for an order. `order` is not automatic, items() is below 2^31, blocks are at most 2^24, batch
/// and query heads below 2^16, and the pair orders have an even number of blocks (gqa_pair: an even group as
/// well). `interleave` reverses the blocks of odd query heads; qb_major alone.
[[nodiscard]] Decode decode_of(Order order, const ItemCounts& counts, bool interleave);

/// An item as the kernel decodes it.
struct WorkItem {
  std::int64_t batch, head, block;

  friend auto operator<=>(const WorkItem&, const WorkItem&) = default;
};
[[nodiscard]] WorkItem decoded(const Decode& decode, std::uint32_t item);

/// The order that `auto` stands for, and whether it is interleaved: chiplet where there are fewer batches
/// than chiplets, so that neighbouring workgroups, which run on different chiplets, have different keys; else
/// qb_major, with the blocks of odd heads reversed where a causal mask makes them unequal.
struct OrderChoice {
  Order order;
  bool interleave;
};
[[nodiscard]] OrderChoice choose_order(const ItemCounts& counts, bool causal);

/// The number of workgroups that a pair order is made for; nothing for the others.
[[nodiscard]] std::optional<std::int64_t> workgroups_of(Order order, const ItemCounts& counts);

}  // namespace wavesmith::generator::attention_dense
