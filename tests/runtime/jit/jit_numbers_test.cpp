// Shapes are arguments: a kernel that the Jit serves is right on the simulator for one batch after another.
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "wavesmith/jit.h"

#include "generator/attention_dense/plan.h"
#include "tests/runtime/support.h"
#include "tools/verify/attention.h"

using namespace wavesmith;

TEST_CASE("jit: one code object serves batch 1, then 2, then 1, and two orders of work, right each time") {
  namespace dense = generator::attention_dense;
  const test::TemporaryFolder folder;
  JitOptions options;
  options.cache_directory = folder.file("cache");
  Jit jit(options);
  JitRequest request;
  request.fields = {{"head_size", "64"}, {"num_query_heads", "2"}, {"num_kv_heads", "2"}, {"mask", "full"},
                    {"block_m", "128"},  {"block_n", "32"},        {"persistent", "true"}};
  request.compiler = "llvm";
  const JitKernelPointer kernel = jit.get(request).value();
  dense::Spec spec;
  std::vector<Refusal> refusals;
  generator::read_fields(request.fields, spec, refusals);
  const auto plan = dense::resolve(spec, lowering::parse_target_id("gfx950").value());
  REQUIRE(plan);
  REQUIRE(plan->symbol == kernel->symbol);
  for (const auto& [batch, order] : std::vector<std::pair<int, dense::Order>>{{1, dense::Order::automatic},
                                                                              {2, dense::Order::automatic},
                                                                              {1, dense::Order::qb_major},
                                                                              {2, dense::Order::hkv_major}}) {
    CAPTURE(batch);
    verify::AttentionCase shape;
    shape.batch = batch;
    shape.seqlen_q = shape.seqlen_kv = 130;
    shape.persist_decode = order;
    shape.num_persistent = 2;
    const auto run = verify::verify_attention(*plan, jit.get(request).value()->hsaco, shape);
    if (!run) FAIL(run.error().message);
    CHECK(run->ok());
  }
  CHECK(jit.statistics().compiles == 1);
}
