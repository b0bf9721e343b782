// `wavesmith compile`: a kernel's code object, and what it needs of the machine.
#include <array>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "generator/identity.h"
#include "runtime/code_object.h"
#include "runtime/compiler.h"
#include "tools/cli/command.h"
#include "tools/cli/files.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/kernel_request.h"
#include "tools/cli/resources.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> words) {
  std::vector<OptionGroup> groups = kernel_options(words, "auto");
  groups.push_back(
      {.title = "Output",
       .options = {{.name = "output",
                    .placeholder = "FILE",
                    .meaning = "the code object, - for standard output (required)",
                    .letter = 'o'},
                   {.name = "save-ir", .placeholder = "FILE", .meaning = "also write the LLVM IR text"},
                   {.name = "save-asm",
                    .placeholder = "FILE",
                    .meaning = "also write the compiler's assembly text"}}});
  groups.push_back(compiler_options());
  return groups;
}

double milliseconds(double value) {
  constexpr double precision = 1000;
  return std::round(value * precision) / precision;
}

// The artifacts besides the IR, in the order of their options.
Expected<void> write_results(const Arguments& arguments, const runtime::CompileResult& result) {
  if (const auto file = arguments.value("save-asm"))
    if (const auto written = write_output(*file, result.assembly, "save_asm"); !written) return written;
  return write_output(*arguments.value("output"), as_text(result.hsaco), "output");
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  std::vector<Output> outputs;
  for (const std::string_view name : {"output", "save-ir", "save-asm"})
    if (const auto file = arguments.value(name)) outputs.push_back({field_name(name), *file});
  const std::array spec{Output{"spec", arguments.value_or("spec", "")}};
  check_outputs(outputs, arguments.flag("json"), refusals, spec);
  const auto refused = [&](std::string_view field) {
    return std::ranges::find(refusals, field, &Refusal::field) != refusals.end();
  };
  if (!arguments.value("output") && !refused("output"))
    refusals.push_back({"output", "(missing)", "-o FILE, or - for standard output"});
  const CompilerOptions wanted = read_compiler_options(arguments, refusals);
  const Expected<KernelRequest> request = read_kernel_request(arguments, "auto", std::move(refusals));
  if (!request) return std::unexpected(request.error());

  runtime::CompilerPool compilers(wanted.pool);
  const std::string target = to_string(request->kernel->target());
  const auto choice = runtime::choose_compiler(compilers, wanted.backend, request->flavour, target);
  if (!choice) return std::unexpected(choice.error());
  const auto started = std::chrono::steady_clock::now();
  const Expected<std::string> ir = request->kernel->emit(*choice->flavour, request->options);
  const std::chrono::duration<double, std::milli> emission = std::chrono::steady_clock::now() - started;
  if (!ir) return std::unexpected(ir.error());
  // Before compiling, so that the text is there to look at when the compiler rejects it.
  if (const auto file = arguments.value("save-ir"))
    if (const auto written = write_output(*file, *ir, "save_ir"); !written)
      return std::unexpected(written.error());

  runtime::CompileRequest work;
  work.ir = *ir;
  work.target = target;
  work.code_object_version = request->options.code_object_version;
  work.backend = choice->backend;
  work.want_assembly = arguments.value("save-asm").has_value();
  const Expected<runtime::CompileResult> result = compilers.compile(work);
  if (!result) return std::unexpected(result.error());
  const Expected<runtime::CodeObject> object = runtime::read_code_object(result->hsaco);
  if (!object)
    return fail(ErrorKind::compiler_failed,
                "the compiler's code object cannot be read: " + object.error().message, result->log);
  if (const auto written = write_results(arguments, *result); !written)
    return std::unexpected(written.error());

  Report report;
  const std::vector<KernelResources> kernels = resources(*object);
  const runtime::CompileMilliseconds& spent = result->milliseconds;
  const double compilation = spent.total() - spent.link;
  report.json["kernels"] = Json::array();
  for (const KernelResources& kernel : kernels) report.json["kernels"].push_back(resources_json(kernel));
  report.json["ir_sha256"] = generator::sha256_hex(*ir);
  report.json["flavour"] = choice->flavour->name;
  report.json["compiler"] = result->compiler;
  report.json["milliseconds"] = {{"emit", milliseconds(emission.count())},
                                 {"compile", milliseconds(compilation)},
                                 {"link", milliseconds(spent.link)}};
  report.json["code_object_version"] = object->version;
  report.json["bytes"] = result->hsaco.size();
  report.json["spec"] = request->spec;
  for (const Output& output : outputs) report.json[std::string(output.field)] = output.path;
  report.text = resources_table(kernels);
  report.text += fmt::format(
      "{}: {} bytes, code object version {}, {} by {}\nemit {:.1f} ms, compile {:.1f} ms, link "
      "{:.1f} ms; IR sha256 {}\n",
      *arguments.value("output"), result->hsaco.size(), object->version, choice->flavour->name,
      choice->compiler.version, emission.count(), compilation, spent.link, generator::sha256_hex(*ir));
  report.messages = result->log;
  report.stdout_taken = std::ranges::find(outputs, "-", &Output::path) != outputs.end();
  return report;
}

}  // namespace

Command compile_command() {
  return {
      .name = "compile",
      .meaning = "a kernel's code object, and a table of its resources",
      .example = {"wavesmith compile attention-dense --head-size 64 --num-query-heads 32 --num-kv-heads 8 -o "
                  "kernel.hsaco"},
      .positional = family_positional(),
      .options = options,
      .run = run};
}

}  // namespace wavesmith::cli
