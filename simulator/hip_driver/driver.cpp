// The one Driver of a process and how it begins: the GPUs that the environment asks for.
#include "simulator/hip_driver/driver.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace wavesmith::simulator::hip_driver {

void say(const std::string& text) {
  fmt::print(stderr, "wavesmith's simulated HIP driver: {}\n", text);
}

Driver::Driver() {
  const char* const wanted = std::getenv(hazards_variable);
  hazards = wanted == nullptr || std::string_view(wanted) != "0";
  const auto targets =
      simulated_targets(std::getenv(architecture_variable), std::getenv("HIP_VISIBLE_DEVICES"));
  if (!targets) {
    say(targets.error().message);
    return;
  }
  for (const runtime::TargetId& target : *targets) {
    Expected<Device> device = Device::create(target.text());
    if (!device) {
      say(device.error().message);
      gpus.clear();
      return;
    }
    auto null_stream = std::make_shared<Stream>();
    null_stream->gpu = static_cast<int>(gpus.size());
    null_stream->legacy = true;
    gpus.push_back({.target = target,
                    .model = find_device_model(target.processor->name),
                    .device = std::move(*device),
                    .null_stream = std::move(null_stream)});
  }
}

Driver& driver() {
  // Never destroyed: a program may call HIP while it ends.
  static Driver* const only = new Driver;
  return *only;
}

}  // namespace wavesmith::simulator::hip_driver
