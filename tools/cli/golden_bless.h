// What a bless found and did, between golden_bless.cpp, which finds and does it, and
// golden_bless_review.cpp, which tells it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/bless.h"
#include "golden/check.h"
#include "golden/resource_check.h"
#include "tools/cli/command.h"
#include "tools/cli/golden_junit.h"
#include "tools/cli/golden_review.h"

namespace wavesmith::cli {

/// Whether the base revision's committed goldens are what its own sources make.
struct BaseRecheck {
  std::string revision, commit, name;
  golden::CheckResult text;
  std::vector<golden::ResourceResult>
      resources;  ///< of the cases that changed since; of others nothing hangs on it

  [[nodiscard]] bool ok() const;
};

/// A golden file before and after.
struct BlessedFile {
  std::string path;                   ///< on this machine
  std::string place;                  ///< in the repository
  std::optional<std::string> before;  ///< empty: there was none
  std::string now;

  [[nodiscard]] bool changes() const { return before != now; }
};

struct Bless {
  std::optional<BaseRecheck> base;  ///< empty: --no-base
  golden::BlessPlan plan;           ///< since the base; since the file in the folder, where there is none
  golden::ResourceCheck resources;  ///< the same of resources
  std::vector<BlessedFile> files;
  bool written = false;
  std::string patch;  ///< file that it was written to

  [[nodiscard]] bool refused() const { return base && !base->ok(); }
  [[nodiscard]] bool changes() const;
  /// Nothing is left to bless.
  [[nodiscard]] bool ok() const { return !refused() && (written || !changes()); }
};

[[nodiscard]] Json bless_json(const Bless& bless);
[[nodiscard]] Review bless_review(const Bless& bless);
[[nodiscard]] std::vector<JUnitCase> bless_cases(const Bless& bless);

/// The summary, and behind it the changes of the files for `git apply`. Errors: those of diff_texts().
[[nodiscard]] Expected<std::string> bless_patch(const Bless& bless);

}  // namespace wavesmith::cli
