// The accumulators are rescaled only where a row maximum grew by more than the threshold. Inputs of different
// width make that branch taken, never taken, and taken for some rows of a wave only; counters and the mask in
// a trace must agree about which.
#include <bit>
#include <charconv>
#include <map>

#include <catch2/catch_test_macros.hpp>

#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;
namespace simulator = wavesmith::simulator;

namespace {

/// Passes of waves through the test "has any row to be rescaled".
struct Rescales {
  std::uint64_t tests = 0;                    ///< executions of the comparison, by the counters
  std::uint64_t multiplied = 0;               ///< executions of the multiplications behind it
  std::uint64_t none = 0, some = 0, all = 0;  ///< by how many lanes the comparison found, from the trace
  verify::AttentionRun run;
};

// The lane mask that a comparison wrote.
std::uint64_t written_mask(const simulator::TraceEvent& event) {
  const std::size_t pair = event.text.find(" s[");
  if (pair == std::string_view::npos) return event.vcc;
  std::uint32_t first = 0;
  const char* digits = event.text.data() + pair + 3;
  std::from_chars(digits, event.text.data() + event.text.size(), first);
  return event.sgpr(first) | std::uint64_t{event.sgpr(first + 1)} << 32;
}

Rescales rescales(const Kernel& kernel, double sigma) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> masks;  // address, mask
  simulator::Options options;
  options.trace = [&](const simulator::TraceEvent& event) {
    if (event.text.starts_with("v_cmp_")) masks.emplace_back(event.address, written_mask(event));
  };
  Rescales result;
  result.run = run(
      kernel, {.batch = 1, .seqlen_q = 256, .seqlen_kv = 512, .softmax_scale = {}, .sigma = sigma}, options);
  std::map<std::uint64_t, std::string> steps;
  for (const simulator::InstructionReport& instruction : result.run.report.instructions) {
    steps.emplace(instruction.address, instruction.step);
    if (instruction.step != "rescale") continue;
    if (instruction.mnemonic.starts_with("v_cmp_")) result.tests += instruction.counters.executions;
    if (instruction.mnemonic == "v_pk_mul_f32") result.multiplied += instruction.counters.executions;
  }
  for (const auto& [address, mask] : masks) {
    if (steps.at(address) != "rescale") continue;
    const int lanes = std::popcount(mask);
    ++(lanes == 0 ? result.none : lanes == 64 ? result.all : result.some);
  }
  return result;
}

}  // namespace

TEST_CASE("rescale: never with N(0,1), in part with a standard deviation of 2, for whole waves with 30") {
  for (const int head_size : {64, 128}) {
    CAPTURE(head_size);
    dense::Spec spec;
    spec.head_size = head_size;
    spec.num_query_heads = 1;
    spec.num_kv_heads = 1;
    spec.mask = dense::Mask::full;
    const Kernel kernel = compiled(spec);
    // Pairs of elements of O in a lane: 16 of each 32-column tile.
    const std::uint64_t multiplications = 8 * kernel.plan.d_tiles;
    // 8 waves, before the PV of each of 8 tiles.
    constexpr std::uint64_t tests = 8 * 8;

    const Rescales narrow = rescales(kernel, 1);
    CHECK(narrow.run.ok());
    CHECK(narrow.tests == tests);
    CHECK(narrow.multiplied == 0);
    CHECK(narrow.none == tests);

    const Rescales usual = rescales(kernel, 2);
    CHECK(usual.run.ok());
    CHECK(usual.tests == tests);
    CHECK(usual.none + usual.some + usual.all == tests);
    CHECK(usual.none > 0);
    CHECK(usual.some > 0);
    CHECK(usual.multiplied == multiplications * (usual.some + usual.all));

    // Rows of one wave all see a new maximum in the second tile only when their first tile has hardly any:
    // that is made with wide scores, of which the largest decides alone.
    const Rescales wide = rescales(kernel, 30);
    CHECK(wide.run.ok());
    CHECK(wide.multiplied > usual.multiplied);
  }
}
