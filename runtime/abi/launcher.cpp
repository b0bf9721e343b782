// Devices, loading and launching: the launcher behind its handles.
#include "wavesmith/launcher.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "runtime/abi/boundary.h"
#include "runtime/abi/handles.h"
#include "runtime/abi/structs.h"

namespace wavesmith::abi {
namespace {

using launcher::Argument;

template <class T>
std::unexpected<Problem> problem(Expected<T>& failed) {
  return std::unexpected(Problem(std::move(failed).error()));
}

/// As many arguments as any kernel may have, on the stack: a launch allocates nothing.
using Arguments = std::array<Argument, launcher::most_arguments>;

template <std::size_t... I>
Arguments no_arguments(std::index_sequence<I...>) {
  return {((void)I, Argument::value(0))...};
}

/// The arguments of a packed block, in order. They refer to it.
std::span<const Argument> unpack(const JitKernel& kernel, const wavesmith_launch& launch,
                                 Arguments& arguments) {
  const auto* block = reinterpret_cast<const std::byte*>(launch.arguments);
  std::size_t count = 0;
  for (const JitArgument& argument : kernel.arguments) {
    if (argument.kind == "global_buffer") {
      launcher::DeviceAddress address = 0;
      std::memcpy(&address, block + argument.offset, sizeof address);
      arguments[count++] = Argument::buffer(address);
    } else {
      arguments[count++] = Argument::bytes({block + argument.offset, argument.bytes});
    }
  }
  return {arguments.data(), count};
}

/// Bytes of a kernel's explicit arguments. Errors: more than a wavesmith_launch has room for.
Outcome measure_arguments(const JitKernel& kernel, std::uint32_t& bytes) {
  bytes = 0;
  for (const JitArgument& argument : kernel.arguments) {
    if (argument.offset > WAVESMITH_ARGUMENT_BYTES ||
        argument.bytes > WAVESMITH_ARGUMENT_BYTES - argument.offset)
      return std::unexpected(Problem(Error::refused(
          {{"kernel", kernel.symbol,
            "a kernel with at most " + std::to_string(WAVESMITH_ARGUMENT_BYTES) + " bytes of arguments"}})));
    bytes = std::max(bytes, argument.offset + argument.bytes);
  }
  return {};
}

}  // namespace
}  // namespace wavesmith::abi

using namespace wavesmith;
using namespace wavesmith::abi;

extern "C" {

wavesmith_status wavesmith_launcher_open(const char* library, wavesmith_launcher** launcher) noexcept {
  if (launcher != nullptr) *launcher = nullptr;
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    auto opened = launcher::Launcher::open(library == nullptr ? "" : library);
    if (!opened) return problem(opened);
    *launcher = new wavesmith_launcher{*std::move(opened)};
    return {};
  });
}

void wavesmith_launcher_close(wavesmith_launcher* launcher) noexcept {
  delete launcher;
}

wavesmith_status wavesmith_launcher_device_count(const wavesmith_launcher* launcher,
                                                 int32_t* count) noexcept {
  if (count != nullptr) *count = 0;
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    if (Outcome there = not_null(count, "count"); !there) return there;
    *count = static_cast<int32_t>(launcher->launcher.devices().size());
    return {};
  });
}

wavesmith_status wavesmith_launcher_get_device(const wavesmith_launcher* launcher, int32_t device,
                                               wavesmith_device_info* info) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    if (Outcome checked = check_struct(info, "info"); !checked) return checked;
    const auto devices = launcher->launcher.devices();
    if (device < 0 || static_cast<std::size_t>(device) >= devices.size())
      return bad_argument("device", std::to_string(device), "0 to " + std::to_string(devices.size() - 1));
    const launcher::DeviceInfo& own = devices[static_cast<std::size_t>(device)];
    write_struct(wavesmith_device_info{.struct_size = 0,
                                       .name = own.name.c_str(),
                                       .target = own.target.c_str(),
                                       .memory_bytes = own.memory_bytes,
                                       .compute_units = own.compute_units,
                                       .lds_bytes = own.lds_bytes,
                                       .wave_size = own.wave_size,
                                       .clock_khz = own.clock_khz},
                 info);
    return {};
  });
}

wavesmith_status wavesmith_launcher_load(wavesmith_launcher* launcher, int32_t device,
                                         const wavesmith_kernel* kernel,
                                         wavesmith_loaded_kernel** loaded) noexcept {
  if (loaded != nullptr) *loaded = nullptr;
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    if (Outcome there = not_null(kernel, "kernel"); !there) return there;
    if (Outcome there = not_null(loaded, "loaded"); !there) return there;
    std::uint32_t bytes = 0;
    if (Outcome measured = measure_arguments(*kernel->kernel, bytes); !measured) return measured;
    auto made = launcher->launcher.load(device, kernel->kernel->hsaco, kernel->kernel->symbol);
    if (!made) return problem(made);
    *loaded = new wavesmith_loaded_kernel{*std::move(made), kernel->kernel, bytes};
    return {};
  });
}

void wavesmith_loaded_kernel_destroy(wavesmith_loaded_kernel* loaded) noexcept {
  delete loaded;
}

wavesmith_status wavesmith_launcher_unload_unused(wavesmith_launcher* launcher, uint64_t* modules) noexcept {
  if (modules != nullptr) *modules = 0;
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    const std::size_t unloaded = launcher->launcher.unload_unused();
    if (modules != nullptr) *modules = unloaded;
    return {};
  });
}

wavesmith_status wavesmith_launcher_launch(const wavesmith_launcher* launcher,
                                           const wavesmith_loaded_kernel* loaded,
                                           const wavesmith_launch* launch, void* stream) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    if (Outcome there = not_null(loaded, "loaded"); !there) return there;
    wavesmith_launch own{};
    if (Outcome read = read_struct(launch, own, "launch"); !read) return read;
    if (own.arguments_bytes != loaded->arguments_bytes)
      return bad_argument("launch.arguments_bytes", std::to_string(own.arguments_bytes),
                          std::to_string(loaded->arguments_bytes) + ", those of " + loaded->kernel->symbol);
    launcher::Grid grid{.dynamic_lds_bytes = own.dynamic_lds_bytes};
    std::ranges::copy(own.grid, grid.grid.begin());
    std::ranges::copy(own.block, grid.block.begin());
    Arguments arguments = no_arguments(std::make_index_sequence<launcher::most_arguments>());
    auto done =
        launcher->launcher.launch(loaded->loaded, grid, unpack(*loaded->kernel, own, arguments), stream);
    if (!done) return problem(done);
    return {};
  });
}
}
