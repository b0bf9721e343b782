// Target ids: LLVM's syntax, canonical order, and refusals that say what is allowed.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "lowering/target.h"

namespace wavesmith::lowering {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("target id: a processor and any of its features, in any order") {
  const auto parsed = [](std::string_view text) {
    const Expected<TargetId> id = parse_target_id(text);
    REQUIRE(id.has_value());
    return *id;
  };
  CHECK(parsed("gfx950") == TargetId{"gfx950", Feature::any, Feature::any});
  CHECK(parsed("gfx942:sramecc+") == TargetId{"gfx942", Feature::on, Feature::any});
  CHECK(parsed("gfx950:xnack-") == TargetId{"gfx950", Feature::any, Feature::off});
  CHECK(parsed("gfx950:sramecc-:xnack+") == TargetId{"gfx950", Feature::off, Feature::on});
  CHECK(parsed("gfx950:xnack+:sramecc-") == parsed("gfx950:sramecc-:xnack+"));
  CHECK(parsed("gfx9-4-generic").processor == "gfx9-4-generic");
}

TEST_CASE("target id: the canonical spelling has features in alphabetical order, and none that are open") {
  for (const Feature sramecc : {Feature::any, Feature::off, Feature::on})
    for (const Feature xnack : {Feature::any, Feature::off, Feature::on}) {
      const TargetId id{"gfx950", sramecc, xnack};
      const Expected<TargetId> again = parse_target_id(to_string(id));
      REQUIRE(again.has_value());
      CHECK(*again == id);
    }
  CHECK(to_string({"gfx950", Feature::any, Feature::any}) == "gfx950");
  CHECK(to_string({"gfx942", Feature::on, Feature::off}) == "gfx942:sramecc+:xnack-");
  CHECK(to_string(*parse_target_id("gfx942:xnack-:sramecc+")) == "gfx942:sramecc+:xnack-");
}

TEST_CASE("target id: anything else is refused, with the text and what is allowed") {
  const auto refusal = [](std::string_view text) {
    const Expected<TargetId> id = parse_target_id(text);
    REQUIRE_FALSE(id.has_value());
    CHECK(id.error().kind == ErrorKind::invalid_request);
    REQUIRE(id.error().refusals.size() == 1);
    CHECK(id.error().refusals[0].field == "target");
    CHECK(id.error().refusals[0].value == text);
    return id.error().refusals[0].allowed;
  };
  for (const std::string_view text : {"", ":", ":xnack+", "gfx950:", "gfx950::xnack+",
                                      "gfx950:xnack+:", "gfx950:xnack", "gfx950:xnack=", "gfx950: "}) {
    CAPTURE(text);
    CHECK_THAT(refusal(text), ContainsSubstring("gfx950:sramecc+:xnack-"));
  }
  for (const std::string_view text :
       {"gfx950:tgsplit+", "gfx950:XNACK+", "gfx950:xnack++", "gfx950:+", "gfx950: xnack+"}) {
    CAPTURE(text);
    CHECK_THAT(refusal(text), ContainsSubstring("sramecc and xnack"));
  }
  for (const std::string_view text : {"gfx950:xnack+:xnack+", "gfx950:sramecc+:xnack-:sramecc-"}) {
    CAPTURE(text);
    CHECK_THAT(refusal(text), ContainsSubstring("at most once"));
  }
}

}  // namespace
}  // namespace wavesmith::lowering
