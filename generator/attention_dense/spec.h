// The spec of an attention_dense kernel: what is baked into the code. Shapes, strides and the softmax scale
// are kernel arguments (launch.h). resolve() in plan.h checks a spec and makes every choice that follows from
// it.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "generator/fields.h"

namespace wavesmith::generator::attention_dense {

enum class DType { bf16, fp16 };
enum class Mask { full, causal, causal_top_left, window };
enum class Sequences { batch, varlen, ragged };
enum class Kv { contiguous, paged };
enum class LdsLayout { padded };

struct Spec {
  int head_size = 0;
  int num_query_heads = 0;
  int num_kv_heads = 0;
  DType dtype = DType::bf16;
  Mask mask = Mask::causal;
  Sequences sequences = Sequences::batch;
  Kv kv = Kv::contiguous;
  int page_size = 64;
  bool sinks = false;
  bool lse = false;
  int block_m = 256;
  int block_n = 64;
  int waves_per_eu = 2;
  bool persistent = false;
  LdsLayout lds_layout = LdsLayout::padded;
  int lds_k_group_pad = 8;
  int lds_k_row_pad = 8;
  int lds_v_group_pad = 0;
  int lds_v_row_pad = 32;
  int dma_width = 4;
  bool lazy_rescale = true;

  friend bool operator==(const Spec&, const Spec&) = default;

  static constexpr IntRule pad_rule{.min = 0, .max = 64, .multiple = 8};
  static constexpr std::tuple fields{
      field("head_size", &Spec::head_size, {.only = {64, 128}}, "elements of a query, key or value vector",
            true),
      field("num_query_heads", &Spec::num_query_heads, {.min = 1, .max = 65535}, "query heads", true),
      field("num_kv_heads", &Spec::num_kv_heads, {.min = 1, .max = 65535},
            "key and value heads; divides the query heads", true),
      field("dtype", &Spec::dtype, "element type of Q, K, V and O"),
      field("mask", &Spec::mask,
            "visible keys; causal is bottom-right: key j for query i when j <= i + seqlen_kv - seqlen_q; "
            "window: "
            "those from window_left keys before that place to window_right behind it"),
      field("sequences", &Spec::sequences,
            "batch: one length for all; varlen: packed one after another, with cu_seqlens; ragged: room for "
            "the "
            "longest in each batch element, with seqlens"),
      field("kv", &Spec::kv,
            "how keys and values lie in memory; paged: in pages that a block table names, with seqlens_kv"),
      field("page_size", &Spec::page_size, {.only = {16, 32, 64, 128}},
            "tokens of a page; only for paged kv"),
      field("sinks", &Spec::sinks, "a logit per query head, fp32, that joins the softmax denominator"),
      field("lse", &Spec::lse,
            "also store the natural-log sum of exponentials, fp32, [batch, head, query]; with varlen [head, "
            "query]"),
      field("block_m", &Spec::block_m, {.only = {128, 256}}, "query rows of a workgroup; 32 a wave"),
      field("block_n", &Spec::block_n, {.only = {32, 64, 128}}, "keys of a tile"),
      field("waves_per_eu", &Spec::waves_per_eu, {.min = 1, .max = 8},
            "waves per SIMD that register allocation must permit"),
      field("persistent", &Spec::persistent, "a fixed number of workgroups walks over all blocks"),
      field("lds_layout", &Spec::lds_layout, "how K and V tiles lie in LDS"),
      field(
          "lds_k_group_pad", &Spec::lds_k_group_pad, pad_rule,
          "elements of padding after each group of K rows that one DMA instruction fills; only head size 64"),
      field("lds_k_row_pad", &Spec::lds_k_row_pad, pad_rule,
            "elements of padding after each K row; only head size 128"),
      field("lds_v_group_pad", &Spec::lds_v_group_pad, pad_rule, "as lds_k_group_pad, for V"),
      field("lds_v_row_pad", &Spec::lds_v_row_pad, pad_rule, "as lds_k_row_pad, for V"),
      field("dma_width", &Spec::dma_width, {.only = {4, 16}}, "bytes a lane of one global-to-LDS copy"),
      field("lazy_rescale", &Spec::lazy_rescale,
            "rescale the accumulators only when some row's maximum grew by more than 8 (in log2)"),
  };
};
static_assert(all_fields_listed<Spec>(), "Spec::fields lists every member once");

/// Query heads that share one key/value head.
[[nodiscard]] constexpr int gqa_ratio(const Spec& spec) {
  return spec.num_query_heads / spec.num_kv_heads;
}

/// \name Where the kernel finds how long a batch element's sequences are, and where they begin
/// @{
[[nodiscard]] constexpr bool reads_seqlen_q(const Spec& spec) {
  return spec.sequences != Sequences::batch;
}
[[nodiscard]] constexpr bool reads_seqlen_kv(const Spec& spec) {
  return spec.sequences != Sequences::batch || spec.kv == Kv::paged;
}
[[nodiscard]] constexpr bool packed_q(const Spec& spec) {
  return spec.sequences == Sequences::varlen;
}
[[nodiscard]] constexpr bool packed_kv(const Spec& spec) {
  return spec.sequences == Sequences::varlen && spec.kv == Kv::contiguous;
}
/// @}

/// Resets every knob that cannot affect the emitted code for this spec to its default, so that equal kernels
/// have equal specs.
[[nodiscard]] Spec canonical(const Spec& spec);

/// All reasons why no kernel is built for this spec; empty when it can be. The target is checked in
/// resolve().
[[nodiscard]] std::vector<Refusal> check(const Spec& spec);

}  // namespace wavesmith::generator::attention_dense

namespace wavesmith::generator {

template <>
struct EnumNames<attention_dense::DType> {
  static constexpr std::array<std::string_view, 2> names{"bf16", "fp16"};
};
template <>
struct EnumNames<attention_dense::Mask> {
  static constexpr std::array<std::string_view, 4> names{"full", "causal", "causal_top_left", "window"};
};
template <>
struct EnumNames<attention_dense::Sequences> {
  static constexpr std::array<std::string_view, 3> names{"batch", "varlen", "ragged"};
};
template <>
struct EnumNames<attention_dense::Kv> {
  static constexpr std::array<std::string_view, 2> names{"contiguous", "paged"};
};
template <>
struct EnumNames<attention_dense::LdsLayout> {
  static constexpr std::array<std::string_view, 1> names{"padded"};
};

}  // namespace wavesmith::generator
