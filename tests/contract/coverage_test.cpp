// Every golden case has its contract case, and what the contract keeps on file is read strictly. Nothing here
// compiles or runs a kernel.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/cases.h"
#include "tools/contract/allow_list.h"
#include "tools/contract/contract.h"
#include "tools/contract/limits.h"

using namespace wavesmith;
using namespace wavesmith::contract;

namespace {

std::vector<golden::Case> goldens() {
  return {golden::cases().begin(), golden::cases().end()};
}

std::string list_text(std::string_view findings) {
  return R"({"findings": [)" + std::string(findings) + R"(], "schema": "wavesmith.contract.allow/1"})";
}

const std::vector<std::string> two_ids{"family/gfx950/a", "family/gfx950/b"};

/// What is wrong with a list; fails the test where nothing is.
std::string refusal(const std::string& text) {
  const auto list = parse_allow_list(text, "list.json", two_ids);
  REQUIRE_FALSE(list);
  CHECK(list.error().kind == ErrorKind::invalid_request);
  return list.error().message;
}

/// A level as the page's tables have it.
std::string_view row_name(std::string_view level) {
  return level == "ir" ? "IR" : level == "code object" ? "code" : level;
}

golden::Resources resources_of_d64() {
  return {.vgpr = 136,
          .agpr = 0,
          .sgpr = 101,
          .vgpr_spills = 0,
          .sgpr_spills = 0,
          .lds_bytes = 33792,
          .scratch_bytes = 0,
          .instructions = {{"v_mfma_", 48}}};
}

}  // namespace

TEST_CASE("contract coverage: every golden case has a contract case with shapes") {
  const std::vector<ContractCase> cases = contract_cases(goldens());
  CHECK(uncovered(goldens(), cases).empty());
  REQUIRE(cases.size() == goldens().size());
  for (const ContractCase& one : cases) {
    INFO(one.id);
    REQUIRE(one.shapes.size() == 2);
    // Others beside, full tiles and one that is not; more than one block of rows.
    CHECK(one.shapes[0].batch > 1);
    CHECK(one.shapes[0].seqlen_kv > 3 * one.plan.spec.block_n);
    CHECK(one.shapes[0].seqlen_kv % one.plan.spec.block_n != 0);
    CHECK(one.shapes[1].seqlen_q > one.plan.spec.block_m);
  }
}

TEST_CASE("contract coverage: a golden case without a contract case is told, planted or removed") {
  std::vector<golden::Case> more = goldens();
  more.push_back(more.front());
  more.back().family = "plan-score";
  more.back().variant = "planted";
  const std::vector<std::string> foreign = uncovered(more, contract_cases(more));
  REQUIRE(foreign.size() == 1);
  CHECK(foreign.front().starts_with("plan-score/gfx950/planted"));

  more.back() = goldens().front();
  more.back().variant = "refused";
  more.back().fields["head_size"] = "96";
  CHECK(uncovered(more, contract_cases(more)).front().contains("head_size"));

  std::vector<ContractCase> fewer = contract_cases(goldens());
  const std::string removed = fewer[7].id;
  fewer.erase(fewer.begin() + 7);
  CHECK(uncovered(goldens(), fewer) == std::vector{removed});
}

TEST_CASE("contract controls: names are unique and documented, and every level and symptom has some") {
  std::ifstream file(WAVESMITH_SOURCE "/docs/contract.md");
  const std::string page{std::istreambuf_iterator(file), {}};
  std::set<std::string_view> names, levels;
  std::set<Symptom> symptoms;
  for (const Control& control : controls()) {
    CHECK(names.insert(control.name).second);
    levels.insert(control.level());
    symptoms.insert(control.sign.symptom);
    CHECK_FALSE(control.what.empty());
    // The kernels are a column of their own where there are several to choose from.
    const std::string name = fmt::format("\n| `{}` | ", control.name);
    const std::string kernels = fmt::format("`{}` | ", fmt::join(control.kernels, "`, `"));
    const std::string rest =
        fmt::format("{} | {} | {} |\n", row_name(control.level()), control.what, control.sign.text());
    INFO(name << rest);
    CHECK((page.contains(name + rest) || page.contains(name + kernels + rest)));
  }
  CHECK(levels == std::set<std::string_view>{"ir", "code object", "launch"});
  for (const Symptom symptom : {Symptom::not_resolved, Symptom::fault, Symptom::hazard, Symptom::wrong_values,
                                Symptom::unwritten, Symptom::overwritten, Symptom::other_bits})
    CHECK(symptoms.contains(symptom));
}

TEST_CASE("contract code edits: the fields of s_waitcnt as llvm-mc encodes them") {
  const Waitcnt none{0xbf8cff7f};  // s_waitcnt vmcnt(63) lgkmcnt(15), that is no wait but for expcnt
  CHECK(none.vmcnt() == Waitcnt::any_vmcnt);
  CHECK(none.lgkmcnt() == Waitcnt::any_lgkmcnt);
  CHECK(Waitcnt{0xbf8c0f78}.vmcnt() == 8);    // s_waitcnt vmcnt(8)
  CHECK(Waitcnt{0xbf8c4f70}.vmcnt() == 16);   // s_waitcnt vmcnt(16)
  CHECK(Waitcnt{0xbf8cc07f}.lgkmcnt() == 0);  // s_waitcnt lgkmcnt(0)
  CHECK(Waitcnt{0xbf8c0f78}.with_vmcnt(16) == 0xbf8c4f70);
  CHECK(Waitcnt{0xbf8cc37f}.with_lgkmcnt(0) == 0xbf8cc07f);
}

TEST_CASE("allow-list: entries that are right are read") {
  const auto list =
      parse_allow_list(list_text(R"({"case": "family/gfx950/a", "finding": "warning", "reason": "why"})"),
                       "list.json", two_ids);
  REQUIRE(list);
  CHECK(list->has({"family/gfx950/a", "warning", "text"}));
  CHECK_FALSE(list->has({"family/gfx950/b", "warning", "text"}));
  CHECK_FALSE(list->has({"family/gfx950/a", "workgroups", "text"}));
  CHECK(parse_allow_list(list_text(""), "list.json", two_ids)->entries.empty());
}

TEST_CASE("allow-list: everything that is not the schema is refused") {
  const std::string entry = R"({"case": "family/gfx950/a", "finding": "warning", "reason": "why"})";
  CHECK(refusal("{}").contains("list.json is not a list of allowed findings"));
  CHECK(refusal(R"({"findings": [], "schema": "wavesmith.contract.allow/2"})").contains("schema"));
  CHECK(refusal(R"({"findings": {}, "schema": "wavesmith.contract.allow/1"})").contains("not a list"));
  CHECK(refusal(list_text(R"({"case": "family/gfx950/c", "finding": "warning", "reason": "why"})"))
            .contains("there is no case family/gfx950/c"));
  CHECK(refusal(list_text(R"({"case": "family/gfx950/a", "finding": "guess", "reason": "why"})"))
            .contains("there is no finding guess"));
  CHECK(refusal(list_text(R"({"case": "family/gfx950/a", "finding": "warning", "reason": ""})"))
            .contains("reason is empty"));
  CHECK(refusal(list_text(R"({"case": "family/gfx950/a", "finding": "warning", "reason": 1})"))
            .contains("reason is not a text"));
  CHECK(refusal(list_text(R"({"case": "family/gfx950/a", "finding": "warning"})")).contains("reason"));
  CHECK(refusal(list_text(entry + ", " + entry)).contains("stands twice"));
}

TEST_CASE("contract limits: what differs is shown and does not fail, what breaks a limit fails") {
  std::vector<ContractCase> cases = contract_cases(goldens());
  std::erase_if(cases, [](const ContractCase& one) { return !one.id.ends_with("/d64_bf16_causal_q32_kv8"); });
  REQUIRE(cases.size() == 1);
  const std::string& id = cases.front().id;
  const golden::ResourceEntries base{{id, resources_of_d64()}};
  const LimitResult same = compare_limits("LLVM 1", cases, base, base);
  CHECK(same.ok());
  CHECK(same.drift.empty());
  CHECK(same.summary() ==
        "LIMITS LLVM 1: 1 cases; problems: 0 at base, 0 now; 0 numbers differ, 0 not recorded");

  golden::ResourceEntries now = base;
  now[id].vgpr = 150;
  now[id].instructions["v_mfma_"] = 50;
  const LimitResult drifted = compare_limits("LLVM 1", cases, base, now);
  CHECK(drifted.ok());
  REQUIRE(drifted.drift.size() == 2);
  CHECK(drifted.drift[0].field == "vgpr");
  CHECK(drifted.drift[0].base == 136);
  CHECK(drifted.drift[0].now == 150);
  CHECK(drifted.drift[1].field == "instructions v_mfma_");

  for (const auto& [field, value] :
       {std::pair{&golden::Resources::vgpr_spills, 1U}, std::pair{&golden::Resources::sgpr_spills, 1U},
        std::pair{&golden::Resources::scratch_bytes, 4U}, std::pair{&golden::Resources::lds_bytes, 163841U},
        // 512 registers for two waves a SIMD: 264 are too many.
        std::pair{&golden::Resources::vgpr, 264U}}) {
    now = base;
    now[id].*field = value;
    const LimitResult broken = compare_limits("LLVM 1", cases, base, now);
    CHECK_FALSE(broken.ok());
    CHECK(broken.base_problems.empty());
    CHECK_FALSE(broken.now_problems.empty());
    // What was broken before is shown as such, and is no failure once it is mended.
    CHECK(compare_limits("LLVM 1", cases, now, base).ok());
    CHECK_FALSE(compare_limits("LLVM 1", cases, now, base).base_problems.empty());
  }
  CHECK(compare_limits("LLVM 1", cases, {}, base).unrecorded == std::vector{id});
  CHECK_FALSE(compare_limits("LLVM 1", cases, base, {}).ok());
}
