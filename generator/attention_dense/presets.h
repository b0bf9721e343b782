// Presets: named sets of fields to start from. A preset is spelled out field by field, so that it stays what
// it is when a default moves; it leaves no trace in the spec, and so none in the key.
#pragma once

#include <string_view>
#include <vector>

#include "generator/fields.h"

namespace wavesmith::generator::attention_dense {

/// In the order in which they are listed.
[[nodiscard]] const std::vector<std::string_view>& preset_names();

/// Fields of a preset; null where there is none of that name. The empty name is the default preset.
[[nodiscard]] const FieldTexts* find_preset(std::string_view name);

}  // namespace wavesmith::generator::attention_dense
