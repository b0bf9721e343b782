// Finding the library, looking up its functions, asking it for its devices.
#include "runtime/launcher/hip_library.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

#include <fmt/format.h>

#include "runtime/launcher/hip_errors.h"

namespace wavesmith::hip {
namespace {

std::vector<std::string> candidates(std::string_view library) {
  if (!library.empty()) return {std::string(library)};
  std::vector<std::string> names;
  if (const char* root = std::getenv("ROCM_PATH"); root != nullptr && *root != '\0')
    names.push_back(std::string(root) + "/lib/libamdhip64.so");
  for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
                           "/opt/rocm/lib/libamdhip64.so"})
    names.emplace_back(name);
  return names;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  void* const symbol = dlsym(library, name);
  std::memcpy(&function, &symbol, sizeof symbol);
  return symbol != nullptr;
}

/// What is wrong with a machine whose library gave this on the way to its devices.
Error no_device(const Library& library, std::string_view call, Status status) {
  // Without a driver in the kernel, HIP 5 says of some calls that the device is invalid.
  const bool none =
      status == Status::no_device || status == Status::invalid_device || status == Status::success;
  Error error = library.error(call, status);
  error.kind = ErrorKind::environment;
  if (none) {
    error.message = fmt::format("no GPU: {} (version {}) finds no device ({})", library.path, library.version,
                                status == Status::success ? "0 devices" : error.message);
  }
  return error;
}

template <class Properties>
launcher::DeviceInfo describe(const Properties& properties, int ordinal) {
  launcher::DeviceInfo info;
  info.ordinal = ordinal;
  info.name = properties.name.data();
  info.target = properties.gcnArchName.data();
  info.compute_units = static_cast<std::uint32_t>(properties.multiProcessorCount);
  info.lds_bytes = static_cast<std::uint32_t>(properties.sharedMemPerBlock);
  info.wave_size = static_cast<std::uint32_t>(properties.warpSize);
  info.memory_bytes = properties.totalGlobalMem;
  info.clock_khz = static_cast<std::uint32_t>(properties.clockRate);
  return info;
}

template <class Properties>
Status describe(Status (*ask)(Properties*, int), int ordinal, std::vector<launcher::DeviceInfo>& devices) {
  // A newer library may have a longer structure than its name says.
  struct {
    Properties properties;
    std::array<std::byte, 4096> more;
  } room{};
  const Status status = ask(&room.properties, ordinal);
  if (status == Status::success) devices.push_back(describe(room.properties, ordinal));
  return status;
}

}  // namespace

Error Library::error(std::string_view call, Status status) const {
  ErrorKind kind = ErrorKind::invalid_request;
  switch (status) {
    case Status::out_of_memory:
    case Status::not_initialized:
    case Status::no_device:
    case Status::unknown:
      kind = ErrorKind::environment;
      break;
    case Status::illegal_address:
    case Status::launch_failure:
      kind = ErrorKind::check_failed;
      break;
    default:
      break;
  }
  const char* const name = hipGetErrorName(status);
  return {kind, fmt::format("{}: {} ({})", call, name != nullptr ? name : error_text(status).name.data(),
                            error_text(status).meaning)};
}

Expected<Library> open_hip_library(std::string_view wanted) {
  void* handle = nullptr;
  Library library;
  std::string tried;
  for (const std::string& name : candidates(wanted)) {
    // What a program has loaded already is found by these names as well, wherever it came from.
    handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    library.path = name;
    if (handle != nullptr) break;
    tried += fmt::format("\n  {}", dlerror());
  }
  if (handle == nullptr) return fail(ErrorKind::environment, "no HIP library could be opened:" + tried);

  std::string missing;
  const auto need = [&](const char* name, auto& function) {
    if (!find(handle, name, function)) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name);
  };
#define WAVESMITH_HIP_FIND(name, ...) need(#name, library.name);
  WAVESMITH_HIP_FUNCTIONS(WAVESMITH_HIP_FIND)
#undef WAVESMITH_HIP_FIND
  need("hipGetErrorName", library.hipGetErrorName);
  if (!find(handle, "hipGetDevicePropertiesR0600", library.hipGetDevicePropertiesR0600))
    need("hipGetDeviceProperties", library.hipGetDeviceProperties);
  if (!missing.empty()) {
    return fail(ErrorKind::environment,
                fmt::format("{} is no HIP library that can be used: it has no {}", library.path, missing));
  }

  (void)library.hipRuntimeGetVersion(&library.version);
  if (const Status status = library.hipInit(0); status != Status::success)
    return std::unexpected(no_device(library, "hipInit", status));
  int count = 0;
  const Status counted = library.hipGetDeviceCount(&count);
  if (counted != Status::success || count == 0)
    return std::unexpected(no_device(library, "hipGetDeviceCount", counted));
  for (int device = 0; device < count; ++device) {
    const Status status = library.hipGetDevicePropertiesR0600 != nullptr
                              ? describe(library.hipGetDevicePropertiesR0600, device, library.devices)
                              : describe(library.hipGetDeviceProperties, device, library.devices);
    if (status != Status::success)
      return std::unexpected(no_device(library, "hipGetDeviceProperties", status));
  }
  return library;
}

CurrentDevice::CurrentDevice(const Library& library, int device) : library_(library) {
  status_ = library_.hipGetDevice(&before_);
  if (status_ != Status::success || before_ == device) return;
  status_ = library_.hipSetDevice(device);
  changed_ = status_ == Status::success;
}

CurrentDevice::~CurrentDevice() {
  if (changed_) (void)library_.hipSetDevice(before_);
}

}  // namespace wavesmith::hip
