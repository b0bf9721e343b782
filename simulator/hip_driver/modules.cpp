// Modules: the code object in an image whose size nobody says, alone or in a bundle of several targets,
// loaded on a GPU.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "simulator/hip_driver/driver.h"

namespace wavesmith::simulator::hip_driver {

Status Driver::load(int index, std::span<const std::byte> image, std::shared_ptr<LoadedModule>& module) {
  Gpu& gpu = gpus[static_cast<std::size_t>(index)];
  if (gpu.fault != Status::success) return gpu.fault;
  Expected<runtime::CodeObject> object = runtime::read_code_object(image);
  if (!object) {
    say(fmt::format("a code object cannot be read: {}", object.error().message));
    return Status::invalid_image;
  }
  const Expected<Module> loaded = gpu.device.load(image);
  if (!loaded) {
    say(fmt::format("a code object cannot be loaded: {}", loaded.error().message));
    return Status::no_binary_for_gpu;
  }
  module = std::make_shared<LoadedModule>(LoadedModule{index, *loaded, std::move(*object)});
  modules.insert(module);
  return Status::success;
}

void Driver::unload(const std::shared_ptr<LoadedModule>& module) {
  functions.erase_if([&](const Function& function) { return function.module == module; });
  Gpu& gpu = gpus[static_cast<std::size_t>(module->gpu)];
  for (const runtime::Symbol& symbol : module->object.symbols) {
    const auto variable = gpu.device.symbol(module->module, symbol.name);
    if (!variable) continue;
    if (const Block* block = book.starting_at(variable->first); block != nullptr && block->variable)
      book.erase(variable->first);
  }
  (void)gpu.device.unload(module->module);
  modules.erase(module.get());
}

}  // namespace wavesmith::simulator::hip_driver
