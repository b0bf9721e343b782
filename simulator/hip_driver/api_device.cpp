// HIP functions about the library, devices and errors.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "runtime/launcher/hip_errors.h"
#include "simulator/hip_driver/api.h"
#include "simulator/hip_driver/properties.h"

namespace wavesmith::simulator::hip_driver {

int& current_gpu() {
  thread_local int gpu = 0;
  return gpu;
}

Status& last_error() {
  thread_local Status status = Status::success;
  return status;
}

Status remembered(Status status) {
  if (status != Status::success && status != Status::not_ready) last_error() = status;
  return status;
}

namespace {

// The version of HIP whose names and numbers these are: major * 10^7 + minor * 10^5 + patch.
constexpr int kVersion = 6 * 10'000'000 + 4 * 100'000;

Status set_version(int* version) {
  if (version == nullptr) return remembered(Status::invalid_value);
  *version = kVersion;
  return Status::success;
}

template <class Properties>
Status get_properties(Properties* to, int device, Properties (*make)(const Gpu&, int)) {
  return gpu_call([&](Driver& state, int) {
    if (to == nullptr) return Status::invalid_value;
    if (!is_gpu(state, device)) return Status::invalid_device;
    *to = make(gpu_of(state, device), device);
    return Status::success;
  });
}

/// Calls `set` with a device that exists.
template <class Set>
Status with_device(const void* to, int device, const Set& set) {
  return gpu_call([&](Driver& state, int) {
    if (to == nullptr) return Status::invalid_value;
    if (!is_gpu(state, device)) return Status::invalid_device;
    return set(gpu_of(state, device));
  });
}

Status put_text(char* to, int length, const std::string& text) {
  if (length <= 0) return Status::invalid_value;
  const std::size_t count = std::min(text.size(), static_cast<std::size_t>(length) - 1);
  std::memcpy(to, text.data(), count);
  to[count] = '\0';
  return Status::success;
}

}  // namespace

WAVESMITH_HIP_API Status hipInit(unsigned flags) noexcept {
  return gpu_call([&](Driver&, int) { return flags == 0 ? Status::success : Status::invalid_value; });
}

WAVESMITH_HIP_API Status hipDriverGetVersion(int* version) noexcept {
  return set_version(version);
}

WAVESMITH_HIP_API Status hipRuntimeGetVersion(int* version) noexcept {
  return set_version(version);
}

WAVESMITH_HIP_API Status hipGetDeviceCount(int* count) noexcept {
  return call([&](Driver& state) {
    if (count == nullptr) return Status::invalid_value;
    *count = static_cast<int>(state.gpus.size());
    return state.gpus.empty() ? Status::no_device : Status::success;
  });
}

WAVESMITH_HIP_API Status hipSetDevice(int device) noexcept {
  return gpu_call([&](Driver& state, int) {
    if (!is_gpu(state, device)) return Status::invalid_device;
    current_gpu() = device;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipGetDevice(int* device) noexcept {
  return gpu_call([&](Driver&, int gpu) {
    if (device == nullptr) return Status::invalid_value;
    *device = gpu;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipDeviceGet(int* device, int ordinal) noexcept {
  return with_device(device, ordinal, [&](Gpu&) {
    *device = ordinal;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipGetDeviceProperties(hip::PropertiesR0000* properties, int device) noexcept {
  return get_properties(properties, device, properties_r0000);
}

WAVESMITH_HIP_API Status hipGetDevicePropertiesR0000(hip::PropertiesR0000* properties, int device) noexcept {
  return get_properties(properties, device, properties_r0000);
}

WAVESMITH_HIP_API Status hipGetDevicePropertiesR0600(hip::PropertiesR0600* properties, int device) noexcept {
  return get_properties(properties, device, properties_r0600);
}

WAVESMITH_HIP_API Status hipDeviceGetAttribute(int* value, int which, int device) noexcept {
  return with_device(value, device, [&](const Gpu& gpu) {
    const std::optional<int> found = attribute(gpu, device, which);
    if (!found) return Status::invalid_value;
    *value = *found;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipDeviceGetName(char* name, int length, int device) noexcept {
  return with_device(name, device, [&](const Gpu& gpu) { return put_text(name, length, device_name(gpu)); });
}

WAVESMITH_HIP_API Status hipDeviceGetUuid(hip::Uuid* to, int device) noexcept {
  return with_device(to, device, [&](Gpu&) {
    *to = uuid(device);
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipDeviceGetPCIBusId(char* name, int length, int device) noexcept {
  return with_device(name, device, [&](const Gpu& gpu) {
    return put_text(name, length, fmt::format("0000:{:02x}:00.0", properties_r0600(gpu, device).pciBusID));
  });
}

WAVESMITH_HIP_API Status hipDeviceTotalMem(std::size_t* bytes, int device) noexcept {
  return with_device(bytes, device, [&](const Gpu& gpu) {
    *bytes = gpu.model->memory_bytes;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipDeviceComputeCapability(int* major, int* minor, int device) noexcept {
  return with_device(major, device, [&](const Gpu& gpu) {
    if (minor == nullptr) return Status::invalid_value;
    const hip::PropertiesR0600 properties = properties_r0600(gpu, device);
    *major = properties.major;
    *minor = properties.minor;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipDeviceCanAccessPeer(int* can, int device, int peer) noexcept {
  return with_device(can, device, [&](const Gpu&) {
    *can = 0;
    return is_gpu(driver(), peer) ? Status::success : Status::invalid_device;
  });
}

WAVESMITH_HIP_API Status hipSetDeviceFlags(unsigned flags) noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    gpu_of(state, gpu).flags = flags;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipGetDeviceFlags(unsigned* flags) noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    if (flags == nullptr) return Status::invalid_value;
    *flags = gpu_of(state, gpu).flags;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipDeviceGetStreamPriorityRange(int* least, int* greatest) noexcept {
  return gpu_call([&](Driver&, int) {
    if (least != nullptr) *least = 1;
    if (greatest != nullptr) *greatest = -1;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipDeviceSynchronize() noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.invalidate_captures(Status::stream_capture_unsupported); s != Status::success)
      return s;
    state.run_gpu(gpu);
    return gpu_of(state, gpu).fault;
  });
}

WAVESMITH_HIP_API Status hipDeviceReset() noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.invalidate_captures(Status::stream_capture_unsupported); s != Status::success)
      return s;
    state.reset(gpu);
    return Status::success;
  });
}

WAVESMITH_HIP_API const char* hipGetErrorName(Status status) noexcept {
  return hip::error_text(status).name.data();
}

WAVESMITH_HIP_API const char* hipGetErrorString(Status status) noexcept {
  return hip::error_text(status).meaning.data();
}

WAVESMITH_HIP_API Status hipDrvGetErrorName(Status status, const char** text) noexcept {
  if (text == nullptr) return remembered(Status::invalid_value);
  *text = hip::error_text(status).name.data();
  return Status::success;
}

WAVESMITH_HIP_API Status hipDrvGetErrorString(Status status, const char** text) noexcept {
  if (text == nullptr) return remembered(Status::invalid_value);
  *text = hip::error_text(status).meaning.data();
  return Status::success;
}

WAVESMITH_HIP_API Status hipGetLastError() noexcept {
  return std::exchange(last_error(), Status::success);
}

WAVESMITH_HIP_API Status hipExtGetLastError() noexcept {
  return std::exchange(last_error(), Status::success);
}

WAVESMITH_HIP_API Status hipPeekAtLastError() noexcept {
  return last_error();
}

}  // namespace wavesmith::simulator::hip_driver
