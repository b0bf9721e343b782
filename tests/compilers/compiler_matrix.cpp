// compiler_matrix: every golden case through every compiler that can be had, as one command. Prints the
// tables that docs/compilers.md holds, as Markdown, and a line for each thing that is wrong.
//
//     compiler_matrix [--compilers FOLDER] [--every N]      FOLDER as tools/compilers.sh fills it
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/compilers/lane.h"

namespace wavesmith::test {
namespace {

struct Column {
  std::string name;
  const lowering::Flavour* flavour = nullptr;
  std::size_t cases = 0, compiled = 0, right = 0;
  std::map<std::string, LaneResult> results;  ///< by case id
};

Column run_all(Toolchain& compiler, std::size_t every) {
  Column column{.name = compiler.name(), .flavour = &compiler.flavour(), .results = {}};
  const auto cases = golden::cases();
  for (std::size_t i = 0; i < cases.size(); i += every) {
    LaneResult result = run_case(compiler, cases[i]);
    ++column.cases;
    column.compiled += result.compiled ? 1 : 0;
    column.right += result.right ? 1 : 0;
    for (const std::string& problem : result.problems)
      fmt::print(stderr, "{}, {}: {}\n", column.name, cases[i].id(), problem);
    column.results.emplace(cases[i].id(), std::move(result));
  }
  fmt::print(stderr, "{}: {} cases, {} compiled, {} right\n", column.name, column.cases, column.compiled,
             column.right);
  return column;
}

std::string flavours_table(const std::vector<Column>& columns) {
  std::string text =
      "| flavour | compiler | cases | compiled, nothing changed | right on the simulator |\n"
      "|---|---|---|---|---|\n";
  auto out = std::back_inserter(text);
  for (const lowering::Flavour& flavour : lowering::all_flavours()) {
    bool any = false;
    for (const Column& column : columns) {
      if (column.flavour != &flavour) continue;
      fmt::format_to(out, "| {} | {} | {} | {} | {} |\n", flavour.name, column.name, column.cases,
                     column.compiled, column.right);
      any = true;
    }
    if (!any) fmt::format_to(out, "| {} | not verified here | 0 | 0 | 0 |\n", flavour.name);
  }
  return text;
}

/// How many cases of two compilers are equal.
std::string equality_row(const Column& one, const Column& other) {
  std::size_t code = 0, output = 0, needs = 0;
  for (const auto& [id, result] : one.results) {
    const LaneResult& peer = other.results.at(id);
    code += result.code == peer.code && !result.code.empty() ? 1 : 0;
    output += result.output == peer.output && !result.output.empty() ? 1 : 0;
    needs += result.needs == peer.needs ? 1 : 0;
  }
  return fmt::format("| {} | {} | {} of {} | {} of {} | {} of {} |\n", one.name, other.name, output,
                     one.cases, code, one.cases, needs, one.cases);
}

/// The first compiler against all others, and those of one flavour among themselves.
std::string equality_table(const std::vector<Column>& columns) {
  std::string text =
      "| compiler | and | equal bits of O | equal code | equal resources |\n|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t j = i + 1; j < columns.size(); ++j)
      if (i == 0 || columns[i].flavour == columns[j].flavour) text += equality_row(columns[i], columns[j]);
  return text;
}

std::string needs_text(const Needs& needs) {
  std::string text = fmt::format("{} / {} / {}", needs.vgprs, needs.sgprs, needs.lds_bytes);
  if (needs.spills != 0 || needs.scratch_bytes != 0)
    text += fmt::format(", {} spills, {} bytes of scratch", needs.spills, needs.scratch_bytes);
  return text;
}

/// A row for each combination of what the compilers make, with the cases that have it.
std::string needs_table(const std::vector<Column>& columns) {
  std::string text = "| cases |", line = "|---|";
  for (const Column& column : columns) {
    text += fmt::format(" {} |", column.name);
    line += "---|";
  }
  text += "\n" + line + "\n";
  std::map<std::string, std::string> rows;
  for (const auto& [id, first] : columns.front().results) {
    std::string cells;
    for (const Column& column : columns)
      cells += fmt::format(" {} |", needs_text(column.results.at(id).needs));
    std::string& names = rows[cells];
    names += (names.empty() ? "" : ", ") + id.substr(id.rfind('/') + 1);
  }
  for (const auto& [cells, names] : rows) text += fmt::format("| {} |{}\n", names, cells);
  return text;
}

constexpr std::string_view begin_mark = "<!-- compiler_matrix -->\n", end_mark = "<!-- end -->\n";

/// False where the file has no marks or cannot be written.
bool update(const std::string& path, const std::string& tables) {
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t begin = text.find(begin_mark), end = text.find(end_mark);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return false;
  const std::size_t from = begin + begin_mark.size();
  text.replace(from, end - from, tables);
  std::ofstream out(path);
  return static_cast<bool>(out << text << std::flush);
}

struct Options {
  std::filesystem::path compilers = WAVESMITH_COMPILERS;
  std::size_t every = 1;
  std::string update;
};

int run_matrix(const Options& options) {
  const Toolchains toolchains = find_toolchains(options.compilers);
  std::vector<Column> columns;
  for (const auto& compiler : toolchains.ready) columns.push_back(run_all(*compiler, options.every));
  std::string tables = flavours_table(columns);
  for (const std::string& line : toolchains.skipped) tables += fmt::format("\nSkipped: {}\n", line);
  tables += "\n" + equality_table(columns) + "\nVGPR / SGPR / bytes of LDS:\n\n" + needs_table(columns);
  fmt::print("{}", tables);
  if (!options.update.empty() && !update(options.update, tables)) {
    fmt::print(stderr, "{}: not written; it needs the lines {}and {}", options.update, begin_mark, end_mark);
    return 4;
  }
  bool right = true;
  for (const Column& column : columns)
    right = right && column.cases > 0 && column.compiled == column.cases && column.right == column.cases;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace wavesmith::test

int main(int count, char** words) {
  wavesmith::test::Options options;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return 2;
    const std::string_view name = words[i];
    if (name == "--compilers")
      options.compilers = words[i + 1];
    else if (name == "--update")
      options.update = words[i + 1];
    else if (name != "--every" || (options.every = std::strtoul(words[i + 1], nullptr, 10)) == 0)
      return 2;
  }
  return wavesmith::test::run_matrix(options);
}
