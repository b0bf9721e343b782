// One golden case at another revision and now: its LLVM IR in each flavour, and with each compiler at hand
// its instructions and resources. diff_case() is the only entry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "golden/base_revision.h"
#include "golden/cases.h"
#include "golden/resource_check.h"
#include "golden/text_diff.h"

namespace wavesmith::golden {

/// LLVM IR. Flavours whose texts differ in the same lines are one group.
struct IrDiff {
  std::vector<std::string> flavours;
  TextDiff diff;
};

struct CodeDiff {
  std::string compiler;
  TextDiff instructions;
  Resources before, now;
  std::vector<ResourceChange> changes;  ///< of resources
};

struct CaseDiff {
  std::vector<IrDiff> ir;                 ///< equal texts included
  std::vector<std::string> new_flavours;  ///< in which the base revision has no such case
  std::vector<CodeDiff> code;
  std::vector<NotChecked> not_checked;  ///< compilers whose code is not compared

  [[nodiscard]] bool same() const;
};

/// `flavour`: the only one to compare, empty: all. Errors: those of emission and of the base revision.
[[nodiscard]] Expected<CaseDiff> diff_case(const BaseRevision& base, const Case& golden_case,
                                           std::string_view flavour, runtime::CompilerPool& pool);

}  // namespace wavesmith::golden
