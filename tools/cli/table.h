// Tables with aligned columns, and text that is safe on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::cli {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align;
  };

  /// Without any title there is no header line.
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell a column.
  void row(std::vector<std::string> cells) { rows_.push_back({std::move(cells), ""}); }
  /// A line of its own between rows, not indented.
  void heading(std::string text) { rows_.push_back({{}, std::move(text)}); }

  /// Each line indented by `indent` blanks, none with blanks at its end.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  struct Row {
    std::vector<std::string> cells;  ///< empty: a heading
    std::string heading;
  };

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// Names out of files may hold anything: control characters become \xNN, so that none of them reaches the
/// terminal. Line breaks and tabs stay.
[[nodiscard]] std::string for_terminal(std::string_view text);
/// The same for a cell of a table: one line, one column a byte; other than printable ASCII becomes \xNN.
[[nodiscard]] std::string for_cell(std::string_view text);

}  // namespace wavesmith::cli
