// A HIP library that does nothing but write down which of its functions were called, with the device
// properties of HIP 5 alone: for promises about what the launcher does not do. It allocates nothing itself.
#include <cstdio>
#include <cstring>

#include "runtime/launcher/hip_properties.h"

namespace {

using namespace wavesmith::hip;

char calls[4096];
int current = 0;

void note(const char* name) {
  std::strncat(calls, name, sizeof calls - std::strlen(calls) - 1);
  std::strncat(calls, " ", sizeof calls - std::strlen(calls) - 1);
}

template <class Handle>
Status give(const char* name, Handle* to) {
  note(name);
  static char object;
  *to = reinterpret_cast<Handle>(&object);
  return Status::success;
}

}  // namespace

#define HIP extern "C" __attribute__((visibility("default")))
#define NOTED(name, ...)         \
  HIP Status name(__VA_ARGS__) { \
    note(#name);                 \
    return Status::success;      \
  }

HIP const char* recorded_calls() {
  return calls;
}
HIP void forget_calls() {
  calls[0] = '\0';
}

NOTED(hipInit, unsigned)
NOTED(hipModuleUnload, ModuleHandle)
NOTED(hipStreamDestroy, StreamHandle)
NOTED(hipStreamSynchronize, StreamHandle)
NOTED(hipStreamWaitEvent, StreamHandle, EventHandle, unsigned)
NOTED(hipEventDestroy, EventHandle)
NOTED(hipEventRecord, EventHandle, StreamHandle)
NOTED(hipEventSynchronize, EventHandle)
NOTED(hipEventElapsedTime, float*, EventHandle, EventHandle)
NOTED(hipFree, void*)
NOTED(hipMemcpyAsync, void*, const void*, std::size_t, CopyKind, StreamHandle)
NOTED(hipMemsetAsync, void*, int, std::size_t, StreamHandle)
NOTED(hipModuleLaunchKernel, FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
      unsigned, StreamHandle, void**, void**)

HIP Status hipRuntimeGetVersion(int* version) {
  *version = 50221153;
  return Status::success;
}
HIP Status hipGetDeviceCount(int* count) {
  *count = 2;
  return Status::success;
}
HIP Status hipGetDevice(int* device) {
  note("hipGetDevice");
  *device = current;
  return Status::success;
}
HIP Status hipSetDevice(int device) {
  note(device == 0 ? "hipSetDevice(0)" : "hipSetDevice(1)");
  current = device;
  return Status::success;
}
HIP Status hipGetDeviceProperties(PropertiesR0000* properties, int device) {
  *properties = {};
  std::snprintf(properties->name.data(), properties->name.size(), "Recorder %d", device);
  std::snprintf(properties->gcnArchName.data(), properties->gcnArchName.size(), "gfx950:sramecc+:xnack-");
  properties->multiProcessorCount = 7;
  properties->sharedMemPerBlock = 163840;
  return Status::success;
}
HIP Status hipModuleLoadData(ModuleHandle* module, const void*) {
  return give("hipModuleLoadData", module);
}
HIP Status hipModuleGetFunction(FunctionHandle* function, ModuleHandle, const char*) {
  return give("hipModuleGetFunction", function);
}
HIP Status hipStreamCreateWithFlags(StreamHandle* stream, unsigned) {
  return give("hipStreamCreateWithFlags", stream);
}
HIP Status hipEventCreateWithFlags(EventHandle* event, unsigned) {
  return give("hipEventCreateWithFlags", event);
}
HIP Status hipMalloc(void** pointer, std::size_t) {
  return give("hipMalloc", pointer);
}
HIP const char* hipGetErrorName(Status) {
  return "hipErrorRecorded";
}
