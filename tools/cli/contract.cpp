// `wavesmith contract`: every kernel of a family through the gates of the contract, and every planted fault.
#include "tools/contract/contract.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/cases.h"
#include "tools/cli/command.h"
#include "tools/cli/contract_limits.h"
#include "tools/cli/contract_output.h"
#include "tools/cli/files.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/golden_folder.h"
#include "tools/cli/kernel_request.h"
#include "tools/cli/numbers.h"
#include "tools/cli/progress.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  std::vector<OptionGroup> groups{
      {.title = "Options",
       .options = {
           {.name = "case",
            .placeholder = "TEXT",
            .meaning = "only golden cases whose id contains TEXT; may stand more than once",
            .repeatable = true},
           {.name = "gate",
            .placeholder = "NAME",
            .meaning = fmt::format("only this gate: {}, or controls; may stand more than once",
                                   fmt::join(contract::gate_names, ", ")),
            .repeatable = true},
           {.name = "jobs",
            .placeholder = "N",
            .meaning = "cases that run at a time (default: one for each CPU)"},
           {.name = "allow-list",
            .placeholder = "FILE",
            .meaning =
                "reviewed findings (default: tools/contract/allow_list.json beside the golden folder)"},
           {.name = "limits",
            .placeholder = "",
            .meaning = "run nothing: compare resources with those that golden/resources.json records"},
           {.name = "junit", .placeholder = "FILE", .meaning = "also write the results as JUnit XML"},
           golden_folder_option()}}};
  groups.push_back(compiler_options());
  return groups;
}

/// Which gates are wanted, and whether the controls are.
struct Wanted {
  contract::Gates gates = {};
  bool cases = true, controls = true;
};

Wanted read_gates(const Arguments& arguments, std::vector<Refusal>& refusals) {
  const std::vector<std::string> names = arguments.list("gate");
  Wanted wanted;
  if (names.empty()) return wanted;
  wanted = {.gates = contract::Gates::none(), .cases = false, .controls = false};
  for (const std::string& name : names) {
    const auto known = std::ranges::find(contract::gate_names, name);
    if (name == "controls") {
      wanted.controls = true;
    } else if (known != contract::gate_names.end()) {
      wanted.gates.chosen.at(static_cast<std::size_t>(known - contract::gate_names.begin())) = true;
      wanted.cases = true;
    } else {
      refusals.push_back({"gate", name, fmt::format("{}, controls", fmt::join(contract::gate_names, ", "))});
    }
  }
  return wanted;
}

std::vector<golden::Case> read_cases(const Arguments& arguments, std::vector<Refusal>& refusals) {
  std::vector<golden::Case> chosen;
  const std::vector<std::string> texts = arguments.list("case");
  for (const golden::Case& one : golden::cases())
    if (one.family == arguments.positional.value_or("") &&
        (texts.empty() ||
         std::ranges::any_of(texts, [&](const std::string& text) { return one.id().contains(text); })))
      chosen.push_back(one);
  for (const std::string& text : texts)
    if (std::ranges::none_of(golden::cases(),
                             [&](const golden::Case& one) { return one.id().contains(text); }))
      refusals.push_back(
          {"case", text, "a part of the id of a golden case; `wavesmith golden list` has them"});
  return chosen;
}

/// The list that is named, else that of the repository, else none.
Expected<contract::AllowList> read_allow_list(const Arguments& arguments) {
  std::vector<std::string> ids;
  for (const golden::Case& one : golden::cases()) ids.push_back(one.id());
  std::string path = arguments.value_or("allow-list", "");
  if (path.empty()) {
    const auto folder = golden_folder(arguments, {});
    std::error_code error;
    if (!folder && arguments.value("dir")) return std::unexpected(folder.error());
    if (!folder) return contract::AllowList{};
    const auto file = *folder / ".." / "tools" / "contract" / contract::allow_list_name;
    if (!std::filesystem::is_regular_file(file, error)) return contract::AllowList{};
    path = file.lexically_normal().string();
  }
  const Expected<std::string> text = read_input(path, "allow_list");
  if (!text) return std::unexpected(text.error());
  return contract::parse_allow_list(*text, path, ids);
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  const std::string family = arguments.positional.value_or("");
  if (generator::find_family(family) == nullptr)
    refusals.push_back({"family", arguments.positional ? family : "(missing)", "attention-dense"});
  const Wanted wanted = read_gates(arguments, refusals);
  const std::vector<golden::Case> goldens = read_cases(arguments, refusals);
  contract::Request request;
  request.gates = wanted.gates;
  if (const auto jobs = arguments.value("jobs")) {
    const auto number = parse_number<unsigned>(*jobs);
    if (number && *number >= 1 && *number <= 1024)
      request.jobs = *number;
    else
      refusals.push_back({"jobs", *jobs, "1 to 1024"});
  }
  if (const auto file = arguments.value("junit"))
    check_outputs(std::array{Output{"junit", *file}}, arguments.flag("json"), refusals,
                  std::array{Output{"allow_list", arguments.value_or("allow-list", "")}});
  CompilerOptions compilers = read_compiler_options(arguments, refusals);
  compilers.pool.workers = request.jobs;
  if (arguments.flag("limits"))
    for (const auto& [name, given] : {std::pair{"gate", !arguments.list("gate").empty()},
                                      std::pair{"allow-list", arguments.value("allow-list").has_value()}})
      if (given)
        refusals.push_back({field_name(name), "given", "nothing beside --limits, which runs nothing"});
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  if (arguments.flag("limits")) return contract_limits(arguments, goldens, compilers, request.jobs);

  Expected<contract::AllowList> allowed = read_allow_list(arguments);
  if (!allowed) return std::unexpected(allowed.error());
  request.allowed = std::move(*allowed);
  std::vector<contract::ContractCase> cases = contract::contract_cases(goldens);
  const std::vector<std::string> uncovered = contract::uncovered(goldens, cases);
  for (const contract::ContractCase& one : cases)
    if (const std::string target = to_string(one.plan.target);
        std::ranges::find(request.targets, target) == request.targets.end())
      request.targets.push_back(target);
  if (wanted.cases) request.cases = std::move(cases);
  if (wanted.controls) request.controls.assign(contract::controls().begin(), contract::controls().end());

  runtime::CompilerPool pool(compilers.pool);
  ProgressBar progress("checking the contract");
  request.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
  const Expected<contract::ContractResult> result =
      contract::run_contract(request, contract::KernelCompiler(pool, compilers.backend));
  if (!result) return std::unexpected(result.error());
  Report report;
  report.failed = !result->ok() || !uncovered.empty();
  report.json = contract_json(*result, uncovered, wanted.gates);
  report.json["ok"] = !report.failed;
  report.text = contract_text(*result, uncovered);
  if (const auto file = arguments.value("junit")) {
    if (const auto written = write_output(*file, contract_junit(*result, uncovered), "junit"); !written)
      return std::unexpected(written.error());
    report.stdout_taken = *file == "-";
  }
  return report;
}

}  // namespace

Command contract_command() {
  return {.name = "contract",
          .meaning = "take every kernel of a family through the gates of its contract, and plant faults",
          .example =
              {"wavesmith contract attention-dense --case d64_bf16_causal_q32_kv8_lse --gate resolves --gate "
               "values"},
          .positional = family_positional(),
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
