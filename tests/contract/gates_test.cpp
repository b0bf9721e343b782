// Gates over a covering part of the golden cases, and what a run sums up to.
#include <catch2/catch_test_macros.hpp>

#include "tests/contract/support.h"
#include "tools/contract/contract.h"

using namespace wavesmith;
using namespace wavesmith::contract;
using wavesmith::test::compiler;
using wavesmith::test::contract_case;

namespace {

// Head sizes, element types, masks, both block sizes, LSE, and one with everything that a launch can have.
// The whole list is a command.
const std::vector<std::string_view> covering{"d64_bf16_causal_q32_kv8_lse", "d128_fp16_full_q32_kv32",
                                             "d64_bf16_causal_top_left_q32_kv8_bn32",
                                             "d128_bf16_causal_q32_kv8_bm128_bn32_exact_lse",
                                             "d64_fp16_window_q32_kv8_varlen_paged16_persistent_sinks_lse"};

Gates only(Gate gate) {
  Gates gates = Gates::none();
  gates.chosen[static_cast<std::size_t>(gate)] = true;
  return gates;
}

std::string first_problem(const CaseResult& one) {
  return one.verdict.problems.empty() ? "" : one.verdict.problems.front().what;
}

}  // namespace

TEST_CASE("contract gates: golden cases pass all four") {
  Request request{.cases = {}, .controls = {}, .targets = {}};
  for (const std::string_view variant : covering) {
    request.cases.push_back(contract_case(variant));
#ifdef WAVESMITH_SANITIZED
    break;  // each takes tens of seconds under the sanitizers
#endif
  }
  const ContractResult result = test::required(run_contract(request, compiler()));
  REQUIRE(result.targets.size() == 1);
  const TargetResult& target = result.targets.front();
  for (const CaseResult& one : target.cases) {
    INFO(one.id << ": " << first_problem(one));
    CHECK(one.ok());
  }
  CHECK(target.fresh.empty());
  CHECK(result.ok());
  CHECK(target.passed() == request.cases.size());
}

TEST_CASE("contract gates: nothing run is no success, and neither is a case that cannot be compiled") {
  const ContractResult nothing =
      test::required(run_contract({.cases = {}, .controls = {}, .targets = {}}, compiler()));
  CHECK_FALSE(nothing.ok());

  ContractCase broken = contract_case("d64_bf16_causal_q32_kv8");
  broken.plan.target.processor = "gfx0";
  const ContractResult result =
      test::required(run_contract({.cases = {broken}, .controls = {}, .targets = {}}, compiler()));
  CHECK_FALSE(result.ok());
  CHECK(result.targets.front().cases.front().verdict.problems.front().kind == "compile");
}

TEST_CASE(
    "contract findings: what the list has is allowed, what it lacks is new, what it has too much is stale") {
  // Registers permit four waves a SIMD, LDS one workgroup of eight waves alone.
  ContractCase crowded = contract_case("d64_bf16_causal_q32_kv8_bn32_w4");
  crowded.plan.lds_bytes = 100'000;
  const ContractCase usual = contract_case("d64_bf16_causal_q32_kv8");
  Request request{.cases = {crowded, usual}, .controls = {}, .targets = {}, .gates = only(Gate::resolves)};
  const ContractResult fresh = test::required(run_contract(request, compiler()));
  const TargetResult& target = fresh.targets.front();
  REQUIRE(target.fresh.size() == 1);
  CHECK(target.fresh.front().id == crowded.id);
  CHECK(target.fresh.front().kind == "workgroups");
  CHECK(target.passed() == 2);
  CHECK_FALSE(fresh.ok());

  request.allowed.entries = {{crowded.id, "workgroups", "planted"}, {usual.id, "warning", "planted"}};
  const ContractResult known = test::required(run_contract(request, compiler()));
  CHECK(known.ok());
  CHECK(known.targets.front().allowed.size() == 1);
  REQUIRE(known.stale.size() == 1);
  CHECK(known.stale.front().id == usual.id);
  CHECK(known.targets.front().summary() ==
        "SUMMARY gfx950: 2 kernels, 2 pass, 0 fail; 1 findings, 1 allowed, 0 new; 0 controls, 0 red as "
        "planted, 0 "
        "missed");

  // An entry of a case that did not run is not stale.
  request.cases = {crowded};
  CHECK(test::required(run_contract(request, compiler())).stale.empty());
}
