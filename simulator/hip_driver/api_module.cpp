// HIP functions of modules: loading, kernels and their attributes, launches, occupancy.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "runtime/occupancy.h"
#include "runtime/occupancy_limits.h"
#include "simulator/hip_driver/api.h"
#include "simulator/hip_driver/image.h"

namespace wavesmith::simulator::hip_driver {
namespace {

using hip::FunctionHandle;
using hip::ModuleHandle;
using hip::StreamHandle;
using runtime::Kernel;
using runtime::KernelArgument;

constexpr std::uint64_t kMostWorkItems = UINT64_C(1)
                                         << 32;  // of a grid in one dimension, and of HIP's checks
constexpr std::uint32_t kMostOfGroup = 1024;

Status load_image(Driver& state, int gpu, ModuleHandle* to, const std::byte* image) {
  const std::span<const std::byte> object = code_object_at(image, gpu_of(state, gpu).model->processor);
  if (object.empty()) {
    say(fmt::format("an image holds no code object for {}", gpu_of(state, gpu).target.text()));
    return Status::no_binary_for_gpu;
  }
  std::shared_ptr<LoadedModule> module;
  const Status status = state.load(gpu, object, module);
  if (status == Status::success) *to = reinterpret_cast<ModuleHandle>(module.get());
  return status;
}

Status load_data(ModuleHandle* to, const void* image) {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.check_unsafe(); s != Status::success) return s;
    if (to == nullptr || image == nullptr) return Status::invalid_value;
    return load_image(state, gpu, to, static_cast<const std::byte*>(image));
  });
}

template <class Body>
Status function_call(const void* handle, const Body& body) {
  return gpu_call([&](Driver& state, int) {
    const std::shared_ptr<Function> function = state.functions.find(handle);
    return function == nullptr ? Status::invalid_handle : body(state, *function);
  });
}

/// The arguments of a launch, copied. Nothing when neither form has them all.
std::optional<std::vector<Argument>> arguments_of(const Kernel& kernel, void** parameters, void** extra) {
  std::vector<const KernelArgument*> wanted;
  std::size_t end = 0;
  for (const KernelArgument& argument : kernel.arguments) {
    if (argument.hidden()) continue;
    wanted.push_back(&argument);
    end = std::max<std::size_t>(end, argument.offset + argument.size);
  }
  std::vector<Argument> arguments;
  const auto add = [&](const KernelArgument& argument, const std::byte* from) {
    arguments.push_back({{from, from + argument.size}});
  };
  if (parameters != nullptr) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (parameters[i] == nullptr) return std::nullopt;
      add(*wanted[i], static_cast<const std::byte*>(parameters[i]));
    }
    return arguments;
  }
  const std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  for (std::size_t i = 0; extra != nullptr; i += 2) {
    const auto key = reinterpret_cast<std::uintptr_t>(extra[i]);
    if (key == hip::launch_end) break;
    if (key == hip::launch_buffer_pointer) {
      buffer = static_cast<const std::byte*>(extra[i + 1]);
    } else if (key == hip::launch_buffer_size && extra[i + 1] != nullptr) {
      bytes = *static_cast<const std::size_t*>(extra[i + 1]);
    } else {
      return std::nullopt;
    }
  }
  if (end != 0 && (buffer == nullptr || bytes < end)) {
    say(fmt::format("a launch of kernel '{}' gives {} bytes of arguments; it has {}", kernel.name,
                    buffer == nullptr ? 0 : bytes, end));
    return std::nullopt;
  }
  for (const KernelArgument* argument : wanted) add(*argument, buffer + argument->offset);
  return arguments;
}

/// With workgroups of so many work-items and `lds_bytes`, its own and dynamic ones.
Expected<runtime::Occupancy> occupancy_of(const Kernel& kernel, const Gpu& gpu, std::uint32_t group,
                                          std::uint64_t lds_bytes) {
  return runtime::occupancy(
      {.processor = gpu.model->processor,
       .vgprs = kernel.total_vgprs,
       .sgprs = kernel.sgprs,
       .lds_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(lds_bytes, UINT32_MAX)),
       .workgroup_size = group,
       .wavefront_size = kernel.wavefront_size,
       .wgp_mode = kernel.descriptor.wgp_mode.value_or(false)});
}

struct Extent {
  std::array<std::uint32_t, 3> grid, block;  ///< workgroups, work-items
  std::uint32_t dynamic_lds_bytes = 0;
};

/// What HIP refuses before a launch is queued.
Status check_extent(const Kernel& kernel, const Gpu& gpu, const Extent& extent) {
  std::uint64_t group = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (extent.grid[i] == 0 || extent.block[i] == 0 || extent.block[i] > kMostOfGroup)
      return Status::invalid_configuration;
    if (std::uint64_t{extent.grid[i]} * extent.block[i] >= kMostWorkItems)
      return Status::invalid_configuration;
    group *= extent.block[i];
  }
  if (group > kMostOfGroup) return Status::invalid_configuration;
  if (group > kernel.max_flat_workgroup_size ||
      (kernel.required_workgroup_size && *kernel.required_workgroup_size != extent.block)) {
    say(fmt::format("a launch of kernel '{}' with workgroups of {},{},{}: it was compiled for others",
                    kernel.name, extent.block[0], extent.block[1], extent.block[2]));
    return Status::launch_failure;
  }
  const std::uint64_t lds = std::uint64_t{kernel.lds_bytes} + extent.dynamic_lds_bytes;
  const auto resident = occupancy_of(kernel, gpu, static_cast<std::uint32_t>(group), lds);
  if (!resident || resident->workgroups == 0) {
    say(fmt::format(
        "a launch of kernel '{}' with {} bytes of LDS and {} work-items does not fit a compute unit",
        kernel.name, lds, group));
    return Status::invalid_value;
  }
  return Status::success;
}

Status launch(FunctionHandle handle, const Extent& extent, StreamHandle stream_handle, void** parameters,
              void** extra) {
  return stream_call(stream_handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    const std::shared_ptr<Function> function = state.functions.find(handle);
    if (function == nullptr) return Status::invalid_handle;
    if (function->module->gpu != stream->gpu) return Status::invalid_handle;
    if (parameters != nullptr && extra != nullptr) return Status::invalid_value;
    const Gpu& gpu = gpu_of(state, stream->gpu);
    if (gpu.fault != Status::success) return gpu.fault;
    if (const Status s = check_extent(*function->kernel, gpu, extent); s != Status::success) return s;
    std::optional<std::vector<Argument>> arguments = arguments_of(*function->kernel, parameters, extra);
    if (!arguments) return Status::invalid_value;
    Launch launch;
    launch.kernel = function->kernel->name;
    launch.grid = extent.grid;
    launch.block = extent.block;
    launch.dynamic_lds_bytes = extent.dynamic_lds_bytes;
    launch.arguments = std::move(*arguments);
    return state.enqueue(*stream, KernelRun{function->module, std::move(launch)});
  });
}

std::optional<int> attribute_of(const Kernel& kernel, const Gpu& gpu, hip::FunctionAttribute which) {
  using enum hip::FunctionAttribute;
  switch (which) {
    case max_threads_per_block:
      return static_cast<int>(kernel.max_flat_workgroup_size);
    case shared_size_bytes:
      return static_cast<int>(kernel.lds_bytes);
    case local_size_bytes:
      return static_cast<int>(kernel.scratch_bytes);
    case num_regs:
      return static_cast<int>(kernel.total_vgprs);
    case max_dynamic_shared_size_bytes: {
      const std::uint32_t most = runtime::find_occupancy_limits(gpu.model->processor)->lds_bytes;
      return static_cast<int>(most - std::min(most, kernel.lds_bytes));
    }
    case ptx_version:
    case binary_version:
    case const_size_bytes:
    case cache_mode_ca:
    case preferred_shared_memory_carveout:
      return 0;
  }
  return std::nullopt;
}

/// Whole workgroups of that size on what HIP counts as a multiprocessor: a compute unit, or two that are one
/// work-group processor.
std::optional<int> resident_groups(const Function& function, const Gpu& gpu, int block,
                                   std::size_t dynamic_lds) {
  const Kernel& kernel = *function.kernel;
  if (block <= 0 || static_cast<std::uint32_t>(block) > kMostOfGroup) return std::nullopt;
  const auto found =
      occupancy_of(kernel, gpu, static_cast<std::uint32_t>(block), kernel.lds_bytes + dynamic_lds);
  if (!found) return 0;
  const std::uint32_t units = runtime::find_occupancy_limits(gpu.model->processor)->cus_per_wgp;
  return static_cast<int>(found->workgroups * units / found->compute_units);
}

Status count_resident(int* to, const void* handle, int block, std::size_t dynamic_lds) {
  return function_call(handle, [&](Driver& state, const Function& function) {
    if (to == nullptr) return Status::invalid_value;
    const auto groups = resident_groups(function, gpu_of(state, function.module->gpu), block, dynamic_lds);
    if (!groups) return Status::invalid_value;
    *to = *groups;
    return Status::success;
  });
}

/// The workgroup, a multiple of the wave size, that keeps most work-items resident; of equals the largest.
Status suggest_block(int* grid, int* block, FunctionHandle handle, std::size_t dynamic_lds, int limit) {
  return function_call(handle, [&](Driver& state, const Function& function) {
    if (grid == nullptr || block == nullptr || limit < 0) return Status::invalid_value;
    const Gpu& gpu = gpu_of(state, function.module->gpu);
    const Kernel& kernel = *function.kernel;
    const int most =
        std::min(static_cast<int>(kernel.max_flat_workgroup_size), limit == 0 ? INT32_MAX : limit);
    const int wave = static_cast<int>(kernel.wavefront_size);
    int best = 0, best_groups = 0;
    for (int size = most / wave * wave; size > 0; size -= wave) {
      const int groups = resident_groups(function, gpu, size, dynamic_lds).value_or(0);
      if (groups * size > best * best_groups) best = size, best_groups = groups;
    }
    if (best == 0) return Status::invalid_configuration;
    const std::uint32_t cus = runtime::find_occupancy_limits(gpu.model->processor)->cus_per_wgp;
    *block = best;
    *grid = best_groups * static_cast<int>(gpu.model->compute_units / cus);
    return Status::success;
  });
}

}  // namespace

WAVESMITH_HIP_API Status hipModuleLoadData(ModuleHandle* module, const void* image) noexcept {
  return load_data(module, image);
}

WAVESMITH_HIP_API Status hipModuleLoadDataEx(ModuleHandle* module, const void* image, unsigned /*options*/,
                                             int* /*option*/, void** /*value*/) noexcept {
  return load_data(module, image);
}

WAVESMITH_HIP_API Status hipModuleLoad(ModuleHandle* module, const char* path) noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.check_unsafe(); s != Status::success) return s;
    if (module == nullptr || path == nullptr) return Status::invalid_value;
    std::ifstream file(path, std::ios::binary);
    if (!file) return Status::file_not_found;
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    bytes.resize(bytes.size() + 64);  // an ELF header can be read from any file
    return load_image(state, gpu, module, reinterpret_cast<const std::byte*>(bytes.data()));
  });
}

WAVESMITH_HIP_API Status hipModuleUnload(ModuleHandle handle) noexcept {
  return gpu_call([&](Driver& state, int) {
    if (const Status s = state.check_unsafe(); s != Status::success) return s;
    const std::shared_ptr<LoadedModule> module = state.modules.find(handle);
    if (module == nullptr) return Status::invalid_handle;
    state.run_gpu(module->gpu);
    state.unload(module);
    return gpu_of(state, module->gpu).fault;
  });
}

WAVESMITH_HIP_API Status hipModuleGetFunction(FunctionHandle* to, ModuleHandle handle,
                                              const char* name) noexcept {
  return gpu_call([&](Driver& state, int) {
    if (to == nullptr || name == nullptr) return Status::invalid_value;
    const std::shared_ptr<LoadedModule> module = state.modules.find(handle);
    if (module == nullptr) return Status::invalid_handle;
    const Kernel* const kernel = module->object.find_kernel(name);
    if (kernel == nullptr) return Status::not_found;
    *to = nullptr;
    state.functions.each([&](const std::shared_ptr<Function>& known) {
      if (known->kernel == kernel) *to = reinterpret_cast<FunctionHandle>(known.get());
    });
    if (*to != nullptr) return Status::success;
    const auto function = std::make_shared<Function>(Function{module, kernel});
    *to = static_cast<FunctionHandle>(state.functions.insert(function));
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipModuleGetGlobal(void** address, std::size_t* bytes, ModuleHandle handle,
                                            const char* name) noexcept {
  return gpu_call([&](Driver& state, int) {
    if (name == nullptr) return Status::invalid_value;
    const std::shared_ptr<LoadedModule> module = state.modules.find(handle);
    if (module == nullptr) return Status::invalid_handle;
    const auto found = gpu_of(state, module->gpu).device.symbol(module->module, name);
    if (!found) return Status::not_found;
    const Block block{.address = found->first, .bytes = found->second, .gpu = module->gpu, .variable = true};
    const Block* const known = state.book.starting_at(block.address);
    if (known != nullptr ? known->gpu != module->gpu : !state.book.insert(block)) {
      say(fmt::format("variable '{}' has the address of another device's; only one of them can be asked for",
                      name));
      return Status::not_supported;
    }
    if (address != nullptr) *address = reinterpret_cast<void*>(found->first);
    if (bytes != nullptr) *bytes = found->second;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipFuncGetAttribute(int* value, hip::FunctionAttribute which,
                                             FunctionHandle handle) noexcept {
  return function_call(handle, [&](Driver& state, const Function& function) {
    if (value == nullptr) return Status::invalid_value;
    const auto found = attribute_of(*function.kernel, gpu_of(state, function.module->gpu), which);
    if (!found) return Status::invalid_value;
    *value = *found;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipFuncSetAttribute(const void* handle, hip::FunctionAttribute which,
                                             int value) noexcept {
  // AMD GPUs have nothing to set: every kernel may use all of the LDS.
  return function_call(handle, [&](Driver& state, const Function& function) {
    const auto most = attribute_of(*function.kernel, gpu_of(state, function.module->gpu), which);
    if (which == hip::FunctionAttribute::max_dynamic_shared_size_bytes)
      return value >= 0 && value <= most.value_or(0) ? Status::success : Status::invalid_value;
    return which == hip::FunctionAttribute::preferred_shared_memory_carveout ? Status::success
                                                                             : Status::invalid_value;
  });
}

WAVESMITH_HIP_API Status hipModuleLaunchKernel(FunctionHandle function, unsigned grid_x, unsigned grid_y,
                                               unsigned grid_z, unsigned block_x, unsigned block_y,
                                               unsigned block_z, unsigned lds_bytes, StreamHandle stream,
                                               void** parameters, void** extra) noexcept {
  return launch(function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, lds_bytes}, stream,
                parameters, extra);
}

WAVESMITH_HIP_API Status hipExtModuleLaunchKernel(FunctionHandle function, std::uint32_t items_x,
                                                  std::uint32_t items_y, std::uint32_t items_z,
                                                  std::uint32_t block_x, std::uint32_t block_y,
                                                  std::uint32_t block_z, std::size_t lds_bytes,
                                                  StreamHandle stream, void** parameters, void** extra,
                                                  hip::EventHandle start, hip::EventHandle stop,
                                                  std::uint32_t /*flags*/) noexcept {
  // The grid is given in work-items; the simulator runs whole workgroups.
  for (const auto& [items, block] : {std::pair{items_x, block_x}, {items_y, block_y}, {items_z, block_z}})
    if (block == 0 || items % block != 0) return remembered(Status::invalid_configuration);
  const auto record = [&](hip::EventHandle handle) {
    if (handle == nullptr) return Status::success;
    return stream_call(stream, [&](Driver& state, const std::shared_ptr<Stream>& one) {
      const std::shared_ptr<Event> event = state.events.find(handle);
      return event == nullptr ? Status::invalid_handle : state.record(one, *event);
    });
  };
  if (const Status s = record(start); s != Status::success) return s;
  const Status launched = launch(function,
                                 {{items_x / block_x, items_y / block_y, items_z / block_z},
                                  {block_x, block_y, block_z},
                                  static_cast<std::uint32_t>(std::min<std::size_t>(lds_bytes, UINT32_MAX))},
                                 stream, parameters, extra);
  return launched != Status::success ? launched : record(stop);
}

WAVESMITH_HIP_API Status hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* groups,
                                                                            FunctionHandle function,
                                                                            int block,
                                                                            std::size_t lds_bytes) noexcept {
  return count_resident(groups, function, block, lds_bytes);
}

WAVESMITH_HIP_API Status hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* groups, FunctionHandle function, int block, std::size_t lds_bytes, unsigned /*flags*/) noexcept {
  return count_resident(groups, function, block, lds_bytes);
}

WAVESMITH_HIP_API Status hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block,
                                                                 FunctionHandle function,
                                                                 std::size_t lds_bytes, int limit) noexcept {
  return suggest_block(grid, block, function, lds_bytes, limit);
}

WAVESMITH_HIP_API Status hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block,
                                                                          FunctionHandle function,
                                                                          std::size_t lds_bytes, int limit,
                                                                          unsigned /*flags*/) noexcept {
  return suggest_block(grid, block, function, lds_bytes, limit);
}

}  // namespace wavesmith::simulator::hip_driver
