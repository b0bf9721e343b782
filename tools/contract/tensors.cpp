// Making and cutting out tensors.
#include "tools/contract/tensors.h"

#include <algorithm>
#include <utility>

#include "tools/verify/attention_launch.h"
#include "tools/verify/attention_tensors.h"

namespace wavesmith::contract {
namespace {

/// The rows of one batch element of `from`, from `first_head` on, become those of the one of `to`.
void copy_rows(const verify::TensorData& from, std::int64_t batch, std::int64_t first_head,
               verify::TensorData& to) {
  const std::int64_t size = from.shape.head_size;
  for (std::int64_t t = 0; t < to.shape.length(0); ++t)
    for (std::int64_t h = 0; h < to.shape.heads; ++h) {
      std::copy_n(from.bits.begin() + from.shape.offset(batch, t, first_head + h), size,
                  to.bits.begin() + to.shape.offset(0, t, h));
      const float* const target = to.view().row(0, t, h);
      std::copy_n(from.view().row(batch, t, first_head + h), size,
                  to.values.begin() + (target - to.values.data()));
    }
}

std::int64_t page_bytes(const verify::TensorShape& shape) {
  return static_cast<std::int64_t>(sizeof(std::uint16_t)) * shape.strides.batch;
}

}  // namespace

dense::Plan with_kv_heads(const dense::Plan& plan, std::int64_t kv_heads) {
  dense::Plan fitted = plan;
  fitted.spec.num_query_heads = static_cast<int>(kv_heads) * dense::gqa_ratio(plan.spec);
  fitted.spec.num_kv_heads = static_cast<int>(kv_heads);
  return fitted;
}

Tensors random_tensors(const dense::Plan& plan, const Shape& shape) {
  const dense::Plan fitted = with_kv_heads(plan, shape.kv_heads);
  const verify::AttentionCase one{.batch = shape.batch,
                                  .seqlen_q = shape.seqlen_q,
                                  .seqlen_kv = shape.seqlen_kv,
                                  .seqlens_q = shape.seqlens_q,
                                  .seqlens_kv = shape.seqlens_kv,
                                  .bhsd = shape.bhsd,
                                  .softmax_scale = {},
                                  .seed = shape.seed};
  verify::AttentionLayout layout = verify::layout_of(fitted, one, verify::poisoned_gaps);
  verify::AttentionTensors data = verify::make_tensors(fitted, layout, shape.seed, shape.sigma);
  return {.q = std::move(data.q),
          .k = std::move(data.k),
          .v = std::move(data.v),
          .o = std::move(layout.query),
          .lse = plan.spec.lse ? std::optional(std::move(layout.lse)) : std::nullopt,
          .tables = std::move(layout.tables),
          .sinks = std::move(data.sinks),
          .window_left = shape.window_left,
          .window_right = shape.window_right};
}

Tensors part_of(const Tensors& all, const dense::Plan& plan, std::int64_t batch, std::int64_t kv_head) {
  const dense::Plan fitted = with_kv_heads(plan, 1);
  const std::int64_t ratio = fitted.spec.num_query_heads;
  const verify::AttentionCase one{.batch = 1,
                                  .seqlen_q = all.q.shape.length(batch),
                                  .seqlen_kv = all.k.shape.length(batch),
                                  .softmax_scale = {},
                                  .seed = 2};
  // One spare row more than the whole has, so that strides differ.
  constexpr verify::Gaps gaps{.tokens = verify::poisoned_gaps.tokens + 1,
                              .elements = verify::poisoned_gaps.elements};
  verify::AttentionLayout layout = verify::layout_of(fitted, one, gaps);
  Tensors part;
  part.q = verify::poisoned(layout.query);
  part.k = verify::poisoned(layout.key);
  part.v = verify::poisoned(layout.key);
  copy_rows(all.q, batch, kv_head * ratio, part.q);
  copy_rows(all.k, batch, kv_head, part.k);
  copy_rows(all.v, batch, kv_head, part.v);
  part.o = std::move(layout.query);
  if (plan.spec.lse) part.lse = std::move(layout.lse);
  part.tables = std::move(layout.tables);
  if (!all.sinks.empty()) {
    const auto first = all.sinks.begin() + kv_head * ratio;
    part.sinks.assign(first, first + ratio);
  }
  part.window_left = all.window_left;
  part.window_right = all.window_right;
  return part;
}

Tensors with_pages_far_apart(Tensors tensors) {
  if (!tensors.k.shape.paged()) return tensors;
  const verify::TensorShape& key = tensors.k.shape;
  const std::vector<std::int64_t> numbers =
      verify::make_pages(key.lengths, key.pages.size, verify::PageOrder::far_apart, 0, page_bytes(key))
          .numbers;
  for (verify::TensorData* one : {&tensors.k, &tensors.v}) one->shape.pages.numbers = numbers;
  tensors.tables.block_table = verify::block_table(key.pages, page_bytes(key));
  tensors.tables.num_pages = key.pages.count();
  return tensors;
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
