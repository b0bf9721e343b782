// Device properties and attributes of a simulated GPU, in the layouts of HIP 5 and HIP 6, from one
// description.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/launcher/hip_properties.h"
#include "simulator/hip_driver/driver.h"

namespace wavesmith::simulator::hip_driver {

[[nodiscard]] hip::PropertiesR0000 properties_r0000(const Gpu& gpu, int index);
[[nodiscard]] hip::PropertiesR0600 properties_r0600(const Gpu& gpu, int index);

/// The value of a hipDeviceAttribute_t, which HIP 5 and 6 number alike; nothing for those that are not known.
[[nodiscard]] std::optional<int> attribute(const Gpu& gpu, int index, int attribute);

/// "wavesmith-sim-" and the device's number.
[[nodiscard]] hip::Uuid uuid(int index);

/// "Simulated MI355X (wavesmith)": everything that times work on it shows that it is not the product.
[[nodiscard]] std::string device_name(const Gpu& gpu);

}  // namespace wavesmith::simulator::hip_driver
