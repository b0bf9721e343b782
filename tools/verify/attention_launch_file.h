// A launch of an attention_dense kernel as a launch file, for `simulate` and for programs of others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "wavesmith/error.h"

#include "tools/verify/attention.h"

namespace wavesmith::verify {

/// A file that a launch file names; to be written next to it.
struct CompanionFile {
  std::string name;   ///< without a folder
  std::string bytes;  ///< i32, little-endian
};

struct AttentionLaunchFile {
  nlohmann::ordered_json json;
  std::vector<CompanionFile> companions;  ///< of kernels that read lengths or pages from memory
};

/// The case's launch with contiguous tensors: Q, K and V are generated, O is NaN; lengths and pages are in
/// companion files, called `file_name`.ARGUMENT.bin. Errors: those of check_case().
[[nodiscard]] Expected<AttentionLaunchFile> attention_launch_file(
    const generator::attention_dense::Plan& plan, const AttentionCase& shape, std::string_view file_name);

}  // namespace wavesmith::verify
