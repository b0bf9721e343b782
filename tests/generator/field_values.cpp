#include "tests/generator/field_values.h"

namespace wavesmith::test {

generator::FieldTexts base_texts(int head_size) {
  return {{"head_size", std::to_string(head_size)}, {"num_query_heads", "8"}, {"num_kv_heads", "2"}};
}

const std::vector<FieldValues>& field_values() {
  static const std::vector<std::string> pads{"0", "8", "16", "24", "32", "40", "48", "56", "64"};
  static const std::vector<std::string> no_pads{"4", "12", "-8", "1", "63", "72", "128", "eight", "", "8.0"};
  static const std::vector<std::string> no_flags{"1", "0", "yes", "True", ""};
  static const std::vector<FieldValues> table{
      {"head_size", {"64", "128"}, {"32", "96", "256", "0", "-64", "63", "x", "", "64 ", "99999999999999"}},
      {"num_query_heads", {"2", "8", "40", "65534"}, {"0", "-8", "33", "7", "65536", "2147483648", "many"}},
      {"num_kv_heads", {"1", "2", "4", "8"}, {"0", "-2", "3", "16", "65536", "few"}},
      {"dtype", {"bf16", "fp16"}, {"fp32", "BF16", "bfloat", ""}},
      {"mask", {"full", "causal", "causal_top_left", "window"}, {"none", ""}},
      {"sequences", {"batch", "varlen", "ragged"}, {"thd", "padded", ""}},
      {"kv", {"contiguous", "paged"}, {"ragged", "pages", ""}},
      {"page_size", {"16", "32", "64", "128"}, {"0", "8", "48", "256", "-16"}},
      {"sinks", {"false", "true"}, no_flags},
      {"lse", {"false", "true"}, no_flags},
      {"block_m", {"128", "256"}, {"0", "32", "512"}},
      {"block_n", {"32", "64", "128"}, {"0", "16", "256"}},
      // 4 spills at both head sizes.
      {"waves_per_eu", {"1", "2"}, {"0", "-1", "9", "2.0", "4", "8"}},
      {"persistent", {"false", "true"}, no_flags},
      {"lds_layout", {"padded"}, {"swizzled", "wide", ""}},
      {"lds_k_group_pad", pads, no_pads},
      {"lds_k_row_pad", pads, no_pads},
      {"lds_v_group_pad", pads, no_pads},
      {"lds_v_row_pad", {"0", "8", "16", "24", "32", "40", "48", "56"}, no_pads},
      {"dma_width", {"4"}, {"0", "1", "2", "8", "12", "16"}},
      {"lazy_rescale", {"true", "false"}, {"on", "1"}},
  };
  return table;
}

}  // namespace wavesmith::test
