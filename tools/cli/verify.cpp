// `wavesmith verify`: compiles a kernel, runs it and judges its output by the float64 oracle.
#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/attention_dense/plan.h"
#include "runtime/compiler.h"
#include "tools/cli/command.h"
#include "tools/cli/dispatch_text.h"
#include "tools/cli/files.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/kernel_request.h"
#include "tools/cli/progress.h"
#include "tools/cli/simulator_options.h"
#include "tools/cli/verify_case.h"
#include "tools/verify/attention.h"
#include "tools/verify/attention_launch.h"
#include "tools/verify/attention_launch_file.h"
#include "tools/verify/attention_tensors.h"
#include "tools/verify/report.h"

namespace wavesmith::cli {
namespace {

namespace dense = generator::attention_dense;

std::vector<OptionGroup> options(std::span<const std::string> words) {
  std::vector<OptionGroup> groups = kernel_options(words, "auto");
  OptionGroup launch = verify_case_options();
  launch.options.push_back(
      {.name = "save-launch",
       .placeholder = "FILE",
       .meaning =
           "also write this launch, with contiguous tensors, as a launch file for simulate; lengths and "
           "pages go into files next to it, FILE.ARGUMENT.bin"});
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

std::string tile_reads_text(const simulator::Report& report) {
  const auto [k, v] = verify::tile_reads(report);
  std::string text = "conflict cycles of LDS reads:";
  for (const verify::LdsAccesses& operand : {k, v})
    text += fmt::format(" {} {:.4g} a read, {} in all;", operand.label, operand.conflict_cycles_per_access(),
                        operand.conflict_cycles);
  text.back() = '\n';
  return text;
}

/// The lengths of each batch element, where the kernel reads them from memory; else of all of them.
std::vector<std::int64_t> told(std::vector<std::int64_t> lengths, bool read) {
  if (!read) lengths.resize(1);
  return lengths;
}

Json launch_json(const dense::Plan& plan, const verify::AttentionCase& shape, const dense::Launch& launch) {
  const dense::Spec& spec = plan.spec;
  const verify::Lengths lengths = verify::lengths_of(shape);
  Json json = {{"batch", shape.batch},
               {"seqlen_q", *std::ranges::max_element(lengths.q)},
               {"seqlen_kv", *std::ranges::max_element(lengths.kv)},
               {"softmax_scale", shape.softmax_scale ? Json(*shape.softmax_scale) : Json()},
               {"layout", shape.bhsd ? "bhsd" : "bshd"},
               {"seed", shape.seed},
               {"grid", launch.grid},
               {"work_items", launch.work_items},
               {"order", dense::name_of(launch.order.order)},
               {"interleave", launch.order.interleave},
               {"sigma", shape.sigma}};
  if (reads_seqlen_q(spec)) json["seqlens_q"] = lengths.q;
  if (reads_seqlen_kv(spec)) json["seqlens_kv"] = lengths.kv;
  if (spec.kv == dense::Kv::paged) json["page_size"] = spec.page_size;
  return json;
}

std::string launch_text(const dense::Plan& plan, const verify::AttentionCase& shape) {
  const dense::Spec& spec = plan.spec;
  const verify::Lengths lengths = verify::lengths_of(shape);
  const std::string pages =
      spec.kv == dense::Kv::paged ? fmt::format(", pages of {}", spec.page_size) : std::string();
  return fmt::format("{} on the simulator ({}): batch {}, seqlen_q {}, seqlen_kv {}{}, {}, seed {}\n",
                     plan.symbol, to_string(plan.target), shape.batch,
                     fmt::join(told(lengths.q, reads_seqlen_q(spec)), ","),
                     fmt::join(told(lengths.kv, reads_seqlen_kv(spec)), ","), pages,
                     shape.bhsd ? "bhsd" : "bshd", shape.seed);
}

/// Writes the launch file and, next to it, those that it names. Their paths.
Expected<std::vector<std::string>> save_launch(const Arguments& arguments, const std::string& path,
                                               const dense::Plan& plan, const verify::AttentionCase& shape) {
  const auto refuse = [&](std::string_view allowed) {
    return std::unexpected(Error::refused({{"save_launch", path, std::string(allowed)}}));
  };
  const std::filesystem::path file(path);
  const std::string name = file.filename().string();
  const auto launch = verify::attention_launch_file(plan, shape, name);
  if (!launch) return std::unexpected(launch.error());
  std::vector<std::string> companions;
  if (!launch->companions.empty()) {
    if (path == "-") return refuse("a file: the launch has tables of lengths or pages, which go next to it");
    constexpr auto ignore = Json::error_handler_t::ignore;
    if (Json::parse(Json(name).dump(-1, ' ', false, ignore)) != name)
      return refuse("a name in UTF-8: the launch file names the tables next to it");
  }
  std::vector<Output> outputs{{"save_launch", path}};
  for (const verify::CompanionFile& companion : launch->companions) {
    companions.push_back((file.parent_path() / companion.name).string());
    outputs.push_back({"save_launch", companions.back()});
  }
  std::vector<Refusal> refusals;
  check_outputs(outputs, arguments.flag("json"), refusals,
                std::array{Output{"spec", arguments.value_or("spec", "")}});
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  for (std::size_t i = 0; i < companions.size(); ++i)
    if (const auto written = write_output(companions[i], launch->companions[i].bytes, "save_launch");
        !written)
      return std::unexpected(written.error());
  if (const auto written = write_output(path, launch->json.dump(2) + "\n", "save_launch"); !written)
    return std::unexpected(written.error());
  return companions;
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  verify::AttentionCase shape = read_verify_case(arguments, refusals);
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

  std::vector<std::string> companions;
  if (const auto file = arguments.value("save-launch")) {
    auto saved = save_launch(arguments, *file, *plan, shape);
    if (!saved) return std::unexpected(saved.error());
    companions = std::move(*saved);
  }

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
  report.json["launch"] = launch_json(*plan, shape, *launch);
  report.json["launch"]["runs"] = verified->runs;
  if (!companions.empty()) report.json["launch"]["files"] = companions;
  report.text = launch_text(*plan, shape);
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
  if (!companions.empty())
    report.text += fmt::format("lengths and pages of the saved launch: {}\n", fmt::join(companions, ", "));
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
