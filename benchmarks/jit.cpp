// How long the Jit takes for a kernel by where it finds it: in memory, on disk, nowhere; and how much faster
// two workers warm a list than one. Prints medians and exits with status 1 when one misses its target, 4 when
// something cannot be run. Times are by the clock on the wall: other work on the machine shows.
//
//   wavesmith-benchmark-jit [KERNELS]     (100 kernels to warm unless given; 0 leaves that part out)
#include "wavesmith/jit.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benchmarks/measure.h"
#include "generator/families.h"
#include "runtime/compiler.h"

namespace {

using namespace wavesmith;
using namespace wavesmith::benchmarks;
using Clock = std::chrono::steady_clock;

constexpr int cold_rounds = 21, disk_rounds = 201, memory_rounds = 101, memory_batch = 10'000;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The default kernel of head size 64; the number of heads tells kernels apart and changes nothing else.
JitRequest request(int heads) {
  JitRequest request;
  request.fields = {{"head_size", "64"},
                    {"num_query_heads", std::to_string(heads)},
                    {"num_kv_heads", std::to_string(heads)}};
  request.compiler = "llvm";
  return request;
}

JitOptions options(const std::string& directory) {
  JitOptions options;
  options.cache_directory = directory;
  options.use_disk = !directory.empty();
  options.workers = 1;
  return options;
}

/// Milliseconds of one get(); empty when it fails.
std::optional<double> time_of_get(Jit& jit, int heads) {
  const JitRequest asked = request(heads);
  const auto start = Clock::now();
  const auto kernel = jit.get(asked);
  const double time = milliseconds_since(start);
  if (kernel) return time;
  fmt::print(stderr, "{}\n", kernel.error().message);
  return std::nullopt;
}

std::optional<std::string> text_of(int heads) {
  const generator::Family& family = *generator::find_family("attention-dense");
  const auto kernel = family.resolve(request(heads).fields, "", {.processor = "gfx950"});
  if (!kernel) return std::nullopt;
  const auto text = (*kernel)->emit(*lowering::find_flavour("llvm22"), {});
  if (!text) return std::nullopt;
  return *text;
}

/// Milliseconds that a warm worker's LLVM and LLD say they took.
std::optional<double> own_time(runtime::CompilerPool& pool, int heads) {
  runtime::CompileRequest compile;
  const auto text = text_of(heads);
  if (!text) return std::nullopt;
  compile.ir = *text;
  compile.target = "gfx950";
  compile.backend = runtime::Backend::llvm;
  const auto result = pool.compile(compile);
  if (!result) return std::nullopt;
  return result->milliseconds.total();
}

bool report(std::string_view what, std::string_view figure, std::string_view target, bool met) {
  fmt::print("{:<58} {:>14}   target {:<16} {}\n", what, figure, target, met ? "met" : "MISSED");
  static_cast<void>(std::fflush(stdout));
  return met;
}

/// Cold compiles in a warm worker, each beside a direct compile of the same text.
struct Cold {
  double without_disk = 0, with_disk = 0, llvm = 0;
};
std::optional<Cold> measure_cold(const Folder& folder) {
  runtime::CompilerPoolOptions one;
  one.workers = 1;
  runtime::CompilerPool pool(one);
  Jit memory(options("")), disk(options(folder.file("cold")));
  std::vector<double> without, with, own;
  for (int round = -2; round < cold_rounds; ++round) {
    const int heads = round + 10;
    const auto a = time_of_get(memory, heads), b = time_of_get(disk, heads), c = own_time(pool, heads);
    if (!a || !b || !c) return std::nullopt;
    if (round < 0) continue;  // workers start and warm up
    without.push_back(*a);
    with.push_back(*b);
    own.push_back(*c);
  }
  return Cold{median(without), median(with), median(own)};
}

std::optional<double> measure_disk_hit(const Folder& folder) {
  JitOptions nothing_stays = options(folder.file("cold"));
  nothing_stays.memory_bytes = 0;
  Jit jit(nothing_stays);
  std::vector<double> times;
  for (int round = -1; round < disk_rounds; ++round) {
    const auto time = time_of_get(jit, 10);
    if (!time) return std::nullopt;
    if (round >= 0) times.push_back(*time);
  }
  if (jit.statistics().compiles > 0) return std::nullopt;
  return median(times);
}

/// The first kernel of a new Jit: a worker is started to ask who it is.
std::optional<double> measure_first_hit(const Folder& folder) {
  std::vector<double> times;
  for (int round = 0; round < 11; ++round) {
    Jit jit(options(folder.file("cold")));
    const auto time = time_of_get(jit, 10);
    if (!time || jit.statistics().disk_hits != 1) return std::nullopt;
    times.push_back(*time);
  }
  return median(times);
}

/// Microseconds of a hit among a hundred kernels.
std::optional<double> measure_memory_hit(const Folder& folder) {
  Jit jit(options(folder.file("cold")));
  std::vector<JitRequest> requests;
  for (int heads = 10; heads < 10 + cold_rounds; ++heads) requests.push_back(request(heads));
  for (const auto& kernel : jit.warm(requests))
    if (!kernel) return std::nullopt;
  std::vector<double> times;
  for (int round = 0; round < memory_rounds; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < memory_batch; ++i)
      if (!jit.get(requests[static_cast<std::size_t>(i) % requests.size()])) return std::nullopt;
    times.push_back(milliseconds_since(start) * 1000 / memory_batch);
  }
  return median(times);
}

std::optional<double> measure_warming(const Folder& folder, int kernels, std::size_t workers,
                                      const char* name) {
  JitOptions own = options(folder.file(name));
  own.workers = workers;
  Jit jit(own);
  std::vector<JitRequest> requests;
  for (int heads = 1; heads <= kernels; ++heads) requests.push_back(request(heads));
  const auto start = Clock::now();
  for (const auto& kernel : jit.warm(requests))
    if (!kernel) return std::nullopt;
  return milliseconds_since(start);
}

}  // namespace

int main(int count, char** words) {
  const int kernels = count > 1 ? std::max(0, std::atoi(words[1])) : 100;
  const Folder folder;
  const auto cold = measure_cold(folder);
  const auto disk = cold ? measure_disk_hit(folder) : std::nullopt;
  const auto first = disk ? measure_first_hit(folder) : std::nullopt;
  const auto memory = first ? measure_memory_hit(folder) : std::nullopt;
  if (!memory) {
    fmt::print(stderr, "a kernel was not served\n");
    return 4;
  }
  bool met = true;
  const auto line = [&](std::string_view what, const std::string& figure, std::string_view target, bool own) {
    met = report(what, figure, target, own) && met;
  };
  fmt::print(
      "medians by the clock: LLVM's own time {:.1f} ms, cold get() {:.1f} ms without and {:.1f} ms with a "
      "disk\n"
      "cache, hit on disk {:.3f} ms, in memory {:.3f} us; first hit of a new process {:.1f} ms\n",
      cold->llvm, cold->without_disk, cold->with_disk, *disk, *memory, *first);
  line("memory hit", fmt::format("{:.3f} us", *memory), "<= 1 us", *memory <= 1);
  const double memory_factor = cold->with_disk / (*memory / 1000), disk_factor = cold->with_disk / *disk;
  line("memory hit faster than cold", fmt::format("{:.0f} times", memory_factor), ">= 10000 times",
       memory_factor >= 10'000);
  line("disk hit faster than cold", fmt::format("{:.0f} times", disk_factor), ">= 50 times",
       disk_factor >= 50);
  line("cold / LLVM's own time, without a disk cache", fmt::format("{:.3f}", cold->without_disk / cold->llvm),
       "<= 1.1", cold->without_disk / cold->llvm <= 1.1);
  line("cold / LLVM's own time, with one", fmt::format("{:.3f}", cold->with_disk / cold->llvm), "<= 1.1",
       cold->with_disk / cold->llvm <= 1.1);
  if (kernels == 0) return met ? 0 : 1;
  const auto one = measure_warming(folder, kernels, 1, "one"),
             two = measure_warming(folder, kernels, 2, "two");
  const auto two_again = measure_warming(folder, kernels, 2, "two2"),
             one_again = measure_warming(folder, kernels, 1, "one2");
  if (!one || !two || !two_again || !one_again) return 4;
  const double speedup = (*one + *one_again) / (*two + *two_again);
  fmt::print("{} kernels: {:.1f} and {:.1f} s by one worker, {:.1f} and {:.1f} s by two\n", kernels,
             *one / 1000, *one_again / 1000, *two / 1000, *two_again / 1000);
  line("two workers faster than one", fmt::format("{:.2f} times", speedup), ">= 1.7 times", speedup >= 1.7);
  return met ? 0 : 1;
}
