// The LLVM backend: one request from text to code object, step by step, with the time of each. Entry:
// make_llvm_backend() of backend.h.
#include <fmt/format.h>
#include <llvm-c/Core.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/TargetParser.h>

#include "runtime/compiler/backend.h"
#include "runtime/compiler/build_id.h"
#include "runtime/compiler/codegen.h"
#include "runtime/compiler/diagnostics.h"
#include "runtime/compiler/disassembly.h"
#include "runtime/compiler/link.h"
#include "runtime/compiler/module.h"
#include "runtime/compiler/stopwatch.h"

namespace wavesmith::runtime {
namespace {

class LlvmBackend : public CompilerBackend {
 public:
  LlvmBackend() {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();  // inline assembly
    LLVMInitializeAMDGPUDisassembler();

    unsigned minor = 0;
    unsigned patch = 0;
    LLVMGetVersion(&info_.llvm_major, &minor, &patch);  // of the library that is loaded, not of the headers
    info_.version = fmt::format("LLVM {}.{}.{} (llvm), {}", info_.llvm_major, minor, patch, linker_version());
    // The library's build and this program's, which LLD is a part of.
    info_.identity = fmt::format("{}, build {}+{}", info_.version,
                                 build_id_of(reinterpret_cast<const void*>(&LLVMGetVersion)),
                                 build_id_of(reinterpret_cast<const void*>(&make_llvm_backend)));
    for (const Processor& processor : processors())
      if (llvm::AMDGPU::parseArchAMDGCN(processor.name) != llvm::AMDGPU::GK_NONE)
        info_.processors.emplace_back(processor.name);
  }

  [[nodiscard]] const CompilerInfo& info() const override { return info_; }

  [[nodiscard]] bool can_go_on() const override { return can_go_on_; }

  [[nodiscard]] Expected<CompileResult> compile(const CompileRequest& request,
                                                const TargetId& target) override {
    Diagnostics diagnostics;
    auto result = compile(request, target, diagnostics);
    if (result) {
      result->log = diagnostics.log + result->log;
    } else {
      result.error().log = diagnostics.log + result.error().log;
    }
    return result;
  }

 private:
  Expected<CompileResult> compile(const CompileRequest& request, const TargetId& target,
                                  Diagnostics& diagnostics);

  CompilerInfo info_;
  bool can_go_on_ = true;
};

/// Errors that LLVM reported without stopping: what it produced then must not be used.
Expected<void> check_diagnostics(const Diagnostics& diagnostics) {
  if (diagnostics.first_error.empty()) return {};
  return fail(ErrorKind::compiler_failed, diagnostics.first_error);
}

/// The assembly of the code that the request compiles to. From a module of its own, made in the same steps:
/// code generation changes a module, and a clone has another order of uses, from which other registers
/// follow.
Expected<std::string> assembly_text(const CompileRequest& request, const TargetId& target,
                                    llvm::TargetMachine& machine) {
  Diagnostics diagnostics;  // the request's own were noted when its object was made
  llvm::LLVMContext context;
  diagnostics.attach_to(context);
  auto module = parse_module(request, machine, context, diagnostics);
  if (!module) return std::unexpected(std::move(module).error());
  if (auto verified = verify_module(request, target, **module); !verified)
    return std::unexpected(verified.error());
  optimize(**module, machine, request.optimization_level);
  auto text = emit(**module, machine, llvm::CodeGenFileType::AssemblyFile);
  if (!text) return std::unexpected(std::move(text).error());
  return std::string(text->begin(), text->end());
}

Expected<CompileResult> LlvmBackend::compile(const CompileRequest& request, const TargetId& target,
                                             Diagnostics& diagnostics) {
  CompileResult result;
  result.compiler = info_.identity;
  Stopwatch watch;
  auto machine = make_target_machine(request, target);
  if (!machine) return std::unexpected(std::move(machine).error());

  llvm::LLVMContext context;
  diagnostics.attach_to(context);
  auto module = parse_module(request, **machine, context, diagnostics);
  if (!module) return std::unexpected(std::move(module).error());
  result.milliseconds.parse = watch.lap();

  if (auto verified = verify_module(request, target, **module); !verified)
    return std::unexpected(verified.error());
  result.milliseconds.verify = watch.lap();

  optimize(**module, **machine, request.optimization_level);
  result.milliseconds.optimize = watch.lap();

  auto object = emit(**module, **machine, llvm::CodeGenFileType::ObjectFile);
  if (!object) return std::unexpected(std::move(object).error());
  if (auto checked = check_diagnostics(diagnostics); !checked)
    return std::unexpected(std::move(checked).error());
  result.milliseconds.codegen = watch.lap();

  auto linked = link_object(*object, can_go_on_);
  if (!linked) return std::unexpected(std::move(linked).error());
  result.hsaco = std::move(linked->hsaco);
  result.log = std::move(linked->log);
  result.milliseconds.link = watch.lap();

  if (request.want_assembly) {
    auto text = assembly_text(request, target, **machine);
    if (!text) return std::unexpected(std::move(text).error());
    result.assembly = std::move(*text);
  }
  if (request.want_disassembly) {
    auto text = disassemble(result.hsaco);
    if (!text) return std::unexpected(std::move(text).error());
    result.disassembly = std::move(*text);
  }
  return result;
}

}  // namespace

std::unique_ptr<CompilerBackend> make_llvm_backend() {
  return std::make_unique<LlvmBackend>();
}

}  // namespace wavesmith::runtime
