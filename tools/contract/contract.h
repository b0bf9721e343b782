// The contract of a family's kernels: every case through the gates, then every planted fault, and one line of
// summary for each target. run_contract() is the entry; docs/contract.md describes it all.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/contract/allow_list.h"
#include "tools/contract/case.h"
#include "tools/contract/control.h"
#include "tools/contract/gates.h"

namespace wavesmith::contract {

struct Request {
  std::vector<ContractCase> cases;   ///< to run
  std::vector<Control> controls;     ///< to plant
  std::vector<std::string> targets;  ///< whose control kernels they are planted into
  Gates gates = {};
  AllowList allowed = {};
  unsigned jobs = 0;  ///< cases and controls that run at a time; 0: one for each CPU
  /// Cases and controls done, and of how many; from one thread at a time.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

struct CaseResult {
  std::string id, target, symbol;
  Verdict verdict;
  std::optional<Error> environment = {};  ///< why this machine could not judge it
  [[nodiscard]] bool ok() const { return verdict.problems.empty(); }
};

struct TargetResult {
  std::string target;
  std::vector<CaseResult> cases;
  std::vector<ControlResult> controls;
  std::vector<Finding> allowed, fresh;  ///< findings that the list has, and those that it has not
  std::string baseline_problem = {};    ///< why faults could not be planted at all

  [[nodiscard]] std::size_t passed() const;
  [[nodiscard]] std::size_t controls_red() const;
  /// Nothing failed, nothing is new, every control is red.
  [[nodiscard]] bool ok() const;
  /// "SUMMARY gfx950: 109 kernels, 109 pass, 0 fail; …"
  [[nodiscard]] std::string summary() const;
};

struct ContractResult {
  std::vector<TargetResult> targets;
  std::vector<AllowedFinding> stale;  ///< entries of the list that match nothing, though their case ran
  /// Running nothing is not success.
  [[nodiscard]] bool ok() const;
};

/// Errors: environment, where this machine cannot compile or run.
[[nodiscard]] Expected<ContractResult> run_contract(const Request& request, const KernelCompiler& compiler);

}  // namespace wavesmith::contract
