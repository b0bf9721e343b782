// The launch that `verify` runs, from the command line: lengths, layout, data, windows, orders of work items.
#pragma once

#include "wavesmith/error.h"

#include "generator/attention_dense/spec.h"
#include "tools/cli/command.h"
#include "tools/verify/attention_case.h"

namespace wavesmith::cli {

/// The options, under one heading.
[[nodiscard]] OptionGroup verify_case_options();

/// Adds to `refusals` what no kernel takes, and lists of lengths where nothing on the command line can make
/// the kernel one that takes them; check_case() has the rest.
[[nodiscard]] verify::AttentionCase read_verify_case(const Arguments& arguments,
                                                     std::vector<Refusal>& refusals);

/// What a model's window makes of widths that no flag names: a query sees its own key and those just before
/// it.
void add_model_window(const Arguments& arguments, const generator::attention_dense::Spec& spec,
                      verify::AttentionCase& shape);

}  // namespace wavesmith::cli
