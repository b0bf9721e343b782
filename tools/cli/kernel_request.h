// What `emit` and `compile` share: from the words that describe a kernel (family, spec fields, preset,
// target, flavour, symbol) to a resolved kernel.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "generator/families.h"
#include "lowering/lower.h"
#include "tools/cli/command.h"

namespace wavesmith::cli {

struct KernelRequest {
  std::unique_ptr<generator::ResolvedKernel> kernel;
  lowering::LowerOptions options;
  std::string flavour;  ///< "auto" or a name that find_flavour() knows
  Json spec;            ///< canonical, with JSON's own types; --spec reads it back
};

/// The FAMILY argument.
[[nodiscard]] Positional family_positional();

/// Spec fields (of the families that `words` names, else of all) and the options of a request.
/// `default_flavour` is for the help alone.
[[nodiscard]] std::vector<OptionGroup> kernel_options(std::span<const std::string> words,
                                                      std::string_view default_flavour);

/// Errors: `refusals` and everything that is wrong with the request, at once.
[[nodiscard]] Expected<KernelRequest> read_kernel_request(const Arguments& arguments,
                                                          std::string_view default_flavour,
                                                          std::vector<Refusal> refusals);

}  // namespace wavesmith::cli
