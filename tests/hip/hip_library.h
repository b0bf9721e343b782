// A HIP library as a program sees it that opens it at run time: functions by their names, and nothing of
// wavesmith but the numbers of the interface. Also what the tests of this folder share: kernels, buffers,
// what a call says on standard error.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "runtime/launcher/hip_abi.h"
#include "runtime/launcher/hip_properties.h"

namespace wavesmith::test {

using hip::Status;

// Name and parameters of every function that returns an error code and that tests call.
#define WAVESMITH_TEST_HIP_FUNCTIONS(F)                                                                      \
  F(hipInit, unsigned)                                                                                       \
  F(hipGetDeviceCount, int*)                                                                                 \
  F(hipRuntimeGetVersion, int*)                                                                              \
  F(hipSetDevice, int)                                                                                       \
  F(hipGetDevice, int*)                                                                                      \
  F(hipGetDeviceProperties, hip::PropertiesR0000*, int)                                                      \
  F(hipGetDevicePropertiesR0600, hip::PropertiesR0600*, int)                                                 \
  F(hipDeviceGetAttribute, int*, int, int)                                                                   \
  F(hipDeviceSynchronize)                                                                                    \
  F(hipDeviceReset)                                                                                          \
  F(hipGetLastError)                                                                                         \
  F(hipPeekAtLastError)                                                                                      \
  F(hipMalloc, void**, std::size_t)                                                                          \
  F(hipFree, void*)                                                                                          \
  F(hipFreeAsync, void*, hip::StreamHandle)                                                                  \
  F(hipHostMalloc, void**, std::size_t, unsigned)                                                            \
  F(hipHostFree, void*)                                                                                      \
  F(hipHostRegister, void*, std::size_t, unsigned)                                                           \
  F(hipHostUnregister, void*)                                                                                \
  F(hipMallocManaged, void**, std::size_t, unsigned)                                                         \
  F(hipPointerGetAttributes, hip::PointerAttributes*, const void*)                                           \
  F(hipMemGetInfo, std::size_t*, std::size_t*)                                                               \
  F(hipMemcpy, void*, const void*, std::size_t, hip::CopyKind)                                               \
  F(hipMemcpyAsync, void*, const void*, std::size_t, hip::CopyKind, hip::StreamHandle)                       \
  F(hipMemcpy2DAsync, void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, hip::CopyKind, \
    hip::StreamHandle)                                                                                       \
  F(hipMemset, void*, int, std::size_t)                                                                      \
  F(hipMemsetAsync, void*, int, std::size_t, hip::StreamHandle)                                              \
  F(hipMemsetD32Async, void*, int, std::size_t, hip::StreamHandle)                                           \
  F(hipStreamCreate, hip::StreamHandle*)                                                                     \
  F(hipStreamCreateWithFlags, hip::StreamHandle*, unsigned)                                                  \
  F(hipStreamDestroy, hip::StreamHandle)                                                                     \
  F(hipStreamSynchronize, hip::StreamHandle)                                                                 \
  F(hipStreamQuery, hip::StreamHandle)                                                                       \
  F(hipStreamWaitEvent, hip::StreamHandle, hip::EventHandle, unsigned)                                       \
  F(hipLaunchHostFunc, hip::StreamHandle, hip::HostFunction, void*)                                          \
  F(hipEventCreate, hip::EventHandle*)                                                                       \
  F(hipEventDestroy, hip::EventHandle)                                                                       \
  F(hipEventRecord, hip::EventHandle, hip::StreamHandle)                                                     \
  F(hipEventSynchronize, hip::EventHandle)                                                                   \
  F(hipEventQuery, hip::EventHandle)                                                                         \
  F(hipEventElapsedTime, float*, hip::EventHandle, hip::EventHandle)                                         \
  F(hipStreamBeginCapture, hip::StreamHandle, hip::CaptureMode)                                              \
  F(hipStreamEndCapture, hip::StreamHandle, hip::GraphHandle*)                                               \
  F(hipStreamIsCapturing, hip::StreamHandle, hip::CaptureStatus*)                                            \
  F(hipThreadExchangeStreamCaptureMode, hip::CaptureMode*)                                                   \
  F(hipGraphGetNodes, hip::GraphHandle, hip::GraphNodeHandle*, std::size_t*)                                 \
  F(hipGraphInstantiate, hip::GraphExecHandle*, hip::GraphHandle, hip::GraphNodeHandle*, char*, std::size_t) \
  F(hipGraphLaunch, hip::GraphExecHandle, hip::StreamHandle)                                                 \
  F(hipGraphExecDestroy, hip::GraphExecHandle)                                                               \
  F(hipGraphDestroy, hip::GraphHandle)                                                                       \
  F(hipModuleLoadData, hip::ModuleHandle*, const void*)                                                      \
  F(hipModuleLoad, hip::ModuleHandle*, const char*)                                                          \
  F(hipModuleUnload, hip::ModuleHandle)                                                                      \
  F(hipModuleGetFunction, hip::FunctionHandle*, hip::ModuleHandle, const char*)                              \
  F(hipModuleGetGlobal, void**, std::size_t*, hip::ModuleHandle, const char*)                                \
  F(hipFuncGetAttribute, int*, hip::FunctionAttribute, hip::FunctionHandle)                                  \
  F(hipModuleLaunchKernel, hip::FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,  \
    unsigned, hip::StreamHandle, void**, void**)                                                             \
  F(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, int*, hip::FunctionHandle, int, std::size_t)         \
  F(hipModuleOccupancyMaxPotentialBlockSize, int*, int*, hip::FunctionHandle, std::size_t, int)

struct HipLibrary {
  /// Throws when the library or a function is not there.
  explicit HipLibrary(const char* path);

  const char* (*hipGetErrorName)(Status) = nullptr;
  const char* (*hipGetErrorString)(Status) = nullptr;
#define WAVESMITH_TEST_MEMBER(name, ...) Status (*name)(__VA_ARGS__) = nullptr;
  WAVESMITH_TEST_HIP_FUNCTIONS(WAVESMITH_TEST_MEMBER)
#undef WAVESMITH_TEST_MEMBER

  /// Throws, with the error's name, unless a call succeeded.
  void ok(Status status) const;

  void* buffer(std::size_t bytes) const;
  template <class T>
  void* buffer(const std::vector<T>& contents) const {
    void* const to = buffer(contents.size() * sizeof(T));
    ok(hipMemcpy(to, contents.data(), contents.size() * sizeof(T), hip::CopyKind::host_to_device));
    return to;
  }
  template <class T>
  std::vector<T> contents(const void* from, std::size_t count) const {
    std::vector<T> to(count);
    ok(hipMemcpy(to.data(), from, count * sizeof(T), hip::CopyKind::device_to_host));
    return to;
  }
  hip::FunctionHandle kernel(const std::vector<std::byte>& code_object, const char* name) const;
};

/// The simulated driver with the devices gfx950, gfx950 and gfx942, in the state after hipDeviceReset of
/// each.
[[nodiscard]] const HipLibrary& simulated_driver();

[[nodiscard]] std::vector<std::byte> file_bytes(const std::string& path);
/// tests/simulator/kernels/scale_add.ll: out[i] = a[i] * scale + b[i], in workgroups of 100.
[[nodiscard]] std::vector<std::byte> scale_add();
/// kernels/biased.ll.
[[nodiscard]] std::vector<std::byte> biased();
[[nodiscard]] std::vector<std::byte> biased_gfx942();

/// Arguments of scale_add, and a launch of it in either form.
struct ScaleAdd {
  void* out = nullptr;
  void* a = nullptr;
  void* b = nullptr;
  float scale = 1;
  std::uint32_t count = 0;

  Status launch(const HipLibrary& hip, hip::FunctionHandle kernel, hip::StreamHandle stream = nullptr);
  /// With the `extra` array; `bytes` of the 32 that the kernel has.
  Status launch_packed(const HipLibrary& hip, hip::FunctionHandle kernel, hip::StreamHandle stream = nullptr,
                       std::size_t bytes = 32) const;
  [[nodiscard]] unsigned groups() const { return (count + 99) / 100; }
};

/// Full-mantissa values between -1 and 1.
[[nodiscard]] std::vector<float> floats(std::size_t count, std::uint64_t seed);

/// What the process writes to standard error while `body` runs.
[[nodiscard]] std::string standard_error(const std::function<void()>& body);

}  // namespace wavesmith::test
