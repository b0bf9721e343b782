// Every golden case is right on the simulator. The emitted text depends on head counts through their ratio
// alone, so each case runs with one key/value head; that the text is the same is checked.
#include <algorithm>
#include <array>
#include <map>
#include <ranges>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/emit.h"
#include "generator/families.h"
#include "golden/cases.h"
#include "lowering/flavour.h"
#include "tests/verify/kernels.h"
#include "tools/verify/attention_launch.h"

using namespace wavesmith::test;
namespace generator = wavesmith::generator;
namespace golden = wavesmith::golden;
namespace lowering = wavesmith::lowering;
namespace verify = wavesmith::verify;

namespace {

dense::Spec spec_of(const golden::Case& one) {
  const auto target = lowering::parse_target_id(one.target);
  REQUIRE(target);
  const auto kernel = generator::find_family(one.family)->resolve(one.fields, one.preset, *target);
  REQUIRE(kernel);
  const auto plan = verify::plan_of(**kernel);
  REQUIRE(plan);
  return plan->spec;
}

std::string masked_text(const dense::Spec& spec) {
  const auto plan = dense::resolve(spec, {.processor = "gfx950"});
  REQUIRE(plan);
  auto text = dense::emit(*plan, *lowering::find_flavour("llvm22"));
  REQUIRE(text);
  for (std::size_t at = 0; (at = text->find(plan->symbol, at)) != std::string::npos;)
    text->replace(at, plan->symbol.size(), "SYMBOL");
  return *text;
}

/// Two shapes that reach all code: as few rows as there must be, with keys for a tile before, in and after
/// the loop without mask; and a first tile that is the only one.
std::array<verify::AttentionCase, 2> shapes_for(const dense::Spec& spec) {
  // Wide enough that mostly some row is rescaled before each of the few PV.
  verify::AttentionCase shape{.softmax_scale = {}, .sigma = 4};
  const std::int64_t three_tiles = 3 * spec.block_n;
  if (spec.mask == dense::Mask::window) {
    // A tile that the first row's window begins in and two more that windows begin in, of which the second
    // may rescale what the first has added; some that all rows see whole, and some behind them.
    shape.seqlen_q = spec.block_n + 10;
    shape.seqlen_kv = shape.seqlen_q + 5 * spec.block_n - 1;
    shape.window_left = three_tiles;
    shape.window_right = 5;
  } else if (spec.mask == dense::Mask::causal_top_left) {
    // The last workgroup's first row is to see three whole tiles.
    shape.seqlen_q = (three_tiles + spec.block_m - 1) / spec.block_m * spec.block_m + 30;
    shape.seqlen_kv = three_tiles + spec.block_n + 17;
  } else {
    const std::int64_t rows = verify::least_rows / dense::gqa_ratio(spec) + 2;
    shape.seqlen_q = std::clamp<std::int64_t>(rows, 20, spec.block_m - 6);
    const std::int64_t tiles = (shape.seqlen_q + three_tiles + spec.block_n - 1) / spec.block_n;
    shape.seqlen_kv = (tiles + 1) * spec.block_n - 3;
  }
  // Beside them sequences without a query, without a key, and of one each.
  if (dense::reads_seqlen_q(spec)) {
    shape.batch = 4;
    shape.seqlens_q = {0, shape.seqlen_q, 1, 3};
    shape.seqlens_kv = {5, shape.seqlen_kv, 1, 0};
  }
  // Workgroups with several work items, with one and with none.
  if (spec.persistent) shape.num_persistent = dense::gqa_ratio(spec) > 1 ? 3 : 2;
  return {shape, {.batch = 1, .seqlen_q = 31, .seqlen_kv = 31, .softmax_scale = {}}};
}

// A part of the golden cases: tests run beside one another.
constexpr std::size_t parts = 8;

}  // namespace

TEMPLATE_TEST_CASE_SIG("golden cases: each is right on the simulator, and all of its code is executed", "",
                       ((std::size_t Part), Part), 0, 1, 2, 3, 4, 5, 6, 7) {
  const auto cases = golden::cases();
  for (std::size_t i = Part; i < cases.size(); i += parts) {
#ifdef WAVESMITH_SANITIZED
    if (i / parts % 4 != 0) continue;  // a covering part: each takes seconds under the sanitizers
#endif
    INFO(cases[i].id());
    const dense::Spec pinned = spec_of(cases[i]);
    dense::Spec spec = pinned;
    spec.num_query_heads = dense::gqa_ratio(pinned);
    spec.num_kv_heads = 1;
    CHECK(masked_text(spec) == masked_text(pinned));
    const Kernel kernel = compiled(spec);
    std::map<std::uint64_t, std::uint64_t> executions;
    const auto check_right = [&](const verify::AttentionCase& shape) {
      const verify::AttentionRun result = run(kernel, shape);
      INFO((result.report.fault ? result.report.fault->message() : ""));
      CHECK(result.ok());
      CHECK(result.lse.has_value() == spec.lse);
      CHECK(result.report.warnings.empty());
      for (const auto& instruction : result.report.instructions)
        executions[instruction.address] += instruction.counters.executions;
    };
    auto [usual, one_tile] = shapes_for(spec);
    check_right(usual);
    check_right(one_tile);
    const auto skipped = [&] { return std::ranges::count(executions | std::views::values, 0); };
    // No row may have been rescaled before one of the few PV.
    for (int more = 0; skipped() != 0 && more < 4; ++more) {
      ++usual.seed;
      check_right(usual);
    }
    CHECK(skipped() == 0);
  }
}
