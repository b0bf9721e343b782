// `wavesmith inspect`: what an AMDGPU code object holds, whoever compiled it.
#include <fmt/format.h>

#include "runtime/code_object.h"
#include "tools/cli/command.h"
#include "tools/cli/files.h"
#include "tools/cli/resources.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  return {{.title = "Output", .options = {}}};
}

Json arguments_json(const runtime::Kernel& kernel) {
  Json arguments = Json::array();
  for (const runtime::KernelArgument& argument : kernel.arguments)
    arguments.push_back(
        {{"name", argument.name},
         {"type", argument.type_name},
         {"kind", name_of(argument.kind)},
         {"offset", argument.offset},
         {"bytes", argument.size},
         {"address_space", argument.address_space},
         {"access", argument.actual_access.empty() ? argument.access : argument.actual_access},
         {"hidden", argument.hidden()}});
  return arguments;
}

std::string arguments_table(const runtime::Kernel& kernel) {
  using enum Table::Align;
  Table table({{"offset", right}, {"bytes", right}, {"kind", left}, {"access", left}, {"name", left}});
  for (const runtime::KernelArgument& argument : kernel.arguments)
    table.row({fmt::format("{}", argument.offset), fmt::format("{}", argument.size),
               std::string(name_of(argument.kind)),
               argument.actual_access.empty() ? argument.access : argument.actual_access,
               for_cell(argument.name)});
  return table.text(2);
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  if (!arguments.positional)
    refusals.push_back({"file", "(missing)", "a code object, or - for standard input"});
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  const std::string& path = *arguments.positional;
  const Expected<std::string> bytes = read_input(path, "file");
  if (!bytes) return std::unexpected(bytes.error());
  const auto object = runtime::read_code_object(std::as_bytes(std::span(*bytes)));
  if (!object)
    return std::unexpected(
        Error::refused({{"file", path, "an AMDGPU code object: " + object.error().message}}));

  Report report;
  report.json = {{"file", path},
                 {"target", object->target.text()},
                 {"code_object_version", object->version},
                 {"bytes", bytes->size()},
                 {"kernels", Json::array()}};
  const std::vector<KernelResources> kernels = resources(*object);
  report.text =
      fmt::format("{}: {}, code object version {}, {} bytes, {} kernel{}\n\n", path, object->target.text(),
                  object->version, bytes->size(), kernels.size(), kernels.size() == 1 ? "" : "s");
  if (!kernels.empty()) report.text += resources_table(kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const runtime::Kernel& kernel = object->kernels[i];
    Json json = resources_json(kernels[i]);
    json["wavefront_size"] = kernel.wavefront_size;
    json["kernarg_bytes"] = kernel.kernarg_bytes;
    json["arguments"] = arguments_json(kernel);
    report.json["kernels"].push_back(std::move(json));
    report.text += fmt::format("\narguments of {}, {} bytes\n", for_cell(kernel.name), kernel.kernarg_bytes);
    report.text += arguments_table(kernel);
  }
  return report;
}

}  // namespace

Command inspect_command() {
  return {
      .name = "inspect",
      .meaning = "kernels of a code object: resources, occupancy, arguments",
      .example = {"wavesmith compile attention-dense --head-size 64 --num-query-heads 32 --num-kv-heads 8 -o "
                  "kernel.hsaco",
                  "wavesmith inspect kernel.hsaco"},
      .positional =
          Positional{.name = "FILE", .meaning = "a linked AMDGPU code object (HSACO), - for standard input"},
      .options = options,
      .run = run};
}

}  // namespace wavesmith::cli
