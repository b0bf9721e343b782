// Assembles, links and launches the kernel of a HazardCase.
#include "hazard_cases.h"

#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "assembler.h"

namespace wavesmith::simulator::testing {
namespace {

template <class T>
T take(Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().message + value.error().log);
  if constexpr (!std::is_void_v<T>) return std::move(*value);
}

}  // namespace

HazardRun run(const HazardCase& kernel) {
  constexpr std::uint64_t buffer_bytes = 65536;
  KernelTraits traits;
  traits.body = kernel.body;
  traits.vgprs = 64;
  traits.agprs = kernel.agprs;
  traits.lds_bytes = kernel.lds_bytes;
  traits.scratch_bytes = kernel.scratch_bytes;
  traits.arguments = {8};
  const auto bytes = take(link_code_object(kernel_source(traits, kernel.processor), kernel.processor));
  Device device = take(Device::create(kernel.processor));
  const Module module = take(device.load(bytes));
  const DeviceAddress buffer = take(device.allocate(buffer_bytes));
  Launch launch{.kernel = "kernel",
                .grid = {kernel.workgroups, 1, 1},
                .block = {64 * kernel.waves, 1, 1},
                .arguments = {Argument::of(buffer)},
                .options = kernel.options};
  launch.options.hazards = true;
  launch.options.schedule = kernel.schedule;
  launch.options.threads = 2;
  HazardRun done{take(device.launch(module, launch)), std::vector<std::byte>(buffer_bytes)};
  take(device.read(buffer, done.buffer));
  return done;
}

std::vector<Hazard> hazards_of(const HazardCase& kernel) {
  HazardRun done = run(kernel);
  if (done.report.fault) throw std::runtime_error(done.report.fault->message());
  return std::move(done.report.hazards.value());
}

std::vector<std::string> found(const HazardCase& kernel) {
  std::vector<std::string> texts;
  for (const Hazard& hazard : hazards_of(kernel))
    texts.push_back(fmt::format("{}: {}", hazard.kind, hazard.first.text));
  return texts;
}

}  // namespace wavesmith::simulator::testing
