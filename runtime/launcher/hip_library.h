// libamdhip64, opened at run time: its functions, its devices, and its error codes turned into Error values.
// open_hip_library() is the only way to get one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/launcher.h"

#include "runtime/launcher/hip_abi.h"
#include "runtime/launcher/hip_properties.h"

namespace wavesmith::hip {

// Name and parameters of every function that the launcher calls; all return an error code.
#define WAVESMITH_HIP_FUNCTIONS(F)                                                                     \
  F(hipInit, unsigned)                                                                                 \
  F(hipRuntimeGetVersion, int*)                                                                        \
  F(hipGetDeviceCount, int*)                                                                           \
  F(hipGetDevice, int*)                                                                                \
  F(hipSetDevice, int)                                                                                 \
  F(hipModuleLoadData, ModuleHandle*, const void*)                                                     \
  F(hipModuleUnload, ModuleHandle)                                                                     \
  F(hipModuleGetFunction, FunctionHandle*, ModuleHandle, const char*)                                  \
  F(hipModuleLaunchKernel, FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    unsigned, StreamHandle, void**, void**)                                                            \
  F(hipStreamCreateWithFlags, StreamHandle*, unsigned)                                                 \
  F(hipStreamDestroy, StreamHandle)                                                                    \
  F(hipStreamSynchronize, StreamHandle)                                                                \
  F(hipStreamWaitEvent, StreamHandle, EventHandle, unsigned)                                           \
  F(hipEventCreateWithFlags, EventHandle*, unsigned)                                                   \
  F(hipEventDestroy, EventHandle)                                                                      \
  F(hipEventRecord, EventHandle, StreamHandle)                                                         \
  F(hipEventSynchronize, EventHandle)                                                                  \
  F(hipEventElapsedTime, float*, EventHandle, EventHandle)                                             \
  F(hipMalloc, void**, std::size_t)                                                                    \
  F(hipFree, void*)                                                                                    \
  F(hipMemcpyAsync, void*, const void*, std::size_t, CopyKind, StreamHandle)                           \
  F(hipMemsetAsync, void*, int, std::size_t, StreamHandle)

struct Library {
  std::string path;
  int version = 0;
  std::vector<launcher::DeviceInfo> devices;

#define WAVESMITH_HIP_MEMBER(name, ...) Status (*name)(__VA_ARGS__) = nullptr;
  WAVESMITH_HIP_FUNCTIONS(WAVESMITH_HIP_MEMBER)
#undef WAVESMITH_HIP_MEMBER
  const char* (*hipGetErrorName)(Status) = nullptr;
  // One of them: HIP 6 has both, and an older library only the first.
  Status (*hipGetDeviceProperties)(PropertiesR0000*, int) = nullptr;
  Status (*hipGetDevicePropertiesR0600)(PropertiesR0600*, int) = nullptr;

  /// "hipMalloc: hipErrorOutOfMemory (not enough memory)".
  [[nodiscard]] Error error(std::string_view call, Status status) const;
  /// Nothing for success.
  [[nodiscard]] Expected<void> checked(std::string_view call, Status status) const {
    if (status == Status::success) return {};
    return std::unexpected(error(call, status));
  }
};

/// What launcher::Launcher::open() says. The library stays loaded for ever.
[[nodiscard]] Expected<Library> open_hip_library(std::string_view library);

/// Makes a device the calling thread's current one, for as long as this exists.
class CurrentDevice {
 public:
  CurrentDevice(const Library& library, int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  /// Whether it could be made so.
  [[nodiscard]] Status status() const { return status_; }

 private:
  const Library& library_;
  int before_ = 0;
  bool changed_ = false;
  Status status_ = Status::success;
};

}  // namespace wavesmith::hip
