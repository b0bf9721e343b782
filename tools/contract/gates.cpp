// The gates that execute the kernel.
#include "tools/contract/gates.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tools/verify/accuracy.h"
#include "tools/verify/attention_launch.h"

namespace wavesmith::contract {
namespace {

using simulator::Schedule;

/// Faults and hazards of a run; `how` says which run, where it is not the plain one.
void dispatch_problems(const Outcome& outcome, Gate gate, std::string_view how,
                       std::vector<Problem>& problems) {
  const auto add = [&](Symptom symptom, std::string kind, const simulator::Fault& place, std::string step) {
    problems.push_back({.gate = gate,
                        .symptom = symptom,
                        .kind = std::move(kind),
                        .instruction = place.text,
                        .step = std::move(step),
                        .what = how.empty() ? place.message() : fmt::format("{}: {}", how, place.message())});
  };
  if (!outcome.refusal.empty())
    problems.push_back({.gate = gate, .symptom = Symptom::refused, .what = outcome.refusal});
  if (outcome.report.fault) add(Symptom::fault, "", *outcome.report.fault, "");
  if (outcome.report.hazards)
    for (const simulator::Hazard& hazard : *outcome.report.hazards)
      add(Symptom::hazard, hazard.kind, hazard.first, hazard.step);
}

bool ran(const Outcome& outcome) {
  return outcome.refusal.empty() && !outcome.report.fault;
}

std::vector<Remark> remarks_of(const simulator::Report& report) {
  std::vector<Remark> remarks;
  for (const simulator::Warning& warning : report.warnings)
    remarks.push_back({"warning", fmt::format("{}: {}", warning.first.text, warning.first.what)});
  // Where rows are rescaled is a branch on scores, by design; no address may depend on them.
  if (report.fidelity.uses)
    for (const simulator::InexactUse& use : *report.fidelity.uses)
      if (use.use == "address")
        remarks.push_back({"inexact_address", fmt::format("{}: {}", use.first.text, use.first.what)});
  return remarks;
}

/// Elements that were not written and bytes that must not be are the footprint's business: they get the right
/// value before the numbers are judged.
std::vector<std::uint16_t> judged_part(const dense::Plan& plan, const Tensors& tensors,
                                       const Outcome& outcome, const oracle::Result& exact) {
  std::vector<std::uint16_t> judged(outcome.o.size(), verify::poison_bits);
  const verify::TensorShape& shape = tensors.o;
  std::size_t row = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t t = 0; t < shape.length(b); ++t)
      for (std::int64_t h = 0; h < shape.heads; ++h, ++row)
        for (std::int64_t d = 0; d < shape.head_size; ++d) {
          const auto at = static_cast<std::size_t>(shape.offset(b, t, h) + d);
          const std::size_t source =
              row * static_cast<std::size_t>(shape.head_size) + static_cast<std::size_t>(d);
          judged[at] = outcome.o[at] == verify::poison_bits
                           ? oracle::round_to(verify::element_type(plan.spec), exact.o[source])
                           : outcome.o[at];
        }
  return judged;
}

std::vector<std::uint32_t> judged_lse(const Tensors& tensors, const Outcome& outcome,
                                      const oracle::Result& exact) {
  std::vector<std::uint32_t> judged(outcome.lse.size(), verify::lse_poison_bits);
  const verify::LseShape& shape = *tensors.lse;
  std::size_t row = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t q = 0; q < shape.length(b); ++q)
      for (std::int64_t h = 0; h < shape.heads; ++h, ++row) {
        const auto at = static_cast<std::size_t>(shape.offset(b, h, q));
        judged[at] = outcome.lse[at] == verify::lse_poison_bits
                         ? std::bit_cast<std::uint32_t>(static_cast<float>(exact.lse[row]))
                         : outcome.lse[at];
      }
  return judged;
}

void wrong_values(const dense::Plan& plan, const Tensors& tensors, const Outcome& outcome, unsigned threads,
                  std::vector<Problem>& problems) {
  const oracle::Problem problem = problem_of(plan, tensors, outcome.scale);
  verify::Sample sample;
  sample.exact = oracle::attention(problem, threads);
  sample.rounded = oracle::attention_rounded(problem, verify::element_type(plan.spec), threads);
  sample.output = judged_part(plan, tensors, outcome, sample.exact);
  const auto add = [&](std::string kind, std::string what) {
    problems.push_back({.gate = Gate::values,
                        .symptom = Symptom::wrong_values,
                        .kind = std::move(kind),
                        .what = std::move(what)});
  };
  const auto first = [](const std::vector<verify::Mismatch>& mismatches) {
    if (mismatches.empty()) return std::string();
    const verify::Mismatch& one = mismatches.front();
    return fmt::format(", first {}: {:.6g} instead of {:.6g}", one.where, one.actual, one.expected);
  };
  const verify::Accuracy o = verify::judge(tensors.o, verify::element_type(plan.spec), {&sample, 1});
  if (!o.ok())
    add("o", fmt::format("{} of {} elements are off by more than {:.3g}, RMS {:.3g} of at most {:.3g}{}",
                         o.mismatched, o.elements, o.tolerance(), o.rms_error, o.rms_tolerance(),
                         first(o.mismatches)));
  if (!tensors.lse) return;
  const verify::LseSample lse_sample{.output = judged_lse(tensors, outcome, sample.exact),
                                     .exact = sample.exact.lse,
                                     .magnitude = verify::score_bounds(problem)};
  const verify::LseAccuracy lse = verify::judge_lse(*tensors.lse, {&lse_sample, 1});
  if (!lse.ok())
    add("lse",
        fmt::format("{} of {} logarithms are off{}", lse.mismatched, lse.elements, first(lse.mismatches)));
}

void footprint_problems(const Footprint& footprint, std::vector<Problem>& problems) {
  const auto add = [&](Symptom symptom, std::string what) {
    problems.push_back({.gate = Gate::footprint, .symptom = symptom, .what = std::move(what)});
  };
  if (footprint.unwritten != 0)
    add(Symptom::unwritten, fmt::format("{} elements were never written, first {}", footprint.unwritten,
                                        footprint.first_unwritten));
  if (footprint.overwritten != 0)
    add(Symptom::overwritten, fmt::format("{} bytes that are no output have changed, first {}",
                                          footprint.overwritten, footprint.first_overwritten));
}

/// The runs of the stability gate, against the first one.
class StabilityCheck {
 public:
  StabilityCheck(const dense::Plan& plan, Runner& runner, const Tensors& tensors, const Outcome& first,
                 const CheckOptions& options)
      : plan_(plan), runner_(runner), tensors_(tensors), first_(first), options_(options) {}

  std::vector<Problem> problems;

  Expected<void> run() {
    constexpr std::array<std::pair<Schedule, std::string_view>, 4> schedules{
        {{Schedule::to_wait_rising, "to_wait_rising"},
         {Schedule::to_wait_falling, "to_wait_falling"},
         {Schedule::round_robin, "round_robin"},
         {Schedule::random, "random"}}};
    if (const auto done = whole("repeat", {}); !done) return done;
    for (const auto& [schedule, name] : schedules) {
      Setting setting{.schedule = schedule};
      // Early arrival hides missing waits from the checks that look for them, so only one run has it.
      if (schedule == Schedule::random) setting.arrival = simulator::Arrival::random;
      if (const auto done = whole(name, setting); !done) return done;
    }
    if (const auto done = whole("elsewhere", {.across_4_gib = true}); !done) return done;
    return alone(tensors_.batch() - 1, tensors_.k.shape.heads - 1);
  }

 private:
  Expected<Outcome> outcome(const Tensors& tensors, std::string_view name, Setting setting) {
    setting.threads = options_.threads;
    Expected<Outcome> result = runner_.run(tensors, setting, options_.edit);
    if (result) dispatch_problems(*result, Gate::stability, name, problems);
    return result;
  }

  void differs(std::string_view name, std::string what) {
    problems.push_back({.gate = Gate::stability,
                        .symptom = Symptom::other_bits,
                        .kind = std::string(name),
                        .what = std::move(what)});
  }

  Expected<void> whole(std::string_view name, const Setting& setting) {
    const auto result = outcome(tensors_, name, setting);
    if (!result) return std::unexpected(result.error());
    if (ran(*result) && (result->o != first_.o || result->lse != first_.lse))
      differs(name, fmt::format("the results of the run \"{}\" are not those of the first run", name));
    return {};
  }

  // The batch element and key/value head that have the others before them.
  Expected<void> alone(std::int64_t batch, std::int64_t kv_head) {
    const Tensors part = part_of(tensors_, plan_, batch, kv_head);
    const auto result = outcome(part, "alone", {});
    if (!result) return std::unexpected(result.error());
    if (!ran(*result)) return {};
    const std::int64_t first_head = kv_head * part.o.heads;
    for (std::int64_t h = 0; h < part.o.heads; ++h)
      for (std::int64_t t = 0; t < part.o.tokens; ++t) {
        const auto together = first_.o.begin() + tensors_.o.offset(batch, t, first_head + h);
        const auto by_itself = result->o.begin() + part.o.offset(0, t, h);
        const bool same_lse =
            !part.lse ||
            result->lse[static_cast<std::size_t>(part.lse->offset(0, h, t))] ==
                first_.lse[static_cast<std::size_t>(tensors_.lse->offset(batch, first_head + h, t))];
        if (std::equal(by_itself, by_itself + part.o.head_size, together) && same_lse) continue;
        differs("alone", fmt::format("query {} of batch element {}, head {}, has other bits alone than with "
                                     "the others",
                                     t, batch, first_head + h));
        return {};
      }
    return {};
  }

  const dense::Plan& plan_;
  Runner& runner_;
  const Tensors& tensors_;
  const Outcome& first_;
  const CheckOptions& options_;
};

Expected<dense::Launch> edited_launch(const Runner& runner, const Tensors& tensors, const LaunchEdit& edit) {
  Expected<dense::Launch> launch = runner.launch_of(tensors);
  if (launch && edit)
    if (const auto edited = edit(*launch); !edited) return std::unexpected(edited.error());
  return launch;
}

}  // namespace

std::string Sign::text() const {
  std::string text = fmt::format("{}: {}", name_of(gate), name_of(symptom));
  if (!kind.empty()) text += fmt::format(" {}", kind);
  if (!mnemonic.empty()) text += fmt::format(" at {}", mnemonic);
  if (!step.empty()) text += fmt::format(" in {}", step);
  return text;
}

bool Verdict::passes(Gate gate) const {
  return std::ranges::find(problems, gate, &Problem::gate) == problems.end();
}

void Verdict::add(Verdict more) {
  std::ranges::move(more.problems, std::back_inserter(problems));
  for (Remark& remark : more.remarks)
    if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(std::move(remark));
}

Expected<Verdict> check(const Subject& subject, std::span<const Shape> shapes, const CheckOptions& options) {
  Verdict verdict;
  const bool execute = options.gates.has(Gate::values) || options.gates.has(Gate::footprint) ||
                       options.gates.has(Gate::stability);
  for (const Shape& shape : shapes) {
    const bool first = &shape == shapes.data();
    const Tensors tensors = random_tensors(subject.plan, shape);
    Expected<Runner> runner = Runner::create(subject);
    if (!runner) return std::unexpected(runner.error());
    if (first && options.gates.has(Gate::resolves)) {
      const auto launch = edited_launch(*runner, tensors, options.edit.launch);
      if (!launch) return std::unexpected(launch.error());
      verdict.add(check_resolves(subject, *launch));
    }
    if (!execute) break;
    const auto outcome = runner->run(
        tensors,
        {.thorough = options.thorough && options.gates.has(Gate::values), .threads = options.threads},
        options.edit);
    if (!outcome) return std::unexpected(outcome.error());
    verdict.add({.problems = {}, .remarks = remarks_of(outcome->report)});
    if (options.gates.has(Gate::values)) dispatch_problems(*outcome, Gate::values, "", verdict.problems);
    if (!ran(*outcome)) {
      // Nothing can be said of the other gates, which is no pass.
      for (const Gate gate : {Gate::values, Gate::footprint, Gate::stability})
        if (options.gates.has(gate) && verdict.passes(gate))
          dispatch_problems(*outcome, gate, "", verdict.problems);
      continue;
    }
    if (options.gates.has(Gate::values))
      wrong_values(subject.plan, tensors, *outcome, options.threads, verdict.problems);
    if (options.gates.has(Gate::footprint)) footprint_problems(outcome->footprint, verdict.problems);
    if (first && options.gates.has(Gate::stability)) {
      StabilityCheck stability(subject.plan, *runner, tensors, *outcome, options);
      if (const auto done = stability.run(); !done) return std::unexpected(done.error());
      verdict.add({.problems = std::move(stability.problems), .remarks = {}});
    }
  }
  return verdict;
}

}  // namespace wavesmith::contract
