// Runs the passes over a kernel in their fixed order.
#include "ir_builder/finish.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir_builder/canonicalize.h"
#include "ir_builder/uniformity.h"
#include "ir_builder/verifier.h"

namespace wavesmith::ir {

Expected<FinishedKernel> finish(std::unique_ptr<Kernel> kernel) {
  // Structure first: the other passes rely on it. The order of pure operations is settled before the rules
  // about dominance and control flow are checked, since it is the canonical order that is lowered.
  std::vector<std::string> findings = verify_structure(*kernel);
  if (findings.empty()) {
    canonicalize(*kernel);
    assign_names(*kernel);
    compute_uniformity(*kernel);
    findings = verify(*kernel);
    std::ranges::move(verify_interface(*kernel), std::back_inserter(findings));
  }
  if (!findings.empty())
    return fail(ErrorKind::check_failed, fmt::format("the kernel IR of {} is not valid:\n{}", kernel->name,
                                                     fmt::join(findings, "\n")));
  return FinishedKernel(std::move(kernel));
}

}  // namespace wavesmith::ir
