// Column widths and escapes.
#include "tools/cli/table.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::cli {
namespace {

std::string escape(char c) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  bool titled = false;
  for (const Column& column : columns_) {
    widths.push_back(column.title.size());
    titled = titled || !column.title.empty();
  }
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < row.cells.size(); ++i) widths[i] = std::max(widths[i], row.cells[i].size());

  std::string text;
  const auto line = [&](auto&& cell) {
    std::string built(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) built += "  ";
      built += columns_[i].align == Align::left ? fmt::format("{:<{}}", cell(i), widths[i])
                                                : fmt::format("{:>{}}", cell(i), widths[i]);
    }
    built.erase(built.find_last_not_of(' ') + 1);
    text += built + "\n";
  };
  if (titled) line([&](std::size_t i) -> std::string_view { return columns_[i].title; });
  for (const Row& row : rows_) {
    if (row.cells.empty())
      text += (text.empty() ? "" : "\n") + row.heading + "\n";
    else
      line([&](std::size_t i) -> std::string_view { return row.cells[i]; });
  }
  return text;
}

std::string for_terminal(std::string_view text) {
  std::string safe;
  for (char c : text) {
    const bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    safe += control ? escape(c) : std::string(1, c);
  }
  return safe;
}

std::string for_cell(std::string_view text) {
  std::string safe;
  for (char c : text) safe += c < ' ' || c > '~' ? escape(c) : std::string(1, c);
  return safe;
}

}  // namespace wavesmith::cli
