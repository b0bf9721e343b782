// `wavesmith doctor`: what this machine has, what of it works when it is tried, and how to get the rest.
#include <algorithm>
#include <chrono>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "generator/families.h"
#include "generator/identity.h"
#include "runtime/code_object.h"
#include "runtime/compiler.h"
#include "runtime/jit/disk_cache.h"
#include "runtime/worker_path.h"
#include "tools/cli/cache_options.h"
#include "tools/cli/command.h"
#include "tools/cli/doctor_hip.h"
#include "tools/cli/flavour_choice.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {
namespace {

struct Finding {
  enum class Status {
    ok,       ///< tried, and works
    missing,  ///< not there, and most work is possible without it
    broken,   ///< should work and does not
  };
  std::string subject;
  Status status = Status::ok;
  std::string detail;
  std::string remedy = {};  ///< how to get it; empty when nothing is wanted
};

std::string_view name_of(Finding::Status status) {
  switch (status) {
    case Finding::Status::ok:
      return "ok";
    case Finding::Status::missing:
      return "missing";
    case Finding::Status::broken:
      return "broken";
  }
  return "";
}

std::vector<OptionGroup> options(std::span<const std::string> /*words*/) {
  std::vector<Option> all = compiler_place_options();
  all.push_back(
      {.name = "hip",
       .placeholder = "FILE",
       .meaning =
           "the HIP runtime to open (default: libamdhip64.so.7, .6 or .5 where the loader or ROCm has one)"});
  return cache_options(std::move(all));
}

Finding look_at_worker(const std::string& named) {
  Finding finding{.subject = "compiler worker", .detail = named};
  const Expected<std::string> found =
      named.empty() ? runtime::find_compiler_worker() : Expected<std::string>(named);
  if (found && access(found->c_str(), X_OK) == 0) {
    finding.detail = *found;
    return finding;
  }
  finding.status = Finding::Status::broken;
  finding.detail = found ? fmt::format("{} is not a program", *found) : found.error().message;
  finding.remedy =
      "build the target wavesmith-compiler, or install it as libexec/wavesmith/wavesmith-compiler";
  return finding;
}

/// From spec to code object, as `compile` does it.
Expected<std::string> compile_one(runtime::CompilerPool& compilers, runtime::Backend backend) {
  const generator::Family& family = *generator::families().front();
  const std::string target = family.targets().front();
  const auto choice = runtime::choose_compiler(compilers, backend, "auto", target);
  if (!choice) return std::unexpected(choice.error());
  const auto kernel = family.resolve({{"head_size", "64"}, {"num_query_heads", "8"}, {"num_kv_heads", "2"}},
                                     "", lowering::TargetId{.processor = target});
  if (!kernel) return std::unexpected(kernel.error());
  const auto started = std::chrono::steady_clock::now();
  const auto ir = (*kernel)->emit(*choice->flavour, {});
  if (!ir) return std::unexpected(ir.error());
  runtime::CompileRequest request;
  request.ir = *ir;
  request.target = target;
  request.backend = choice->backend;
  const auto result = compilers.compile(request);
  if (!result) return std::unexpected(result.error());
  const auto object = runtime::read_code_object(result->hsaco);
  if (!object) return std::unexpected(object.error());
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - started;
  return fmt::format("{}, {}; a kernel for {} compiled in {:.0f} ms", choice->compiler.version,
                     choice->flavour->name, target, spent.count());
}

Finding look_at_compiler(runtime::CompilerPool& compilers, runtime::Backend backend, bool named) {
  const bool comgr = backend == runtime::Backend::comgr;
  Finding finding{.subject = fmt::format("compiler {}", runtime::name_of(backend)), .detail = {}};
  if (const auto compiled = compile_one(compilers, backend)) {
    finding.detail = *compiled;
    return finding;
  } else {
    finding.detail = compiled.error().message;
  }
  const bool there = compilers.describe(backend).has_value();
  finding.status = comgr && !there && !named ? Finding::Status::missing : Finding::Status::broken;
  finding.remedy = comgr ? "install ROCm's comgr (package comgr or libamd-comgr3), or name one with --comgr; "
                           "llvm does without"
                         : "rebuild the worker against LLVM 22 and LLD 22 (tools/setup.sh installs them)";
  return finding;
}

/// Writes an entry, reads it and removes it.
Finding look_at_cache(const Arguments& arguments) {
  Finding finding{.subject = "cache", .detail = {}};
  const auto directory = cache_directory(arguments, {});
  if (!directory) {
    finding.status = Finding::Status::missing;
    finding.detail = directory.error().message;
    finding.remedy = "set WAVESMITH_CACHE_DIR to a folder; without one each process compiles for itself";
    return finding;
  }
  std::string warning;
  runtime::Warnings warnings([&](std::string_view text) { warning = text; });
  runtime::DiskCache cache(*directory, runtime::DiskCache::Access::read_write, warnings);
  const runtime::Record record{.kind = runtime::RecordKind::object,
                               .name = generator::sha256_hex(fmt::format("doctor {}", getpid())),
                               .values = {},
                               .payload = {}};
  const bool written = cache.store(record);
  const bool read = written && cache.find(record.kind, record.name) == record;
  const bool locked = written && cache.lock(record.name, {})->state() == runtime::FileLock::State::held;
  if (written) unlink(runtime::record_path(*directory, record.kind, record.name).c_str());
  finding.detail = *directory;
  if (read && locked) return finding;
  finding.status = Finding::Status::broken;
  if (!written || !read)
    finding.detail =
        warning.empty() ? fmt::format("{}: what was written cannot be read", *directory) : warning;
  else
    finding.detail = fmt::format(
        "{}: its file system has no locks; processes may compile a kernel several times", *directory);
  finding.remedy = "set WAVESMITH_CACHE_DIR to a folder that can be written, on a local disk";
  return finding;
}

void look_at_hip(const Arguments& arguments, std::vector<Finding>& findings) {
  const auto named = arguments.value("hip");
  const HipFindings hip = look_for_hip(named.value_or(""));
  Finding runtime{.subject = "HIP runtime", .detail = hip.library}, gpu{.subject = "GPU", .detail = {}};
  if (hip.library.empty()) {
    runtime.status = named ? Finding::Status::broken : Finding::Status::missing;
    runtime.detail = hip.library_note;
    runtime.remedy = "install ROCm's HIP runtime (libamdhip64); the simulator does without";
    gpu.detail = "not checked: it takes the HIP runtime";
  } else {
    if (!hip.library_note.empty()) runtime.detail += ", " + hip.library_note;
    gpu.detail = hip.devices > 0
                     ? fmt::format("{} found", hip.devices)
                     : fmt::format("none: {}", hip.device_note.empty() ? "no device" : hip.device_note);
  }
  if (hip.devices <= 0) {
    gpu.status = Finding::Status::missing;
    if (!hip.driver_note.empty()) gpu.detail += fmt::format("; /dev/kfd: {}", hip.driver_note);
    gpu.remedy =
        "an AMD GPU with the amdgpu driver, and membership of the groups render and video; "
        "`wavesmith verify` runs kernels on the simulator";
  }
  findings.push_back(std::move(runtime));
  findings.push_back(std::move(gpu));
}

Expected<Report> run(const Arguments& arguments, std::vector<Refusal> refusals) {
  const CompilerOptions places = read_compiler_options(arguments, refusals);
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  runtime::CompilerPool compilers(places.pool);
  std::vector<Finding> findings;
  findings.push_back(look_at_worker(places.pool.worker_path));
  findings.push_back(look_at_compiler(compilers, runtime::Backend::llvm, true));
  findings.push_back(
      look_at_compiler(compilers, runtime::Backend::comgr, arguments.value("comgr").has_value()));
  findings.push_back(look_at_cache(arguments));
  look_at_hip(arguments, findings);

  using enum Table::Align;
  Report report;
  report.failed =
      std::ranges::any_of(findings, [](const Finding& f) { return f.status == Finding::Status::broken; });
  report.failure = ErrorKind::environment;
  report.json = {{"ok", !report.failed}, {"findings", Json::array()}};
  Table table({{"", left}, {"", left}, {"", left}});
  for (const Finding& finding : findings) {
    table.row({finding.subject, std::string(name_of(finding.status)), for_cell(finding.detail)});
    if (!finding.remedy.empty()) table.row({"", "", "-> " + finding.remedy});
    report.json["findings"].push_back(
        {{"subject", finding.subject},
         {"status", name_of(finding.status)},
         {"detail", finding.detail},
         {"remedy", finding.remedy.empty() ? Json(nullptr) : Json(finding.remedy)}});
  }
  report.text = table.text();
  report.text += report.failed ? "something is broken\n" : "everything that is needed works\n";
  return report;
}

}  // namespace

Command doctor_command() {
  return {.name = "doctor",
          .meaning = "what is installed, what works when it is tried, what is missing and how to get it",
          .example = {"wavesmith doctor --cache-dir kernels"},
          .positional = std::nullopt,
          .options = options,
          .run = run};
}

}  // namespace wavesmith::cli
