// Attention shapes of public models, by name: the heads, masks and element types that goldens, verification
// and sweeps are about. A shape says what a kernel must compute; no knob of the code belongs to it.
#pragma once

#include <span>
#include <string_view>

#include "generator/fields.h"

namespace wavesmith::generator {

struct ModelShape {
  std::string_view name;    ///< "llama-3.1-8b"; layers of another kind follow a slash
  std::string_view source;  ///< where the numbers stand: a model's config.json on a public hub
  int head_size;
  int query_heads, kv_heads;
  std::string_view mask;  ///< as in the spec's field: "full", "causal", "window"
  int window;             ///< keys that a query sees, its own included; 0: all. An argument of a launch
  bool sinks;
  std::string_view dtype;  ///< "bf16", "fp16"
};

[[nodiscard]] std::span<const ModelShape> model_shapes();
[[nodiscard]] const ModelShape* find_model_shape(std::string_view name);

/// Spec fields of a shape, for Family::resolve(). The names are those of attention-dense.
[[nodiscard]] FieldTexts fields_of(const ModelShape& shape);

/// All names, for messages: "a, b, c".
[[nodiscard]] std::string model_shape_names();

}  // namespace wavesmith::generator
