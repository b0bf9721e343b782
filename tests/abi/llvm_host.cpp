// A program that links an LLVM itself and uses libwavesmith beside it: parses a module before and after a
// kernel was compiled.
#include <cstdio>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>

#include "wavesmith/wavesmith.h"

namespace {

bool parses() {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const auto module = llvm::parseIR(llvm::MemoryBufferRef("define i32 @f() {\n  ret i32 42\n}\n", "module"),
                                    diagnostic, context);
  return module != nullptr && module->getFunction("f") != nullptr;
}

}  // namespace

int main() {
  wavesmith_request* request = nullptr;
  wavesmith_jit* jit = nullptr;
  wavesmith_kernel* kernel = nullptr;
  const bool before = parses();
  wavesmith_status status = wavesmith_request_from_json(
      R"({"head_size": 64, "num_query_heads": 1, "num_kv_heads": 1, "block_m": 128, "block_n": 32,
          "mask": "full", "compiler": "llvm"})",
      &request);
  if (status == WAVESMITH_OK) status = wavesmith_jit_create(nullptr, &jit);
  if (status == WAVESMITH_OK) status = wavesmith_jit_get(jit, request, &kernel);
  if (status != WAVESMITH_OK) std::fprintf(stderr, "%s\n", wavesmith_last_error());
  if (before && parses() && kernel != nullptr) std::puts("one LLVM module and one kernel");
  wavesmith_kernel_destroy(kernel);
  wavesmith_jit_destroy(jit);
  wavesmith_request_destroy(request);
  return status;
}
