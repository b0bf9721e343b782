// Orders as digits: radices from the fastest digit on, and what one step of a digit adds.
#include "generator/attention_dense/order.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace wavesmith::generator::attention_dense {
namespace {

constexpr std::array<std::string_view, 6> names{"auto",     "qb_major",        "hkv_major",
                                                "gqa_pair", "gqa_pair_2phase", "chiplet"};

// MI300 and MI350 have eight chiplets of compute units, each with an L2 of its own; workgroups go to them in
// turn (CDNA 3 white paper, "XCD").
constexpr std::int64_t chiplets = 8;

struct Digit {
  std::int64_t radix;
  std::int64_t batch, head, block;  ///< what one step adds
};

std::vector<Digit> digits_of(Order order, const ItemCounts& n) {
  const Digit batch{n.batch, 1, 0, 0}, kv_head{n.kv_heads, 0, n.group, 0}, in_group{n.group, 0, 1, 0};
  const Digit block{n.blocks, 0, 0, 1}, descending{n.blocks, 0, 0, -1};
  const std::int64_t half = n.blocks / 2;
  const Digit low_block{half, 0, 0, 1}, half_of_blocks{2, 0, 0, half};
  switch (order) {
    case Order::automatic:
    case Order::qb_major:
      return {batch, {n.kv_heads * n.group, 0, 1, 0}, block};
    case Order::hkv_major:
      return {batch, in_group, block, kv_head};
    case Order::gqa_pair: {
      const Digit half_of_group{2, 0, n.group / 2, 0}, in_half{n.group / 2, 0, 1, 0};
      return {half_of_group, batch, kv_head, low_block, in_half, half_of_blocks};
    }
    case Order::gqa_pair_2phase:
      return {in_group, batch, kv_head, low_block, half_of_blocks};
    case Order::chiplet:
      return {batch, kv_head, in_group, descending};
  }
  return {};
}

std::uint32_t low_bits(std::int64_t value) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value));
}

}  // namespace

std::string_view name_of(Order order) {
  return names.at(static_cast<std::size_t>(order));
}

std::optional<Order> find_order(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Order>(found - names.begin());
}

std::vector<std::string_view> order_names() {
  return {names.begin(), names.end()};
}

Decode decode_of(Order order, const ItemCounts& counts, bool interleave) {
  std::vector<Digit> digits = digits_of(order, counts);
  digits.resize(most_digits, Digit{1, 0, 0, 0});
  Decode decode;
  std::int64_t divisor = 1;
  Digit below{0, 0, 0, 0};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const Digit& digit = digits[i];
    if (i > 0) {
      // For items below 2^31: with 2^(l - 1) < divisor <= 2^l, magic = ceil(2^(31 + l) / divisor) is below
      // 2^32, and item * magic >> 31 + l is the quotient, since magic * divisor exceeds 2^(31 + l) by less
      // than 2^l.
      const auto shift = static_cast<unsigned>(31 + std::bit_width(static_cast<std::uint64_t>(divisor - 1)));
      const auto unsigned_divisor = static_cast<std::uint64_t>(divisor);
      decode.magic.at(i - 1) =
          static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + unsigned_divisor - 1) / unsigned_divisor);
      decode.shifts |= shift << (shift_bits * (static_cast<unsigned>(i) - 1));
    }
    // A digit is q(i) - radix * q(i + 1): what it adds is counted with the quotients, and no remainder is
    // made.
    const auto step = [&](std::int64_t Digit::* part) { return digit.*part - below.radix * (below.*part); };
    decode.place.at(i) = low_bits(step(&Digit::batch)) + (low_bits(step(&Digit::head)) << head_shift);
    decode.block.at(i) = low_bits(step(&Digit::block));
    divisor *= digit.radix;
    below = digit;
  }
  const auto blocks = static_cast<std::int32_t>(counts.blocks);
  decode.first_block = order == Order::chiplet ? static_cast<std::uint32_t>(blocks - 1) : 0;
  decode.fold_from = std::numeric_limits<std::int32_t>::max();
  decode.fold_sum = blocks - 1;
  if (order == Order::hkv_major || order == Order::gqa_pair || order == Order::gqa_pair_2phase) {
    // The second half of the blocks comes in falling order.
    decode.fold_from = (blocks + 1) / 2;
    decode.fold_sum = blocks - 1 + decode.fold_from;
  }
  decode.interleave = interleave ? 1 : 0;
  return decode;
}

WorkItem decoded(const Decode& decode, std::uint32_t item) {
  std::uint32_t place = 0, block = decode.first_block;
  for (unsigned i = 0; i < most_digits; ++i) {
    std::uint32_t quotient = item;
    if (i > 0) {
      const std::uint32_t shift = decode.shifts >> (shift_bits * (i - 1)) & ((1U << shift_bits) - 1);
      quotient = static_cast<std::uint32_t>(std::uint64_t{item} * decode.magic.at(i - 1) >> shift);
    }
    place += quotient * decode.place.at(i);
    block += quotient * decode.block.at(i);
  }
  const std::uint32_t head = place >> head_shift;
  const std::int32_t fold_from =
      (head & static_cast<std::uint32_t>(decode.interleave)) != 0 ? 0 : decode.fold_from;
  const auto straight = static_cast<std::int32_t>(block);
  return {place & ((1U << head_shift) - 1), head,
          straight >= fold_from ? decode.fold_sum - straight : straight};
}

OrderChoice choose_order(const ItemCounts& counts, bool causal) {
  if (counts.batch < chiplets) return {Order::chiplet, false};
  return {Order::qb_major, causal && counts.blocks > 1};
}

std::optional<std::int64_t> workgroups_of(Order order, const ItemCounts& counts) {
  if (order == Order::gqa_pair) return counts.blocks * counts.kv_heads * counts.batch;
  if (order == Order::gqa_pair_2phase) return counts.items() / 2;
  return std::nullopt;
}

}  // namespace wavesmith::generator::attention_dense
