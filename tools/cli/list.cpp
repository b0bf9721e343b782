// `wavesmith list`: what this build can do, from the code's own tables.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/families.h"
#include "generator/model_shapes.h"
#include "lowering/flavour.h"
#include "lowering/target.h"
#include "runtime/compiler.h"
#include "tools/cli/command.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

using enum Table::Align;

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return {{.title = "Options", .options = compiler_place_options()}};
}

void list_family(const generator::Family& family, Report& report) {
  auto out = std::back_inserter(report.text);
  fmt::format_to(out, "{}: {}\ntargets: {}; presets: {}\n", family.name(), family.meaning(),
                 fmt::join(family.targets(), ", "), fmt::join(family.presets(), ", "));
  Table table({{"field", left}, {"type", left}, {"allowed", left}, {"default", left}, {"meaning", left}});
  Json fields = Json::array();
  for (const generator::FieldInfo& field : family.fields()) {
    const bool required = field.default_value.empty();
    const std::string pending =
        field.not_built.empty() ? "" : fmt::format("; not built yet: {}", fmt::join(field.not_built, ", "));
    table.row({field.name, field.type, field.allowed, required ? "required" : field.default_value,
               field.meaning + pending});
    fields.push_back({{"name", field.name},
                      {"type", field.type},
                      {"allowed", field.allowed},
                      {"not_built", field.not_built},
                      {"default", required ? Json(nullptr) : Json(field.default_value)},
                      {"required", required},
                      {"meaning", field.meaning}});
  }
  report.text += table.text(2) + "\n";
  report.json["families"].push_back({{"name", family.name()},
                                     {"meaning", family.meaning()},
                                     {"targets", family.targets()},
                                     {"presets", family.presets()},
                                     {"fields", std::move(fields)}});
}

void list_model_shapes(Report& report) {
  report.text += "model shapes (--model-shape)\n";
  Table table({{"name", left},
               {"head size", right},
               {"heads", right},
               {"kv heads", right},
               {"mask", left},
               {"window", right},
               {"sinks", left},
               {"dtype", left},
               {"source", left}});
  for (const generator::ModelShape& shape : generator::model_shapes()) {
    table.row({std::string(shape.name), fmt::format("{}", shape.head_size),
               fmt::format("{}", shape.query_heads), fmt::format("{}", shape.kv_heads),
               std::string(shape.mask), shape.window == 0 ? "" : fmt::format("{}", shape.window),
               shape.sinks ? "yes" : "no", std::string(shape.dtype), std::string(shape.source)});
    report.json["model_shapes"].push_back({{"name", shape.name},
                                           {"head_size", shape.head_size},
                                           {"num_query_heads", shape.query_heads},
                                           {"num_kv_heads", shape.kv_heads},
                                           {"mask", shape.mask},
                                           {"window", shape.window == 0 ? Json(nullptr) : Json(shape.window)},
                                           {"sinks", shape.sinks},
                                           {"dtype", shape.dtype},
                                           {"source", shape.source}});
  }
  report.text += table.text(2) + "\n";
}

void list_targets(Report& report) {
  report.text += "targets\n";
  Table table({{"processor", left}, {"wave", right}, {"LDS of a workgroup", right}, {"families", left}});
  for (const lowering::TargetFacts& target : lowering::all_targets()) {
    std::vector<std::string_view> built;
    for (const generator::Family* family : generator::families())
      if (const auto targets = family->targets();
          std::ranges::find(targets, target.processor) != targets.end())
        built.push_back(family->name());
    table.row({std::string(target.processor), fmt::format("{}", target.wave_size),
               fmt::format("{}", target.lds_bytes),
               built.empty() ? "none yet" : fmt::format("{}", fmt::join(built, ", "))});
    report.json["targets"].push_back({{"name", target.processor},
                                      {"wave_size", target.wave_size},
                                      {"lds_bytes", target.lds_bytes},
                                      {"families", built}});
  }
  report.text += table.text(2) + "\n";
}

void list_flavours(Report& report) {
  report.text += "flavours\n";
  Table table({{"flavour", left}, {"text for", left}, {"verified with", left}});
  for (const lowering::Flavour& flavour : lowering::all_flavours()) {
    table.row({std::string(flavour.name), fmt::format("LLVM {}", flavour.llvm_major),
               std::string(flavour.verification())});
    report.json["flavours"].push_back(
        {{"name", flavour.name},
         {"llvm_major", flavour.llvm_major},
         {"verified_with", flavour.verified_with.empty() ? Json(nullptr) : Json(flavour.verified_with)}});
  }
  report.text += table.text(2) + "\n";
}

void list_compilers(const CompilerOptions& places, Report& report) {
  report.text += "compilers\n";
  runtime::CompilerPool compilers(places.pool);
  Table table({{"compiler", left}, {"found", left}, {"flavour", left}});
  for (const runtime::Backend backend : {runtime::Backend::comgr, runtime::Backend::llvm}) {
    const Expected<runtime::CompilerInfo> found = compilers.describe(backend);
    const std::string name(runtime::name_of(backend));
    const lowering::Flavour* flavour = nullptr;
    if (found)
      for (const lowering::Flavour& row : lowering::all_flavours())
        if (row.llvm_major == found->llvm_major) flavour = &row;
    table.row({name, found ? found->version : "no: " + for_cell(found.error().message),
               flavour != nullptr ? std::string(flavour->name) : "none"});
    report.json["compilers"].push_back({{"name", name},
                                        {"found", found.has_value()},
                                        {"version", found ? Json(found->version) : Json(nullptr)},
                                        {"identity", found ? Json(found->identity) : Json(nullptr)},
                                        {"flavour", flavour != nullptr ? Json(flavour->name) : Json(nullptr)},
                                        {"reason", found ? Json(nullptr) : Json(found.error().message)}});
  }
  report.text += table.text(2);
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  const CompilerOptions places = read_compiler_options(arguments, refusals);
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  Report report;
  for (const std::string_view key : {"families", "model_shapes", "targets", "flavours", "compilers"})
    report.json[std::string(key)] = Json::array();
  for (const generator::Family* family : generator::families()) list_family(*family, report);
  list_model_shapes(report);
  list_targets(report);
  list_flavours(report);
  list_compilers(places, report);
  return report;
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .meaning = "families with their fields, targets, flavours, and the compilers found",
          .example = {"wavesmith list"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
