// Target ids: what is accepted prints as it was written, what is not is refused with the reason.
#include "runtime/target_id.h"

#include <tuple>

#include <catch2/catch_test_macros.hpp>

using namespace wavesmith::runtime;

TEST_CASE("accepted target ids print as they were written") {
  for (const char* text : {"gfx950", "gfx942:sramecc+:xnack-", "gfx942:sramecc-", "gfx90a:xnack+",
                           "gfx1010:xnack-", "gfx1201", "gfx9-4-generic:sramecc+"}) {
    const auto id = parse_target_id(text);
    REQUIRE(id);
    CHECK(id->text() == text);
  }
  CHECK(parse_target_id("gfx942:sramecc+:xnack-")->llvm_features() == "+sramecc,-xnack");
  CHECK(parse_target_id("gfx942")->llvm_features().empty());
  CHECK(parse_target_id("gfx1100")->processor->family == Family::gfx11);
}

TEST_CASE("target ids that LLVM would not print are refused by field and value") {
  for (const char* text :
       {"", "gfx", "gfx9999", "GFX950", "gfx950 ", "gfx950:", "gfx950::", "gfx950:xnack", "gfx950:+xnack",
        "gfx950:xnack+:sramecc+", "gfx950:xnack+:xnack+", "gfx950:sramecc+:", "gfx950:wavefrontsize64+",
        "gfx1030:xnack-", "gfx900:sramecc+", ":xnack+", "gfx950:-", "gfx950:+"}) {
    INFO(text);
    const auto id = parse_target_id(text);
    REQUIRE_FALSE(id);
    REQUIRE(id.error().refusals.size() == 1);
    CHECK(id.error().refusals[0].field == "target");
    CHECK(id.error().refusals[0].value == text);
    CHECK_FALSE(id.error().refusals[0].allowed.empty());
  }
}

TEST_CASE("code runs on its processor unless a setting is on here and off there") {
  for (const auto& [code, device, runs] : {std::tuple{"gfx942", "gfx942:sramecc+:xnack-", true},
                                           {"gfx942:xnack-", "gfx942:sramecc+:xnack-", true},
                                           {"gfx942:xnack+", "gfx942:sramecc+:xnack-", false},
                                           {"gfx942:sramecc-", "gfx942:sramecc+:xnack-", false},
                                           {"gfx942:sramecc+", "gfx942", true},
                                           {"gfx950", "gfx942", false}}) {
    INFO(code << " on " << device);
    CHECK(runs_on(*parse_target_id(code), *parse_target_id(device)) == runs);
  }
}
