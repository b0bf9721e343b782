// What is verified: kernels (mask x element type x head size x heads) and the shapes each of them runs on.
// The tests take a covering part of the product, the program verify_matrix all of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "generator/attention_dense/spec.h"
#include "tools/verify/attention.h"

namespace wavesmith::test {

namespace dense = generator::attention_dense;

/// Mask, element type and head size: eight of them.
struct Variant {
  dense::Mask mask{};
  dense::DType dtype{};
  int head_size = 0;

  [[nodiscard]] std::string name() const;  ///< "causal bf16 d64"
};
[[nodiscard]] std::vector<Variant> all_variants();

/// Query heads and key/value heads: ratios 1, 4, 8 and 16, and 40 to 8.
struct Heads {
  int query = 0, kv = 0;
};
inline constexpr std::array<Heads, 5> all_heads{{{2, 2}, {4, 1}, {8, 1}, {16, 1}, {40, 8}}};

[[nodiscard]] dense::Spec spec_of(const Variant& variant, const Heads& heads);

/// Around the sizes of the kernel: one row, a tile of 64 keys, a workgroup of 256 rows, several tiles.
inline constexpr std::array<std::int64_t, 8> lengths{1, 63, 64, 65, 255, 257, 500, 512};

/// Every pair of lengths (so seqlen_q below, equal to and above seqlen_kv) with batches 1 to 3, in either
/// layout by turns.
[[nodiscard]] std::vector<verify::AttentionCase> all_shapes();

/// A part of all_shapes() that differs between the kernels. Together, the kernels of a variant see every pair
/// of a query length with a batch and a layout, and every length of keys; all kernels together see every pair
/// of lengths. Every kernel sees the same two shapes that reach all of its code.
[[nodiscard]] std::vector<verify::AttentionCase> covering_shapes(std::size_t variant, std::size_t heads);

/// "batch 2, 63 x 500, bhsd"
[[nodiscard]] std::string name(const verify::AttentionCase& shape);

}  // namespace wavesmith::test
