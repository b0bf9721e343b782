// The judge of LSE: it must see every kind of wrong output, and its tolerance must be what the header says.
#include "tools/verify/lse.h"

#include <bit>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "tools/verify/report.h"

using namespace wavesmith::verify;
namespace oracle = wavesmith::oracle;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// One batch element, two heads, three queries; the oracle's order is query, head.
struct Example {
  LseShape shape = lse_shape_with_gaps(1, 2, 3);
  LseSample sample{std::vector<std::uint32_t>(static_cast<std::size_t>(shape.extent()), lse_poison_bits),
                   {1, -2, 3, -infinity, 5, 6},
                   {0, 0, 3, 0, 0, 0}};

  Example() {
    for (std::int64_t query = 0; query < 3; ++query)
      for (std::int64_t head = 0; head < 2; ++head)
        write(head, query, sample.exact[static_cast<std::size_t>(query * 2 + head)]);
  }
  void write(std::int64_t head, std::int64_t query, double value) {
    sample.output.at(static_cast<std::size_t>(shape.offset(0, head, query))) =
        std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  [[nodiscard]] LseAccuracy judged() const { return judge_lse(shape, std::vector{sample}); }
  // The place of the only mismatch.
  [[nodiscard]] std::string wrong() const {
    const LseAccuracy accuracy = judged();
    CHECK_FALSE(accuracy.ok());
    CHECK(accuracy.mismatched == 1);
    return accuracy.mismatches.at(0).where;
  }
};

}  // namespace

TEST_CASE("lse: exact output is right, equal infinities are no error") {
  const LseAccuracy accuracy = Example().judged();
  CHECK(accuracy.ok());
  CHECK(accuracy.elements == 6);
  CHECK(accuracy.max_abs_error == 0);
  // The row with scores of at most 3 is allowed most.
  CHECK(accuracy.tolerance == 4 * 0x1p-22);
  CHECK(lse_json(accuracy)["ok"] == true);
}

TEST_CASE("lse: the tolerance is 2^-22 for each unit of what is summed") {
  Example within;
  within.write(0, 1, 3 + 0x1.8p-21);  // of 2^-20
  CHECK(within.judged().ok());
  CHECK(within.judged().max_share == 0.75);
  Example beyond;
  beyond.write(0, 2, 5 + 0x1p-21);  // of 2^-22; f32 has steps of 2^-21 there
  CHECK(beyond.wrong() == "lse[batch 0, head 0, query 2]");
}

TEST_CASE("lse: infinities, NaN, rows that are missing or exchanged and strays are wrong") {
  Example finite;
  finite.write(1, 1, -1e30);
  CHECK(finite.wrong() == "lse[batch 0, head 1, query 1]");
  Example infinite;
  infinite.write(0, 0, -infinity);
  CHECK(infinite.wrong() == "lse[batch 0, head 0, query 0]");
  Example missing;
  missing.sample.output[2] = lse_poison_bits;
  CHECK(missing.wrong() == "lse[batch 0, head 0, query 2], never written");
  CHECK(lse_json(missing.judged())["max_abs_error"] == "nan");
  Example stray;
  stray.sample.output[3] = 0;
  CHECK(stray.wrong() == "element 3 of the buffer of lse, which is no output");
  Example exchanged;
  exchanged.write(0, 0, -2);
  exchanged.write(1, 0, 1);
  CHECK(exchanged.judged().mismatched == 2);
}

TEST_CASE("lse: what bounds a score is scale * |q| * the longest key of its head") {
  // Two query heads on one key/value head; |q| = 5 and 2, |k| = 1 and 13.
  const std::vector<float> q{3, 4, 0, 2}, k{1, 0, 5, 12};
  oracle::Problem problem;
  problem.query_heads = 2;
  problem.kv_heads = 1;
  problem.head_size = 2;
  problem.seqlen_q = {1};
  problem.seqlen_kv = {2};
  problem.q = {q, 4, 4, 2};
  problem.k = problem.v = {k, 4, 2, 2};
  problem.softmax_scale = 0.5;
  CHECK(score_bounds(problem) == std::vector<double>{0.5 * 5 * 13, 0.5 * 2 * 13});
}
