// What a spec may ask for, and its canonical form.
#include "generator/attention_dense/spec.h"

#include <algorithm>

namespace wavesmith::generator::attention_dense {
namespace {

// Fields and values that the specification names and that no kernel is built for yet.
void refuse_unbuilt(const Spec& spec, std::vector<Refusal>& refusals) {
  const auto only = [&](std::string_view name, auto value, auto built) {
    if (value != built)
      refusals.push_back(
          {std::string(name), value_text(value), fmt::format("only {} is built", value_text(built))});
  };
  if (spec.dma_width == 16) only("dma_width", spec.dma_width, 4);
}

}  // namespace

Spec canonical(const Spec& spec) {
  const Spec defaults;
  Spec result = spec;
  // Head size 64 packs two rows into one DMA group and pads groups; 128 fills a row at a time and pads rows.
  if (spec.head_size == 64) {
    result.lds_k_row_pad = defaults.lds_k_row_pad;
    result.lds_v_row_pad = defaults.lds_v_row_pad;
  } else {
    result.lds_k_group_pad = defaults.lds_k_group_pad;
    result.lds_v_group_pad = defaults.lds_v_group_pad;
  }
  if (spec.kv == Kv::contiguous) result.page_size = defaults.page_size;
  // A workgroup of n waves needs ceil(n / 4) on one of the four SIMDs in any case.
  result.waves_per_eu = std::max(spec.waves_per_eu, (spec.block_m / 32 + 3) / 4);
  return result;
}

std::vector<Refusal> check(const Spec& spec) {
  std::vector<Refusal> refusals;
  check_ranges(spec, refusals);
  if (spec.num_kv_heads >= 1 && spec.num_query_heads >= 1 && spec.num_query_heads % spec.num_kv_heads != 0)
    refusals.push_back({"num_query_heads", value_text(spec.num_query_heads),
                        fmt::format("a multiple of num_kv_heads ({})", spec.num_kv_heads)});
  refuse_unbuilt(spec, refusals);
  return refusals;
}

}  // namespace wavesmith::generator::attention_dense
