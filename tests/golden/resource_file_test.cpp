// The golden file of resources, byte for byte, and which changes of a number fail.
#include "golden/resource_file.h"

#include <catch2/catch_test_macros.hpp>

#include "golden/resource_check.h"

using wavesmith::ErrorKind;
using wavesmith::golden::compare_resources;
using wavesmith::golden::parse_resources;
using wavesmith::golden::ResourceEntries;
using wavesmith::golden::ResourceGoldens;
using wavesmith::golden::ResourceResult;
using wavesmith::golden::Resources;
using wavesmith::golden::resources_text;
using wavesmith::golden::Slack;

namespace {

const std::string one_compiler = R"json({
  "compilers": {
    "LLVM 22.1.8 (llvm)": {
      "cases": {
        "family/gfx950/a": {
          "agpr": 2,
          "instructions": {
            "ds_read": 7,
            "v_mfma_": 9
          },
          "lds_bytes": 6,
          "scratch_bytes": 8,
          "sgpr": 3,
          "sgpr_spills": 5,
          "vgpr": 1,
          "vgpr_spills": 4
        }
      }
    }
  },
  "schema": "wavesmith.golden.resources/1",
  "slack": {
    "agpr": 0,
    "sgpr": 8,
    "vgpr": 4
  }
}
)json";

std::string message(const std::string& from, const std::string& to) {
  std::string text = one_compiler;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  const auto goldens = parse_resources(text.replace(at, from.size(), to), "F");
  REQUIRE_FALSE(goldens);
  CHECK(goldens.error().kind == ErrorKind::check_failed);
  return goldens.error().message;
}

ResourceResult compared(const Resources& golden, const Resources& measured) {
  constexpr Slack slack{.vgpr = 4, .agpr = 0, .sgpr = 8};
  return compare_resources("C", ResourceEntries{{"a", golden}}, ResourceEntries{{"a", measured}}, slack);
}

}  // namespace

TEST_CASE("reading and writing a golden file of resources are inverse") {
  const auto goldens = parse_resources(one_compiler, "F");
  REQUIRE(goldens);
  const Resources& a = goldens->compilers.at("LLVM 22.1.8 (llvm)").at("family/gfx950/a");
  CHECK(a == Resources{.vgpr = 1,
                       .agpr = 2,
                       .sgpr = 3,
                       .vgpr_spills = 4,
                       .sgpr_spills = 5,
                       .lds_bytes = 6,
                       .scratch_bytes = 8,
                       .instructions = {{"ds_read", 7}, {"v_mfma_", 9}}});
  CHECK(goldens->slack == Slack{.vgpr = 4, .agpr = 0, .sgpr = 8});
  CHECK(resources_text(*goldens) == one_compiler);
}

TEST_CASE("what is not exactly the schema is no golden file of resources") {
  CHECK(message("resources/1", "resources/2").contains("resources/2"));
  CHECK(message("\"vgpr\": 1", "\"vgpr\": -1").contains("family/gfx950/a: vgpr is not a count"));
  CHECK(message("\"vgpr\": 1,", "").contains("has no key \"vgpr\""));
  CHECK(message("\"vgpr\": 1,", "\"vgpr\": 1, \"vgprs\": 1,").contains("unknown key \"vgprs\""));
  CHECK(message("\"v_mfma_\": 9", "\"v_mfma_\": \"9\"").contains("instructions v_mfma_"));
  CHECK(message("\"agpr\": 0,", "").contains("slack has no key \"agpr\""));
  CHECK(message("\"sgpr\": 3", "\"vgpr\": 3").contains("stands twice"));
}

TEST_CASE("registers fail beyond the slack in either direction, everything else at once") {
  const Resources base{.vgpr = 100, .sgpr = 50, .instructions = {{"v_mfma_", 9}}};
  CHECK(compared(base, base).ok());
  CHECK(compared(base, base).agreed == std::vector<std::string>{"a"});
  const auto outcome = [&](auto change) {
    Resources now = base;
    change(now);
    const ResourceResult result = compared(base, now);
    REQUIRE(result.changes.size() == 1);
    CHECK(result.ok() == !result.changes[0].fails);
    return result.changes[0].fails;
  };
  CHECK_FALSE(outcome([](Resources& now) { now.vgpr = 104; }));
  CHECK_FALSE(outcome([](Resources& now) { now.vgpr = 96; }));
  CHECK(outcome([](Resources& now) { now.vgpr = 105; }));
  CHECK(outcome([](Resources& now) { now.vgpr = 95; }));
  CHECK_FALSE(outcome([](Resources& now) { now.sgpr = 58; }));
  CHECK(outcome([](Resources& now) { now.sgpr = 59; }));
  CHECK(outcome([](Resources& now) { now.agpr = 1; }));
  CHECK(outcome([](Resources& now) { now.vgpr_spills = 1; }));
  CHECK(outcome([](Resources& now) { now.sgpr_spills = 1; }));
  CHECK(outcome([](Resources& now) { now.scratch_bytes = 4; }));
  CHECK(outcome([](Resources& now) { now.lds_bytes = 4; }));
  CHECK(outcome([](Resources& now) { now.instructions["v_mfma_"] = 8; }));
  CHECK(outcome([](Resources& now) { now.instructions["scratch_"] = 1; }));
  CHECK(outcome([](Resources& now) { now.instructions.clear(); }));
}

TEST_CASE("a compiler of which nothing is compared is not right") {
  const Slack slack;
  CHECK_FALSE(compare_resources("C", {}, {}, slack).ok());
  const ResourceResult missing = compare_resources("C", {}, {{"a", Resources{}}}, slack);
  CHECK(missing.missing == std::vector<std::string>{"a"});
  CHECK_FALSE(missing.ok());
  const ResourceResult gone = compare_resources("C", {{"a", {}}, {"b", {}}}, {{"a", {}}}, slack);
  CHECK(gone.unexpected == std::vector<std::string>{"b"});
  CHECK_FALSE(gone.ok());
}
