// The golden cases as this build emits them now.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/cases.h"
#include "golden/golden_file.h"
#include "lowering/flavour.h"

namespace wavesmith::golden {

/// Field names and values of a canonical spec, in the order of the spec.
using SpecFields = std::vector<std::pair<std::string, std::string>>;

struct Emission {
  Entry entry;
  std::string text;  ///< LLVM IR
  SpecFields spec;   ///< canonical
};

/// The case of that id, or null.
[[nodiscard]] const Case* find_case(std::string_view id);

/// Errors (check_failed): a case that is refused or does not emit, by its id.
[[nodiscard]] Expected<Emission> emit(const Case& golden_case, const lowering::Flavour& flavour);

/// Every case in every flavour. Errors: all cases that do not emit, at once.
[[nodiscard]] Expected<Goldens> emit_all();

}  // namespace wavesmith::golden
