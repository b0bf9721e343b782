// The tensors of one launch of an attention_dense kernel: random inputs, outputs, the tables that say where
// its sequences are, and the part of all that one batch element and one key/value head make up. execution.h
// runs them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "generator/attention_dense/plan.h"
#include "simulator/oracle/attention.h"
#include "tools/verify/attention_case.h"
#include "tools/verify/data.h"
#include "tools/verify/lse.h"

namespace wavesmith::contract {

namespace dense = generator::attention_dense;

/// How large a launch is and what its inputs are. Head counts are a shape too: the code knows their ratio
/// alone.
struct Shape {
  std::int64_t batch = 1;
  std::int64_t seqlen_q = 1, seqlen_kv = 0;  ///< of each batch element; the longest one's where they differ
  /// Of each batch element apart, for kernels that read them from memory. The last one has a query.
  std::vector<std::int64_t> seqlens_q = {}, seqlens_kv = {};
  std::int64_t kv_heads = 1;
  bool bhsd = false;                                                ///< order of the axes; else bshd
  double sigma = 2;                                                 ///< standard deviation of Q and K
  std::optional<std::int64_t> window_left = {}, window_right = {};  ///< of a kernel with mask window
  std::uint64_t seed = 1;  ///< of the data, and of the order of pages
};

struct Tensors {
  verify::TensorData q, k, v;
  verify::TensorShape o;
  std::optional<verify::LseShape> lse;  ///< where the kernel has that output
  verify::SequenceTables tables = {};
  std::vector<float> sinks = {};  ///< of each query head, where the kernel takes them
  std::optional<std::int64_t> window_left = {}, window_right = {};

  [[nodiscard]] std::int64_t batch() const { return q.shape.batch; }
};

/// The Plan for a launch with so many key/value heads; the code is that of any count with the same ratio.
[[nodiscard]] dense::Plan with_kv_heads(const dense::Plan& plan, std::int64_t kv_heads);

/// Full-mantissa random inputs with unnamed elements between rows, heads, batches and pages; pages in random
/// order, with unused ones among them.
[[nodiscard]] Tensors random_tensors(const dense::Plan& plan, const Shape& shape);

/// One batch element and the query heads of one key/value head, in tensors of their own with other strides,
/// and in other pages.
[[nodiscard]] Tensors part_of(const Tensors& all, const dense::Plan& plan, std::int64_t batch,
                              std::int64_t kv_head);

/// The same with pages, where there are any, around the places 2^31, 2^32 and 2^33 bytes from the cache's
/// beginning.
[[nodiscard]] Tensors with_pages_far_apart(Tensors tensors);

/// What the oracle is to compute; `scale` as the kernel got it. The tensors must outlive it.
[[nodiscard]] oracle::Problem problem_of(const dense::Plan& plan, const Tensors& tensors, float scale);

}  // namespace wavesmith::contract
