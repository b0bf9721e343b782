// How much of a cold compile emission takes: from spec to LLVM IR text, beside `clang-22 -x ir -O3` on the
// same text, in turns within one run. Prints medians and emission's share of the sum; the target is at most 2
// %. Times are of the processor, not of the clock on the wall, so that other work on the machine does not
// decide. Exit status 1 when a share is above the target, 4 when something cannot be run.
//
//   wavesmith-benchmark-emission [ROUNDS]     (21 rounds unless given)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benchmarks/measure.h"
#include "generator/attention_dense/emit.h"

namespace {

using namespace wavesmith;
using namespace wavesmith::benchmarks;
namespace dense = generator::attention_dense;

constexpr double target_percent = 2;

struct Case {
  std::string name;
  dense::Spec spec;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (int head_size : {64, 128})
    for (dense::Mask mask : {dense::Mask::full, dense::Mask::causal}) {
      dense::Spec spec;
      spec.head_size = head_size;
      spec.num_query_heads = 32;
      spec.num_kv_heads = 8;
      spec.mask = mask;
      all.push_back({fmt::format("head size {}, {}", head_size, generator::value_text(mask)), spec});
    }
  return all;
}

std::optional<std::string> emit(const dense::Spec& spec) {
  const Expected<dense::Plan> plan = dense::resolve(spec, {.processor = "gfx950"});
  if (!plan) return std::nullopt;
  Expected<std::string> text = dense::emit(*plan, *lowering::find_flavour("llvm22"));
  if (!text) return std::nullopt;
  return *std::move(text);
}

// Milliseconds of processor time of one emission; empty when it fails.
std::optional<double> emission_time(const dense::Spec& spec) {
  const double begin = processor_time();
  if (!emit(spec)) return std::nullopt;
  return processor_time() - begin;
}

struct Times {
  std::vector<double> first_emission, emission, clang;
};

// One emission in a new process: nothing is in a cache, no memory is mapped yet. Its time comes back in a
// file.
std::optional<double> first_emission_time(std::size_t index, const Folder& folder) {
  const std::string file = folder.file("first");
  double time = 0;
  if (!run_time({"/proc/self/exe", "--first", std::to_string(index), file}) || !(std::ifstream(file) >> time))
    return std::nullopt;
  return time;
}

bool measure(std::size_t index, const Case& c, int rounds, Times& times) {
  const Folder folder;
  const std::optional<std::string> text = emit(c.spec);
  if (!text) return false;
  std::ofstream(folder.file("k.ll")) << *text;
  bool ok = true;
  const auto add = [&](std::vector<double>& to, std::optional<double> time) {
    ok = ok && time.has_value();
    to.push_back(time.value_or(0));
  };
  const auto emission = [&] {
    add(times.first_emission, first_emission_time(index, folder));
    add(times.emission, emission_time(c.spec));
  };
  const auto compile = [&] {
    add(times.clang,
        run_time({WAVESMITH_CLANG, "-x", "ir", "-O3", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx950",
                  "-nogpulib", folder.file("k.ll"), "-o", folder.file("k.hsaco")}));
  };
  // A, B, B, A: a machine that gets slower or faster meets both alike.
  for (int round = 0; round < rounds && ok; ++round) {
    if (round % 2 == 0) emission();
    compile();
    if (round % 2 == 1) emission();
  }
  return ok;
}

int emit_once(std::size_t index, const char* file) {
  const std::optional<double> time = emission_time(cases().at(index).spec);
  if (!time) return 4;
  std::ofstream(file) << *time;
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 4 && std::string_view(words[1]) == "--first")
    return emit_once(std::strtoul(words[2], nullptr, 10), words[3]);
  const int rounds = count > 1 ? std::max(1, std::atoi(words[1])) : 21;
  bool within = true;
  fmt::print(
      "medians of {} rounds, ms of processor time; share = emission / (emission + clang), target {} %\n",
      rounds, target_percent);
  fmt::print("{:<22} {:>16} {:>9} {:>10} {:>12} {:>8}\n", "", "first emission", "emission", "clang -O3",
             "first share", "share");
  const std::vector<Case> all = cases();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Times times;
    if (!measure(i, all[i], rounds, times)) {
      fmt::print(stderr, "{}: emission or compilation failed\n", all[i].name);
      return 4;
    }
    const double first = median(times.first_emission), emission = median(times.emission);
    const double clang = median(times.clang);
    const auto share = [clang](double part) { return 100 * part / (part + clang); };
    within = within && share(first) <= target_percent && share(emission) <= target_percent;
    fmt::print("{:<22} {:>16.2f} {:>9.2f} {:>10.1f} {:>10.2f} % {:>6.2f} %\n", all[i].name, first, emission,
               clang, share(first), share(emission));
    std::fflush(stdout);
  }
  return within ? 0 : 1;
}
