// A server of attention prefill in small: requests of different lengths arrive, are packed one after another
// and served by kernels that are compiled when they are first needed. --help has the options.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "options.hpp"
#include "server.hpp"
#include "wavesmith.hpp"
#include "workload.hpp"

namespace {

/// |O| is below 1; bf16 keeps 8 bits of the weights and of the result.
constexpr double kTolerance = 0.01;

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void on_signal(int) {
  stop = true;
}

int serve(const serving::Options& options) {
  serving::Server server(options);
  const serving::Summary summary = server.run(serving::arrivals(options), stop);
  const wavesmith_statistics jit = server.statistics();
  std::printf("%zu requests served in %zu batches, %zu failed, %zu not served\n", summary.served,
              summary.batches, summary.failed, summary.dropped);
  std::printf("kernels: %llu compiled in %.0f ms, %llu from disk, %llu from memory\n",
              static_cast<unsigned long long>(jit.compiles), jit.compile_milliseconds + jit.emit_milliseconds,
              static_cast<unsigned long long>(jit.disk_hits),
              static_cast<unsigned long long>(jit.memory_hits));
  std::printf("%zu batches done beside a compile; longest call that asked for a kernel: %.3f ms\n",
              summary.batches_beside_compiles, 1000 * summary.longest_prepare);
  if (summary.status != WAVESMITH_OK) return summary.status;
  if (!options.check) return 0;
  std::printf("largest error %.2e, allowed %.2e\n", summary.largest_error, kTolerance);
  return summary.largest_error <= kTolerance ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    const serving::Options options = serving::read_options(count, words);
    if (options.help) {
      std::fputs(serving::usage().c_str(), stdout);
      return 0;
    }
    // A log is read while it is written, also in a file.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    return serve(options);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return WAVESMITH_INVALID_REQUEST;
  } catch (const example::Failure& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return failure.status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return WAVESMITH_INTERNAL;
  }
}
