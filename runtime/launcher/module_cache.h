// Code objects that are loaded on devices, each once for a device and its content, and the kernels in them
// with all that a launch checks.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "wavesmith/launcher.h"

#include "runtime/code_object.h"
#include "runtime/launcher/hip_library.h"

namespace wavesmith::launcher {

/// A module of HIP's; unloaded with the last reference.
struct LoadedModule {
  std::shared_ptr<const hip::Library> library;
  int device = 0;
  hip::ModuleHandle handle = nullptr;
  std::string bytes;  ///< of the code object: older HIP reads them after hipModuleLoadData has returned
  runtime::CodeObject object;

  LoadedModule() = default;
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule();
};

struct Kernel::State {
  std::shared_ptr<const LoadedModule> module;
  hip::FunctionHandle function = nullptr;
  std::string name;
  std::vector<Parameter> parameters;
  const runtime::Kernel* description = nullptr;  ///< in the module's code object
  std::uint32_t device_lds_bytes = 0;
};

class ModuleCache {
 public:
  explicit ModuleCache(std::shared_ptr<const hip::Library> library) : library_(std::move(library)) {}

  /// What Launcher::load() says.
  [[nodiscard]] Expected<std::shared_ptr<const Kernel::State>> kernel(int device,
                                                                      std::span<const std::byte> code_object,
                                                                      std::string_view name);
  std::size_t unload_unused();

 private:
  using Modules = std::unordered_map<std::string_view, std::shared_ptr<const LoadedModule>>;  ///< by content

  [[nodiscard]] Expected<std::shared_ptr<const LoadedModule>> module(int device,
                                                                     std::span<const std::byte> code_object);
  [[nodiscard]] Expected<std::shared_ptr<const LoadedModule>> load(int device,
                                                                   std::string_view content) const;

  std::shared_ptr<const hip::Library> library_;
  std::mutex mutex_;
  std::unordered_map<int, Modules> modules_;  ///< by device
};

}  // namespace wavesmith::launcher
