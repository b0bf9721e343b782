// The results of `contract` for people, programs and CI systems.
#pragma once

#include <span>
#include <string>

#include "tools/cli/command.h"
#include "tools/contract/contract.h"

namespace wavesmith::cli {

/// ok, targets[]{target, kernels, pass, fail, findings{allowed, new}, controls{red, missed}, summary},
/// cases[]{case, target, symbol, ok, gates{name: pass, fail or null}, problems[], findings[]},
/// controls[]{name, kernel, level, what, sign, state, why, problems[]}, uncovered[], stale[].
[[nodiscard]] Json contract_json(const contract::ContractResult& result,
                                 std::span<const std::string> uncovered, const contract::Gates& gates);

/// What is wrong, then the controls by level, and one SUMMARY line for each target at the end.
[[nodiscard]] std::string contract_text(const contract::ContractResult& result,
                                        std::span<const std::string> uncovered);

[[nodiscard]] std::string contract_junit(const contract::ContractResult& result,
                                         std::span<const std::string> uncovered);

}  // namespace wavesmith::cli
