// The comgr backend: IR text to relocatable to code object through ROCm's code object manager. Entry:
// make_comgr_backend() of backend.h.
#include <cstring>

#include <fmt/format.h>

#include "runtime/code_object.h"
#include "runtime/compiler/backend.h"
#include "runtime/compiler/comgr_library.h"
#include "runtime/compiler/disassembly.h"
#include "runtime/compiler/stopwatch.h"

namespace wavesmith::runtime {
namespace {

using comgr::DataKind;

class ComgrBackend : public CompilerBackend {
 public:
  ComgrBackend(std::unique_ptr<ComgrLibrary> library, CompilerInfo info)
      : library_(std::move(library)), info_(std::move(info)) {}

  [[nodiscard]] const CompilerInfo& info() const override { return info_; }
  [[nodiscard]] bool can_go_on() const override { return true; }
  [[nodiscard]] Expected<CompileResult> compile(const CompileRequest& request,
                                                const TargetId& target) override;

 private:
  std::unique_ptr<ComgrLibrary> library_;
  CompilerInfo info_;
};

/// What comgr takes from the text alone has to be what was asked for.
Expected<void> check_result(const CompileRequest& request, const TargetId& target,
                            const CompileResult& result) {
  const auto object = read_code_object(result.hsaco);
  if (!object)
    return fail(ErrorKind::compiler_failed, "comgr's code object cannot be read: " + object.error().message,
                result.log);
  if (object->version != request.code_object_version)
    return std::unexpected(
        Error::refused({{"code_object_version", std::to_string(request.code_object_version),
                         fmt::format("comgr makes version {} of this IR text, whose module flag decides",
                                     object->version)}}));
  if (object->target.text() != target.text())
    return fail(ErrorKind::compiler_failed,
                fmt::format("comgr compiled for {} instead of {}", object->target.text(), target.text()));
  return {};
}

Expected<CompileResult> ComgrBackend::compile(const CompileRequest& request, const TargetId& target) {
  const comgr::Actions& actions = library_->actions();
  const std::string level = fmt::format("-O{}", request.optimization_level);
  // The text has no target-cpu of its own and comgr sets its triple and layout; the warning that it does is
  // noise, since the text has the same.
  const std::vector<const char*> options{level.c_str(), "-Wno-override-module"};
  const std::string isa = fmt::format("{}{}", comgr_isa_prefix, target.text());
  CompileResult result;
  result.compiler = info_.identity;
  Stopwatch watch;
  const ComgrLibrary::Action codegen{.action = actions.bitcode_to_relocatable,
                                     .input_kind = DataKind::bitcode,
                                     .output_kind = DataKind::relocatable,
                                     .input = request.ir,
                                     .isa = isa,
                                     .options = options};
  auto relocatable = library_->run(codegen);
  if (!relocatable) return std::unexpected(std::move(relocatable).error());
  result.log = relocatable->log;
  result.milliseconds.codegen = watch.lap();

  const auto executable = library_->run({.action = actions.relocatable_to_executable,
                                         .input_kind = DataKind::relocatable,
                                         .output_kind = DataKind::executable,
                                         .input = {relocatable->bytes.data(), relocatable->bytes.size()},
                                         .isa = isa,
                                         .options = {}});
  if (!executable) return std::unexpected(executable.error());
  result.log += executable->log;
  const auto bytes = std::as_bytes(std::span(executable->bytes));
  result.hsaco.assign(bytes.begin(), bytes.end());
  result.milliseconds.link = watch.lap();
  if (auto checked = check_result(request, target, result); !checked)
    return std::unexpected(std::move(checked).error());

  if (request.want_assembly) {
    ComgrLibrary::Action assembly = codegen;
    assembly.action = actions.bitcode_to_assembly;
    assembly.output_kind = DataKind::source;
    const auto text = library_->run(assembly);
    if (!text) return std::unexpected(text.error());
    result.assembly.assign(text->bytes.begin(), text->bytes.end());
  }
  if (request.want_disassembly) {
    auto text = disassemble(result.hsaco);
    if (!text) return std::unexpected(std::move(text).error());
    result.disassembly = std::move(*text);
  }
  return result;
}

}  // namespace

Expected<std::unique_ptr<CompilerBackend>> make_comgr_backend(const std::string& path) {
  auto library = ComgrLibrary::open(path);
  if (!library) return std::unexpected(std::move(library).error());
  const auto llvm = (*library)->llvm_version();
  if (!llvm) return std::unexpected(llvm.error());
  const auto isas = (*library)->isa_names();
  if (!isas) return std::unexpected(isas.error());
  CompilerInfo info;
  info.llvm_major = llvm->major;
  info.version = fmt::format("comgr {} on LLVM {}.{}.{}", (*library)->interface_version(), llvm->major,
                             llvm->minor, llvm->patch);
  info.identity = fmt::format("{} (comgr), build {}", info.version, (*library)->build());
  for (std::string_view isa : *isas)
    if (isa.starts_with(comgr_isa_prefix)) info.processors.emplace_back(isa.substr(comgr_isa_prefix.size()));
  return std::make_unique<ComgrBackend>(std::move(*library), std::move(info));
}

}  // namespace wavesmith::runtime
