// verify_variants: the published matrix of variants, or the covering array of pairs of features, under every
// schedule, as one command. Prints a Markdown table; a row is right when O and LSE are within their
// tolerance, no hazard was found, and a persistent kernel gives the bits of the default grid.
//
//     verify_variants published|pairs [--shard I/N]
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/verify/feature_pairs.h"
#include "tests/verify/kernels.h"
#include "tests/verify/named_variants.h"

namespace wavesmith::test {
namespace {

struct Shard {
  std::size_t index = 0, count = 1;

  [[nodiscard]] bool has(std::size_t number) const { return number % count == index; }
};

double ratio(double error, double reference) {
  return error == 0 ? 0 : error / reference;
}

const Kernel& kernel_of(const dense::Spec& spec) {
  static std::map<std::string, Kernel> kernels;
  const auto plan = dense::resolve(spec, {.processor = "gfx950"});
  if (!plan) throw std::runtime_error(plan.error().message);
  const std::string key = dense::request_key(*plan, "llvm22", "", "");
  const auto found = kernels.find(key);
  return found != kernels.end() ? found->second : kernels.emplace(key, compiled(spec)).first->second;
}

/// One row of the table, from its kernel's name on. Whether it is right.
bool run_row(std::size_t number, const std::string& name, const dense::Spec& spec,
             verify::AttentionCase shape) {
  const verify::AttentionRun result = run(kernel_of(spec), shape);
  std::string verdict = result.ok() ? "right" : "WRONG";
  if (result.report.fault) verdict += ": " + result.report.fault->message();
  bool same_bits = true;
  std::string bits;
  if (spec.persistent) {
    dense::Spec other = spec;
    other.persistent = false;
    shape.num_persistent.reset();
    shape.persist_decode = dense::Order::automatic;
    shape.interleave = shape.every_schedule = false;
    const verify::AttentionRun grid = run(kernel_of(other), shape);
    same_bits = grid.named_output == result.named_output && grid.named_lse == result.named_lse;
    bits = same_bits ? "equal" : "DIFFER";
  }
  const verify::Accuracy& accuracy = result.accuracy;
  fmt::print("| {} | {} | {} | {} | {:.2f} | {:.2f} | {} | {} |\n", number, name, verdict,
             result.report.hazards ? result.report.hazards->size() : 0,
             ratio(accuracy.rms_error, accuracy.reference_rms),
             ratio(accuracy.max_abs_error, accuracy.reference_max),
             result.lse ? fmt::format("{:.2f}", result.lse->max_share) : "", bits);
  static_cast<void>(std::fflush(stdout));
  return result.ok() && same_bits;
}

void print_head(const std::string& columns, std::size_t count) {
  fmt::print(
      "| # | {} | verdict | hazards | RMS / reference | max / reference | LSE / allowed | bits of the "
      "default "
      "grid |\n|",
      columns);
  for (std::size_t i = 0; i < count + 7; ++i) fmt::print("---|");
  fmt::print("\n");
}

bool run_named(const Shard& shard, const std::function<std::vector<NamedVariant>(int)>& variants,
               bool every_schedule) {
  print_head("head_size | variant", 2);
  bool right = true;
  std::size_t number = 0;
  for (const int head_size : {64, 128})
    for (NamedVariant variant : variants(head_size)) {
      if (!shard.has(number++)) continue;
      variant.shape.every_schedule = every_schedule;
      right = run_row(number, fmt::format("{} | {}", head_size, variant.name), variant.spec, variant.shape) &&
              right;
    }
  return right;
}

bool run_pairs(const Shard& shard) {
  std::vector<std::string> names;
  for (const Feature& feature : features()) names.push_back(feature.name);
  print_head(fmt::format("{}", fmt::join(names, " | ")), names.size());
  bool right = true;
  std::size_t number = 0;
  CoveringArray array = covering_array();
  for (FeatureRow& row : array.rows) {
    if (!shard.has(number++)) continue;
    row.shape.every_schedule = true;
    right = run_row(number, row.name(), row.spec, row.shape) && right;
  }
  return right;
}

}  // namespace
}  // namespace wavesmith::test

int main(int count, char** words) {
  using namespace wavesmith::test;
  Shard shard;
  const std::string_view set = count > 1 ? words[1] : "";
  const bool sharded = count == 4 && std::strcmp(words[2], "--shard") == 0 &&
                       std::sscanf(words[3], "%zu/%zu", &shard.index, &shard.count) == 2 && shard.count > 0;
  if (count == 2 || sharded) {
    if (set == "pairs") return run_pairs(shard) ? 0 : 1;
    if (set == "published") return run_named(shard, published_variants, true) ? 0 : 1;
    if (set == "shapes") return run_named(shard, named_shapes, false) ? 0 : 1;
  }
  std::fputs("verify_variants published|pairs|shapes [--shard I/N]\n", stderr);
  return 2;
}
