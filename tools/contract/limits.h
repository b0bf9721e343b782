// Limits that a kernel's resources must keep whatever the compiler, and how they differ from the recorded
// ones. compare_limits() is the entry; nothing is executed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "golden/resource_check.h"
#include "tools/contract/case.h"

namespace wavesmith::contract {

/// One number, recorded ("base") and now.
struct LimitRow {
  std::string id;
  std::string field;  ///< "vgpr", "instructions v_mfma_"
  std::uint64_t base = 0, now = 0;
};

/// A limit that is broken: spills, scratch, too much LDS, too few waves, or a record that is missing.
struct LimitProblem {
  std::string id;
  std::string what;
};

struct LimitResult {
  std::string compiler;
  std::size_t checked = 0;
  std::vector<LimitRow> numbers;        ///< every case's registers, LDS, scratch and spills
  std::vector<LimitRow> drift;          ///< those and counted instructions, where they differ
  std::vector<std::string> unrecorded;  ///< cases without a record by this compiler
  std::vector<LimitProblem> base_problems, now_problems;

  /// Drift is shown, not fatal.
  [[nodiscard]] bool ok() const { return now_problems.empty() && checked > 0; }
  /// "LIMITS LLVM 22.1.8 (llvm): 109 cases; problems: 0 at base, 0 now; 0 numbers differ, 0 not recorded"
  [[nodiscard]] std::string summary() const;
};

/// `base`: recorded, `now`: measured, by case id. Cases without a measurement are left out.
[[nodiscard]] LimitResult compare_limits(std::string_view compiler, std::span<const ContractCase> cases,
                                         const golden::ResourceEntries& base,
                                         const golden::ResourceEntries& now);

}  // namespace wavesmith::contract
