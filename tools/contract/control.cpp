// Planting and looking.
#include "tools/contract/control.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "generator/attention_dense/emit.h"

namespace wavesmith::contract {
namespace {

/// The kernel with the fault in it, and the edit of its launches.
struct Planted {
  std::vector<std::byte> code;
  LaunchEdit edit = {};
};

Expected<Planted> plant(const Control& control, const Baseline& baseline, const KernelCompiler& compiler) {
  const dense::Plan& plan = baseline.kernel.plan;
  if (const auto* launch = std::get_if<LaunchFault>(&control.plant))
    return Planted{.code = baseline.code, .edit = *launch};
  Planted planted;
  if (const auto* code = std::get_if<CodeFault>(&control.plant)) {
    planted.code = baseline.code;
    auto editor = CodeEditor::create(planted.code, baseline.instructions);
    if (!editor) return std::unexpected(editor.error());
    if (const auto done = (*code)(*editor, plan); !done) return std::unexpected(done.error());
  } else {
    std::unique_ptr<ir::Kernel> draft = dense::draft(plan);
    IrEditor editor(*draft);
    if (const auto done = std::get<IrFault>(control.plant)(editor, plan); !done)
      return std::unexpected(done.error());
    Expected<std::vector<std::byte>> compiled = compiler.compile(plan, std::move(draft));
    if (!compiled) return std::unexpected(compiled.error());
    planted.code = std::move(*compiled);
  }
  if (planted.code == baseline.code) return not_applicable("the code object is the same with it");
  return planted;
}

ControlKernel control_kernel(std::string name, dense::Plan plan) {
  // As for a case, and then a tile that is not full with scores so small that every key counts.
  std::vector<Shape> shapes = shapes_for(plan.spec);
  const Shape tail{.batch = 1, .seqlen_q = 64, .seqlen_kv = plan.spec.block_n + 9, .kv_heads = 2, .sigma = 1};
  shapes.insert(shapes.begin() + 1, tail);
  return {std::move(name), std::move(plan), std::move(shapes)};
}

}  // namespace

std::string_view Control::level() const {
  constexpr std::array<std::string_view, 3> names{"ir", "code object", "launch"};
  return names[plant.index()];
}

std::string_view name_of(ControlState state) {
  constexpr std::array<std::string_view, 4> names{"red", "misread", "missed", "not_planted"};
  return names[static_cast<std::size_t>(state)];
}

std::span<const Control> controls() {
  static const std::vector<Control> all = [] {
    std::vector<Control> list = ir_controls();
    std::ranges::move(code_controls(), std::back_inserter(list));
    std::ranges::move(launch_controls(), std::back_inserter(list));
    return list;
  }();
  return all;
}

Expected<std::vector<ControlKernel>> control_kernels(const lowering::TargetId& target) {
  dense::Spec causal;
  causal.head_size = 64;
  causal.num_query_heads = 4;
  causal.num_kv_heads = 2;
  causal.lse = true;
  dense::Spec full = causal;
  full.head_size = 128;
  full.mask = dense::Mask::full;
  full.dtype = dense::DType::fp16;
  std::vector<ControlKernel> kernels;
  for (const auto& [name, spec] : {std::pair{"causal_d64", &causal}, std::pair{"full_d128", &full}}) {
    Expected<dense::Plan> plan = dense::resolve(*spec, target);
    if (!plan) return std::unexpected(plan.error());
    kernels.push_back(control_kernel(name, std::move(*plan)));
  }
  return kernels;
}

Expected<Baseline> baseline(const ControlKernel& kernel, const KernelCompiler& compiler, unsigned threads) {
  Expected<std::vector<std::byte>> code = compiler.compile(kernel.plan);
  if (!code) return std::unexpected(code.error());
  const Subject subject{kernel.plan, std::move(*code)};
  auto runner = Runner::create(subject);
  if (!runner) return std::unexpected(runner.error());
  const auto outcome = runner->run(random_tensors(kernel.plan, kernel.shapes.front()), {.threads = threads});
  if (!outcome) return std::unexpected(outcome.error());
  return Baseline{kernel, subject.code, outcome->report.instructions};
}

ControlResult run_control(const Control& control, const Baseline& baseline, const KernelCompiler& compiler,
                          unsigned threads) {
  ControlResult result{.name = std::string(control.name),
                       .kernel = baseline.kernel.name,
                       .level = std::string(control.level()),
                       .what = std::string(control.what),
                       .sign = control.sign.text()};
  const auto cannot = [&](const Error& error) {
    result.state = ControlState::not_planted;
    result.why = error.message;
    return result;
  };
  Expected<Planted> planted = plant(control, baseline, compiler);
  if (!planted) return cannot(planted.error());
  CheckOptions options{.thorough = control.sign.kind.starts_with("uninitialized"),
                       .threads = threads,
                       .edit = std::move(planted->edit)};
  // The runs of the stability gate are for faults that show there alone.
  options.gates.chosen[static_cast<std::size_t>(Gate::stability)] = control.sign.gate == Gate::stability;
  const Subject subject{baseline.kernel.plan, std::move(planted->code)};
  bool found = false;
  for (const Shape& shape : baseline.kernel.shapes) {
    Expected<Verdict> verdict = check(subject, {&shape, 1}, options);
    if (!verdict) return cannot(verdict.error());
    found = std::ranges::any_of(verdict->problems,
                                [&](const Problem& problem) { return control.sign.matches(problem); });
    std::ranges::move(verdict->problems, std::back_inserter(result.problems));
    if (found) break;
  }
  result.state = found                     ? ControlState::red
                 : result.problems.empty() ? ControlState::missed
                                           : ControlState::misread;
  return result;
}

}  // namespace wavesmith::contract
