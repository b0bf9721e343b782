// compiler_matrix: every golden case through every compiler that can be had, as one command. Prints the
// tables that docs/compilers.md holds, as Markdown, and a line for each thing that is wrong.
//
//     compiler_matrix [--compilers FOLDER] [--every N]      FOLDER as tools/compilers.sh fills it
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

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

void print_flavours(const std::vector<Column>& columns) {
  fmt::print(
      "| flavour | compiler | cases | compiled, nothing changed | right on the simulator |\n"
      "|---|---|---|---|---|\n");
  for (const lowering::Flavour& flavour : lowering::all_flavours()) {
    bool any = false;
    for (const Column& column : columns) {
      if (column.flavour != &flavour) continue;
      fmt::print("| {} | {} | {} | {} | {} |\n", flavour.name, column.name, column.cases, column.compiled,
                 column.right);
      any = true;
    }
    if (!any) fmt::print("| {} | not verified here | 0 | 0 | 0 |\n", flavour.name);
  }
}

/// How much of `other` is equal to `one`.
void print_equality(const Column& one, const Column& other) {
  std::size_t code = 0, output = 0, needs = 0;
  for (const auto& [id, result] : one.results) {
    const LaneResult& peer = other.results.at(id);
    code += result.code == peer.code && !result.code.empty() ? 1 : 0;
    output += result.output == peer.output && !result.output.empty() ? 1 : 0;
    needs += result.needs == peer.needs ? 1 : 0;
  }
  fmt::print("| {} | {} | {} of {} | {} | {} |\n", one.name, other.name, output, one.cases, code, needs);
}

void print_needs(const std::vector<Column>& columns) {
  fmt::print("\n| case |");
  for (const Column& column : columns) fmt::print(" {} |", column.name);
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < columns.size(); ++i) fmt::print("---|");
  fmt::print("\n");
  for (const auto& [id, first] : columns.front().results) {
    fmt::print("| {} |", id);
    for (const Column& column : columns) {
      const Needs& needs = column.results.at(id).needs;
      fmt::print(" {} / {}", needs.vgprs, needs.sgprs);
      if (needs.spills != 0 || needs.scratch_bytes != 0)
        fmt::print(", {} spills, {} B", needs.spills, needs.scratch_bytes);
      fmt::print(" |");
    }
    fmt::print("\n");
  }
}

int run_matrix(const std::filesystem::path& folder, std::size_t every) {
  const Toolchains toolchains = find_toolchains(folder);
  std::vector<Column> columns;
  for (const auto& compiler : toolchains.ready) columns.push_back(run_all(*compiler, every));
  print_flavours(columns);
  for (const std::string& line : toolchains.skipped) fmt::print("\nskipped: {}\n", line);
  fmt::print(
      "\n| compiler | and | equal bits of O | equal code | equal resources |\n|---|---|---|---|---|\n");
  for (std::size_t i = 1; i < columns.size(); ++i) print_equality(columns.front(), columns[i]);
  for (std::size_t i = 1; i < columns.size(); ++i)
    for (std::size_t j = i + 1; j < columns.size(); ++j)
      if (columns[i].flavour == columns[j].flavour) print_equality(columns[i], columns[j]);
  print_needs(columns);
  bool right = true;
  for (const Column& column : columns)
    right = right && column.cases > 0 && column.compiled == column.cases && column.right == column.cases;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace wavesmith::test

int main(int count, char** words) {
  std::filesystem::path folder = WAVESMITH_COMPILERS;
  std::size_t every = 1;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return 2;
    if (std::strcmp(words[i], "--compilers") == 0)
      folder = words[i + 1];
    else if (std::strcmp(words[i], "--every") != 0 || (every = std::strtoul(words[i + 1], nullptr, 10)) == 0)
      return 2;
  }
  return wavesmith::test::run_matrix(folder, every);
}
