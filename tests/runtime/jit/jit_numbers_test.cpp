// Shapes are arguments: a kernel that the Jit serves is right on the simulator for one batch after another.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "wavesmith/jit.h"

#include "generator/attention_dense/plan.h"
#include "tests/runtime/support.h"
#include "tools/verify/attention.h"

using namespace wavesmith;

namespace dense = generator::attention_dense;

namespace {

JitRequest small_kernel(const std::string& field, const std::string& value) {
  JitRequest request;
  request.fields = {{"head_size", "64"}, {"num_query_heads", "2"}, {"num_kv_heads", "2"},
                    {"mask", "full"},    {"block_m", "128"},       {"block_n", "32"}};
  request.fields.insert_or_assign(field, value);
  request.compiler = "llvm";
  return request;
}

/// A Jit with a cache of its own, and one kernel of it on the simulator.
class Served {
 public:
  explicit Served(const JitRequest& request) : request_(request) {
    JitOptions options;
    options.cache_directory = folder_.file("cache");
    jit_ = std::make_unique<Jit>(options);
    dense::Spec spec;
    std::vector<Refusal> refusals;
    generator::read_fields(request.fields, spec, refusals);
    plan_ = dense::resolve(spec, lowering::parse_target_id("gfx950").value()).value();
    REQUIRE(refusals.empty());
  }

  /// Whether what the Jit serves now is right on this case.
  bool right(const verify::AttentionCase& shape) {
    const JitKernelPointer kernel = jit_->get(request_).value();
    REQUIRE(plan_->symbol == kernel->symbol);
    const auto run = verify::verify_attention(*plan_, kernel->hsaco, shape);
    if (!run) FAIL(run.error().message);
    return run->ok();
  }

  [[nodiscard]] JitStatistics statistics() const { return jit_->statistics(); }

 private:
  test::TemporaryFolder folder_;
  JitRequest request_;
  std::unique_ptr<Jit> jit_;
  std::optional<dense::Plan> plan_;
};

}  // namespace

TEST_CASE("jit: one code object serves batch 1, then 2, then 1, and two orders of work, right each time") {
  Served served(small_kernel("persistent", "true"));
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
    CHECK(served.right(shape));
  }
  CHECK(served.statistics().compiles == 1);
}

TEST_CASE("jit: one code object serves six lengths, then four others, then the six, right each time") {
  Served served(small_kernel("sequences", "varlen"));
  const std::vector<std::int64_t> six{32, 64, 96, 128, 192, 256}, four(4, 256);
  for (const auto& lengths : {six, four, six}) {
    verify::AttentionCase shape;
    shape.batch = static_cast<std::int64_t>(lengths.size());
    shape.seqlens_q = shape.seqlens_kv = lengths;
    CHECK(served.right(shape));
  }
  CHECK(served.statistics().compiles == 1);
  CHECK(served.statistics().memory_hits == 2);
}
