// Every planted fault is found as what it is, and a fault that is not found fails. Each fault goes into one
// of its kernels, by turns; `wavesmith contract` plants each into all of them.
#include <array>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/contract/support.h"
#include "tools/contract/contract.h"

using namespace wavesmith;
using namespace wavesmith::contract;
using wavesmith::test::baseline_of;
using wavesmith::test::compiler;
using wavesmith::test::control_kernels;

namespace {

#ifdef WAVESMITH_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Of the kernels that a control belongs to, the one whose turn it is.
const ControlKernel& kernel_for(const Control& control, std::size_t number) {
  std::vector<const ControlKernel*> kernels;
  for (const ControlKernel& one : control_kernels())
    if (control.belongs_to(one)) kernels.push_back(&one);
  return *kernels.at(number % kernels.size());
}

std::string found(const ControlResult& result) {
  std::string text = result.why;
  for (const Problem& problem : result.problems)
    text += std::string(name_of(problem.symptom)) + " " + problem.kind + ": " + problem.what + "\n";
  return text;
}

/// s_setprio is a hint: the kernel is right without.
Control harmless() {
  return {.name = "harmless",
          .what = "priorities are not raised",
          .plant = CodeFault([](CodeEditor& editor, const dense::Plan&) -> Expected<void> {
            const auto marks = editor.find("s_setprio", "");
            if (!marks) return std::unexpected(marks.error());
            for (const auto* mark : *marks) editor.remove(*mark);
            return {};
          }),
          .sign = {.gate = Gate::values, .symptom = Symptom::wrong_values}};
}

void check_green(const ControlKernel& kernel) {
  CheckOptions options{.threads = 2, .edit = {}};
  // What takes minutes under the sanitizers; gates_test.cpp has a case with all of it.
  options.thorough = !sanitized;
  options.gates.chosen[static_cast<std::size_t>(Gate::stability)] = !sanitized;
  const Verdict verdict =
      test::required(check({kernel.plan, baseline_of(kernel).code}, kernel.shapes, options));
  INFO(kernel.name << ": " << (verdict.problems.empty() ? "" : verdict.problems.front().what));
  CHECK(verdict.problems.empty());
  CHECK(verdict.remarks.empty());
}

void check_found(const Control& control, const ControlKernel& kernel) {
  const ControlResult result = run_control(control, baseline_of(kernel), compiler(), 2);
  INFO(result.name << " in " << result.kernel << ", to be found as " << result.sign << "\n" << found(result));
  CHECK(name_of(result.state) == "red");
}

constexpr std::size_t parts = 4;

}  // namespace

TEST_CASE("contract controls: the kernels are green without a fault") {
  for (const ControlKernel& kernel : control_kernels())
    if (kernel.usual) check_green(kernel);
}

TEMPLATE_TEST_CASE_SIG("contract controls: every planted fault is found as what it is", "",
                       ((std::size_t Part), Part), 0, 1, 2, 3) {
  constexpr std::size_t step = sanitized ? 12 * parts : parts;  // there a few: all take minutes
  for (std::size_t i = Part; i < controls().size(); i += step) {
    const Control& control = controls()[i];
    const ControlKernel& kernel = kernel_for(control, i / 2 + i);
    if (kernel.usual) check_found(control, kernel);
  }
}

TEMPLATE_TEST_CASE_SIG("contract controls: variants are green, and faults of theirs are found", "",
                       ((std::size_t Variant), Variant), 0, 1, 2, 3, 4) {
  constexpr std::size_t usual = 2;
  const ControlKernel& kernel = control_kernels().at(usual + Variant);
  REQUIRE_FALSE(kernel.usual);
  check_green(kernel);
  for (std::size_t i = 0; i < controls().size(); ++i) {
    const Control& control = controls()[i];
    const std::size_t step = sanitized ? 12 : control.level() == "ir" ? 3 : 1;
    if (&kernel_for(control, i) == &kernel && i % step == 0) check_found(control, kernel);
  }
}

TEST_CASE(
    "contract controls: what stays green is missed, what changes nothing is not planted, and both fail") {
  const Control missed = harmless();
  Control misread = harmless();
  misread.name = "misread";
  misread.plant = LaunchFault([](dense::Launch& launch) -> Expected<void> {
    --launch.grid[1];
    return {};
  });
  Control empty = harmless();
  empty.name = "empty";
  empty.plant = IrFault([](IrEditor&, const dense::Plan&) -> Expected<void> { return {}; });
  Control absent = harmless();
  absent.name = "absent";
  absent.plant = IrFault([](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto none = editor.find(ir::OpKind::urem, "qk");
    if (!none) return std::unexpected(none.error());
    return {};
  });
  const Baseline& kernel = baseline_of(control_kernels().front());
  CHECK(run_control(missed, kernel, compiler(), 2).state == ControlState::missed);
  CHECK(run_control(misread, kernel, compiler(), 2).state == ControlState::misread);
  CHECK(run_control(empty, kernel, compiler(), 2).state == ControlState::not_planted);
  const ControlResult unplanted = run_control(absent, kernel, compiler(), 2);
  CHECK(unplanted.state == ControlState::not_planted);
  CHECK(unplanted.why.contains("0 operations urem in step \"qk\""));

  Control in_one = missed;
  in_one.kernels = {"causal_d64"};
  const ContractResult result =
      test::required(run_contract({.cases = {}, .controls = {in_one}, .targets = {"gfx950"}}, compiler()));
  CHECK_FALSE(result.ok());
  CHECK(result.targets.front().summary() ==
        "SUMMARY gfx950: 0 kernels, 0 pass, 0 fail; 0 findings, 0 allowed, 0 new; 1 controls, 0 red as "
        "planted, 1 "
        "missed");
}
