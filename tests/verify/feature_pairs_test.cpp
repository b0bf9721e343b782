// The covering array covers, and its rows are right: in each run of the tests another part is not needed,
// since all of it is a command (docs/verification.md); here some rows of it run under one schedule.
#include "tests/verify/feature_pairs.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <catch2/catch_test_macros.hpp>

#include "tests/verify/kernels.h"
#include "tests/verify/named_variants.h"

using namespace wavesmith::test;

TEST_CASE("feature pairs: every pair of values stands in a row, or cannot go together") {
  const CoveringArray array = covering_array();
  std::set<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> covered;
  for (const FeatureRow& row : array.rows) {
    CHECK(is_accepted(row));
    for (std::size_t a = 0; a < row.choice.size(); ++a)
      for (std::size_t b = a + 1; b < row.choice.size(); ++b)
        covered.insert({a, row.choice[a], b, row.choice[b]});
  }
  std::size_t pairs = 0;
  for (std::size_t a = 0; a < features().size(); ++a)
    for (std::size_t b = a + 1; b < features().size(); ++b)
      pairs += features()[a].values.size() * features()[b].values.size();
  CHECK(covered.size() + array.impossible.size() == pairs);
  // The interleave is for causal masks, half a group needs an even one, and three waves a SIMD find no
  // registers for 128 keys a tile.
  const std::vector<std::string> impossible{
      "mask full with grid qb_major interleaved",
      "mask window 127,0 with grid qb_major interleaved",
      "mask window 70,3 with grid qb_major interleaved",
      "mask window -1,1 with grid qb_major interleaved",
      "block_n 128 with waves_per_eu 3",
      "grid gqa_pair with heads 2/2",
      "grid gqa_pair with heads 10/2",
  };
  CHECK(array.impossible == impossible);
}

TEST_CASE("feature pairs: some rows are right, without a hazard") {
#ifdef WAVESMITH_SANITIZED
  constexpr std::size_t step = 27;
#else
  constexpr std::size_t step = 9;
#endif
  const std::vector<FeatureRow> rows = covering_array().rows;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    INFO(rows[i].name());
    CHECK(run(compiled(rows[i].spec), rows[i].shape).ok());
  }
}

TEST_CASE("published variants: nineteen, each another kernel or shape, all accepted") {
  for (const int head_size : {64, 128}) {
    const auto variants = published_variants(head_size);
    CHECK(variants.size() == 19);
    std::set<std::string> names;
    for (const NamedVariant& one : variants) {
      names.insert(one.name);
      const auto plan = dense::resolve(one.spec, {.processor = "gfx950"});
      INFO(one.name);
      REQUIRE(plan);
      CHECK(wavesmith::verify::check_case(*plan, one.shape));
    }
    CHECK(names.size() == 19);
  }
}
