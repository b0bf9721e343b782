// The JSON of `verify` and `simulate`: what a dispatch counted, and how its numbers compare. Keys are stable.
// Also the sums by Plan step that both print for people.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "wavesmith/simulator.h"

#include "tools/verify/accuracy.h"
#include "tools/verify/lse.h"

namespace wavesmith::verify {

using Json = nlohmann::ordered_json;

/// Accesses to LDS of one kind in one step: "ds_read_b128" in "qk".
struct LdsAccesses {
  std::string label = {};  ///< the step; empty for a code object without a line table
  std::string mnemonic = {};
  bool read = false;  ///< LDS-DMA, stores and atomics are writes
  std::uint64_t count = 0, cycles = 0, conflict_cycles = 0, max_lanes_per_bank = 0;

  /// Label, mnemonic and kind stay.
  LdsAccesses& operator+=(const LdsAccesses& other);
  [[nodiscard]] double conflict_cycles_per_access() const {
    return count == 0 ? 0 : static_cast<double>(conflict_cycles) / static_cast<double>(count);
  }
};

/// Ran to its end, without a hazard as far as was looked.
[[nodiscard]] inline bool clean(const simulator::Report& report) {
  return !report.fault && (!report.hazards || report.hazards->empty());
}

/// In the order of the code.
[[nodiscard]] std::vector<LdsAccesses> lds_accesses(const simulator::Report& report);

/// Executions by waves, by the unit that they keep busy.
[[nodiscard]] std::map<std::string, std::uint64_t> instructions_by_class(const simulator::Report& report);

/// hazards (a list, or "not checked"), hazards_not_checked (kinds that are never looked for), fault (null, or
/// why the dispatch was stopped; then what was not counted is null too), lds{reads, writes, conflict_cycles,
/// by_access[]}, instructions{by_class}, fidelity{executed, exact, approximate, uncertain, instructions[],
/// uses (a list, or "not followed")}, cycles{by_unit}, counters, warnings[], uncertain_choices[].
[[nodiscard]] Json report_json(const simulator::Report& report);

/// ok, max_abs_error, max_rel_error, rms_error, tolerance, rms_tolerance, elements, mismatched, mismatches[].
/// JSON has no infinities and NaNs: they are the strings "inf" and "nan".
[[nodiscard]] Json accuracy_json(const Accuracy& accuracy);
/// ok, max_abs_error, max_share, tolerance, elements, mismatched, mismatches[].
[[nodiscard]] Json lse_json(const LseAccuracy& accuracy);

}  // namespace wavesmith::verify
