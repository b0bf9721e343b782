// The presets.
#include "generator/attention_dense/presets.h"

namespace wavesmith::generator::attention_dense {

const std::vector<std::string_view>& preset_names() {
  static const std::vector<std::string_view> names{"default", "published"};
  return names;
}

const FieldTexts* find_preset(std::string_view name) {
  static const FieldTexts defaults;
  // The layout and the choices of the kernel that this project is compared with. What a kernel computes
  // (mask, element type, sinks) is no matter of a preset.
  static const FieldTexts published{
      {"block_m", "256"},       {"block_n", "64"},        {"waves_per_eu", "2"},    {"persistent", "false"},
      {"lds_layout", "padded"}, {"lds_k_group_pad", "8"}, {"lds_k_row_pad", "8"},   {"lds_v_group_pad", "0"},
      {"lds_v_row_pad", "32"},  {"dma_width", "4"},       {"lazy_rescale", "true"},
  };
  if (name.empty() || name == "default") return &defaults;
  return name == "published" ? &published : nullptr;
}

}  // namespace wavesmith::generator::attention_dense
