// The list of golden cases: which specs have their emitted text pinned. cases.cpp is the list itself, as
// data.
#pragma once

#include <span>
#include <string>

#include "generator/fields.h"

namespace wavesmith::golden {

struct Case {
  std::string family;   ///< as in generator::find_family()
  std::string target;   ///< target id
  std::string variant;  ///< readable, unique within family and target
  std::string preset;   ///< as in Family::resolve()
  generator::FieldTexts fields;

  /// "<family>/<target>/<variant>": the name in golden files and messages.
  [[nodiscard]] std::string id() const { return family + "/" + target + "/" + variant; }
};

/// All cases, in the order of the list.
[[nodiscard]] std::span<const Case> cases();

}  // namespace wavesmith::golden
