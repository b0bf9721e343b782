// Runs a small kernel with hazards looked for, for tests of what is found and what is not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "wavesmith/simulator.h"

namespace wavesmith::simulator::testing {

struct HazardCase {
  std::string body;         ///< instructions; s[0:1] points to the arguments, s2 is the workgroup
  std::uint32_t waves = 1;  ///< of a workgroup
  std::uint32_t workgroups = 1;
  unsigned lds_bytes = 0;
  unsigned agprs = 0;
  std::string processor = "gfx950";
  Schedule schedule = Schedule::wave_by_wave;
  unsigned scratch_bytes = 0;  ///< of a lane
  Options options = {};        ///< hazards, threads and schedule are set by the harness
};

/// What one run reports and leaves in the buffer.
struct HazardRun {
  Report report;
  std::vector<std::byte> buffer;
};
/// The kernel's only argument is a writable buffer of 64 KiB, all zero. A fault is in the report.
[[nodiscard]] HazardRun run(const HazardCase& kernel);

/// The run must end without a fault.
[[nodiscard]] std::vector<Hazard> hazards_of(const HazardCase& kernel);

/// "kind: instruction" of each, in order: what most tests compare.
[[nodiscard]] std::vector<std::string> found(const HazardCase& kernel);

}  // namespace wavesmith::simulator::testing
