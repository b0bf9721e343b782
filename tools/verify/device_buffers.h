// Puts the buffers of one launch into a simulated device's memory, where a case wants them, and takes them
// away again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "tools/verify/data.h"

namespace wavesmith::verify {

/// Where tensors lie in the address space.
enum class Placement : std::uint8_t {
  anywhere,
  across_4_gib,  ///< the middle of each on a multiple of 4 GiB
  at_the_top,    ///< the last tensor ends at 2^47, where device addresses end
};

/// Allocates one buffer after another; their number decides where they are placed.
class DeviceBuffers {
 public:
  DeviceBuffers(simulator::Device& device, Placement placement) : device_(device), placement_(placement) {}

  /// Nothing is allocated behind the last byte.
  [[nodiscard]] Expected<simulator::DeviceAddress> upload(std::span<const std::byte> bytes, std::string name,
                                                          bool writable);
  /// The elements of a tensor. Pages that are not kept have memory, which is never touched and so costs none.
  [[nodiscard]] Expected<simulator::DeviceAddress> upload(const TensorData& tensor, std::string name,
                                                          bool writable);
  /// At an address that is aligned to nothing but its 4 bytes.
  [[nodiscard]] Expected<simulator::DeviceAddress> upload_table(std::span<const std::int32_t> table,
                                                                std::string name);
  [[nodiscard]] Expected<void> free_all();

 private:
  [[nodiscard]] Expected<simulator::DeviceAddress> allocate(std::uint64_t bytes, std::string name,
                                                            bool writable);

  simulator::Device& device_;
  Placement placement_;
  std::vector<simulator::DeviceAddress> allocated_;
};

}  // namespace wavesmith::verify
