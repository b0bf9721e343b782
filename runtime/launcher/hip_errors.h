// Names and meanings of HIP's error codes, for the launcher's messages and for the simulated driver.
#pragma once

#include <span>
#include <string_view>

#include "runtime/launcher/hip_abi.h"

namespace wavesmith::hip {

struct ErrorText {
  Status status;
  std::string_view name;     ///< as in HIP's headers; null-terminated
  std::string_view meaning;  ///< a few words; null-terminated
};

/// Every code that HIP 6 names, rising.
[[nodiscard]] std::span<const ErrorText> error_texts();

/// The row of a code; for one that is not named, that of hipErrorUnknown.
[[nodiscard]] const ErrorText& error_text(Status status);

}  // namespace wavesmith::hip
