// What LLVM says about one compile, gathered: LLVM's own handlers would print to standard error or end the
// process.
#pragma once

#include <string>
#include <string_view>

#include <llvm/IR/LLVMContext.h>

namespace wavesmith::runtime {

struct Diagnostics {
  std::string log;          ///< everything, one diagnostic a line
  std::string first_error;  ///< empty while there is none

  void note(std::string_view text) { log.append(text).append("\n"); }

  /// Makes the context report here; `this` must outlive it.
  void attach_to(llvm::LLVMContext& context);
};

}  // namespace wavesmith::runtime
