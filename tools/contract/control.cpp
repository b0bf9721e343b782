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
  Edit edit = {};
};

Expected<Planted> plant(const Control& control, const Baseline& baseline, const KernelCompiler& compiler) {
  const dense::Plan& plan = baseline.kernel.plan;
  if (const auto* launch = std::get_if<LaunchFault>(&control.plant))
    return Planted{.code = baseline.code, .edit = {.launch = *launch}};
  if (const auto* tables = std::get_if<TableFault>(&control.plant))
    return Planted{.code = baseline.code, .edit = {.tables = *tables}};
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

std::vector<Shape> control_shapes(const dense::Spec& spec) {
  // As for a case, and then a tile that is not full with scores so small that every key counts.
  std::vector<Shape> shapes = shapes_for(spec);
  Shape tail{.batch = 1, .seqlen_q = 64, .seqlen_kv = spec.block_n + 9, .kv_heads = 2, .sigma = 1};
  if (spec.mask == dense::Mask::window) {
    // Few keys a row, which begin and end in the middle of tiles; the last of three tiles is not full.
    tail.seqlen_kv = 3 * spec.block_n - 20;
    tail.window_left = 20;
    tail.window_right = 7;
  }
  shapes.insert(shapes.begin() + 1, tail);
  return shapes;
}

/// The kernels by name; the first two take every fault.
std::vector<std::pair<std::string_view, dense::Spec>> control_specs() {
  dense::Spec causal;
  causal.head_size = 64;
  causal.num_query_heads = 4;
  causal.num_kv_heads = 2;
  causal.lse = true;
  dense::Spec full = causal;
  full.head_size = 128;
  full.mask = dense::Mask::full;
  full.dtype = dense::DType::fp16;
  dense::Spec persistent = causal;
  persistent.persistent = true;
  dense::Spec window = causal;
  window.dtype = dense::DType::fp16;
  window.mask = dense::Mask::window;
  window.sinks = true;
  dense::Spec varlen = persistent;
  varlen.sequences = dense::Sequences::varlen;
  dense::Spec paged = causal;
  paged.kv = dense::Kv::paged;
  paged.page_size = 16;
  // A wave copies keys of two pages.
  dense::Spec two_pages = paged;
  two_pages.sequences = dense::Sequences::ragged;
  two_pages.mask = dense::Mask::full;
  two_pages.dtype = dense::DType::fp16;
  two_pages.block_m = 128;
  two_pages.block_n = 128;
  two_pages.waves_per_eu = 1;
  return {{"causal_d64", causal},
          {"full_d128", full},
          {"persistent_d64", persistent},
          {"window_sinks_d64", window},
          {"varlen_d64", varlen},
          {"paged_d64", paged},
          {"ragged_two_pages_d64", two_pages}};
}

}  // namespace

std::string_view Control::level() const {
  constexpr std::array<std::string_view, 4> names{"ir", "code object", "launch", "launch"};
  return names[plant.index()];
}

bool Control::belongs_to(const ControlKernel& kernel) const {
  return kernels.empty() ? kernel.usual : std::ranges::find(kernels, kernel.name) != kernels.end();
}

std::string_view name_of(ControlState state) {
  constexpr std::array<std::string_view, 4> names{"red", "misread", "missed", "not_planted"};
  return names[static_cast<std::size_t>(state)];
}

std::span<const Control> controls() {
  static const std::vector<Control> all = [] {
    std::vector<Control> list;
    for (const auto& part : {ir_controls, code_controls, launch_controls, item_controls, window_controls,
                             sequence_controls, page_controls})
      std::ranges::move(part(), std::back_inserter(list));
    return list;
  }();
  return all;
}

Expected<std::vector<ControlKernel>> control_kernels(const lowering::TargetId& target) {
  constexpr std::size_t usual = 2;
  std::vector<ControlKernel> kernels;
  for (const auto& [name, spec] : control_specs()) {
    Expected<dense::Plan> plan = dense::resolve(spec, target);
    if (!plan) return std::unexpected(plan.error());
    std::vector<Shape> shapes = control_shapes(plan->spec);
    kernels.push_back({.name = std::string(name),
                       .plan = std::move(*plan),
                       .shapes = std::move(shapes),
                       .usual = kernels.size() < usual});
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
