// git compares two files of a temporary folder.
#include "golden/text_diff.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "golden/process.h"
#include "golden/temporary_folder.h"

namespace wavesmith::golden {

namespace fs = std::filesystem;

namespace {

class TwoFiles {
 public:
  explicit TwoFiles(fs::path folder) : folder_(std::move(folder)) {}
  ~TwoFiles() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  TwoFiles(const TwoFiles&) = delete;
  TwoFiles& operator=(const TwoFiles&) = delete;

  [[nodiscard]] bool write(std::string_view name, std::string_view text) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    file << text;
    file.close();
    return !file.fail();
  }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

}  // namespace

Expected<TextDiff> diff_texts(std::string_view before, std::string_view now) {
  TextDiff diff;
  if (before == now) return diff;
  auto folder = make_temporary_folder("wavesmith_diff_");
  if (!folder) return std::unexpected(std::move(folder).error());
  const TwoFiles files(std::move(*folder));
  if (!files.write("before", before) || !files.write("now", now))
    return fail(ErrorKind::environment, "there is no place for temporary files to compare");
  const auto finished = run_process({.words = {"git", "diff", "--no-index", "--no-ext-diff", "--no-textconv",
                                               "--no-color", "--text", "-U3", "before", "now"},
                                     .folder = files.folder(),
                                     .environment = {{"LC_ALL", "C"}}});
  if (!finished) return std::unexpected(finished.error());
  const std::string& out = finished->out;
  // The header names files of a temporary folder.
  const std::size_t start = out.find("\n@@ ");
  if (finished->status != 1 || start == std::string::npos)
    return fail(ErrorKind::environment, "git does not compare two files", finished->log());
  diff.hunks = out.substr(start + 1);
  for (std::size_t at = 0; at < diff.hunks.size(); at = diff.hunks.find('\n', at) + 1) {
    if (diff.hunks[at] == '+') ++diff.added;
    if (diff.hunks[at] == '-') ++diff.removed;
  }
  return diff;
}

std::string patch_text(std::string_view path, const TextDiff& diff, bool creates) {
  return fmt::format("diff --git a/{0} b/{0}\n{1}--- {2}\n+++ b/{0}\n{3}", path,
                     creates ? "new file mode 100644\n" : "",
                     creates ? "/dev/null" : fmt::format("a/{}", path), diff.hunks);
}

}  // namespace wavesmith::golden
