// Loading with its checks; kernels with their parameters.
#include "runtime/launcher/module_cache.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::launcher {
namespace {

using runtime::KernelArgument;
using runtime::ValueKind;

/// HIP would say no more than that the image is not for this GPU.
Expected<void> check_target(const runtime::TargetId& code, const DeviceInfo& device) {
  const Expected<runtime::TargetId> target = runtime::parse_target_id(device.target);
  // A generic target, or a GPU that is newer than the table: HIP knows.
  if (!target || code.processor->generic || runtime::runs_on(code, *target)) return {};
  return std::unexpected(Error::refused(
      {{"target", code.text(), fmt::format("code for device {}, {}", device.ordinal, target->text())}}));
}

Expected<std::vector<Parameter>> parameters_of(const runtime::Kernel& kernel) {
  std::vector<Refusal> refusals;
  std::vector<Parameter> parameters;
  for (const KernelArgument& argument : kernel.arguments) {
    if (argument.hidden()) continue;
    const bool buffer = argument.kind == ValueKind::global_buffer;
    const std::string field = fmt::format("args[{}] ('{}')", parameters.size(), argument.name);
    if (!buffer && argument.kind != ValueKind::by_value) {
      refusals.push_back({field, std::string(name_of(argument.kind)), "by_value and global_buffer"});
    }
    const std::string& space = argument.address_space;
    if (buffer && !space.empty() && space != "global" && space != "constant" && space != "generic") {
      refusals.push_back(
          {field, "a pointer to " + space + " memory", "global, constant and generic pointers"});
    }
    parameters.push_back({argument.name, buffer, space, argument.size});
  }
  if (parameters.size() > most_arguments) {
    refusals.push_back(
        {"args", fmt::format("{} arguments", parameters.size()), fmt::format("at most {}", most_arguments)});
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  return parameters;
}

}  // namespace

LoadedModule::~LoadedModule() {
  if (handle == nullptr) return;
  const hip::CurrentDevice current(*library, device);
  (void)library->hipModuleUnload(handle);
}

Expected<std::shared_ptr<const LoadedModule>> ModuleCache::load(int device, std::string_view content) const {
  auto module = std::make_shared<LoadedModule>();
  module->library = library_;
  module->device = device;
  module->bytes = content;
  Expected<runtime::CodeObject> object = runtime::read_code_object(std::as_bytes(std::span(content)));
  if (!object) return std::unexpected(object.error());
  module->object = std::move(*object);
  if (auto checked = check_target(module->object.target, library_->devices[static_cast<std::size_t>(device)]);
      !checked)
    return std::unexpected(checked.error());
  const hip::CurrentDevice current(*library_, device);
  if (auto set = library_->checked("hipSetDevice", current.status()); !set)
    return std::unexpected(set.error());
  const hip::Status status = library_->hipModuleLoadData(&module->handle, module->bytes.data());
  if (status != hip::Status::success) {
    module->handle = nullptr;
    return std::unexpected(library_->error("hipModuleLoadData", status));
  }
  return module;
}

Expected<std::shared_ptr<const LoadedModule>> ModuleCache::module(int device,
                                                                  std::span<const std::byte> code_object) {
  if (device < 0 || static_cast<std::size_t>(device) >= library_->devices.size()) {
    return std::unexpected(Error::refused(
        {{"device", fmt::format("{}", device), fmt::format("0 to {}", library_->devices.size() - 1)}}));
  }
  const std::string_view content(reinterpret_cast<const char*>(code_object.data()), code_object.size());
  const std::lock_guard lock(mutex_);
  Modules& modules = modules_[device];
  if (const auto found = modules.find(content); found != modules.end()) return found->second;
  auto loaded = load(device, content);
  if (loaded) modules.emplace((*loaded)->bytes, *loaded);
  return loaded;
}

Expected<std::shared_ptr<const Kernel::State>> ModuleCache::kernel(int device,
                                                                   std::span<const std::byte> code_object,
                                                                   std::string_view name) {
  auto loaded = module(device, code_object);
  if (!loaded) return std::unexpected(loaded.error());
  const runtime::Kernel* const description = (*loaded)->object.find_kernel(name);
  if (description == nullptr) {
    std::string names;
    for (const runtime::Kernel& one : (*loaded)->object.kernels)
      names += (names.empty() ? "" : ", ") + one.name;
    return std::unexpected(Error::refused({{"kernel", std::string(name), "one of: " + names}}));
  }
  Expected<std::vector<Parameter>> parameters = parameters_of(*description);
  if (!parameters) return std::unexpected(parameters.error());
  auto state = std::make_shared<Kernel::State>();
  state->module = *loaded;
  state->name = name;
  state->parameters = std::move(*parameters);
  state->description = description;
  state->device_lds_bytes = library_->devices[static_cast<std::size_t>(device)].lds_bytes;
  const hip::CurrentDevice current(*library_, device);
  if (auto set = library_->checked("hipSetDevice", current.status()); !set)
    return std::unexpected(set.error());
  const hip::Status found =
      library_->hipModuleGetFunction(&state->function, (*loaded)->handle, state->name.c_str());
  if (found != hip::Status::success) return std::unexpected(library_->error("hipModuleGetFunction", found));
  return state;
}

std::size_t ModuleCache::unload_unused() {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (auto& [device, modules] : modules_) {
    count += std::erase_if(modules, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  return count;
}

}  // namespace wavesmith::launcher
