// The way from Plan to text.
#include "generator/attention_dense/emit.h"

#include "generator/attention_dense/kernel_p.h"

namespace wavesmith::generator::attention_dense {

std::unique_ptr<ir::Kernel> draft(const Plan& plan) {
  return KernelEmitter(plan).build();
}

Expected<ir::FinishedKernel> build(const Plan& plan) {
  return ir::finish(draft(plan));
}

Expected<std::string> emit(const Plan& plan, const lowering::Flavour& flavour,
                           const lowering::LowerOptions& options) {
  const Expected<ir::FinishedKernel> kernel = build(plan);
  if (!kernel) return std::unexpected(kernel.error());
  return lowering::lower(*kernel, *plan.facts, flavour, options);
}

}  // namespace wavesmith::generator::attention_dense
