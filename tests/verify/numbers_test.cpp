// Every kernel gives right numbers on a covering set of shapes, and every instruction of it is executed.
#include <set>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/verify/cases.h"
#include "tests/verify/kernels.h"

using namespace wavesmith::test;
namespace verify = wavesmith::verify;
namespace simulator = wavesmith::simulator;

namespace {

// The kernels that run under the sanitizers too.
constexpr std::size_t always = 1;

void check_kernel(std::size_t variant, std::size_t heads) {
  const Kernel kernel = compiled(spec_of(all_variants().at(variant), all_heads.at(heads)));
  INFO(all_variants()[variant].name()
       << ", " << all_heads[heads].query << "/" << all_heads[heads].kv << " heads");
  std::set<std::uint64_t> executed;
  std::vector<simulator::InstructionReport> instructions;
  for (const verify::AttentionCase& shape : covering_shapes(variant, heads)) {
    INFO(name(shape));
    // The kernels that differ from these only in their numbers of heads do without: it takes twice the time.
    const verify::AttentionRun result = run(kernel, shape, {.uninitialized = heads == always});
    INFO((result.report.fault ? result.report.fault->message() : ""));
    REQUIRE_FALSE(result.report.fault);
    const verify::Accuracy& accuracy = result.accuracy;
    INFO((accuracy.mismatches.empty() ? "" : accuracy.mismatches.front().where));
    CHECK(accuracy.mismatched == 0);
    CHECK(accuracy.max_abs_error <= 1.5 * accuracy.reference_max);
    CHECK(accuracy.rms_error <= 1.1 * accuracy.reference_rms);
    CHECK(result.ok());
    CHECK(result.report.warnings.empty());
    const dense::Spec& spec = kernel.plan.spec;
    CHECK(accuracy.elements == result.runs * static_cast<std::size_t>(shape.batch * shape.seqlen_q *
                                                                      spec.num_query_heads * spec.head_size));
    instructions = result.report.instructions;
    for (const simulator::InstructionReport& instruction : instructions)
      if (instruction.counters.executions != 0) executed.insert(instruction.address);
  }
  for (const simulator::InstructionReport& instruction : instructions) {
    INFO(instruction.text << " in step " << instruction.step);
    CHECK(executed.contains(instruction.address));
  }
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("verification: kernels of 4 query heads to a key/value head are right", "",
                       ((std::size_t Variant), Variant), 0, 1, 2, 3, 4, 5, 6, 7) {
  check_kernel(Variant, always);
}

TEST_CASE("verification: without any key O is zero, and K and V are not touched") {
  for (const dense::Mask mask : {dense::Mask::full, dense::Mask::causal}) {
    const Kernel kernel = compiled(spec_of({mask, dense::DType::bf16, 64}, all_heads[always]));
    const verify::AttentionRun result =
        run(kernel, {.batch = 2, .seqlen_q = 65, .seqlen_kv = 0, .softmax_scale = {}});
    CHECK(result.ok());
    CHECK(result.accuracy.reference_max == 0);
    CHECK(result.accuracy.max_abs_error == 0);
  }
}

TEST_CASE("verification: a kernel with another mask, scale or order of heads than it is judged by is wrong") {
  const Variant causal{dense::Mask::causal, dense::DType::bf16, 64};
  const Kernel right = compiled(spec_of(causal, {4, 2}));
  const verify::AttentionCase shape{.batch = 1, .seqlen_q = 65, .seqlen_kv = 65, .softmax_scale = {}};
  const auto judged_as = [&](auto change) {
    Kernel kernel{right.plan, right.code};
    change(kernel.plan.spec);
    return run(kernel, shape).accuracy;
  };
  CHECK(judged_as([](dense::Spec&) {}).ok());
  const verify::Accuracy as_full = judged_as([](dense::Spec& spec) { spec.mask = dense::Mask::full; });
  CHECK_FALSE(as_full.ok());
  CHECK(as_full.mismatched > 0);
  // Half of the query heads belong to the other key/value head.
  CHECK_FALSE(judged_as([](dense::Spec& spec) { spec.num_kv_heads = 4; }).ok());
}

TEMPLATE_TEST_CASE_SIG("verification: kernels of the other ratios of heads are right", "",
                       ((std::size_t Variant), Variant), 0, 1, 2, 3, 4, 5, 6, 7) {
#ifdef WAVESMITH_SANITIZED
  SKIP("takes minutes under the sanitizers");
#endif
  for (std::size_t heads = 0; heads < all_heads.size(); ++heads)
    if (heads != always) check_kernel(Variant, heads);
}
