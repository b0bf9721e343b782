// Pinned text in the outputs of the `golden` commands: comparisons of golden files with what is emitted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/check.h"
#include "tools/cli/command.h"
#include "tools/cli/golden_junit.h"
#include "tools/cli/golden_review.h"

namespace wavesmith::cli {

/// `{ok, checked, drifted[], missing[], unexpected[], unread[]}`.
[[nodiscard]] Json text_check_json(const golden::CheckResult& result);

/// What is not as pinned, a row each; no rows where all is.
[[nodiscard]] ReviewBlock text_check_block(const golden::CheckResult& result);
/// "47 checked, 0 drifted, 0 missing, 0 unexpected".
[[nodiscard]] std::string text_check_counts(const golden::CheckResult& result);

/// One case for each flavour and golden case; `suite_prefix` stands before the flavour's name.
void append_text_cases(const golden::CheckResult& result, std::string_view suite_prefix,
                       std::vector<JUnitCase>& cases);

}  // namespace wavesmith::cli
