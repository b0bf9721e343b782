#include "tests/compilers/toolchains.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "runtime/compiler.h"
#include "runtime/worker_path.h"
#include "tests/compilers/round_trip.h"
#include "tests/runtime/support.h"

namespace wavesmith::test {
namespace {

const lowering::Flavour& flavour_of_major(unsigned major) {
  for (const lowering::Flavour& flavour : lowering::all_flavours())
    if (flavour.llvm_major == major) return flavour;
  throw std::runtime_error(fmt::format("no flavour for LLVM {}", major));
}

/// opt, llc and lld of one version, as programs.
class Programs : public Toolchain {
 public:
  struct Commands {
    std::string as, dis, opt, llc, lld;
  };

  explicit Programs(Commands commands) : commands_(std::move(commands)) {
    const std::string says = run(commands_.llc + " --version");
    constexpr std::string_view sign = "LLVM version ";
    const std::size_t at = says.find(sign);
    if (at == std::string::npos) throw std::runtime_error(commands_.llc + " says no version");
    std::istringstream(says.substr(at + sign.size())) >> version_;
    flavour_ = &flavour_of_major(static_cast<unsigned>(std::stoul(version_)));
  }

  [[nodiscard]] std::string name() const override { return "LLVM " + version_; }
  [[nodiscard]] const lowering::Flavour& flavour() const override { return *flavour_; }

  [[nodiscard]] Compiled compile(std::string_view ir, std::string_view target) override {
    const TemporaryFolder folder;
    write_text(folder.file("k.ll"), ir);
    // llvm-as verifies.
    silent(fmt::format("{} {} -o {}", commands_.as, folder.file("k.ll"), folder.file("k.bc")));
    silent(fmt::format("{} {} -o {}", commands_.dis, folder.file("k.bc"), folder.file("read.ll")));
    // From the text, as a JIT does.
    silent(fmt::format("{} -O3 {} {} -o {}", commands_.opt, processor(target), folder.file("k.ll"),
                       folder.file("o.bc")));
    silent(fmt::format("{} -O3 {} -filetype=obj {} -o {}", commands_.llc, processor(target),
                       folder.file("o.bc"), folder.file("k.o")));
    silent(fmt::format("{} -shared --no-undefined {} -o {}", commands_.lld, folder.file("k.o"),
                       folder.file("k.hsaco")));
    std::ifstream file(folder.file("read.ll"));
    const std::string read((std::istreambuf_iterator<char>(file)), {});
    return {read_bytes(folder.file("k.hsaco")), changes_on_reading(ir, read)};
  }

  [[nodiscard]] std::string assembly(std::string_view ir, std::string_view target) override {
    const TemporaryFolder folder;
    write_text(folder.file("k.ll"), ir);
    return run(fmt::format("{} -O3 {} {} -o -", commands_.llc, processor(target), folder.file("k.ll")));
  }

 private:
  static std::string processor(std::string_view target) {
    const auto id = runtime::parse_target_id(target);
    if (!id) throw std::runtime_error(id.error().message);
    return fmt::format("-mcpu={} -mattr='{}'", id->processor->name, id->llvm_features());
  }

  static void silent(const std::string& command) {
    const std::string says = run(command);
    if (!says.empty()) throw std::runtime_error(command + " says:\n" + says);
  }

  Commands commands_;
  std::string version_;
  const lowering::Flavour* flavour_ = nullptr;
};

/// A backend of the compiler worker.
class Worker : public Toolchain {
 public:
  Worker(std::string name, runtime::Backend backend, runtime::CompilerPoolOptions options)
      : name_(std::move(name)), backend_(backend), pool_(std::move(options)) {
    const auto info = pool_.describe(backend);
    if (!info) throw std::runtime_error(name_ + ": " + info.error().message);
    flavour_ = &flavour_of_major(info->llvm_major);
    if (name_.empty())
      name_ = info->version.substr(0, info->version.find(" (")) + " in the worker";
    else
      name_ += info->version.substr(info->version.find(" on "));
  }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] runtime::CompilerPool* comgr_pool() override {
    return backend_ == runtime::Backend::comgr ? &pool_ : nullptr;
  }
  [[nodiscard]] const lowering::Flavour& flavour() const override { return *flavour_; }

  [[nodiscard]] Compiled compile(std::string_view ir, std::string_view target) override {
    return {result_of(ir, target, false).hsaco, {}};
  }
  [[nodiscard]] std::string assembly(std::string_view ir, std::string_view target) override {
    return result_of(ir, target, true).assembly;
  }

 private:
  runtime::CompileResult result_of(std::string_view ir, std::string_view target, bool want_assembly) {
    runtime::CompileRequest request;
    request.ir = ir;
    request.target = target;
    request.backend = backend_;
    request.want_assembly = want_assembly;
    auto result = pool_.compile(request);
    if (!result) throw std::runtime_error(name_ + ": " + result.error().message + "\n" + result.error().log);
    // The worker notes what LLVM rewrote.
    if (!result->log.empty()) throw std::runtime_error(name_ + " says:\n" + result->log);
    return std::move(*result);
  }

  std::string name_;
  runtime::Backend backend_;
  runtime::CompilerPool pool_;
  const lowering::Flavour* flavour_ = nullptr;
};

/// A comgr that needs a newer C library than this machine's: the worker is started with that one.
class UnpackedComgr : public Toolchain {
 public:
  UnpackedComgr(const std::filesystem::path& folder, std::string_view set, const std::string& version) {
    const auto program = runtime::find_compiler_worker();
    if (!program) throw std::runtime_error(program.error().message);
    const std::string wrapper = files_.file("worker");
    write_text(wrapper, fmt::format("#!/bin/sh\nexec '{}' '{}' \"$@\"\n",
                                    (folder / "bin/with-newer-libc").string(), *program));
    std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
    runtime::CompilerPoolOptions options;
    options.workers = 1;
    options.worker_path = wrapper;
    options.comgr_library = (folder / set / "usr/lib/x86_64-linux-gnu/libamd_comgr.so.3").string();
    worker_ = std::make_unique<Worker>("comgr " + version, runtime::Backend::comgr, std::move(options));
  }

  [[nodiscard]] std::string name() const override { return worker_->name(); }
  [[nodiscard]] runtime::CompilerPool* comgr_pool() override { return worker_->comgr_pool(); }
  [[nodiscard]] const lowering::Flavour& flavour() const override { return worker_->flavour(); }
  [[nodiscard]] Compiled compile(std::string_view ir, std::string_view target) override {
    return worker_->compile(ir, target);
  }
  [[nodiscard]] std::string assembly(std::string_view ir, std::string_view target) override {
    return worker_->assembly(ir, target);
  }

 private:
  TemporaryFolder files_;
  std::unique_ptr<Worker> worker_;
};

void add_unpacked(const std::filesystem::path& folder, Toolchains& all) {
  std::ifstream manifest(folder / "manifest.tsv");
  if (!manifest) {
    all.skipped.push_back("LLVM 21, LLVM 23 and comgr: tools/compilers.sh has not run");
    return;
  }
  for (std::string line; std::getline(manifest, line);) {
    std::istringstream fields(line);
    std::string name, status, version, reason;
    for (std::string* field : {&name, &status, &version, &reason}) std::getline(fields, *field, '\t');
    const auto program = [&](std::string_view which) {
      return fmt::format("'{}'", (folder / "bin" / fmt::format("{}-{}", which, name.substr(5))).string());
    };
    if (status != "ready")
      all.skipped.push_back(fmt::format("{} {}: {}", name, version, reason));
    else if (name.starts_with("llvm-"))
      all.ready.push_back(std::make_unique<Programs>(
          Programs::Commands{program("llvm-as"), program("llvm-dis"), program("opt"), program("llc"),
                             program("lld") + " -flavor gnu"}));
    else
      all.ready.push_back(std::make_unique<UnpackedComgr>(folder, name, version));
  }
}

}  // namespace

Toolchains find_toolchains(const std::filesystem::path& folder) {
  Toolchains all;
  runtime::CompilerPoolOptions one;
  one.workers = 1;
  all.ready.push_back(std::make_unique<Worker>("", runtime::Backend::llvm, one));
  all.ready.push_back(std::make_unique<Programs>(Programs::Commands{
      WAVESMITH_LLVM_AS, WAVESMITH_LLVM_DIS, WAVESMITH_OPT, WAVESMITH_LLC, WAVESMITH_LD_LLD}));
  add_unpacked(folder, all);
  return all;
}

}  // namespace wavesmith::test
