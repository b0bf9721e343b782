// Attention in double precision, written for these examples alone: what the kernels' results are compared
// with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace example {

/// One sequence. Tensors are bf16; rows of a token lie `stride` elements apart, and heads follow one another.
struct Attention {
  const std::uint16_t* q = nullptr;
  const std::uint16_t* k = nullptr;
  const std::uint16_t* v = nullptr;
  int queries = 0, keys = 0;
  int query_heads = 1, kv_heads = 1, head_size = 64;
  /// Keys before and behind the bottom-right diagonal that a query sees; causal is {all, 0}.
  int window_left = std::numeric_limits<int>::max(), window_right = 0;
};

struct AttentionResult {
  std::vector<double> o;    ///< [query, query head, head size]
  std::vector<double> lse;  ///< [query head, query]: the logarithm of each row's sum of exponentials
};

AttentionResult reference(const Attention& attention);

}  // namespace example
