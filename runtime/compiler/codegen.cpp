// Optimization and code generation through LLVM; see codegen.h. The pipeline is tuned as clang tunes it for
// the same level, so that a kernel compiles to the same code as with `clang -x ir` (a test compares the
// bytes).
#include "runtime/compiler/codegen.h"

#include <array>

#include <fmt/format.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Triple.h>

namespace wavesmith::runtime {
namespace {

constexpr std::array kCodegenLevels = {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Less,
                                       llvm::CodeGenOptLevel::Default, llvm::CodeGenOptLevel::Aggressive};

llvm::OptimizationLevel pipeline_level(std::uint32_t level) {
  switch (level) {
    case 0:
      return llvm::OptimizationLevel::O0;
    case 1:
      return llvm::OptimizationLevel::O1;
    case 2:
      return llvm::OptimizationLevel::O2;
    default:
      return llvm::OptimizationLevel::O3;
  }
}

}  // namespace

Expected<std::unique_ptr<llvm::TargetMachine>> make_target_machine(const CompileRequest& request,
                                                                   const TargetId& target) {
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string problem;
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (backend == nullptr)
    return fail(ErrorKind::environment, fmt::format("this LLVM has no AMDGPU target: {}", problem));

  llvm::TargetOptions options;
  options.MCOptions.AsmVerbose = true;  // the resource comments of assembly text; objects do not change
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.processor->name, target.llvm_features(), options, llvm::Reloc::PIC_, std::nullopt,
      kCodegenLevels[request.optimization_level]));
  if (machine == nullptr || !machine->getMCSubtargetInfo()->isCPUStringValid(target.processor->name)) {
    return std::unexpected(Error::refused({{"target", request.target, "a processor that this LLVM knows"}}));
  }
  return machine;
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, std::uint32_t level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = level >= 2;
  tuning.LoopInterleaving = level >= 2;
  tuning.LoopVectorization = level >= 2;
  tuning.SLPVectorization = level >= 2;

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(pipeline_level(level)).run(module, modules);
}

Expected<llvm::SmallVector<char, 0>> emit(llvm::Module& module, llvm::TargetMachine& machine,
                                          llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(machine.getTargetTriple()));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) {
    return fail(ErrorKind::compiler_failed, "this LLVM cannot write AMDGPU objects");
  }
  passes.run(module);
  return bytes;
}

}  // namespace wavesmith::runtime
