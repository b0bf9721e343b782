// Text and Markdown.
#include "tools/cli/golden_review.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

// A comment on GitHub holds 65,536 characters.
constexpr std::size_t most_lines = 300, folded_from = 20;

std::string fence_for(std::string_view text, std::size_t least) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(least, longest + 1), '`');
}

// A table's cell. A bar ends a cell even within code, unless a backslash stands before it.
std::string cell(std::string_view value) {
  if (value.empty()) return "";
  const std::string safe = for_cell(value);
  const std::string fence = fence_for(safe, 1);
  const std::string_view blank = fence.size() > 1 ? " " : "";
  std::string text = fmt::format("{0}{1}{2}{1}{0}", fence, blank, safe);
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, 1, '\\');
  return text;
}

// A sentence may hold names from files: what Markdown or HTML would take for markup is escaped.
std::string sentence(std::string_view line) {
  std::string text;
  for (const char c : for_cell(line)) {
    if (std::string_view("\\`*_[]<>|#").contains(c)) text += '\\';
    text += c;
  }
  return text;
}

void append_table(const ReviewBlock& block, std::string& text) {
  auto out = std::back_inserter(text);
  text += "\n|";
  for (const std::string& column : block.columns) fmt::format_to(out, " {} |", sentence(column));
  text += "\n|";
  for (std::size_t i = 0; i < block.columns.size(); ++i) text += " --- |";
  text += "\n";
  for (const auto& row : block.rows) {
    text += "|";
    for (const std::string& value : row) fmt::format_to(out, " {} |", cell(value));
    text += "\n";
  }
}

void append_verbatim(const ReviewBlock& block, std::string& text) {
  std::string_view shown = block.verbatim;
  std::size_t end = 0, lines = 0;
  while (end < shown.size() && lines < most_lines) {
    end = std::min(shown.size(), shown.find('\n', end)) + 1;
    ++lines;
  }
  const std::string_view rest = shown.substr(std::min(end, shown.size()));
  shown = shown.substr(0, end);
  const std::string safe = for_terminal(shown);
  const std::string fence = fence_for(safe, 3);
  fmt::format_to(std::back_inserter(text), "\n{}{}\n{}{}{}\n", fence, block.language, safe,
                 safe.ends_with('\n') ? "" : "\n", fence);
  if (!rest.empty())
    fmt::format_to(std::back_inserter(text), "\n{} more lines are not shown.\n",
                   std::ranges::count(rest, '\n') + (rest.ends_with('\n') ? 0 : 1));
}

}  // namespace

std::string review_text(const Review& review) {
  std::string text;
  for (const ReviewBlock& block : review.blocks) {
    if (!block.title.empty()) text += for_cell(block.title) + "\n";
    for (const std::string& line : block.lines) text += for_cell(line) + "\n";
    if (!block.rows.empty()) {
      std::vector<Table::Column> columns;
      for (const std::string& title : block.columns) columns.push_back({title, Table::Align::left});
      Table table(std::move(columns));
      for (const auto& row : block.rows) {
        std::vector<std::string> cells;
        for (const std::string& value : row) cells.push_back(for_cell(value));
        table.row(std::move(cells));
      }
      text += table.text(block.title.empty() ? 0 : 2);
    }
    text += for_terminal(block.verbatim);
    text += "\n";
  }
  return text + for_cell(review.verdict) + "\n";
}

std::string review_markdown(const Review& review) {
  std::string text = fmt::format("### {}: {}\n\n{}\n", sentence(review.title), review.ok ? "ok" : "FAILED",
                                 sentence(review.verdict));
  for (const ReviewBlock& block : review.blocks) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(block.verbatim, '\n'));
    const bool folds = std::max(block.rows.size(), lines) >= folded_from;
    if (!block.title.empty()) fmt::format_to(std::back_inserter(text), "\n**{}**\n", sentence(block.title));
    for (const std::string& line : block.lines)
      fmt::format_to(std::back_inserter(text), "\n{}\n", sentence(line));
    if (folds)
      fmt::format_to(std::back_inserter(text), "\n<details><summary>{} {}</summary>\n",
                     std::max(block.rows.size(), lines), block.rows.empty() ? "lines" : "rows");
    if (!block.rows.empty()) append_table(block, text);
    if (!block.verbatim.empty()) append_verbatim(block, text);
    if (folds) text += "\n</details>\n";
  }
  return text;
}

}  // namespace wavesmith::cli
