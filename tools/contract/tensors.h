// The tensors of one launch of an attention_dense kernel: random inputs, outputs, and the part of them that
// one batch element and one key/value head make up. execution.h runs them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "generator/attention_dense/plan.h"
#include "simulator/oracle/attention.h"
#include "tools/verify/data.h"
#include "tools/verify/lse.h"

namespace wavesmith::contract {

namespace dense = generator::attention_dense;

/// How large a launch is and what its inputs are. Head counts are a shape too: the code knows their ratio
/// alone.
struct Shape {
  std::int64_t batch = 1, seqlen_q = 1, seqlen_kv = 0;
  std::int64_t kv_heads = 1;
  bool bhsd = false;                                                ///< order of the axes; else bshd
  double sigma = 2;                                                 ///< standard deviation of Q and K
  std::optional<std::int64_t> window_left = {}, window_right = {};  ///< of a kernel with mask window
  std::uint64_t seed = 1;
};

struct Tensors {
  verify::TensorData q, k, v;
  verify::TensorShape o;
  std::optional<verify::LseShape> lse;  ///< where the kernel has that output
  std::vector<float> sinks = {};        ///< of each query head, where the kernel takes them
  std::optional<std::int64_t> window_left = {}, window_right = {};

  [[nodiscard]] std::int64_t batch() const { return q.shape.batch; }
};

/// Full-mantissa random inputs with unnamed elements between rows, heads and batches.
[[nodiscard]] Tensors random_tensors(const dense::Plan& plan, const Shape& shape);

/// One batch element and the query heads of one key/value head, in tensors of their own with other strides.
[[nodiscard]] Tensors part_of(const Tensors& all, const dense::Plan& plan, std::int64_t batch,
                              std::int64_t kv_head);

/// What the oracle is to compute; `scale` as the kernel got it. The tensors must outlive it.
[[nodiscard]] oracle::Problem problem_of(const dense::Plan& plan, const Tensors& tensors, float scale);

}  // namespace wavesmith::contract
