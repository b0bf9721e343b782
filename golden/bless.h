// What a re-bless would change, for a person to read before it is written: which cases move, in which
// flavours, how many stay, and what the moved ones have in common.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "golden/check.h"
#include "golden/golden_file.h"

namespace wavesmith::golden {

/// A field that has one value in all moved cases, while the list of cases has others.
struct CommonField {
  std::string field;  ///< of the canonical spec
  std::string value;
  std::size_t unmoved = 0;  ///< cases with the same value that moved in no flavour; 0: exactly these moved
};

struct BlessPlan {
  Goldens goldens;                                          ///< what would be written
  std::map<std::string, std::vector<std::string>> moved;    ///< case id -> flavours whose text changed
  std::map<std::string, std::vector<std::string>> added;    ///< case id -> flavours
  std::map<std::string, std::vector<std::string>> removed;  ///< case id -> flavours
  std::size_t moved_entries = 0;                            ///< moved, each flavour counted
  std::size_t unmoved_entries = 0;                          ///< equal to the old file, each flavour counted
  std::size_t unmoved_cases = 0;                            ///< equal in every flavour
  std::size_t unmoved_values = 0;                           ///< symbols, hashes and lengths that are equal
  std::vector<CommonField> common;                          ///< of the moved cases

  [[nodiscard]] bool changes() const { return !moved.empty() || !added.empty() || !removed.empty(); }
};

/// Compares `golden` (empty before the first bless) with what this build emits. Errors: cases that do not
/// emit.
[[nodiscard]] Expected<BlessPlan> plan_bless(const Goldens& golden);

/// The same for two given sets of goldens; `specs` holds the canonical spec of each case id.
[[nodiscard]] BlessPlan plan_bless(const Goldens& golden, Goldens emitted,
                                   const std::map<std::string, std::map<std::string, std::string>>& specs);

}  // namespace wavesmith::golden
