// What a bless says of invented goldens, worked out by hand.
#include "golden/bless.h"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

using wavesmith::golden::BlessPlan;
using wavesmith::golden::compare;
using wavesmith::golden::Goldens;
using wavesmith::golden::plan_bless;

namespace {

using Flavours = std::vector<std::string>;
using Specs = std::map<std::string, std::map<std::string, std::string>>;

const Specs specs{{"a", {{"head_size", "64"}, {"mask", "full"}, {"kv", "paged"}}},
                  {"b", {{"head_size", "64"}, {"mask", "causal"}, {"kv", "paged"}}},
                  {"c", {{"head_size", "128"}, {"mask", "causal"}, {"kv", "paged"}}},
                  {"d", {{"head_size", "128"}, {"mask", "full"}, {"kv", "paged"}}}};

Goldens all(const std::string& hash) {
  Goldens goldens;
  for (const std::string flavour : {"llvm21", "llvm22"})
    for (const auto& [id, spec] : specs) goldens[flavour][id] = {.symbol = id, .sha256 = hash, .bytes = 1};
  return goldens;
}

}  // namespace

TEST_CASE("goldens compare by flavour and case") {
  Goldens golden = all("old"), emitted = all("old");
  emitted["llvm22"]["b"].sha256 = "new";
  golden["llvm21"].erase("c");
  golden["llvm20"]["a"] = {};
  const auto result = compare(golden, emitted);
  CHECK(result.checked == 7);
  REQUIRE(result.drifted.size() == 1);
  CHECK(result.drifted[0].name.flavour == "llvm22");
  CHECK(result.drifted[0].name.id == "b");
  CHECK(result.drifted[0].golden.sha256 == "old");
  CHECK(result.drifted[0].emitted.sha256 == "new");
  REQUIRE(result.missing.size() == 1);
  CHECK(result.missing[0].id == "c");
  REQUIRE(result.unexpected.size() == 1);
  CHECK(result.unexpected[0].flavour == "llvm20");
  CHECK_FALSE(result.ok());
  CHECK(compare(emitted, emitted).ok());
  CHECK_FALSE(compare({}, {}).ok());
}

TEST_CASE("a change of one head size is said to be one") {
  Goldens emitted = all("old");
  for (const std::string flavour : {"llvm21", "llvm22"})
    for (const std::string id : {"a", "b"}) emitted[flavour][id].sha256 = "new";
  const BlessPlan plan = plan_bless(all("old"), emitted, specs);
  CHECK(plan.moved.size() == 2);
  CHECK(plan.moved.at("a") == Flavours{"llvm21", "llvm22"});
  CHECK(plan.moved_entries == 4);
  CHECK(plan.unmoved_entries == 4);
  CHECK(plan.unmoved_values == 4 * 3 + 4 * 2);  // the moved ones keep their symbol and length
  CHECK(plan.unmoved_cases == 2);
  // kv is the same in every case of the list, so it says nothing.
  REQUIRE(plan.common.size() == 1);
  CHECK(plan.common[0].field == "head_size");
  CHECK(plan.common[0].value == "64");
  CHECK(plan.common[0].unmoved == 0);
}

TEST_CASE("shared fields count the cases that stayed, the telling ones first") {
  Goldens emitted = all("old");
  emitted["llvm22"]["a"].sha256 = "new";
  const BlessPlan plan = plan_bless(all("old"), emitted, specs);
  CHECK(plan.moved.at("a") == Flavours{"llvm22"});
  CHECK(plan.moved_entries == 1);
  CHECK(plan.unmoved_entries == 7);
  CHECK(plan.unmoved_cases == 3);
  REQUIRE(plan.common.size() == 2);
  CHECK(plan.common[0].unmoved == 1);
  CHECK(plan.common[1].unmoved == 1);

  emitted["llvm22"]["c"].sha256 = "new";
  CHECK(plan_bless(all("old"), emitted, specs).common.empty());
}

TEST_CASE("the first bless adds, and what is no longer a case is removed") {
  const BlessPlan first = plan_bless({}, all("new"), specs);
  CHECK(first.changes());
  CHECK(first.added.size() == 4);
  CHECK(first.moved.empty());
  CHECK(first.unmoved_cases == 0);
  CHECK(first.goldens == all("new"));

  Goldens old = all("new");
  old["llvm22"]["gone"] = {};
  const BlessPlan later = plan_bless(old, all("new"), specs);
  CHECK(later.removed.at("gone") == Flavours{"llvm22"});
  CHECK(later.changes());
  CHECK_FALSE(plan_bless(all("new"), all("new"), specs).changes());
}
