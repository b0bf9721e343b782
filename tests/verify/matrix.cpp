// verify_matrix: every kernel on every shape (cases.h), as one command. Prints a Markdown table with a row
// for each kernel, and a line for each case that is wrong.
//
//     verify_matrix [--shard I/N] [--cases FILE]      FILE gets one line for each case
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "tests/verify/cases.h"
#include "tests/verify/kernels.h"

namespace wavesmith::test {
namespace {

struct Shard {
  std::size_t index = 0, count = 1;
};

/// What is said of one kernel.
struct Row {
  std::size_t cases = 0, wrong = 0;
  double worst_rms = 0, worst_max = 0;  ///< against the rounded reference's
  std::set<std::uint64_t> executed;     ///< addresses
  std::size_t instructions = 0;
};

double ratio(double error, double reference) {
  return error == 0 ? 0 : error / reference;
}

Row run_kernel(const Kernel& kernel, const Variant& variant, const Heads& heads, std::FILE* cases) {
  Row row;
  for (const verify::AttentionCase& shape : all_shapes()) {
    const verify::AttentionRun result = run(kernel, shape);
    const verify::Accuracy& accuracy = result.accuracy;
    const double rms = ratio(accuracy.rms_error, accuracy.reference_rms);
    const double max = ratio(accuracy.max_abs_error, accuracy.reference_max);
    ++row.cases;
    row.worst_rms = std::max(row.worst_rms, rms);
    row.worst_max = std::max(row.worst_max, max);
    row.instructions = result.report.instructions.size();
    for (const simulator::InstructionReport& instruction : result.report.instructions)
      if (instruction.counters.executions != 0) row.executed.insert(instruction.address);
    const std::string fault = result.report.fault ? result.report.fault->message() : "";
    const std::string line =
        fmt::format("{} q{} kv{}, {}: {} rms {:.3f} max {:.3f} {}\n", variant.name(), heads.query, heads.kv,
                    name(shape), result.ok() ? "right" : "WRONG", rms, max, fault);
    if (cases != nullptr) fmt::print(cases, "{}", line);
    if (result.ok()) continue;
    ++row.wrong;
    fmt::print(stderr, "{}", line);
  }
  return row;
}

bool run_matrix(const Shard& shard, std::FILE* cases) {
  bool right = true;
  std::size_t number = 0;
  fmt::print(
      "| kernel | heads | cases | wrong | RMS / reference, worst | max / reference, worst | instructions "
      "executed |\n|---|---|---|---|---|---|---|\n");
  for (const Variant& variant : all_variants())
    for (const Heads& heads : all_heads) {
      if (number++ % shard.count != shard.index) continue;
      const Row row = run_kernel(compiled(spec_of(variant, heads)), variant, heads, cases);
      fmt::print("| {} | {}/{} | {} | {} | {:.2f} | {:.2f} | {} of {} |\n", variant.name(), heads.query,
                 heads.kv, row.cases, row.wrong, row.worst_rms, row.worst_max, row.executed.size(),
                 row.instructions);
      static_cast<void>(std::fflush(stdout));
      right = right && row.wrong == 0 && row.executed.size() == row.instructions;
    }
  return right;
}

}  // namespace
}  // namespace wavesmith::test

int main(int count, char** words) {
  wavesmith::test::Shard shard;
  std::FILE* cases = nullptr;
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(words[i], "--shard") == 0) {
      if (std::sscanf(words[i + 1], "%zu/%zu", &shard.index, &shard.count) != 2 || shard.count == 0) return 2;
    } else if (std::strcmp(words[i], "--cases") == 0) {
      cases = std::fopen(words[i + 1], "w");
      if (cases == nullptr) return 4;
    } else {
      return 2;
    }
  }
  return wavesmith::test::run_matrix(shard, cases) ? 0 : 1;
}
