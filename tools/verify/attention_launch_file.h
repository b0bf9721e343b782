// A launch of an attention_dense kernel as a launch file, for `simulate` and for programs of others.
#pragma once

#include <nlohmann/json.hpp>

#include "wavesmith/error.h"

#include "tools/verify/attention.h"

namespace wavesmith::verify {

/// The case's launch with contiguous tensors: Q, K and V are generated, O is NaN. Errors: those of
/// check_case().
[[nodiscard]] Expected<nlohmann::ordered_json> attention_launch_file(
    const generator::attention_dense::Plan& plan, const AttentionCase& shape);

}  // namespace wavesmith::verify
