// Shapes are arguments: a kernel that the Jit serves is right on the simulator for one batch after another.
#include <memory>
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

dense::Plan plan_of(const JitRequest& request) {
  dense::Spec spec;
  std::vector<Refusal> refusals;
  generator::read_fields(request.fields, spec, refusals);
  REQUIRE(refusals.empty());
  return dense::resolve(spec, lowering::parse_target_id("gfx950").value()).value();
}

/// Whether what the Jit gave for a request is right on this case.
bool right(const JitRequest& request, const JitKernel& kernel, const verify::AttentionCase& shape) {
  const dense::Plan plan = plan_of(request);
  REQUIRE(plan.symbol == kernel.symbol);
  const auto run = verify::verify_attention(plan, kernel.hsaco, shape);
  if (!run) FAIL(run.error().message);
  return run->ok();
}

/// A Jit with a cache of its own, and one kernel of it on the simulator.
class Served {
 public:
  explicit Served(const JitRequest& request) : request_(request) {
    JitOptions options;
    options.cache_directory = folder_.file("cache");
    jit_ = std::make_unique<Jit>(options);
  }

  /// Whether what the Jit serves now is right on this case.
  bool right(const verify::AttentionCase& shape) {
    return ::right(request_, *jit_->get(request_).value(), shape);
  }

  [[nodiscard]] JitStatistics statistics() const { return jit_->statistics(); }

 private:
  test::TemporaryFolder folder_;
  JitRequest request_;
  std::unique_ptr<Jit> jit_;
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
#ifdef WAVESMITH_SANITIZED
  constexpr std::int64_t unit = 32;  // an eighth, which has the same proportions
#else
  constexpr std::int64_t unit = 256;
#endif
  Served served(small_kernel("sequences", "varlen"));
  const std::vector<std::int64_t> six{unit, 2 * unit, 3 * unit, 4 * unit, 6 * unit, 8 * unit},
      four(4, 8 * unit);
  for (const auto& lengths : {six, four, six}) {
    verify::AttentionCase shape;
    shape.batch = static_cast<std::int64_t>(lengths.size());
    shape.seqlens_q = shape.seqlens_kv = lengths;
    CHECK(served.right(shape));
  }
  CHECK(served.statistics().compiles == 1);
  CHECK(served.statistics().memory_hits == 2);
}

TEST_CASE("jit: requests that differ in one field get binaries of their own, right in any order") {
  struct Change {
    std::string field, first, second;
  };
  // At block_m 128 a workgroup has four waves, one on each SIMD, so that one and two waves a SIMD differ.
  for (const Change& change : {Change{"waves_per_eu", "1", "2"}, Change{"mask", "causal", "full"}}) {
    CAPTURE(change.field);
    const test::TemporaryFolder folder;
    JitOptions options;
    options.cache_directory = folder.file("cache");
    Jit jit(options);
    verify::AttentionCase shape;
    shape.seqlen_q = 130;
    shape.seqlen_kv = 190;
    std::vector<JitKernelPointer> kernels;
    for (const std::string& value : {change.first, change.second, change.first}) {
      const JitRequest request = small_kernel(change.field, value);
      kernels.push_back(jit.get(request).value());
      CHECK(right(request, *kernels.back(), shape));
    }
    CHECK(kernels[0]->ir_sha256 != kernels[1]->ir_sha256);
    CHECK(kernels[0]->code_object_id != kernels[1]->code_object_id);
    CHECK(kernels[0]->key != kernels[1]->key);
    CHECK(kernels[2] == kernels[0]);
    CHECK(jit.statistics().compiles == 2);
  }
}
