// The only way from a built kernel to something that can be lowered: canonical form, names, uniformity,
// verification.
#pragma once

#include <memory>

#include "wavesmith/error.h"

#include "ir_builder/function.h"

namespace wavesmith::ir {

/// A kernel that finish() has verified and put in canonical form; lowering takes nothing else.
class FinishedKernel {
 public:
  [[nodiscard]] const Kernel& operator*() const { return *kernel_; }
  [[nodiscard]] const Kernel* operator->() const { return kernel_.get(); }

 private:
  friend Expected<FinishedKernel> finish(std::unique_ptr<Kernel> kernel);
  explicit FinishedKernel(std::unique_ptr<const Kernel> kernel) : kernel_(std::move(kernel)) {}

  std::unique_ptr<const Kernel> kernel_;
};

/// Errors: the verifier's findings, one a line; they are faults of the generator, not of its user.
[[nodiscard]] Expected<FinishedKernel> finish(std::unique_ptr<Kernel> kernel);

}  // namespace wavesmith::ir
