// Kernel requests from command lines.
#include "tools/cli/kernel_request.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/model_shapes.h"
#include "lowering/flavour.h"
#include "lowering/target.h"
#include "tools/cli/spec_file.h"

namespace wavesmith::cli {
namespace {

using generator::Family;
using generator::FieldInfo;

std::string option_name(std::string_view field) {
  std::string name(field);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string family_names() {
  std::vector<std::string_view> names;
  for (const Family* family : generator::families()) names.push_back(family->name());
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string preset_names(const Family& family) {
  return fmt::format("{}", fmt::join(family.presets(), ", "));
}

Option field_option(const FieldInfo& field) {
  const bool flag = field.type == "flag";
  const std::string standing = field.default_value.empty() ? "required"
                               : flag
                                   ? fmt::format("default {}", field.default_value == "true" ? "on" : "off")
                                   : fmt::format("default {}", field.default_value);
  return {.name = option_name(field.name),
          .placeholder = flag                      ? ""
                         : field.type == "integer" ? "N"
                                                   : "NAME",
          .meaning = flag ? fmt::format("{} ({})", field.meaning, standing)
                          : fmt::format("{} ({}; {})", field.meaning, field.allowed, standing),
          .negatable = flag};
}

// A field that is refused once needs no second reason; an empty value is named so.
void add_refusals(const Error& error, std::vector<Refusal>& refusals) {
  for (Refusal refusal : error.refusals) {
    if (std::ranges::find(refusals, refusal.field, &Refusal::field) != refusals.end()) continue;
    if (refusal.value.empty()) refusal.value = "(empty)";
    refusals.push_back(std::move(refusal));
  }
}

lowering::LowerOptions read_lower_options(const Arguments& arguments, std::vector<Refusal>& refusals) {
  lowering::LowerOptions options;
  options.line_table = arguments.flag("line-table");
  const std::string version = arguments.value_or("code-object-version", "5");
  if (version == "5" || version == "6")
    options.code_object_version = version == "5" ? 5 : 6;
  else
    refusals.push_back({"code_object_version", version, "5, 6"});
  return options;
}

const Family* read_family(const Arguments& arguments, std::vector<Refusal>& refusals) {
  const std::string name = arguments.positional.value_or("");
  const Family* family = generator::find_family(name);
  if (family == nullptr)
    refusals.push_back(
        {"family", arguments.positional ? (name.empty() ? "(empty)" : name) : "(missing)", family_names()});
  return family;
}

}  // namespace

Positional family_positional() {
  return {.name = "FAMILY", .meaning = fmt::format("kernel family: {}", family_names())};
}

std::vector<OptionGroup> kernel_options(std::span<const std::string> words,
                                        std::string_view default_flavour) {
  std::vector<const Family*> shown;
  for (const Family* family : generator::families())
    if (std::ranges::find(words, family->name()) != words.end()) shown.push_back(family);
  if (shown.empty()) shown.assign(generator::families().begin(), generator::families().end());

  std::vector<OptionGroup> groups;
  std::vector<std::string> known;  // a field that several families have is one option
  for (const Family* family : shown) {
    OptionGroup group{.title = fmt::format("Spec fields of {}", family->name()), .options = {}};
    for (const FieldInfo& field : family->fields()) {
      if (std::ranges::find(known, field.name) != known.end()) continue;
      known.push_back(field.name);
      group.options.push_back(field_option(field));
    }
    groups.push_back(std::move(group));
  }
  groups.push_back(
      {.title = "Request",
       .options = {
           {.name = "spec",
            .placeholder = "FILE",
            .meaning = "JSON object of spec fields, - for standard input; flags override it"},
           {.name = "preset",
            .placeholder = "NAME",
            .meaning = fmt::format("set of fields to start from ({})", preset_names(*shown.front()))},
           {.name = "model-shape",
            .placeholder = "NAME",
            .meaning = "heads, mask and element type of a public model; list names them"},
           {.name = "target",
            .placeholder = "ID",
            .meaning =
                fmt::format("processor and features, e.g. gfx950:sramecc+:xnack- ({}; default {})",
                            fmt::join(shown.front()->targets(), ", "), shown.front()->targets().front())},
           {.name = "flavour",
            .placeholder = "NAME",
            .meaning = fmt::format("dialect of LLVM IR: auto (the compiler's), {} (default {})",
                                   lowering::flavour_names(), default_flavour)},
           {.name = "symbol", .placeholder = "NAME", .meaning = "name of the kernel, instead of its own"},
           {.name = "code-object-version", .placeholder = "N", .meaning = "5, 6 (default 5)"},
           {.name = "line-table",
            .placeholder = "",
            .meaning = "line table that names each instruction's Plan step; code unchanged"}}});
  return groups;
}

Expected<KernelRequest> read_kernel_request(const Arguments& arguments, std::string_view default_flavour,
                                            std::vector<Refusal> refusals) {
  KernelRequest request;
  const Family* family = read_family(arguments, refusals);
  request.options = read_lower_options(arguments, refusals);
  request.flavour = arguments.value_or("flavour", default_flavour);
  if (request.flavour != "auto" && lowering::find_flavour(request.flavour) == nullptr)
    refusals.push_back({"flavour", request.flavour, "auto, " + lowering::flavour_names()});
  const auto symbol = arguments.value("symbol");
  if (symbol)
    if (const auto checked = generator::check_symbol(*symbol); !checked)
      add_refusals(checked.error(), refusals);
  if (family == nullptr) return std::unexpected(Error::refused(std::move(refusals)));

  SpecFile spec;
  if (const auto path = arguments.value("spec")) spec = read_spec_file(*path, *family, refusals);
  for (const FieldInfo& field : family->fields())
    if (const auto value = arguments.value(option_name(field.name)))
      spec.fields.insert_or_assign(field.name, *value);
  // Fields of other families are options too where several families are offered; this family refuses them.
  for (const Family* other : generator::families())
    for (const FieldInfo& field : other->fields())
      if (const auto value = arguments.value(option_name(field.name)))
        spec.fields.emplace(field.name, *value);

  if (const auto name = arguments.value("model-shape")) {
    if (const generator::ModelShape* shape = generator::find_model_shape(*name))
      spec.fields.merge(generator::fields_of(*shape));  // explicit fields stay
    else
      refusals.push_back({"model_shape", name->empty() ? "(empty)" : *name, generator::model_shape_names()});
  }

  const Expected<lowering::TargetId> target =
      lowering::parse_target_id(arguments.value_or("target", family->targets().front()));
  if (!target) add_refusals(target.error(), refusals);
  auto kernel = family->resolve(spec.fields, arguments.value_or("preset", spec.preset),
                                target.value_or(lowering::TargetId{.processor = family->targets().front()}));
  if (!kernel) {
    Error& error = kernel.error();
    if (error.refusals.empty()) return std::unexpected(std::move(error));
    // What is missing may well be in a file that could not be read.
    if (!spec.readable)
      std::erase_if(error.refusals, [](const Refusal& r) { return r.value == "(missing)"; });
    add_refusals(error, refusals);
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  request.kernel = std::move(*kernel);
  if (symbol) {
    auto named = request.kernel->with_symbol(*symbol);
    if (!named) return std::unexpected(std::move(named).error());
    request.kernel = std::move(*named);
  }
  request.spec = spec_json(*family, *request.kernel);
  return request;
}

}  // namespace wavesmith::cli
