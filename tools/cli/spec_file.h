// Spec files: a JSON object of field names and values, the form in which `emit --json` and `compile --json`
// print a spec.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/families.h"
#include "tools/cli/command.h"

namespace wavesmith::cli {

struct SpecFile {
  bool readable = true;  ///< false: nothing is known of its fields
  generator::FieldTexts fields;
  std::string preset;  ///< empty where the file names none
};

/// Reads `path` ("-": standard input). A value must have its field's JSON type: 64, true, "bf16". What is
/// wrong is added to `refusals`; fields that the family does not have are left for it to refuse.
[[nodiscard]] SpecFile read_spec_file(const std::string& path, const generator::Family& family,
                                      std::vector<Refusal>& refusals);

/// The canonical spec of a kernel as such an object.
[[nodiscard]] Json spec_json(const generator::Family& family, const generator::ResolvedKernel& kernel);

}  // namespace wavesmith::cli
