// JSON, text and JUnit cases.
#include "tools/cli/contract_output.h"

#include <iterator>

#include <fmt/format.h>

#include "tools/cli/golden_junit.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

constexpr std::size_t shown_problems = 4;

Json problems_json(std::span<const contract::Problem> problems) {
  Json all = Json::array();
  for (const contract::Problem& problem : problems)
    all.push_back({{"gate", name_of(problem.gate)},
                   {"symptom", name_of(problem.symptom)},
                   {"kind", problem.kind},
                   {"instruction", problem.instruction},
                   {"step", problem.step},
                   {"what", problem.what}});
  return all;
}

Json case_json(const contract::CaseResult& one, const contract::Gates& gates) {
  Json passed = Json::object(), findings = Json::array();
  for (std::size_t i = 0; i < contract::gate_names.size(); ++i) {
    const auto gate = static_cast<contract::Gate>(i);
    Json& value = passed[std::string(name_of(gate))];
    if (gates.has(gate)) value = one.verdict.passes(gate) ? "pass" : "fail";
  }
  for (const contract::Remark& remark : one.verdict.remarks)
    findings.push_back({{"finding", remark.kind}, {"what", remark.what}});
  return {{"case", one.id},
          {"target", one.target},
          {"symbol", one.symbol},
          {"ok", one.ok()},
          {"gates", std::move(passed)},
          {"problems", problems_json(one.verdict.problems)},
          {"findings", std::move(findings)}};
}

Json control_json(const contract::ControlResult& control, std::string_view target) {
  return {{"name", control.name},
          {"target", target},
          {"kernel", control.kernel},
          {"level", control.level},
          {"what", control.what},
          {"sign", control.sign},
          {"state", name_of(control.state)},
          {"why", control.why},
          {"problems", problems_json(control.problems)}};
}

std::string problem_text(const contract::Problem& problem) {
  return fmt::format("{} {}{}{}: {}", name_of(problem.gate), name_of(problem.symptom),
                     problem.kind.empty() ? "" : " ", problem.kind, problem.what);
}

std::string problems_text(std::span<const contract::Problem> problems) {
  std::string text;
  for (std::size_t i = 0; i < problems.size() && i < shown_problems; ++i)
    text += fmt::format("    {}\n", problem_text(problems[i]));
  if (problems.size() > shown_problems)
    text += fmt::format("    and {} more\n", problems.size() - shown_problems);
  return text;
}

std::string control_name(const contract::ControlResult& control) {
  return fmt::format("{} in {}", control.name, control.kernel);
}

/// A control that is not red, and why.
std::string missed_text(const contract::ControlResult& control) {
  std::string text = fmt::format("control {}: {} ({}; to be found as {})\n", name_of(control.state),
                                 control_name(control), control.what, control.sign);
  if (!control.why.empty()) text += fmt::format("    {}\n", control.why);
  return text + problems_text(control.problems);
}

}  // namespace

Json contract_json(const contract::ContractResult& result, std::span<const std::string> uncovered,
                   const contract::Gates& gates) {
  Json targets = Json::array(), cases = Json::array(), controls = Json::array(), stale = Json::array();
  for (const contract::TargetResult& target : result.targets) {
    Json fresh = Json::array();
    for (const contract::Finding& finding : target.fresh)
      fresh.push_back({{"case", finding.id}, {"finding", finding.kind}, {"what", finding.what}});
    targets.push_back(
        {{"target", target.target},
         {"ok", target.ok()},
         {"kernels", target.cases.size()},
         {"pass", target.passed()},
         {"fail", target.cases.size() - target.passed()},
         {"findings", {{"allowed", target.allowed.size()}, {"new", std::move(fresh)}}},
         {"controls",
          {{"red", target.controls_red()}, {"missed", target.controls.size() - target.controls_red()}}},
         {"summary", target.summary()}});
    for (const contract::CaseResult& one : target.cases) cases.push_back(case_json(one, gates));
    for (const contract::ControlResult& control : target.controls)
      controls.push_back(control_json(control, target.target));
  }
  for (const contract::AllowedFinding& entry : result.stale)
    stale.push_back({{"case", entry.id}, {"finding", entry.kind}, {"reason", entry.reason}});
  return {
      {"ok", result.ok() && uncovered.empty()}, {"targets", std::move(targets)}, {"cases", std::move(cases)},
      {"controls", std::move(controls)},        {"uncovered", uncovered},        {"stale", std::move(stale)}};
}

std::string contract_text(const contract::ContractResult& result, std::span<const std::string> uncovered) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const std::string& id : uncovered) fmt::format_to(out, "golden case without contract: {}\n", id);
  for (const contract::TargetResult& target : result.targets) {
    for (const contract::CaseResult& one : target.cases)
      if (!one.ok()) {
        fmt::format_to(out, "FAILED {}\n", one.id);
        text += problems_text(one.verdict.problems);
      }
    for (const contract::Finding& finding : target.fresh)
      fmt::format_to(out, "new finding of {}: {}: {}\n", finding.id, finding.kind, finding.what);
    if (!target.baseline_problem.empty())
      fmt::format_to(out, "no fault could be planted: {}\n", target.baseline_problem);
    for (const contract::ControlResult& control : target.controls)
      if (control.state != contract::ControlState::red) text += missed_text(control);
  }
  for (const contract::AllowedFinding& entry : result.stale)
    fmt::format_to(out, "stale in the allow-list: {} of {} is not found any more\n", entry.kind, entry.id);
  for (const contract::TargetResult& target : result.targets) fmt::format_to(out, "{}\n", target.summary());
  if (result.targets.empty()) text += "nothing was checked\n";
  return text;
}

std::string contract_junit(const contract::ContractResult& result, std::span<const std::string> uncovered) {
  using enum JUnitCase::Outcome;
  std::vector<JUnitCase> cases;
  for (const std::string& id : uncovered)
    cases.push_back(
        {.suite = "coverage", .name = id, .outcome = failed, .message = "a golden case without contract"});
  for (const contract::TargetResult& target : result.targets) {
    for (const contract::CaseResult& one : target.cases)
      cases.push_back({.suite = target.target,
                       .name = one.id,
                       .outcome = one.ok() ? passed : failed,
                       .message = one.ok() ? "" : problem_text(one.verdict.problems.front()),
                       .output = problems_text(one.verdict.problems)});
    for (const contract::ControlResult& control : target.controls) {
      const bool red = control.state == contract::ControlState::red;
      cases.push_back(
          {.suite = fmt::format("{} controls", target.target),
           .name = control_name(control),
           .outcome = red ? passed : failed,
           .message = red ? "" : fmt::format("{}, to be found as {}", name_of(control.state), control.sign),
           .output = problems_text(control.problems)});
    }
    for (const contract::Finding& finding : target.fresh)
      cases.push_back({.suite = fmt::format("{} findings", target.target),
                       .name = fmt::format("{} of {}", finding.kind, finding.id),
                       .outcome = failed,
                       .message = finding.what});
  }
  return junit_text("wavesmith contract", cases);
}

}  // namespace wavesmith::cli
