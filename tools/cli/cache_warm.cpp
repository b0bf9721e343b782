// `wavesmith cache warm`: compiles kernels ahead of time into the cache on disk.
#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "wavesmith/jit.h"

#include "golden/strict_json.h"
#include "runtime/jit/disk_cache.h"
#include "tools/cli/cache_options.h"
#include "tools/cli/command.h"
#include "tools/cli/files.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/kernel_request.h"
#include "tools/cli/numbers.h"
#include "tools/cli/progress.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

std::vector<OptionGroup> options(std::span<const std::string> words) {
  std::vector<OptionGroup> groups = kernel_options(words, "auto");
  groups.push_back(compiler_options());
  groups.push_back(
      {.title = "Warming",
       .options = {{.name = "list",
                    .placeholder = "FILE",
                    .meaning = "JSON array of objects of spec fields, one a kernel, - for standard input; "
                               "they override the command line's fields"},
                   {.name = "workers",
                    .placeholder = "N",
                    .meaning = "compiles at a time (default: one per hardware thread)"},
                   cache_directory_option()}});
  return groups;
}

JitRequest jit_request(const Arguments& arguments, const KernelRequest& kernel, runtime::Backend backend) {
  JitRequest request;
  request.family = *arguments.positional;
  for (const auto& [name, value] : kernel.kernel->spec()) request.fields.emplace(name, value);
  request.target = to_string(kernel.kernel->target());
  request.symbol = arguments.value_or("symbol", "");
  request.flavour = kernel.flavour;
  request.compiler = runtime::name_of(backend);
  request.code_object_version = kernel.options.code_object_version;
  request.line_table = kernel.options.line_table;
  return request;
}

/// The command line with the fields of one object of the list; empty, after a refusal, where it is none.
std::optional<Arguments> with_fields(Arguments arguments, const nlohmann::json& object, std::size_t number,
                                     std::vector<Refusal>& refusals) {
  if (!object.is_object()) {
    refusals.push_back({"list", fmt::format("element {}: {}", number, object.dump(-1, ' ', true)),
                        "an object of spec fields"});
    return std::nullopt;
  }
  for (const auto& [name, value] : object.items()) {
    std::string option = name;
    std::ranges::replace(option, '_', '-');
    arguments.values.insert_or_assign(
        option, value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', true));
  }
  return arguments;
}

/// Names that are no options of a kernel would be ignored where they are looked up.
void refuse_unknown(const nlohmann::json& object, std::vector<Refusal>& refusals) {
  const std::vector<OptionGroup> known = kernel_options({}, "auto");
  for (const auto& [name, value] : object.items()) {
    const bool found = std::ranges::any_of(known, [&](const OptionGroup& group) {
      return std::ranges::any_of(group.options,
                                 [&](const Option& option) { return field_name(option.name) == name; });
    });
    if (!found || name == "spec")
      refusals.push_back({name, value.dump(-1, ' ', true),
                          "a spec field, or target, preset, flavour, symbol, …; see --help"});
  }
}

/// One request for each element of the list, or the command line's own.
Expected<std::vector<JitRequest>> read_requests(const Arguments& arguments, runtime::Backend backend,
                                                std::vector<Refusal> refusals) {
  std::vector<JitRequest> requests;
  const auto add = [&](const Arguments& one, std::vector<Refusal> known, std::string_view where) {
    const Expected<KernelRequest> kernel = read_kernel_request(one, "auto", std::move(known));
    if (kernel) {
      requests.push_back(jit_request(one, *kernel, backend));
      return;
    }
    for (Refusal refusal : kernel.error().refusals) {
      refusal.allowed += where;
      refusals.push_back(std::move(refusal));
    }
  };
  const auto path = arguments.value("list");
  if (!path) {
    add(arguments, std::exchange(refusals, {}), "");
  } else if (const auto text = read_input(*path, "list"); !text) {
    refusals.insert(refusals.end(), text.error().refusals.begin(), text.error().refusals.end());
  } else if (const auto list = golden::parse_strict_json(*text);
             !list || !list->is_array() || list->empty()) {
    refusals.push_back(
        {"list", *path,
         "a JSON array of objects of spec fields" + (list ? std::string() : ": " + list.error())});
  } else {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto one = with_fields(arguments, (*list)[i], i, refusals);
      if (!one) continue;
      std::vector<Refusal> unknown;
      refuse_unknown((*list)[i], unknown);
      add(*one, std::move(unknown), fmt::format(" (element {} of the list)", i));
    }
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  return requests;
}

/// All failures as one, of the first one's kind; what succeeded is in the cache.
Error joined(const std::vector<Expected<JitKernelPointer>>& results,
             const std::vector<JitRequest>& requests) {
  Error all{ErrorKind::environment, {}, {}, {}};
  std::size_t failures = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) continue;
    const Error& error = results[i].error();
    if (failures++ == 0) all.kind = error.kind;
    all.message += fmt::format("{}kernel {} of {}: {}", all.message.empty() ? "" : "\n", i + 1,
                               requests.size(), error.message);
    all.log += error.log;
  }
  return all;
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  JitOptions jit_options;
  constexpr std::size_t most_workers = 1024;
  if (const auto text = arguments.value("workers")) {
    const auto workers = parse_number<std::size_t>(*text);
    if (workers && *workers >= 1 && *workers <= most_workers)
      jit_options.workers = *workers;
    else
      refusals.push_back({"workers", *text, fmt::format("1 to {}", most_workers)});
  }
  const CompilerOptions wanted = read_compiler_options(arguments, refusals);
  const auto requests = read_requests(arguments, wanted.backend, std::move(refusals));
  if (!requests) return std::unexpected(requests.error());
  const auto directory = cache_directory(arguments, {});
  if (!directory) return std::unexpected(directory.error());

  std::mutex mutex;
  std::vector<std::string> warnings;
  jit_options.cache_directory = *directory;
  jit_options.worker_path = wanted.pool.worker_path;
  jit_options.comgr_library = wanted.pool.comgr_library;
  jit_options.warn = [&](std::string_view text) {
    const std::lock_guard lock(mutex);
    warnings.emplace_back(text);
  };
  Jit jit(std::move(jit_options));
  std::vector<Expected<JitKernelPointer>> results;
  {
    ProgressBar bar("warming");
    results = jit.warm(*requests, [&](std::size_t done) { bar.update(done, requests->size()); });
  }
  if (std::ranges::any_of(results, [](const auto& result) { return !result; }))
    return std::unexpected(joined(results, *requests));

  Report report;
  report.messages = message_lines("cache warm", warnings);
  report.json = {{"directory", jit.cache_directory()}, {"kernels", Json::array()}};
  using enum Table::Align;
  Table table({{"kernel", left}, {"target", left}, {"flavour", left}, {"bytes", right}, {"key", left}});
  for (const auto& result : results) {
    const JitKernel& kernel = **result;
    if (!std::filesystem::exists(
            runtime::record_path(jit.cache_directory(), runtime::RecordKind::request, kernel.key)))
      return fail(
          ErrorKind::environment,
          fmt::format("{} was compiled but is not in the cache {}", kernel.symbol, jit.cache_directory()),
          report.messages);
    constexpr std::size_t shown = 12;
    table.row({kernel.symbol, kernel.target, kernel.flavour, fmt::format("{}", kernel.hsaco.size()),
               kernel.key.substr(0, shown)});
    report.json["kernels"].push_back({{"symbol", kernel.symbol},
                                      {"target", kernel.target},
                                      {"flavour", kernel.flavour},
                                      {"compiler", kernel.compiler},
                                      {"key", kernel.key},
                                      {"ir_sha256", kernel.ir_sha256},
                                      {"code_object_id", kernel.code_object_id},
                                      {"bytes", kernel.hsaco.size()}});
  }
  const JitStatistics statistics = jit.statistics();
  report.json["compiled"] = statistics.compiles;
  report.json["known"] = statistics.disk_hits + statistics.same_code_hits;
  report.json["milliseconds"] = {{"emit", statistics.emit_milliseconds},
                                 {"compile", statistics.compile_milliseconds}};
  report.text = table.text();
  report.text += fmt::format("{}: {} compiled, {} known before\n", jit.cache_directory(), statistics.compiles,
                             statistics.disk_hits + statistics.same_code_hits);
  return report;
}

}  // namespace

Command cache_warm_command() {
  return {
      .name = "cache warm",
      .meaning = "compile kernels ahead of time into the cache on disk",
      .example = {"wavesmith cache warm attention-dense --head-size 64 --num-query-heads 32 --num-kv-heads 8 "
                  "--cache-dir kernels"},
      .positional = family_positional(),
      .options = options,
      .run = run};
}

}  // namespace wavesmith::cli
