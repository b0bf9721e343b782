// Pinned resources in the outputs of the `golden` commands.
#pragma once

#include <string>
#include <vector>

#include "golden/resource_check.h"
#include "tools/cli/command.h"
#include "tools/cli/golden_junit.h"
#include "tools/cli/golden_review.h"

namespace wavesmith::cli {

/// --[no-]resources.
[[nodiscard]] Option golden_resources_option();
[[nodiscard]] bool wants_resources(const Arguments& arguments);

/// Workers for compiling all cases: as many as this machine runs at a time, where --comgr and --worker say.
/// Appends refusals.
[[nodiscard]] runtime::CompilerPoolOptions all_workers(const Arguments& arguments,
                                                       std::vector<Refusal>& refusals);

/// What stands for a check that --no-resources left out.
[[nodiscard]] golden::ResourceCheck no_resource_check();

[[nodiscard]] Json resource_change_json(const golden::ResourceChange& change);
/// `{checked, compilers[], not_checked[]}`.
[[nodiscard]] Json resource_check_json(const golden::ResourceCheck& check);

/// One block a compiler that has something to say, one of what was not checked.
[[nodiscard]] std::vector<ReviewBlock> resource_blocks(const golden::ResourceCheck& check);
/// "resources by LLVM 22.1.8 (llvm): 47 checked, 0 failed, 2 changed within the slack, 0 missing, 0
/// unexpected", one a compiler; or that none was checked.
[[nodiscard]] std::vector<std::string> resource_verdicts(const golden::ResourceCheck& check);

void append_resource_cases(const golden::ResourceCheck& check, std::vector<JUnitCase>& cases);

}  // namespace wavesmith::cli
