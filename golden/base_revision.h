// Another revision of these sources, asked what it pins and what it emits: its sources are checked out in a
// git worktree of their own, and its emitter (emitter.cpp, a target without LLVM) is built there.
// BaseRevision::build() is the only entry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "wavesmith/error.h"

#include "golden/golden_file.h"

namespace wavesmith::golden {

struct BaseRequest {
  std::filesystem::path golden_folder;  ///< of the work tree whose history is meant
  std::string revision = "HEAD";        ///< anything that git takes for a commit
  std::filesystem::path keep = {};  ///< folder for worktree and build that stays, for the next call; empty:
                                    ///< a temporary one, removed at the end
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< of the build
};

class BaseRevision {
 public:
  /// Errors: environment where there is no git, no work tree around the folder, or the revision does not
  /// build, with the build's output in the log; invalid_request for what is no commit and for a `keep` that
  /// holds something else. An interrupt (Interrupts) is an error too; nothing stays behind then.
  [[nodiscard]] static Expected<BaseRevision> build(const BaseRequest& request);

  [[nodiscard]] const std::string& revision() const { return revision_; }
  [[nodiscard]] const std::string& commit() const { return commit_; }  ///< full id
  /// "HEAD (0123456789ab)".
  [[nodiscard]] std::string name() const;

  /// The place of a file of the golden folder in the repository: "golden/ir_sha256.json".
  [[nodiscard]] std::string path_of(std::string_view file) const;
  /// A file of the golden folder as committed, empty where the commit has none.
  [[nodiscard]] Expected<std::optional<std::string>> committed(std::string_view file) const;
  /// What this revision's sources emit for this revision's cases.
  [[nodiscard]] Expected<Goldens> emitted() const;
  /// LLVM IR text, empty where this revision has no such case or flavour.
  [[nodiscard]] Expected<std::optional<std::string>> text(std::string_view flavour,
                                                          std::string_view id) const;

 private:
  class Workspace;
  struct Repository;

  BaseRevision() = default;

  std::string revision_, commit_;
  std::shared_ptr<const Repository> repository_;
  std::shared_ptr<Workspace> workspace_;
};

}  // namespace wavesmith::golden
