// For each field of an attention-dense spec, values that must be accepted and values that must be refused
// when they are the only change to a valid spec. Written by hand from what is built, not read from the code.
#pragma once

#include <string>
#include <vector>

#include "generator/fields.h"

namespace wavesmith::test {

struct FieldValues {
  std::string field;
  std::vector<std::string> accepted;
  std::vector<std::string> refused;
};

/// Query heads 8, key/value heads 2.
[[nodiscard]] generator::FieldTexts base_texts(int head_size);

[[nodiscard]] const std::vector<FieldValues>& field_values();

}  // namespace wavesmith::test
