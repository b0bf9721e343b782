// `wavesmith verify`: compiles a kernel, runs it and judges its output by the float64 oracle.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/attention_dense/plan.h"
#include "generator/model_shapes.h"
#include "runtime/compiler.h"
#include "tools/cli/command.h"
#include "tools/cli/dispatch_text.h"
#include "tools/cli/files.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/kernel_request.h"
#include "tools/cli/numbers.h"
#include "tools/cli/progress.h"
#include "tools/cli/simulator_options.h"
#include "tools/verify/attention.h"
#include "tools/verify/attention_launch.h"
#include "tools/verify/attention_launch_file.h"
#include "tools/verify/report.h"

namespace wavesmith::cli {
namespace {

namespace dense = generator::attention_dense;

std::vector<OptionGroup> options(std::span<const std::string> words) {
  std::vector<OptionGroup> groups = kernel_options(words, "auto");
  OptionGroup launch{
      .title = "Launch",
      .options = {
          {.name = "batch", .placeholder = "N", .meaning = "batch elements (default 1)"},
          {.name = "seqlen-q", .placeholder = "N", .meaning = "queries of each batch element (required)"},
          {.name = "seqlen-kv", .placeholder = "N", .meaning = "keys of each batch element (required)"},
          {.name = "softmax-scale",
           .placeholder = "X",
           .meaning = "factor of the scores (default 1 / sqrt(head size))"},
          {.name = "window-left",
           .placeholder = "N",
           .meaning =
               "with mask window: keys before a query's own place that it sees; -1: all (default: what a "
               "--model-shape with a window has, else -1)"},
          {.name = "window-right",
           .placeholder = "N",
           .meaning = "the same behind it (default: 0 with such a --model-shape, else -1)"},
          {.name = "layout",
           .placeholder = "NAME",
           .meaning = "order of the axes in memory: bshd, bhsd (default bshd)"},
          {.name = "seed", .placeholder = "N", .meaning = "of the random inputs (default 1)"},
          {.name = "sigma",
           .placeholder = "X",
           .meaning = "standard deviation of Q and K, at most 100; at 1 no accumulator is ever rescaled "
                      "(default 2)"},
          {.name = "num-persistent",
           .placeholder = "N",
           .meaning = "workgroups of a persistent kernel (default: as many as a GPU holds at once, or what "
                      "the order asks for)"},
          {.name = "persist-decode",
           .placeholder = "NAME",
           .meaning = fmt::format("order of a persistent kernel's work items: {} (default auto)",
                                  fmt::join(dense::order_names(), ", "))},
          {.name = "interleave",
           .placeholder = "",
           .meaning = "blocks of odd query heads in falling order; with persist-decode qb_major"}}};
  launch.options.push_back(
      {.name = "save-launch",
       .placeholder = "FILE",
       .meaning = "also write this launch, with contiguous tensors, as a launch file for simulate"});
  groups.push_back(std::move(launch));
  OptionGroup simulation = simulator_options();
  const auto schedule = std::ranges::find(simulation.options, "schedule", &Option::name);
  schedule->meaning += "; without it every schedule runs once, and results that differ are a hazard";
  groups.push_back(std::move(simulation));
  groups.push_back({.title = "Device",
                    .options = {{.name = "device",
                                 .placeholder = "NAME",
                                 .meaning = "sim: the simulator; hip: a GPU, not built yet (default sim)"}}});
  groups.push_back(compiler_options());
  return groups;
}

/// Reads one option; what it does not accept becomes a refusal.
class LaunchReader {
 public:
  LaunchReader(const Arguments& arguments, std::vector<Refusal>& refusals)
      : arguments_(arguments), refusals_(refusals) {}

  template <class T>
  void read(std::string_view name, T& value, std::string_view allowed) {
    const auto text = arguments_.value(name);
    if (!text) return;
    if (const auto number = parse_number<T>(*text))
      value = *number;
    else
      refuse(name, *text, allowed);
  }

  // Refused already where the parser did not like its value.
  template <class T>
  void require(std::string_view name, T& value, std::string_view allowed) {
    if (arguments_.value(name))
      read(name, value, allowed);
    else if (std::ranges::find(refusals_, field_name(name), &Refusal::field) == refusals_.end())
      refuse(name, "(missing)", allowed);
  }

  void refuse(std::string_view name, std::string_view value, std::string_view allowed) {
    refusals_.push_back({field_name(name), std::string(value), std::string(allowed)});
  }

 private:
  const Arguments& arguments_;
  std::vector<Refusal>& refusals_;
};

void read_window(const Arguments& arguments, LaunchReader& reader, verify::AttentionCase& shape) {
  for (const auto& [name, width] :
       {std::pair{"window-left", &shape.window_left}, {"window-right", &shape.window_right}}) {
    if (!arguments.value(name)) continue;
    std::int64_t keys = 0;
    reader.read(name, keys, "a number of keys, or -1 for no bound");
    *width = keys;
  }
}

verify::AttentionCase read_case(const Arguments& arguments, std::vector<Refusal>& refusals) {
  constexpr std::string_view length = "one number of tokens; lists are for varlen, which is not built";
  verify::AttentionCase shape;
  LaunchReader reader(arguments, refusals);
  reader.read("batch", shape.batch, "a number of batch elements");
  reader.require("seqlen-q", shape.seqlen_q, length);
  reader.require("seqlen-kv", shape.seqlen_kv, length);
  reader.read("seed", shape.seed, "0 to 2^64 - 1");
  if (arguments.value("softmax-scale")) {
    float scale = 1;
    reader.read("softmax-scale", scale, "a number");
    shape.softmax_scale = scale;
  }
  reader.read("sigma", shape.sigma, "a number");
  if (arguments.value("num-persistent")) {
    std::int64_t workgroups = 0;
    reader.read("num-persistent", workgroups, "a number of workgroups");
    shape.num_persistent = workgroups;
  }
  const std::string decode = arguments.value_or("persist-decode", "auto");
  if (const auto order = dense::find_order(decode))
    shape.persist_decode = *order;
  else
    reader.refuse("persist-decode", decode, fmt::format("{}", fmt::join(dense::order_names(), ", ")));
  shape.interleave = arguments.flag("interleave");
  const std::string layout = arguments.value_or("layout", "bshd");
  shape.bhsd = layout == "bhsd";
  if (layout != "bshd" && layout != "bhsd") reader.refuse("layout", layout, "bshd, bhsd");
  read_window(arguments, reader, shape);
  return shape;
}

/// What a model's window makes of widths that no flag names: a query sees its own key and those just before
/// it.
void add_model_window(const Arguments& arguments, const dense::Spec& spec, verify::AttentionCase& shape) {
  const generator::ModelShape* model = generator::find_model_shape(arguments.value_or("model-shape", ""));
  if (model == nullptr || model->window == 0 || spec.mask != dense::Mask::window) return;
  shape.window_left = shape.window_left.value_or(model->window - 1);
  shape.window_right = shape.window_right.value_or(0);
}

std::string tile_reads_text(const simulator::Report& report) {
  const auto [k, v] = verify::tile_reads(report);
  std::string text = "conflict cycles of LDS reads:";
  for (const verify::LdsAccesses& operand : {k, v})
    text += fmt::format(" {} {:.4g} a read, {} in all;", operand.label, operand.conflict_cycles_per_access(),
                        operand.conflict_cycles);
  text.back() = '\n';
  return text;
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  verify::AttentionCase shape = read_case(arguments, refusals);
  shape.every_schedule = !arguments.value("schedule");
  simulator::Options simulation = read_simulator_options(arguments, refusals);
  const std::string device = arguments.value_or("device", "sim");
  if (device != "sim" && device != "hip") refusals.push_back({"device", device, "sim, hip"});
  if (const auto file = arguments.value("save-launch"))
    check_outputs(std::array{Output{"save_launch", *file}}, arguments.flag("json"), refusals,
                  std::array{Output{"spec", arguments.value_or("spec", "")}});
  const CompilerOptions wanted = read_compiler_options(arguments, refusals);
  Expected<KernelRequest> request = read_kernel_request(arguments, "auto", std::move(refusals));
  if (!request) return std::unexpected(request.error());
  if (device == "hip")
    return fail(ErrorKind::environment,
                "--device hip: this build cannot run kernels on a GPU; --device sim simulates one");
  const Expected<dense::Plan> plan = verify::plan_of(*request->kernel);
  if (!plan) return std::unexpected(plan.error());
  add_model_window(arguments, plan->spec, shape);
  if (const auto checked = verify::check_case(*plan, shape); !checked)
    return std::unexpected(checked.error());

  const auto launch = verify::planned_launch(*plan, shape);
  if (!launch) return std::unexpected(launch.error());
  if (const auto file = arguments.value("save-launch")) {
    const auto launch_file = verify::attention_launch_file(*plan, shape);
    if (!launch_file) return std::unexpected(launch_file.error());
    if (const auto written = write_output(*file, launch_file->dump(2) + "\n", "save_launch"); !written)
      return std::unexpected(written.error());
  }

  runtime::CompilerPool compilers(wanted.pool);
  const auto choice =
      runtime::choose_compiler(compilers, wanted.backend, request->flavour, to_string(plan->target));
  if (!choice) return std::unexpected(choice.error());
  request->options.line_table = true;  // labels accesses with their step; the code is the same
  const Expected<std::string> ir = request->kernel->emit(*choice->flavour, request->options);
  if (!ir) return std::unexpected(ir.error());
  runtime::CompileRequest work;
  work.ir = *ir;
  work.target = to_string(plan->target);
  work.code_object_version = request->options.code_object_version;
  work.backend = choice->backend;
  const Expected<runtime::CompileResult> compiled = compilers.compile(work);
  if (!compiled) return std::unexpected(compiled.error());

  ProgressBar progress("simulating workgroups");
  simulation.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  const auto verified = verify::verify_attention(*plan, compiled->hsaco, shape, simulation);
  if (!verified) return std::unexpected(verified.error());

  Report report;
  report.json = verify::accuracy_json(verified->accuracy);
  report.json["ok"] = verified->ok();
  if (verified->lse) report.json["lse"] = verify::lse_json(*verified->lse);
  report.json.update(verify::report_json(verified->report));
  report.json["kernel"] = plan->symbol;
  report.json["device"] = device;
  report.json["target"] = to_string(plan->target);
  report.json["flavour"] = choice->flavour->name;
  report.json["compiler"] = compiled->compiler;
  report.json["spec"] = request->spec;
  report.json["launch"] = {{"batch", shape.batch},
                           {"seqlen_q", shape.seqlen_q},
                           {"seqlen_kv", shape.seqlen_kv},
                           {"softmax_scale", shape.softmax_scale ? Json(*shape.softmax_scale) : Json()},
                           {"layout", shape.bhsd ? "bhsd" : "bshd"},
                           {"seed", shape.seed},
                           {"grid", launch->grid},
                           {"work_items", launch->work_items},
                           {"order", dense::name_of(launch->order.order)},
                           {"interleave", launch->order.interleave},
                           {"runs", verified->runs},
                           {"sigma", shape.sigma}};
  report.text = fmt::format("{} on the simulator ({}): batch {}, seqlen_q {}, seqlen_kv {}, {}, seed {}\n",
                            plan->symbol, to_string(plan->target), shape.batch, shape.seqlen_q,
                            shape.seqlen_kv, shape.bhsd ? "bhsd" : "bshd", shape.seed);
  if (plan->spec.mask == dense::Mask::window) {
    const std::int64_t left = shape.window_left.value_or(-1), right = shape.window_right.value_or(-1);
    report.json["launch"]["window_left"] = left;
    report.json["launch"]["window_right"] = right;
    report.text += fmt::format("window: {} keys left, {} right (-1: no bound)\n", left, right);
  }
  report.text +=
      fmt::format("grid {} x {} x {}, {} work items in the order {}{}\n", launch->grid[0], launch->grid[1],
                  launch->grid[2], launch->work_items, dense::name_of(launch->order.order),
                  launch->order.interleave ? ", interleaved" : "");
  if (verified->runs > 1)
    report.text +=
        fmt::format("{} runs with the seeds from {} on, for at least {} rows; counters are of the first\n",
                    verified->runs, shape.seed, verify::least_rows);
  report.text += accuracy_text(verified->accuracy);
  if (verified->lse) report.text += lse_text(*verified->lse);
  if (!verified->report.fault) report.text += tile_reads_text(verified->report);
  report.text += dispatch_text(verified->report);
  report.failed = !verified->ok();
  report.stdout_taken = arguments.value_or("save-launch", "") == "-";
  return report;
}

}  // namespace

Command verify_command() {
  return {.name = "verify",
          .meaning = "run a kernel and compare what it computes with the float64 oracle",
          .example = {"wavesmith verify attention-dense --head-size 64 --num-query-heads 4 --num-kv-heads 1 "
                      "--batch 1 --seqlen-q 257 --seqlen-kv 257"},
          .positional = family_positional(),
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
