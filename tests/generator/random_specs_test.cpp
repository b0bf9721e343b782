// Random requests are answered with a kernel or with all reasons why not. The program random_specs does the
// same for any number of them and compiles each kernel.
#include "tests/generator/random_specs.h"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/generator/specs.h"

namespace wavesmith::test {
namespace {

TEST_CASE("random_specs: each resolves and emits, or is refused for exactly what is wrong with it") {
  RandomRequests requests(1);
  RequestCheck check;
  for (int i = 0; i < 300; ++i) static_cast<void>(check.check(requests.next()));
  CHECK(fmt::format("{}", fmt::join(check.findings.wrong, "\n")) == "");
  // Neither kind may be rare.
  CHECK(check.findings.kernels > 60);
  CHECK(check.findings.kernels < 240);
  CHECK(check.findings.distinct > 40);
}

TEST_CASE("random_specs: an answer that is not the expected one is seen") {
  RandomRequest request;
  request.texts = {{"head_size", "64"}, {"num_query_heads", "8"}, {"num_kv_heads", "2"}};
  request.target = target();
  request.refused = {"mask"};
  RequestCheck check;
  static_cast<void>(check.check(request));
  REQUIRE(check.findings.wrong.size() == 1);
  CHECK(check.findings.wrong[0].starts_with("refused for {} and not for {\"mask\"}: head_size=64"));
}

}  // namespace
}  // namespace wavesmith::test
