// Compares pinned resources with measured ones (compare_resources()), and measures (measure_cases()) with the
// compilers that are at hand (compilers_at_hand()). A compiler that is not at hand is named as not checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "golden/resource_file.h"
#include "lowering/flavour.h"
#include "runtime/compiler.h"

namespace wavesmith::golden {

/// A number that is not the pinned one.
struct ResourceChange {
  std::string id;
  std::string field;  ///< "vgpr", "instructions v_mfma_"
  std::uint64_t golden = 0;
  std::uint64_t measured = 0;
  bool fails = false;  ///< else only shown: registers within the slack
};

/// One compiler's cases.
struct ResourceResult {
  std::string compiler;
  std::vector<std::string> agreed;      ///< cases that need exactly what is pinned
  std::vector<ResourceChange> changes;  ///< of the others
  std::vector<std::string> missing;     ///< cases that the file lacks
  std::vector<std::string> unexpected;  ///< in the file, and no case of this build
  std::size_t checked = 0;              ///< cases compared

  /// Comparing nothing is not success.
  [[nodiscard]] bool ok() const;
};

struct NotChecked {
  std::string compiler;
  std::string reason;
};

struct ResourceCheck {
  std::vector<ResourceResult> results;
  std::vector<NotChecked> not_checked;

  [[nodiscard]] bool ok() const;
};

/// A change of spills, scratch, LDS or instruction counts fails, one of registers beyond the slack.
[[nodiscard]] ResourceResult compare_resources(std::string_view compiler, const ResourceEntries& golden,
                                               const ResourceEntries& measured, const Slack& slack);

/// A compiler that can be asked, and the flavour that it reads.
struct Compiler {
  runtime::Backend backend{};
  std::string name;  ///< its version, without the linker's, which changes none of the numbers
  const lowering::Flavour* flavour = nullptr;
  runtime::CompilerInfo info = {};
};

struct CompilersAtHand {
  std::vector<Compiler> found;
  std::vector<NotChecked> absent;  ///< by backend, with the reason
};

[[nodiscard]] CompilersAtHand compilers_at_hand(runtime::CompilerPool& pool);

struct Measured {
  Resources resources;
  std::string disassembly;  ///< one instruction a line, without addresses
};

/// Compiles text of one kernel. Errors: the compiler's.
[[nodiscard]] Expected<Measured> measure(runtime::CompilerPool& pool, const Compiler& compiler,
                                         std::string_view ir, std::string_view target);

/// Every golden case of a target that the compiler knows, several at a time. `progress` gets cases done and
/// of how many, from one thread at a time. Errors: all cases that do not compile, at once;
/// Interrupts::came().
[[nodiscard]] Expected<ResourceEntries> measure_cases(
    runtime::CompilerPool& pool, const Compiler& compiler,
    const std::function<void(std::size_t, std::size_t)>& progress);

/// Every compiler at hand that `golden` pins is compared; others are not checked, with the reason.
[[nodiscard]] Expected<ResourceCheck> check_resources(
    const ResourceGoldens& golden, runtime::CompilerPool& pool,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace wavesmith::golden
