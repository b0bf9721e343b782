// `wavesmith golden diff`: one golden case at the base revision and now.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/case_diff.h"
#include "golden/emission.h"
#include "golden/interrupts.h"
#include "tools/cli/command.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/golden_base.h"
#include "tools/cli/golden_folder.h"
#include "tools/cli/golden_output.h"
#include "tools/cli/golden_resources.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  std::vector<Option> own{golden_folder_option()};
  for (Option& option : golden_base_options()) own.push_back(std::move(option));
  own.push_back({.name = "flavour",
                 .placeholder = "NAME",
                 .meaning = "compare only this flavour (default all): " + lowering::flavour_names()});
  return {{.title = "Options", .options = std::move(own)},
          {.title = "Compilers", .options = compiler_place_options()},
          golden_output_options()};
}

// A case by its id, or by its variant where that is enough.
const golden::Case* named_case(const Arguments& arguments, std::vector<Refusal>& refusals) {
  const std::string name = arguments.positional.value_or("(missing)");
  if (const golden::Case* exact = golden::find_case(name)) return exact;
  const golden::Case* found = nullptr;
  for (const golden::Case& one : golden::cases()) {
    if (one.variant != name) continue;
    if (found != nullptr) {
      refusals.push_back({"case", name, "a case's whole id: several have this variant"});
      return nullptr;
    }
    found = &one;
  }
  if (found == nullptr)
    refusals.push_back({"case", name, "a golden case; `wavesmith golden list` names them"});
  return found;
}

std::string lines_text(const golden::TextDiff& diff) {
  return diff.hunks.empty() ? "the same" : fmt::format("+{} -{} lines", diff.added, diff.removed);
}

Json diff_json(const golden::TextDiff& diff) {
  return {
      {"same", diff.hunks.empty()}, {"added", diff.added}, {"removed", diff.removed}, {"diff", diff.hunks}};
}

Json code_json(const golden::CodeDiff& code) {
  Json json = {{"compiler", code.compiler}};
  json["isa"] = diff_json(code.instructions);
  Json resources = Json::object();
  for (const auto& [field, member] : golden::resource_fields)
    resources[std::string(field)] = {{"base", code.before.*member}, {"now", code.now.*member}};
  json["resources"] = std::move(resources);
  json["changes"] = Json::array();
  for (const golden::ResourceChange& change : code.changes)
    json["changes"].push_back({{"field", change.field}, {"base", change.golden}, {"now", change.measured}});
  return json;
}

Json result_json(const golden::Case& golden_case, const golden::BaseRevision& base,
                 const golden::CaseDiff& diff) {
  Json json = {{"case", golden_case.id()},
               {"base", {{"revision", base.revision()}, {"commit", base.commit()}}},
               {"same", diff.same()},
               {"ir", Json::array()},
               {"new_flavours", diff.new_flavours},
               {"code", Json::array()},
               {"not_checked", Json::array()}};
  for (const golden::IrDiff& group : diff.ir) {
    Json ir = {{"flavours", group.flavours}};
    ir.update(diff_json(group.diff));
    json["ir"].push_back(std::move(ir));
  }
  for (const golden::CodeDiff& code : diff.code) json["code"].push_back(code_json(code));
  for (const golden::NotChecked& one : diff.not_checked)
    json["not_checked"].push_back({{"compiler", one.compiler}, {"reason", one.reason}});
  return json;
}

ReviewBlock resources_block(const golden::CodeDiff& code) {
  ReviewBlock block{.title = fmt::format("resources by {}", code.compiler),
                    .columns = {"resource", "base", "now"}};
  for (const auto& [field, member] : golden::resource_fields)
    block.rows.push_back(
        {std::string(field), fmt::format("{}", code.before.*member), fmt::format("{}", code.now.*member)});
  for (const golden::ResourceChange& change : code.changes)
    if (change.field.starts_with("instructions"))
      block.rows.push_back(
          {change.field, fmt::format("{}", change.golden), fmt::format("{}", change.measured)});
  return block;
}

Review review_of(const golden::Case& golden_case, const golden::BaseRevision& base,
                 const golden::CaseDiff& diff) {
  Review review{.title = "golden diff",
                .verdict = fmt::format("{} is {} as at {}", golden_case.id(),
                                       diff.same() ? "the same" : "not the same", base.name())};
  for (const golden::IrDiff& group : diff.ir)
    review.blocks.push_back(
        {.title = fmt::format("IR, {}: {}", fmt::join(group.flavours, ", "), lines_text(group.diff)),
         .verbatim = group.diff.hunks,
         .language = "diff"});
  if (!diff.new_flavours.empty())
    review.blocks.push_back(
        {.title = fmt::format("IR, {}: not there at the base", fmt::join(diff.new_flavours, ", "))});
  for (const golden::CodeDiff& code : diff.code) {
    review.blocks.push_back(
        {.title = fmt::format("ISA, {}: {}", code.compiler, lines_text(code.instructions)),
         .verbatim = code.instructions.hunks,
         .language = "diff"});
    review.blocks.push_back(resources_block(code));
  }
  for (ReviewBlock& block : resource_blocks({.results = {}, .not_checked = diff.not_checked}))
    review.blocks.push_back(std::move(block));
  return review;
}

// A difference is what the command is asked for, so nothing fails.
std::vector<JUnitCase> junit_cases(const golden::Case& golden_case, const golden::CaseDiff& diff) {
  std::vector<JUnitCase> cases;
  const std::string id = golden_case.id();
  for (const golden::IrDiff& group : diff.ir)
    for (const std::string& flavour : group.flavours)
      cases.push_back({.suite = "IR " + flavour,
                       .name = id,
                       .output = fmt::format("{}\n{}", lines_text(group.diff), group.diff.hunks)});
  for (const std::string& flavour : diff.new_flavours)
    cases.push_back({.suite = "IR " + flavour, .name = id, .output = "not there at the base"});
  for (const golden::CodeDiff& code : diff.code) {
    std::string changes;
    for (const golden::ResourceChange& change : code.changes)
      changes += fmt::format("{}: {} -> {}\n", change.field, change.golden, change.measured);
    cases.push_back(
        {.suite = "ISA " + code.compiler,
         .name = id,
         .output = fmt::format("{}\n{}", lines_text(code.instructions), code.instructions.hunks)});
    cases.push_back({.suite = "resources by " + code.compiler,
                     .name = id,
                     .output = changes.empty() ? "the same" : std::move(changes)});
  }
  append_resource_cases({.results = {}, .not_checked = diff.not_checked}, cases);
  return cases;
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  check_golden_outputs(arguments, {}, refusals);
  const runtime::CompilerPoolOptions compilers = read_compiler_options(arguments, refusals).pool;
  const golden::Case* golden_case = named_case(arguments, refusals);
  const std::string flavour = arguments.value_or("flavour", "");
  if (arguments.value("flavour") && lowering::find_flavour(flavour) == nullptr)
    refusals.push_back({"flavour", flavour, lowering::flavour_names()});
  const auto folder = golden_folder(arguments, std::move(refusals));
  if (!folder) return std::unexpected(folder.error());

  const golden::Interrupts interrupts;
  const Expected<golden::BaseRevision> base = golden_base(arguments, *folder);
  if (!base) return std::unexpected(base.error());
  runtime::CompilerPool pool(compilers);
  const Expected<golden::CaseDiff> diff = golden::diff_case(*base, *golden_case, flavour, pool);
  if (!diff) return std::unexpected(diff.error());

  Report report;
  report.json = result_json(*golden_case, *base, *diff);
  if (const auto written = write_golden_outputs(arguments, review_of(*golden_case, *base, *diff),
                                                junit_cases(*golden_case, *diff), report);
      !written)
    return std::unexpected(written.error());
  return report;
}

}  // namespace

Command golden_diff_command() {
  return {.name = "golden diff",
          .meaning = "one case's IR, ISA and resources, at the last commit and now",
          .example =
              {"wavesmith golden diff d64_bf16_causal_q32_kv8 --base-folder build/golden-base",
               "wavesmith golden diff d64_bf16_causal_q32_kv8 --base HEAD~1 --base-folder build/golden-base "
               "--markdown diff.md"},
          .positional = Positional{.name = "CASE",
                                   .meaning = "id of a golden case, or its last part where no other has it"},
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
