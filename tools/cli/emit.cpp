// `wavesmith emit`: LLVM IR text of a kernel, or with --explain the Plan behind it.
#include <array>

#include <fmt/format.h>

#include "generator/identity.h"
#include "tools/cli/command.h"
#include "tools/cli/files.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/kernel_request.h"

namespace wavesmith::cli {
namespace {

constexpr std::string_view default_flavour = "llvm22";

std::vector<OptionGroup> options(std::span<const std::string> words) {
  std::vector<OptionGroup> groups = kernel_options(words, default_flavour);
  groups.push_back({.title = "Output",
                    .options = {{.name = "explain",
                                 .placeholder = "",
                                 .meaning = "print the Plan and its LDS bank tables instead of the IR"},
                                {.name = "output",
                                 .placeholder = "FILE",
                                 .meaning = "where the text goes (default -, standard output)",
                                 .letter = 'o'}}});
  return groups;
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  const auto file = arguments.value("output");
  const std::array spec{Output{"spec", arguments.value_or("spec", "")}};
  if (file) check_outputs(std::array{Output{"output", *file}}, arguments.flag("json"), refusals, spec);
  const Expected<KernelRequest> request =
      read_kernel_request(arguments, default_flavour, std::move(refusals));
  if (!request) return std::unexpected(request.error());
  const generator::ResolvedKernel& kernel = *request->kernel;

  Report report;
  report.json = {{"symbol", kernel.symbol()}, {"target", to_string(kernel.target())}};
  std::string text;
  std::string_view key = "explain";
  if (arguments.flag("explain")) {
    text = kernel.explain();
  } else {
    runtime::CompilerPool compilers(one_worker());
    const auto flavour = choose_flavour(request->flavour, compilers, to_string(kernel.target()));
    if (!flavour) return std::unexpected(flavour.error());
    Expected<std::string> ir = kernel.emit(**flavour, request->options);
    if (!ir) return std::unexpected(std::move(ir).error());
    text = std::move(*ir);
    key = "ir";
    report.json["flavour"] = (*flavour)->name;
    if ((*flavour)->verified_with.empty())
      report.messages = fmt::format("flavour {}: {}\n", (*flavour)->name, (*flavour)->verification());
    report.json["ir_sha256"] = generator::sha256_hex(text);
    report.json["bytes"] = text.size();
  }
  report.json["spec"] = request->spec;
  if (file && *file != "-") {
    if (const auto written = write_output(*file, text, "output"); !written)
      return std::unexpected(written.error());
    report.json["output"] = *file;
    report.text = fmt::format("{}: {} of {}, {} bytes\n", *file, key == "ir" ? "LLVM IR" : "explanation",
                              kernel.symbol(), text.size());
  } else {
    report.json[std::string(key)] = text;
    report.text = std::move(text);
  }
  return report;
}

}  // namespace

Command emit_command() {
  return {
      .name = "emit",
      .meaning = "LLVM IR text of a kernel, or the Plan behind it",
      .example = {"wavesmith emit attention-dense --head-size 64 --num-query-heads 32 --num-kv-heads 8 -o "
                  "kernel.ll",
                  "wavesmith emit attention-dense --head-size 64 --num-query-heads 32 --num-kv-heads 8 "
                  "--explain"},
      .positional = family_positional(),
      .options = options,
      .run = run};
}

}  // namespace wavesmith::cli
