// The golden cases. attention-dense: every combination of head size, element type, mask and head counts, then
// one case for each value of a knob that the combinations leave at its default.
#include "golden/cases.h"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace wavesmith::golden {
namespace {

struct Heads {
  int query, kv;
};

struct Knob {
  std::string_view head_size, dtype, mask, name, field, value;
};

constexpr std::array<std::string_view, 2> head_sizes{"64", "128"}, dtypes{"bf16", "fp16"},
    masks{"full", "causal"};
// 1, 4, 8 and 5 query heads to a key/value head.
constexpr std::array<Heads, 4> head_counts{{{32, 32}, {32, 8}, {64, 8}, {40, 8}}};

constexpr std::array knobs{
    Knob{"64", "bf16", "causal", "kpad0", "lds_k_group_pad", "0"},
    Knob{"64", "bf16", "causal", "kpad16", "lds_k_group_pad", "16"},
    Knob{"64", "bf16", "causal", "kpad24", "lds_k_group_pad", "24"},
    Knob{"64", "bf16", "causal", "kpad32", "lds_k_group_pad", "32"},
    Knob{"64", "bf16", "full", "kpad0", "lds_k_group_pad", "0"},
    Knob{"64", "fp16", "causal", "kpad0", "lds_k_group_pad", "0"},
    Knob{"64", "fp16", "causal", "kpad16", "lds_k_group_pad", "16"},
    Knob{"64", "bf16", "causal", "vpad8", "lds_v_group_pad", "8"},
    Knob{"64", "bf16", "causal", "vpad16", "lds_v_group_pad", "16"},
    Knob{"64", "bf16", "causal", "w3", "waves_per_eu", "3"},
    Knob{"128", "bf16", "causal", "kpad0", "lds_k_row_pad", "0"},
    Knob{"128", "bf16", "causal", "kpad16", "lds_k_row_pad", "16"},
    Knob{"128", "fp16", "full", "kpad0", "lds_k_row_pad", "0"},
    Knob{"128", "bf16", "causal", "vpad0", "lds_v_row_pad", "0"},
    Knob{"128", "bf16", "causal", "vpad16", "lds_v_row_pad", "16"},
};

Case attention_dense(std::string_view head_size, std::string_view dtype, std::string_view mask, Heads heads) {
  return {.family = "attention-dense",
          .target = "gfx950",
          .variant = fmt::format("d{}_{}_{}_q{}_kv{}", head_size, dtype, mask, heads.query, heads.kv),
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
  for (const Knob& knob : knobs) {
    Case one = attention_dense(knob.head_size, knob.dtype, knob.mask, {32, 8});
    one.variant += fmt::format("_{}", knob.name);
    one.fields.insert_or_assign(std::string(knob.field), std::string(knob.value));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::span<const Case> cases() {
  static const std::vector<Case> all = make_cases();
  return all;
}

}  // namespace wavesmith::golden
