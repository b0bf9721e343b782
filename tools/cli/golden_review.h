// What a `golden` command found, as sentences and tables, in the forms that people read it in: text for a
// terminal and Markdown for a review. golden_junit.h is for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::cli {

/// Lines, then a table, then text to be shown as it is; any of them may be empty.
struct ReviewBlock {
  std::string title = {};
  std::vector<std::string> lines = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};  ///< one cell a column; names, hashes, numbers
  std::string verbatim = {};
  std::string language = {};  ///< of `verbatim`, for highlighting: "diff"
};

struct Review {
  std::string title = {};    ///< "golden check"
  std::string verdict = {};  ///< one line
  bool ok = true;
  std::vector<ReviewBlock> blocks = {};
};

/// The verdict is the last line.
[[nodiscard]] std::string review_text(const Review& review);

/// The verdict comes first. Long tables and texts fold; very long texts are cut, and say so, since places
/// that show Markdown limit its length.
[[nodiscard]] std::string review_markdown(const Review& review);

}  // namespace wavesmith::cli
