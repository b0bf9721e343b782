// Launcher: HIP's streams, events and memory, and the launch itself.
#include "wavesmith/launcher.h"

#include <fmt/format.h>

#include "runtime/launcher/hip_library.h"
#include "runtime/launcher/module_cache.h"

namespace wavesmith::launcher {
namespace {

using hip::Status;

hip::StreamHandle handle_of(Stream stream) {
  return static_cast<hip::StreamHandle>(stream);
}

hip::EventHandle event_handle(Event event) {
  return static_cast<hip::EventHandle>(event);
}

void* pointer_to(DeviceAddress address) {
  return reinterpret_cast<void*>(address);
}

/// What is wrong with the arguments; called once something is known to be.
std::vector<Refusal> argument_refusals(const Kernel::State& kernel, std::span<const Argument> arguments) {
  std::vector<Refusal> refusals;
  if (arguments.size() != kernel.parameters.size()) {
    refusals.push_back({"args", fmt::format("{} values", arguments.size()),
                        fmt::format("kernel '{}' has {} arguments", kernel.name, kernel.parameters.size())});
    return refusals;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& wanted = kernel.parameters[i];
    const Argument& given = arguments[i];
    const auto text = [](bool buffer, std::size_t size) {
      return buffer ? std::string("a buffer") : fmt::format("a value of {} bytes", size);
    };
    if (given.is_buffer() == wanted.buffer && given.size() == wanted.size) continue;
    refusals.push_back({fmt::format("args[{}]", i), text(given.is_buffer(), given.size()),
                        fmt::format("{} ('{}')", text(wanted.buffer, wanted.size), wanted.name)});
  }
  return refusals;
}

bool fits(const Kernel::State& kernel, std::span<const Argument> arguments) {
  if (arguments.size() != kernel.parameters.size()) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_buffer() != kernel.parameters[i].buffer ||
        arguments[i].size() != kernel.parameters[i].size)
      return false;
  }
  return true;
}

std::uint64_t work_items(const Grid& grid) {
  return std::uint64_t{grid.block[0]} * grid.block[1] * grid.block[2];
}

bool fits(const Kernel::State& kernel, const Grid& grid) {
  const runtime::Kernel& wanted = *kernel.description;
  for (std::size_t i = 0; i < 3; ++i)
    if (grid.grid[i] == 0 || grid.block[i] == 0) return false;
  if (work_items(grid) > wanted.max_flat_workgroup_size) return false;
  if (wanted.required_workgroup_size && *wanted.required_workgroup_size != grid.block) return false;
  return std::uint64_t{wanted.lds_bytes} + grid.dynamic_lds_bytes <= kernel.device_lds_bytes;
}

std::vector<Refusal> grid_refusals(const Kernel::State& kernel, const Grid& grid) {
  const runtime::Kernel& wanted = *kernel.description;
  std::vector<Refusal> refusals;
  const auto text = [](const std::array<std::uint32_t, 3>& d) {
    return fmt::format("{},{},{}", d[0], d[1], d[2]);
  };
  const auto has_zero = [](const std::array<std::uint32_t, 3>& d) {
    return d[0] == 0 || d[1] == 0 || d[2] == 0;
  };
  if (has_zero(grid.grid)) refusals.push_back({"grid", text(grid.grid), "at least 1 in each dimension"});
  if (wanted.required_workgroup_size && *wanted.required_workgroup_size != grid.block) {
    refusals.push_back(
        {"block", text(grid.block),
         fmt::format("{}, which kernel '{}' requires", text(*wanted.required_workgroup_size), kernel.name)});
  } else if (has_zero(grid.block) || work_items(grid) > wanted.max_flat_workgroup_size) {
    refusals.push_back({"block", text(grid.block),
                        fmt::format("1 to {} work-items, what kernel '{}' was compiled for",
                                    wanted.max_flat_workgroup_size, kernel.name)});
  }
  if (std::uint64_t{wanted.lds_bytes} + grid.dynamic_lds_bytes > kernel.device_lds_bytes) {
    refusals.push_back({"dynamic_lds_bytes", fmt::format("{}", grid.dynamic_lds_bytes),
                        fmt::format("{} bytes with the kernel's own {}, what the device has for a workgroup",
                                    kernel.device_lds_bytes, wanted.lds_bytes)});
  }
  return refusals;
}

}  // namespace

const std::string& Kernel::name() const {
  return state_->name;
}

int Kernel::device() const {
  return state_->module->device;
}

std::span<const Parameter> Kernel::parameters() const {
  return state_->parameters;
}

struct Launcher::State {
  explicit State(hip::Library opened)
      : library(std::make_shared<const hip::Library>(std::move(opened))), modules(library) {}

  std::shared_ptr<const hip::Library> library;
  ModuleCache modules;

  /// Calls `call` with `device` current.
  template <class Call>
  Expected<void> on_device(int device, std::string_view name, const Call& call) const {
    const hip::CurrentDevice current(*library, device);
    if (current.status() != Status::success) return library->checked("hipSetDevice", current.status());
    return library->checked(name, call());
  }
};

Launcher::Launcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
Launcher::Launcher(Launcher&&) noexcept = default;
Launcher& Launcher::operator=(Launcher&&) noexcept = default;
Launcher::~Launcher() = default;

Expected<Launcher> Launcher::open(std::string_view library) {
  Expected<hip::Library> opened = hip::open_hip_library(library);
  if (!opened) return std::unexpected(opened.error());
  return Launcher(std::make_unique<State>(std::move(*opened)));
}

const std::string& Launcher::library() const {
  return state_->library->path;
}

int Launcher::hip_version() const {
  return state_->library->version;
}

std::span<const DeviceInfo> Launcher::devices() const {
  return state_->library->devices;
}

Expected<Kernel> Launcher::load(int device, std::span<const std::byte> code_object, std::string_view kernel) {
  auto state = state_->modules.kernel(device, code_object, kernel);
  if (!state) return std::unexpected(state.error());
  return Kernel(std::move(*state));
}

std::size_t Launcher::unload_unused() {
  return state_->modules.unload_unused();
}

Expected<void> Launcher::launch(const Kernel& kernel, const Grid& grid, std::span<const Argument> arguments,
                                Stream stream) const {
  const Kernel::State& one = *kernel.state_;
  if (!fits(one, arguments)) return std::unexpected(Error::refused(argument_refusals(one, arguments)));
  if (!fits(one, grid)) return std::unexpected(Error::refused(grid_refusals(one, grid)));
  // HIP only reads through these pointers, and has copied what they point to when the call returns.
  std::array<void*, most_arguments> parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) parameters[i] = const_cast<void*>(arguments[i].data());
  return state_->on_device(one.module->device, "hipModuleLaunchKernel", [&] {
    return state_->library->hipModuleLaunchKernel(
        one.function, grid.grid[0], grid.grid[1], grid.grid[2], grid.block[0], grid.block[1], grid.block[2],
        grid.dynamic_lds_bytes, handle_of(stream), parameters.data(), nullptr);
  });
}

Expected<Stream> Launcher::create_stream(int device) const {
  hip::StreamHandle stream = nullptr;
  const Expected<void> made = state_->on_device(device, "hipStreamCreateWithFlags", [&] {
    return state_->library->hipStreamCreateWithFlags(&stream, hip::stream_non_blocking);
  });
  if (!made) return std::unexpected(made.error());
  return stream;
}

Expected<void> Launcher::destroy_stream(Stream stream) const {
  return state_->library->checked("hipStreamDestroy", state_->library->hipStreamDestroy(handle_of(stream)));
}

Expected<void> Launcher::synchronize(Stream stream) const {
  return state_->library->checked("hipStreamSynchronize",
                                  state_->library->hipStreamSynchronize(handle_of(stream)));
}

Expected<Event> Launcher::create_event(int device) const {
  hip::EventHandle event = nullptr;
  const Expected<void> made = state_->on_device(device, "hipEventCreateWithFlags", [&] {
    return state_->library->hipEventCreateWithFlags(&event, hip::event_default);
  });
  if (!made) return std::unexpected(made.error());
  return event;
}

Expected<void> Launcher::destroy_event(Event event) const {
  return state_->library->checked("hipEventDestroy", state_->library->hipEventDestroy(event_handle(event)));
}

Expected<void> Launcher::record(Event event, Stream stream) const {
  return state_->library->checked("hipEventRecord",
                                  state_->library->hipEventRecord(event_handle(event), handle_of(stream)));
}

Expected<void> Launcher::wait(Stream stream, Event event) const {
  return state_->library->checked(
      "hipStreamWaitEvent", state_->library->hipStreamWaitEvent(handle_of(stream), event_handle(event), 0));
}

Expected<void> Launcher::synchronize_event(Event event) const {
  return state_->library->checked("hipEventSynchronize",
                                  state_->library->hipEventSynchronize(event_handle(event)));
}

Expected<float> Launcher::elapsed(Event from, Event to) const {
  float milliseconds = 0;
  const Status status =
      state_->library->hipEventElapsedTime(&milliseconds, event_handle(from), event_handle(to));
  if (status != Status::success)
    return std::unexpected(state_->library->error("hipEventElapsedTime", status));
  return milliseconds;
}

Expected<DeviceAddress> Launcher::allocate(int device, std::size_t bytes) const {
  void* pointer = nullptr;
  const Expected<void> made =
      state_->on_device(device, "hipMalloc", [&] { return state_->library->hipMalloc(&pointer, bytes); });
  if (!made) return std::unexpected(made.error());
  return reinterpret_cast<DeviceAddress>(pointer);
}

Expected<void> Launcher::free(DeviceAddress address) const {
  return state_->library->checked("hipFree", state_->library->hipFree(pointer_to(address)));
}

Expected<void> Launcher::copy_to_device(DeviceAddress to, std::span<const std::byte> from,
                                        Stream stream) const {
  return state_->library->checked(
      "hipMemcpyAsync", state_->library->hipMemcpyAsync(pointer_to(to), from.data(), from.size(),
                                                        hip::CopyKind::host_to_device, handle_of(stream)));
}

Expected<void> Launcher::copy_to_host(std::span<std::byte> to, DeviceAddress from, Stream stream) const {
  return state_->library->checked(
      "hipMemcpyAsync", state_->library->hipMemcpyAsync(to.data(), pointer_to(from), to.size(),
                                                        hip::CopyKind::device_to_host, handle_of(stream)));
}

Expected<void> Launcher::fill(DeviceAddress to, std::byte value, std::size_t bytes, Stream stream) const {
  return state_->library->checked(
      "hipMemsetAsync",
      state_->library->hipMemsetAsync(pointer_to(to), std::to_integer<int>(value), bytes, handle_of(stream)));
}

}  // namespace wavesmith::launcher
