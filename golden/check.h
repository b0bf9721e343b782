// Compares golden files with what this build emits. check() is the main entry; every flavour is compared on
// any host, since emission needs no compiler.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "golden/golden_file.h"
#include "golden/resource_file.h"

namespace wavesmith::golden {

struct CaseName {
  std::string flavour;
  std::string id;

  friend auto operator<=>(const CaseName&, const CaseName&) = default;
};

/// A case whose emitted text is not the pinned one.
struct Drift {
  CaseName name;
  Entry golden;   ///< what the file says
  Entry emitted;  ///< what this build makes
};

struct CheckResult {
  std::size_t checked = 0;           ///< cases compared, each flavour counted
  std::vector<CaseName> agreed;      ///< compared and equal
  std::vector<Drift> drifted;        ///< compared and different
  std::vector<CaseName> missing;     ///< cases that the golden file lacks
  std::vector<CaseName> unexpected;  ///< in the golden file, and not a case or flavour of this build
  std::vector<std::string> unread;   ///< golden files that no check reads

  /// Comparing nothing is not success.
  [[nodiscard]] bool ok() const {
    return checked > 0 && drifted.empty() && missing.empty() && unexpected.empty() && unread.empty();
  }
};

/// Compares two sets of goldens; `unread` stays empty.
[[nodiscard]] CheckResult compare(const Goldens& golden, const Goldens& emitted);

/// Reads ir_sha256.json of `folder`. Errors: invalid_request when there is no such file, check_failed when it
/// is not a golden file.
[[nodiscard]] Expected<Goldens> read_goldens(const std::filesystem::path& folder);

/// The same for resources.json.
[[nodiscard]] Expected<ResourceGoldens> read_resources(const std::filesystem::path& folder);

/// JSON files in `folder`, at any depth, that no check reads.
[[nodiscard]] std::vector<std::string> unread_files(const std::filesystem::path& folder);

/// Checks the text that ir_sha256.json of `folder` pins, and that every golden file there is read by some
/// check; resources are resource_check.h's. Errors: as read_goldens(), and cases that do not emit.
[[nodiscard]] Expected<CheckResult> check(const std::filesystem::path& folder);

}  // namespace wavesmith::golden
