// A fuzz target: any bytes, taken for a code object, are read, loaded and executed, or refused with an error.
// Nothing else may happen: the sanitizers watch. What the bytes compute is of no interest here.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "wavesmith/simulator.h"

#include "runtime/code_object.h"

namespace {

using namespace wavesmith;

// An error without words is as bad as none.
void require_text(const Error& error) {
  if (!error.message.empty()) return;
  std::fputs("an error without a message\n", stderr);
  std::abort();
}

void launch(simulator::Device& device, simulator::Module module, const simulator::KernelInfo& kernel) {
  constexpr std::uint32_t most_work_items = 256;
  simulator::Launch launch;
  launch.kernel = kernel.name;
  launch.grid = {2, 1, 1};
  launch.block = {std::clamp(kernel.max_work_items, 1U, most_work_items), 1, 1};
  for (const simulator::ArgumentInfo& argument : kernel.arguments)
    launch.arguments.push_back({std::vector<std::byte>(argument.size)});
  launch.options.threads = 1;
  launch.options.steps_per_wave = 500;
  const Expected<simulator::Report> report = device.launch(module, launch);
  if (!report) require_text(report.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const auto code_object = runtime::read_code_object(bytes);
  if (!code_object) {
    require_text(code_object.error());
    return 0;
  }
  Expected<simulator::Device> device = simulator::Device::create("gfx950");
  if (!device) std::abort();
  const auto module = device->load(bytes);
  if (!module) {
    require_text(module.error());
    return 0;
  }
  const auto kernels = device->kernels(*module);
  if (!kernels) std::abort();
  for (const simulator::KernelInfo& kernel : *kernels) launch(*device, *module, kernel);
  return 0;
}
