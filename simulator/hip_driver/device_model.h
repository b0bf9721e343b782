// Which GPUs the simulated HIP driver shows: the text of WAVESMITH_SIM_ARCH turned into targets, and what is
// said of each processor in device properties. simulated_targets() and find_device_model() are the entries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/target_id.h"

namespace wavesmith::simulator::hip_driver {

inline constexpr const char* architecture_variable = "WAVESMITH_SIM_ARCH";
inline constexpr const char* hazards_variable = "WAVESMITH_SIM_HAZARDS";
inline constexpr std::size_t most_devices = 8;

/// What HIP's properties say of a product with that processor. Clocks do not make anything faster here: the
/// one of the compute units turns busy cycles into the time of events.
struct DeviceModel {
  std::string_view processor;
  std::string_view product;
  std::uint32_t compute_units;
  std::uint32_t clock_khz;
  std::uint64_t memory_bytes;
  std::uint32_t memory_clock_khz;
  std::uint32_t memory_bus_bits;
  std::uint32_t l2_bytes;
  std::uint32_t wave_size;
  bool integrated;
};

/// The model of a processor that the simulator executes, or null.
[[nodiscard]] const DeviceModel* find_device_model(std::string_view processor);

/// The targets in the variable's value, "gfx950" where it is null or empty: target ids with commas between
/// them, one for each device. SRAMECC that is left open is on and XNACK is off, as on the products. `visible`
/// is the value of HIP_VISIBLE_DEVICES, or null: numbers with commas between them; what follows the first
/// that is no device is ignored, as HIP does.
///
/// Errors: no target id, a processor that the simulator does not execute, more than `most_devices`.
[[nodiscard]] Expected<std::vector<runtime::TargetId>> simulated_targets(const char* value,
                                                                         const char* visible);

}  // namespace wavesmith::simulator::hip_driver
