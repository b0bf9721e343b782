// Strides, tables, random numbers.
#include "tools/verify/attention_tensors.h"

#include <algorithm>
#include <numbers>
#include <numeric>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/verify/attention_launch.h"

namespace wavesmith::verify {
namespace {

namespace dense = generator::attention_dense;

using List = std::vector<std::int64_t>;

// Lengths and batches that a launch refuses must not get strides that it would refuse as well, nor fill the
// memory.
constexpr std::int64_t no_length = std::int64_t{1} << 31, no_batch = std::int64_t{1} << 16;

List bounded_list(const List& list, std::int64_t one, std::int64_t batch) {
  List lengths = list;
  if (list.empty())
    lengths.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(batch, 0, no_batch)), one);
  for (std::int64_t& length : lengths) length = std::clamp<std::int64_t>(length, 0, no_length);
  return lengths;
}

std::int64_t longest_of(const List& list, std::int64_t one) {
  return list.empty() ? one : *std::ranges::max_element(list);
}

std::int64_t total_of(const List& list) {
  return std::reduce(list.begin(), list.end());
}

/// First token of each, and their total behind the last.
template <class T>
std::vector<T> cumulated(const List& lengths) {
  std::vector<T> starts{0};
  for (const std::int64_t length : lengths) starts.push_back(starts.back() + static_cast<T>(length));
  return starts;
}

std::vector<std::int32_t> i32(const List& list) {
  return {list.begin(), list.end()};
}

/// One tensor's part of the spec and the case.
struct Operand {
  bool packed = false, paged = false;
  List lengths;
  std::int64_t longest = 0;  ///< bounded
  std::int64_t heads = 0;
};

Operand queries(const dense::Plan& plan, const AttentionCase& c) {
  return {.packed = packed_q(plan.spec),
          .lengths = bounded_list(c.seqlens_q, c.seqlen_q, c.batch),
          .longest = std::clamp<std::int64_t>(longest_of(c.seqlens_q, c.seqlen_q), 0, no_length),
          .heads = plan.spec.num_query_heads};
}

Operand keys(const dense::Plan& plan, const AttentionCase& c) {
  return {.packed = packed_kv(plan.spec),
          .paged = plan.spec.kv == dense::Kv::paged,
          .lengths = bounded_list(c.seqlens_kv, c.seqlen_kv, c.batch),
          .longest = std::clamp<std::int64_t>(longest_of(c.seqlens_kv, c.seqlen_kv), 0, no_length),
          .heads = plan.spec.num_kv_heads};
}

dense::Strides strides_of(const dense::Plan& plan, const AttentionCase& c, const Operand& operand,
                          const Gaps& gaps) {
  const std::int64_t tokens = operand.paged    ? plan.spec.page_size
                              : operand.packed ? total_of(operand.lengths)
                                               : operand.longest;
  dense::Strides strides = strides_with_gaps(c.bhsd, tokens, operand.heads, plan.spec.head_size, gaps);
  if (operand.packed) strides.batch = 0;
  return strides;
}

LseShape lse_shape_of(const dense::Plan& plan, const AttentionCase& c, const Gaps& gaps) {
  const Operand q = queries(plan, c);
  const std::int64_t rows = q.packed ? total_of(q.lengths) : q.longest;
  LseShape shape = lse_shape_with_gaps(c.batch, q.heads, rows);
  if (gaps.tokens == 0) shape.strides = {.batch = q.heads * rows, .head = rows};
  if (q.packed) {
    shape.strides.batch = 0;
    shape.queries = q.longest;
  }
  return shape;
}

TensorShape tensor_shape(const dense::Plan& plan, const AttentionCase& c, const Operand& operand,
                         bool lengths_differ, const Gaps& gaps) {
  TensorShape shape{c.batch, operand.longest, operand.heads, plan.spec.head_size,
                    strides_of(plan, c, operand, gaps)};
  if (lengths_differ) shape.lengths = operand.lengths;
  if (operand.packed) {
    shape.starts = cumulated<std::int64_t>(operand.lengths);
    shape.starts.pop_back();
  }
  if (operand.paged)
    shape.pages =
        make_pages(operand.lengths, plan.spec.page_size, c.page_order, c.seed, 2 * shape.strides.batch);
  return shape;
}

void refuse_list(std::string_view field, const List& list, std::int64_t batch, std::string_view only_one,
                 std::vector<Refusal>& refusals) {
  const auto refuse = [&](std::string value, std::string allowed) {
    refusals.push_back({std::string(field), std::move(value), std::move(allowed)});
  };
  if (list.empty()) return;
  if (!only_one.empty())
    return refuse(fmt::format("{}", fmt::join(list, ",")),
                  fmt::format("one length: the kernel was built {}", only_one));
  if (static_cast<std::int64_t>(list.size()) != batch)
    refuse(fmt::format("{} lengths", list.size()), fmt::format("one length, or {}, as batch says", batch));
  // Where all are negative, the launch refuses the longest.
  const auto [least, most] = std::ranges::minmax(list);
  if (least < 0 && most >= 0) refuse(fmt::format("{}", least), "lengths of at least 0");
}

}  // namespace

Lengths lengths_of(const AttentionCase& c) {
  return {bounded_list(c.seqlens_q, c.seqlen_q, c.batch), bounded_list(c.seqlens_kv, c.seqlen_kv, c.batch)};
}

dense::Shapes launch_shapes(const dense::Plan& plan, const AttentionCase& c, const Gaps& gaps) {
  const dense::Strides query = strides_of(plan, c, queries(plan, c), gaps);
  const Operand kv = keys(plan, c);
  const dense::Strides key = strides_of(plan, c, kv, gaps);
  return {.batch = c.batch,
          .seqlen_q = longest_of(c.seqlens_q, c.seqlen_q),
          .seqlen_kv = longest_of(c.seqlens_kv, c.seqlen_kv),
          .q = query,
          .k = key,
          .v = key,
          .o = query,
          .lse = plan.spec.lse ? std::optional(lse_shape_of(plan, c, gaps).strides) : std::nullopt,
          .block_table_stride = kv.paged ? table_stride(kv.longest, plan.spec.page_size, c.seed) : 0,
          .softmax_scale = c.softmax_scale,
          .window_left = c.window_left,
          .window_right = c.window_right,
          .num_persistent = c.num_persistent,
          .persist_decode = c.persist_decode,
          .interleave = c.interleave};
}

std::vector<Refusal> refused_lengths(const dense::Plan& plan, const AttentionCase& c) {
  std::vector<Refusal> refusals;
  refuse_list("seqlen_q", c.seqlens_q, c.batch, reads_seqlen_q(plan.spec) ? "" : "with sequences batch",
              refusals);
  refuse_list("seqlen_kv", c.seqlens_kv, c.batch,
              reads_seqlen_kv(plan.spec) ? "" : "with sequences batch and kv contiguous", refusals);
  return refusals;
}

std::vector<Refusal> refused_sizes(const dense::Plan& plan, const AttentionCase& c) {
  constexpr double most_elements = 1 << 30;
  std::vector<Refusal> refusals;
  for (const auto& [name, operand] : {std::pair{"q", queries(plan, c)}, std::pair{"k", keys(plan, c)}}) {
    const dense::Strides strides = strides_of(plan, c, operand, poisoned_gaps);
    const auto batch = static_cast<double>(c.batch);
    double elements = batch * static_cast<double>(strides.batch);
    if (operand.packed || operand.paged) {
      // The oracle's are dense, with room for the longest sequence everywhere.
      const auto row = static_cast<double>(operand.heads) * plan.spec.head_size;
      elements = batch * static_cast<double>(operand.longest) * row;
      if (operand.paged)
        elements = std::max(elements, static_cast<double>(kept_pages(operand.lengths, plan.spec.page_size)) *
                                          static_cast<double>(strides.batch));
    }
    if (elements > most_elements)
      refusals.push_back(
          {name, fmt::format("{:.0f} elements", elements),
           fmt::format("at most {:.0f}: verification keeps tensors in memory", most_elements)});
  }
  return refusals;
}

AttentionLayout layout_of(const dense::Plan& plan, const AttentionCase& c, const Gaps& gaps) {
  const dense::Spec& spec = plan.spec;
  const Operand q = queries(plan, c), kv = keys(plan, c);
  AttentionLayout layout{.query = tensor_shape(plan, c, q, reads_seqlen_q(spec), gaps),
                         .key = tensor_shape(plan, c, kv, reads_seqlen_kv(spec), gaps),
                         .lse = lse_shape_of(plan, c, gaps),
                         .tables = {}};
  layout.lse.lengths = layout.query.lengths;
  layout.lse.starts = layout.query.starts;
  SequenceTables& tables = layout.tables;
  if (q.packed)
    tables.cu_seqlens_q = cumulated<std::int32_t>(q.lengths);
  else if (reads_seqlen_q(spec))
    tables.seqlens_q = i32(q.lengths);
  if (kv.packed)
    tables.cu_seqlens_kv = cumulated<std::int32_t>(kv.lengths);
  else if (reads_seqlen_kv(spec))
    tables.seqlens_kv = i32(kv.lengths);
  if (kv.paged) {
    tables.block_table = block_table(layout.key.pages, 2 * layout.key.strides.batch);
    tables.num_pages = layout.key.pages.count();
  }
  return layout;
}

AttentionTensors make_tensors(const dense::Plan& plan, const AttentionLayout& layout, std::uint64_t seed,
                              double sigma) {
  const oracle::ElementType type = element_type(plan.spec);
  Random random(seed);
  AttentionTensors tensors;
  tensors.q = normal(layout.query, type, sigma, random);
  tensors.k = normal(layout.key, type, sigma, random);
  tensors.v = uniform(layout.key, type, std::numbers::sqrt3, random);
  tensors.o = poisoned(layout.query);
  if (plan.spec.sinks)
    for (int head = 0; head < plan.spec.num_query_heads; ++head)
      tensors.sinks.push_back(static_cast<float>(2 * sigma * random.normal()));
  for (std::int64_t b = 0; b < layout.query.batch; ++b)
    if (layout.query.length(b) == 0)
      for (TensorData* tensor : {&tensors.k, &tensors.v}) poison_sequence(*tensor, b);
  return tensors;
}

std::int64_t rows_with_keys(const dense::Plan& plan, const AttentionCase& c) {
  const Lengths lengths = lengths_of(c);
  std::int64_t rows = 0;
  for (std::size_t b = 0; b < lengths.q.size(); ++b) {
    const std::int64_t q = lengths.q[b], kv = lengths.kv[b];
    if (plan.spec.mask == dense::Mask::causal)
      rows += std::min(q, kv);
    else if (plan.spec.mask == dense::Mask::window && c.window_right.value_or(-1) != -1)
      rows += std::min(q, kv + std::min(*c.window_right, q));
    else
      rows += q;
  }
  return rows * plan.spec.num_query_heads;
}

}  // namespace wavesmith::verify
