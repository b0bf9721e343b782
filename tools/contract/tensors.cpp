// Making and cutting out tensors.
#include "tools/contract/tensors.h"

#include <algorithm>
#include <numbers>

#include "tools/verify/attention_launch.h"

namespace wavesmith::contract {
namespace {

constexpr std::int64_t spare_tokens = 3;  // unnamed rows after each sequence

std::optional<verify::LseShape> lse_shape(const dense::Plan& plan, std::int64_t batch, std::int64_t heads,
                                          std::int64_t queries) {
  if (!plan.spec.lse) return std::nullopt;
  return verify::lse_shape_with_gaps(batch, heads, queries);
}

/// The rows of `from` from one batch element and `heads` heads on.
verify::TensorData cut(const verify::TensorData& from, std::int64_t batch, std::int64_t first_head,
                       std::int64_t heads) {
  // One spare row more than the whole has, so that strides differ.
  verify::TensorData to = verify::poisoned(
      verify::shape_with_gaps(false, 1, from.shape.tokens, heads, from.shape.head_size, spare_tokens + 1));
  for (std::int64_t t = 0; t < from.shape.tokens; ++t)
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t source = from.shape.offset(batch, t, first_head + h);
      const std::int64_t target = to.shape.offset(0, t, h);
      std::copy_n(from.bits.begin() + source, from.shape.head_size, to.bits.begin() + target);
      std::copy_n(from.values.begin() + source, from.shape.head_size, to.values.begin() + target);
    }
  return to;
}

}  // namespace

Tensors random_tensors(const dense::Plan& plan, const Shape& shape) {
  const auto tensor = [&](std::int64_t tokens, std::int64_t heads) {
    return verify::shape_with_gaps(shape.bhsd, shape.batch, tokens, heads, plan.spec.head_size, spare_tokens);
  };
  const std::int64_t heads = shape.kv_heads * dense::gqa_ratio(plan.spec);
  const verify::TensorShape query = tensor(shape.seqlen_q, heads),
                            key = tensor(shape.seqlen_kv, shape.kv_heads);
  verify::Random random(shape.seed);
  Tensors tensors;
  tensors.q = verify::normal(query, verify::element_type(plan.spec), shape.sigma, random);
  tensors.k = verify::normal(key, verify::element_type(plan.spec), shape.sigma, random);
  tensors.v = verify::uniform(key, verify::element_type(plan.spec), std::numbers::sqrt3, random);
  tensors.o = query;
  tensors.lse = lse_shape(plan, shape.batch, heads, shape.seqlen_q);
  if (plan.spec.sinks)
    for (std::int64_t head = 0; head < heads; ++head)
      tensors.sinks.push_back(static_cast<float>(2 * shape.sigma * random.normal()));
  tensors.window_left = shape.window_left;
  tensors.window_right = shape.window_right;
  return tensors;
}

Tensors part_of(const Tensors& all, const dense::Plan& plan, std::int64_t batch, std::int64_t kv_head) {
  const std::int64_t ratio = dense::gqa_ratio(plan.spec);
  Tensors part;
  part.q = cut(all.q, batch, kv_head * ratio, ratio);
  part.k = cut(all.k, batch, kv_head, 1);
  part.v = cut(all.v, batch, kv_head, 1);
  part.o = part.q.shape;
  part.lse = lse_shape(plan, 1, ratio, all.q.shape.tokens);
  if (!all.sinks.empty()) {
    const auto first = all.sinks.begin() + kv_head * ratio;
    part.sinks.assign(first, first + ratio);
  }
  part.window_left = all.window_left;
  part.window_right = all.window_right;
  return part;
}

oracle::Problem problem_of(const dense::Plan& plan, const Tensors& tensors, float scale) {
  return verify::problem_of(plan.spec,
                            {.q = tensors.q,
                             .k = tensors.k,
                             .v = tensors.v,
                             .sinks = tensors.sinks,
                             .window_left = tensors.window_left,
                             .window_right = tensors.window_right},
                            scale);
}

}  // namespace wavesmith::contract
