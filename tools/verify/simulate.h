// Runs one launch of any code object on the simulator, as a launch file describes it. simulate() is the only
// entry; what it gives keeps the device, so that buffers can be read afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "tools/verify/launch_file.h"

namespace wavesmith::verify {

/// Bytes of buffers by name: of every buffer that is a file, and of those whose generated contents are to be
/// replaced.
using Contents = std::map<std::string, std::string, std::less<>>;

/// Names of the launch's buffers, in the order of the arguments.
[[nodiscard]] std::vector<std::string> buffers_of(const LaunchFile& launch);

/// Names of the launch's buffers whose contents are files, with their paths, in order.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> files_of(const LaunchFile& launch);

struct SimulatedBuffer {
  std::string name;  ///< of the argument; STRUCT.MEMBER inside structures
  std::uint64_t bytes = 0;
  simulator::DeviceAddress address = 0;
};

struct Simulation {
  simulator::Device device;
  simulator::Report report;
  std::vector<SimulatedBuffer> buffers;  ///< in the order of the arguments

  /// The bytes of a buffer, in place.
  [[nodiscard]] Expected<std::span<std::byte>> contents(const SimulatedBuffer& buffer);
};

/// Errors: invalid_request with all that does not fit the code object (kernel, number and sizes of arguments)
/// or one another (contents of another size than their buffer, pointers outside); what Device refuses.
[[nodiscard]] Expected<Simulation> simulate(std::span<const std::byte> code_object, const LaunchFile& launch,
                                            const Contents& contents, const simulator::Options& options);

}  // namespace wavesmith::verify
