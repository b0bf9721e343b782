// Results as JUnit XML, which CI systems show as tests. junit_text() is the only entry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace wavesmith::cli {

struct JUnitCase {
  enum class Outcome : std::uint8_t { passed, failed, skipped };

  std::string suite;  ///< "llvm22"; cases of a suite stand together
  std::string name;
  Outcome outcome{};
  std::string message = {};  ///< of a failure or skip, one line
  std::string output = {};   ///< shown with the case, whatever its outcome
};

/// Well-formed XML 1.0 in UTF-8 for whatever bytes the names hold: what XML cannot express becomes \xNN.
[[nodiscard]] std::string junit_text(std::string_view name, std::span<const JUnitCase> cases);

}  // namespace wavesmith::cli
