// Runs cases and controls beside one another and sums up.
#include "tools/contract/contract.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "tools/contract/parallel.h"

namespace wavesmith::contract {
namespace {

CaseResult run_case(const ContractCase& one, const Gates& gates, const KernelCompiler& compiler) {
  CaseResult result{
      .id = one.id, .target = to_string(one.plan.target), .symbol = one.plan.symbol, .verdict = {}};
  // A case that cannot be judged passes no gate that was asked for.
  const auto not_judged = [&](std::string_view kind, const Error& error) {
    if (error.kind == ErrorKind::environment) result.environment = error;
    for (std::size_t gate = 0; gate < gate_names.size(); ++gate)
      if (gates.chosen.at(gate))
        result.verdict.problems.push_back({.gate = static_cast<Gate>(gate),
                                           .symptom = Symptom::not_resolved,
                                           .kind = std::string(kind),
                                           .what = error.message});
    return result;
  };
  Expected<std::vector<std::byte>> code = compiler.compile(one.plan);
  if (!code) return not_judged("compile", code.error());
  const Subject subject{one.plan, std::move(*code)};
  Expected<Verdict> verdict = check(subject, one.shapes, {.gates = gates, .edit = {}});
  if (!verdict) return not_judged("run", verdict.error());
  result.verdict = std::move(*verdict);
  return result;
}

/// One fault to plant: which control into which kernel.
struct Planting {
  const Control* control;
  const Baseline* baseline;
};

TargetResult& target_of(ContractResult& result, const std::string& target) {
  const auto known = std::ranges::find(result.targets, target, &TargetResult::target);
  if (known != result.targets.end()) return *known;
  result.targets.push_back({.target = target, .cases = {}, .controls = {}, .allowed = {}, .fresh = {}});
  return result.targets.back();
}

/// Of the kernels that some of the controls are planted into.
Expected<std::vector<Baseline>> baselines_of(const std::string& target, const std::vector<Control>& controls,
                                             const KernelCompiler& compiler) {
  const auto id = lowering::parse_target_id(target);
  if (!id) return std::unexpected(id.error());
  const auto kernels = control_kernels(*id);
  if (!kernels) return std::unexpected(kernels.error());
  std::vector<Baseline> baselines;
  for (const ControlKernel& kernel : *kernels) {
    if (std::ranges::none_of(controls, [&](const Control& one) { return one.belongs_to(kernel); })) continue;
    Expected<Baseline> made = baseline(kernel, compiler);
    if (!made) return std::unexpected(made.error());
    baselines.push_back(std::move(*made));
  }
  return baselines;
}

void sort_findings(TargetResult& target, const AllowList& allowed) {
  for (const CaseResult& one : target.cases)
    for (const Remark& remark : one.verdict.remarks) {
      Finding finding{one.id, remark.kind, remark.what};
      auto& list = allowed.has(finding) ? target.allowed : target.fresh;
      list.push_back(std::move(finding));
    }
}

std::vector<AllowedFinding> stale_entries(const ContractResult& result, const AllowList& allowed) {
  std::vector<AllowedFinding> stale;
  for (const AllowedFinding& entry : allowed.entries)
    for (const TargetResult& target : result.targets) {
      const bool ran = std::ranges::find(target.cases, entry.id, &CaseResult::id) != target.cases.end();
      const bool matches = std::ranges::any_of(target.allowed, [&](const Finding& finding) {
        return finding.id == entry.id && finding.kind == entry.kind;
      });
      if (ran && !matches) stale.push_back(entry);
    }
  return stale;
}

}  // namespace

std::size_t TargetResult::passed() const {
  return static_cast<std::size_t>(std::ranges::count_if(cases, &CaseResult::ok));
}

std::size_t TargetResult::controls_red() const {
  return static_cast<std::size_t>(std::ranges::count(controls, ControlState::red, &ControlResult::state));
}

bool TargetResult::ok() const {
  return passed() == cases.size() && fresh.empty() && controls_red() == controls.size() &&
         baseline_problem.empty() && cases.size() + controls.size() > 0;
}

std::string TargetResult::summary() const {
  return fmt::format(
      "SUMMARY {}: {} kernels, {} pass, {} fail; {} findings, {} allowed, {} new; {} controls, {} red as "
      "planted, {} missed",
      target, cases.size(), passed(), cases.size() - passed(), allowed.size() + fresh.size(), allowed.size(),
      fresh.size(), controls.size(), controls_red(), controls.size() - controls_red());
}

bool ContractResult::ok() const {
  return !targets.empty() && std::ranges::all_of(targets, &TargetResult::ok);
}

Expected<ContractResult> run_contract(const Request& request, const KernelCompiler& compiler) {
  ContractResult result;
  for (const ContractCase& one : request.cases) target_of(result, to_string(one.plan.target));
  std::vector<std::vector<Baseline>> baselines;
  std::vector<std::pair<std::string, std::vector<Planting>>> plantings;
  std::size_t total = request.cases.size();
  baselines.reserve(request.targets.size());
  if (!request.controls.empty())
    for (const std::string& name : request.targets) {
      TargetResult& target = target_of(result, name);
      Expected<std::vector<Baseline>> made = baselines_of(name, request.controls, compiler);
      if (!made) {
        if (made.error().kind == ErrorKind::environment) return std::unexpected(made.error());
        target.baseline_problem = made.error().message;
        continue;
      }
      auto& list = plantings.emplace_back(name, std::vector<Planting>{}).second;
      for (const Baseline& kernel : baselines.emplace_back(std::move(*made)))
        for (const Control& control : request.controls)
          if (control.belongs_to(kernel.kernel)) list.push_back({&control, &kernel});
      total += list.size();
    }

  const unsigned jobs = jobs_or_cpus(request.jobs);
  std::mutex mutex;
  std::size_t done = 0;
  const auto finished = [&] {
    const std::scoped_lock lock(mutex);
    ++done;
    if (request.progress) request.progress(done, total);
  };
  std::vector<CaseResult> cases(request.cases.size());
  for_each_index(cases.size(), jobs, [&](std::size_t i) {
    cases[i] = run_case(request.cases[i], request.gates, compiler);
    finished();
  });
  for (const CaseResult& one : cases)
    if (one.environment) return std::unexpected(*one.environment);
  for (CaseResult& one : cases) target_of(result, one.target).cases.push_back(std::move(one));
  for (const auto& [name, list] : plantings) {
    std::vector<ControlResult> controls(list.size());
    for_each_index(list.size(), jobs, [&](std::size_t i) {
      controls[i] = run_control(*list[i].control, *list[i].baseline, compiler);
      finished();
    });
    target_of(result, name).controls = std::move(controls);
  }
  for (TargetResult& target : result.targets) sort_findings(target, request.allowed);
  result.stale = stale_entries(result, request.allowed);
  return result;
}

}  // namespace wavesmith::contract
