#include "runtime/compiler/diagnostics.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>

namespace wavesmith::runtime {
namespace {

std::string_view name_of(llvm::DiagnosticSeverity severity) {
  switch (severity) {
    case llvm::DS_Error:
      return "error: ";
    case llvm::DS_Warning:
      return "warning: ";
    case llvm::DS_Remark:
      return "remark: ";
    case llvm::DS_Note:
      return "note: ";
  }
  return "";
}

void receive(const llvm::DiagnosticInfo* info, void* diagnostics_pointer) {
  // Passes report optimization remarks unasked; they are there only if an option of LLVM turned them on.
  const auto* remark = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(info);
  if (remark != nullptr && !remark->isEnabled()) return;
  auto& diagnostics = *static_cast<Diagnostics*>(diagnostics_pointer);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  if (info->getSeverity() == llvm::DS_Error && diagnostics.first_error.empty())
    diagnostics.first_error = text;
  diagnostics.note(std::string(name_of(info->getSeverity())) + text);
}

}  // namespace

void Diagnostics::attach_to(llvm::LLVMContext& context) {
  context.setDiagnosticHandlerCallBack(receive, this);
}

}  // namespace wavesmith::runtime
