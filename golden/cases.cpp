// The golden cases. attention-dense: every combination of head size, element type, mask and head counts, then
// cases for the values of each field that the combinations leave at its default, alone and where they meet in
// the code that is emitted.
#include "golden/cases.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "generator/model_shapes.h"

namespace wavesmith::golden {
namespace {

struct Heads {
  int query, kv;
};

using Changes = std::vector<std::pair<std::string_view, std::string_view>>;

// A case that differs from one of the combinations in some fields.
struct Variant {
  std::string_view head_size, dtype, mask, name;
  Changes changes;
};

constexpr std::array<std::string_view, 2> head_sizes{"64", "128"}, dtypes{"bf16", "fp16"},
    masks{"full", "causal"};
// 1, 4, 8 and 5 query heads to a key/value head.
constexpr std::array<Heads, 4> head_counts{{{32, 32}, {32, 8}, {64, 8}, {40, 8}}};

// Models whose ratio of heads no other case has: only the ratio is in the text.
constexpr std::array<std::string_view, 7> models{"llama-3.1-405b", "llama-3.2-3b", "qwen2.5-0.5b",
                                                 "qwen2.5-7b",     "qwen3-0.6b",   "falcon-7b",
                                                 "smollm2-135m"};

const std::vector<Variant>& pads() {
  static const std::vector<Variant> all{
      {"64", "bf16", "causal", "kpad0", {{"lds_k_group_pad", "0"}}},
      {"64", "bf16", "causal", "kpad16", {{"lds_k_group_pad", "16"}}},
      {"64", "bf16", "causal", "kpad24", {{"lds_k_group_pad", "24"}}},
      {"64", "bf16", "causal", "kpad32", {{"lds_k_group_pad", "32"}}},
      {"64", "bf16", "full", "kpad0", {{"lds_k_group_pad", "0"}}},
      {"64", "fp16", "causal", "kpad0", {{"lds_k_group_pad", "0"}}},
      {"64", "fp16", "causal", "kpad16", {{"lds_k_group_pad", "16"}}},
      {"64", "bf16", "causal", "vpad8", {{"lds_v_group_pad", "8"}}},
      {"64", "bf16", "causal", "vpad16", {{"lds_v_group_pad", "16"}}},
      {"64", "bf16", "causal", "vpad32", {{"lds_v_group_pad", "32"}}},
      {"64", "bf16", "causal", "bn32_kpad0", {{"block_n", "32"}, {"lds_k_group_pad", "0"}}},
      {"64", "bf16", "causal", "bn128_kpad0", {{"block_n", "128"}, {"lds_k_group_pad", "0"}}},
      {"64",
       "bf16",
       "causal",
       "bn128_kpad24_vpad32",
       {{"block_n", "128"}, {"lds_k_group_pad", "24"}, {"lds_v_group_pad", "32"}}},
      {"128", "bf16", "causal", "kpad0", {{"lds_k_row_pad", "0"}}},
      {"128", "bf16", "causal", "kpad16", {{"lds_k_row_pad", "16"}}},
      {"128", "fp16", "full", "kpad0", {{"lds_k_row_pad", "0"}}},
      {"128", "bf16", "causal", "vpad0", {{"lds_v_row_pad", "0"}}},
      {"128", "bf16", "causal", "vpad16", {{"lds_v_row_pad", "16"}}},
      {"128", "bf16", "causal", "bn32_kpad0", {{"block_n", "32"}, {"lds_k_row_pad", "0"}}},
      {"128",
       "bf16",
       "causal",
       "bn128_kpad32_vpad32",
       {{"block_n", "128"}, {"lds_k_row_pad", "32"}, {"lds_v_row_pad", "32"}}},
  };
  return all;
}

const std::vector<Variant>& waves() {
  static const std::vector<Variant> all{
      {"64", "bf16", "causal", "w3", {{"waves_per_eu", "3"}}},
      {"64", "bf16", "causal", "bn32_w3", {{"block_n", "32"}, {"waves_per_eu", "3"}}},
      {"64", "bf16", "causal", "bn32_w4", {{"block_n", "32"}, {"waves_per_eu", "4"}}},
      {"64", "bf16", "causal", "bm128_w1", {{"block_m", "128"}, {"waves_per_eu", "1"}}},
      {"64", "bf16", "causal", "bm128_w3", {{"block_m", "128"}, {"waves_per_eu", "3"}}},
      {"128", "bf16", "causal", "bn32_w3", {{"block_n", "32"}, {"waves_per_eu", "3"}}},
      {"128", "bf16", "causal", "bm128_w1", {{"block_m", "128"}, {"waves_per_eu", "1"}}},
      // There is LDS for one workgroup of this kind.
      {"128",
       "bf16",
       "causal",
       "bm128_bn128_w1",
       {{"block_m", "128"}, {"block_n", "128"}, {"waves_per_eu", "1"}}},
  };
  return all;
}

// At both head sizes alike.
const std::vector<Variant>& shared() {
  static const std::vector<Variant> all{
      {"", "bf16", "causal", "bn32", {{"block_n", "32"}}},
      {"", "bf16", "full", "bn32", {{"block_n", "32"}}},
      {"", "fp16", "causal", "bn32", {{"block_n", "32"}}},
      {"", "bf16", "causal", "bn128", {{"block_n", "128"}}},
      {"", "bf16", "full", "bn128", {{"block_n", "128"}}},
      {"", "fp16", "causal", "bn128", {{"block_n", "128"}}},
      {"", "bf16", "causal", "bm128", {{"block_m", "128"}}},
      {"", "fp16", "full", "bm128", {{"block_m", "128"}}},
      {"", "bf16", "causal", "bm128_bn32", {{"block_m", "128"}, {"block_n", "32"}}},
      {"", "bf16", "causal_top_left", "", {}},
      {"", "fp16", "causal_top_left", "", {}},
      {"", "bf16", "causal_top_left", "bn32", {{"block_n", "32"}}},
      {"", "bf16", "causal_top_left", "bn128", {{"block_n", "128"}}},
      {"", "bf16", "causal", "lse", {{"lse", "true"}}},
      {"", "fp16", "full", "lse", {{"lse", "true"}}},
      {"", "bf16", "causal_top_left", "lse", {{"lse", "true"}}},
      {"", "bf16", "causal", "bn128_lse", {{"block_n", "128"}, {"lse", "true"}}},
      {"", "bf16", "causal", "exact", {{"lazy_rescale", "false"}}},
      {"", "fp16", "full", "exact", {{"lazy_rescale", "false"}}},
      {"",
       "bf16",
       "causal",
       "bm128_bn32_exact_lse",
       {{"block_m", "128"}, {"block_n", "32"}, {"lazy_rescale", "false"}, {"lse", "true"}}},
  };
  return all;
}

// At both head sizes alike: windows and sinks, alone and with one another.
const std::vector<Variant>& masks_and_sinks() {
  static const std::vector<Variant> all{
      {"", "bf16", "window", "", {}},
      {"", "fp16", "window", "lse", {{"lse", "true"}}},
      {"", "bf16", "window", "bn32", {{"block_n", "32"}}},
      {"", "bf16", "window", "bn128", {{"block_n", "128"}}},
      {"", "bf16", "window", "bm128", {{"block_m", "128"}}},
      {"", "bf16", "causal", "sinks", {{"sinks", "true"}}},
      {"", "fp16", "full", "sinks_lse", {{"sinks", "true"}, {"lse", "true"}}},
      {"", "bf16", "window", "sinks_lse", {{"sinks", "true"}, {"lse", "true"}}},
      {"", "bf16", "window", "persistent", {{"persistent", "true"}}},
      {"", "fp16", "window", "persistent_sinks", {{"persistent", "true"}, {"sinks", "true"}}},
  };
  return all;
}

// At both head sizes alike: workgroups that walk over work items.
const std::vector<Variant>& persistent() {
  static const std::vector<Variant> all{
      {"", "bf16", "causal", "persistent", {{"persistent", "true"}}},
      {"", "fp16", "full", "persistent", {{"persistent", "true"}}},
      {"", "bf16", "causal_top_left", "persistent", {{"persistent", "true"}}},
      {"", "bf16", "causal", "persistent_lse", {{"persistent", "true"}, {"lse", "true"}}},
      {"", "bf16", "causal", "persistent_bn32", {{"persistent", "true"}, {"block_n", "32"}}},
      {"", "bf16", "causal", "persistent_bn128", {{"persistent", "true"}, {"block_n", "128"}}},
      {"", "bf16", "causal", "persistent_bm128", {{"persistent", "true"}, {"block_m", "128"}}},
      {"",
       "fp16",
       "full",
       "persistent_exact_lse",
       {{"persistent", "true"}, {"lazy_rescale", "false"}, {"lse", "true"}}},
      {"",
       "bf16",
       "causal",
       "persistent_kpad0",
       {{"persistent", "true"}, {"lds_k_group_pad", "0"}, {"lds_k_row_pad", "0"}}},
  };
  return all;
}

// At both head sizes alike: sequences of different lengths, and keys in pages; alone, and with what else
// decides where a row's keys begin and end.
const std::vector<Variant>& sequences_and_pages() {
  static const std::vector<Variant> all{
      {"", "bf16", "causal", "varlen", {{"sequences", "varlen"}}},
      {"", "fp16", "full", "varlen_lse", {{"sequences", "varlen"}, {"lse", "true"}}},
      {"", "bf16", "window", "varlen_bm128", {{"sequences", "varlen"}, {"block_m", "128"}}},
      {"",
       "bf16",
       "causal",
       "varlen_persistent_sinks_lse",
       {{"sequences", "varlen"}, {"persistent", "true"}, {"sinks", "true"}, {"lse", "true"}}},
      {"", "bf16", "causal", "ragged_lse", {{"sequences", "ragged"}, {"lse", "true"}}},
      {"", "fp16", "causal_top_left", "ragged_bn128", {{"sequences", "ragged"}, {"block_n", "128"}}},
      {"", "fp16", "full", "ragged_persistent", {{"sequences", "ragged"}, {"persistent", "true"}}},
      {"", "bf16", "causal", "paged16", {{"kv", "paged"}, {"page_size", "16"}}},
      {"", "fp16", "full", "paged64_lse", {{"kv", "paged"}, {"lse", "true"}}},
      {"", "bf16", "window", "paged128_bn32", {{"kv", "paged"}, {"page_size", "128"}, {"block_n", "32"}}},
      {"",
       "bf16",
       "causal",
       "paged32_persistent",
       {{"kv", "paged"}, {"page_size", "32"}, {"persistent", "true"}}},
      {"", "bf16", "causal", "varlen_paged64", {{"sequences", "varlen"}, {"kv", "paged"}}},
      {"",
       "fp16",
       "window",
       "varlen_paged16_persistent_sinks_lse",
       {{"sequences", "varlen"},
        {"kv", "paged"},
        {"page_size", "16"},
        {"persistent", "true"},
        {"sinks", "true"},
        {"lse", "true"}}},
      // A wave copies keys of two pages.
      {"",
       "bf16",
       "causal",
       "ragged_paged16_bm128_bn128_w1",
       {{"sequences", "ragged"},
        {"kv", "paged"},
        {"page_size", "16"},
        {"block_m", "128"},
        {"block_n", "128"},
        {"waves_per_eu", "1"}}},
  };
  return all;
}

Case attention_dense(std::string_view head_size, std::string_view dtype, std::string_view mask, Heads heads) {
  return {.family = "attention-dense",
          .target = "gfx950",
          .variant = fmt::format("d{}_{}_{}_q{}_kv{}", head_size, dtype, mask, heads.query, heads.kv),
          .preset = "",
          .fields = {{"head_size", std::string(head_size)},
                     {"dtype", std::string(dtype)},
                     {"mask", std::string(mask)},
                     {"num_query_heads", std::to_string(heads.query)},
                     {"num_kv_heads", std::to_string(heads.kv)}}};
}

std::vector<Case> make_cases() {
  std::vector<Case> all;
  for (std::string_view head_size : head_sizes)
    for (std::string_view dtype : dtypes)
      for (std::string_view mask : masks)
        for (Heads heads : head_counts) all.push_back(attention_dense(head_size, dtype, mask, heads));
  const auto add = [&](const Variant& variant, std::string_view head_size) {
    Case one = attention_dense(head_size, variant.dtype, variant.mask, {32, 8});
    if (!variant.name.empty()) one.variant += fmt::format("_{}", variant.name);
    for (const auto& [field, value] : variant.changes)
      one.fields.insert_or_assign(std::string(field), std::string(value));
    all.push_back(std::move(one));
  };
  for (const auto* variants : {&pads(), &waves()})
    for (const Variant& variant : *variants) add(variant, variant.head_size);
  for (const auto* variants : {&shared(), &masks_and_sinks(), &persistent(), &sequences_and_pages()})
    for (std::string_view head_size : head_sizes)
      for (const Variant& variant : *variants) add(variant, head_size);
  // A ratio of heads that no other case has: the published choices may be the defaults.
  for (std::string_view head_size : head_sizes) {
    Case one = attention_dense(head_size, "bf16", "causal", {48, 8});
    one.variant += "_published";
    one.preset = "published";
    all.push_back(one);
    one.variant += "_persistent";
    one.fields.insert_or_assign("persistent", "true");
    all.push_back(std::move(one));
  }
  for (std::string_view name : models) {
    const generator::ModelShape* shape = generator::find_model_shape(name);
    if (shape == nullptr) continue;
    std::string variant = fmt::format("model_{}", name);
    all.push_back({.family = "attention-dense",
                   .target = "gfx950",
                   .variant = std::move(variant),
                   .preset = "",
                   .fields = generator::fields_of(*shape)});
  }
  return all;
}

}  // namespace

std::span<const Case> cases() {
  static const std::vector<Case> all = make_cases();
  return all;
}

}  // namespace wavesmith::golden
