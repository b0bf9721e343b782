// Parsing and checking of IR text; see module.h.
#include "runtime/compiler/module.h"

#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include "runtime/compiler/upgrade_notes.h"

namespace wavesmith::runtime {
namespace {

/// The name under which the text appears in messages and, without a source_filename of its own, in symbols.
constexpr const char* kTextName = "kernel.ll";

/// The module flag that becomes EI_ABIVERSION; its value is the version times 100.
constexpr const char* kVersionFlag = "amdhsa_code_object_version";
constexpr std::uint32_t kVersionFactor = 100;

std::unexpected<Error> contradiction(std::string_view field, std::string value, std::string allowed) {
  return std::unexpected(Error::refused({{std::string(field), std::move(value), std::move(allowed)}}));
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Names that the text uses and nobody defines. LLVM turns them into calls through a table that no loader
/// fills.
Expected<void> check_declarations(const llvm::Module& module) {
  std::vector<std::string> unknown_intrinsics;
  std::vector<std::string> undefined;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration()) continue;
    if (function.getName().starts_with("llvm.")) {
      if (function.getIntrinsicID() == llvm::Intrinsic::not_intrinsic)
        unknown_intrinsics.push_back(function.getName().str());
    } else {
      undefined.push_back(function.getName().str());
    }
  }
  for (const llvm::GlobalVariable& variable : module.globals()) {
    // A declaration in LDS is how dynamic LDS is written; elsewhere it needs a definition.
    constexpr unsigned kLds = 3;
    if (variable.isDeclaration() && variable.getAddressSpace() != kLds)
      undefined.push_back(variable.getName().str());
  }
  if (!unknown_intrinsics.empty()) {
    return fail(ErrorKind::compiler_failed,
                fmt::format("this LLVM does not know the intrinsic {}", list(unknown_intrinsics)));
  }
  if (!undefined.empty()) {
    return fail(ErrorKind::compiler_failed,
                fmt::format("undefined: {}; a code object links to nothing else", list(undefined)));
  }
  return {};
}

/// The version of the text, if it has one, has to be the request's; afterwards the module has it in any case.
Expected<void> settle_code_object_version(std::uint32_t requested, llvm::Module& module) {
  const std::uint32_t value = requested * kVersionFactor;
  const auto* flag = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module.getModuleFlag(kVersionFlag));
  if (flag == nullptr) {
    module.addModuleFlag(llvm::Module::Error, kVersionFlag, value);
  } else if (flag->getZExtValue() != value) {
    return contradiction(
        "code_object_version", std::to_string(requested),
        fmt::format("the IR text's own module flag {} is {}", kVersionFlag, flag->getZExtValue()));
  }
  return {};
}

Expected<void> check_target_attributes(const TargetId& target, const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    const llvm::StringRef processor = function.getFnAttribute("target-cpu").getValueAsString();
    if (processor.empty() || processor == llvm::StringRef(target.processor->name)) continue;
    return contradiction("target", target.text(),
                         fmt::format("function {} of the IR text has \"target-cpu\"=\"{}\"",
                                     function.getName().str(), processor.str()));
  }
  return {};
}

}  // namespace

Expected<std::unique_ptr<llvm::Module>> parse_module(const CompileRequest& request,
                                                     const llvm::TargetMachine& machine,
                                                     llvm::LLVMContext& context, Diagnostics& diagnostics) {
  const std::string layout = machine.createDataLayout().getStringRepresentation();
  std::string other_layout;
  const auto choose_layout = [&](llvm::StringRef, llvm::StringRef in_text) -> std::optional<std::string> {
    if (!in_text.empty() && in_text != layout) other_layout = in_text.str();
    return layout;
  };
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssembly(llvm::MemoryBufferRef(request.ir, kTextName),
                                                             problem, context, nullptr, choose_layout);
  if (!other_layout.empty()) {
    return contradiction("ir", fmt::format("target datalayout = \"{}\"", other_layout),
                         fmt::format("none, or that of {}: \"{}\"", request.target, layout));
  }
  if (module == nullptr) {
    std::string log;
    llvm::raw_string_ostream stream(log);
    problem.print(nullptr, stream, /*ShowColors=*/false);
    return fail(ErrorKind::compiler_failed,
                fmt::format("{}:{}:{}: {}", kTextName, problem.getLineNo(), problem.getColumnNo() + 1,
                            problem.getMessage().str()),
                diagnostics.log + log);
  }
  const llvm::Triple& triple = module->getTargetTriple();
  if (!triple.empty() && (!triple.isAMDGCN() || triple.getOS() != llvm::Triple::AMDHSA)) {
    return contradiction("ir", fmt::format("target triple = \"{}\"", triple.str()),
                         "none, or amdgcn-amd-amdhsa");
  }
  module->setTargetTriple(machine.getTargetTriple());
  note_upgrades(request.ir, *module, diagnostics);
  return module;
}

Expected<void> verify_module(const CompileRequest& request, const TargetId& target, llvm::Module& module) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(module, &stream)) {
    return fail(ErrorKind::compiler_failed,
                fmt::format("the IR is not valid: {}", problems.substr(0, problems.find('\n'))), problems);
  }
  if (auto checked = check_declarations(module); !checked) return checked;
  if (auto checked = check_target_attributes(target, module); !checked) return checked;
  return settle_code_object_version(request.code_object_version, module);
}

}  // namespace wavesmith::runtime
