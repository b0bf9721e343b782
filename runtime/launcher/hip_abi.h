// The part of HIP's binary interface that wavesmith uses: error codes, flags, handles and small structures,
// declared here so that nothing needs HIP's headers to build. hip_properties.h has the two layouts of device
// properties. tests/hip/layout_* compares everything with the real headers of HIP 5 and of HIP 6.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wavesmith::hip {

/// hipError_t. Any other value may come from a newer library.
enum class Status : std::int32_t {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_configuration = 9,
  invalid_memcpy_direction = 21,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  no_binary_for_gpu = 209,
  file_not_found = 301,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  host_memory_already_registered = 712,
  host_memory_not_registered = 713,
  launch_failure = 719,
  not_supported = 801,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  stream_capture_merge = 902,
  stream_capture_unmatched = 903,
  stream_capture_unjoined = 904,
  stream_capture_isolation = 905,
  stream_capture_implicit = 906,
  captured_event = 907,
  stream_capture_wrong_thread = 908,
  unknown = 999,
};

// Handles. The library alone knows what they point to.
using StreamHandle = struct StreamOpaque*;
using EventHandle = struct EventOpaque*;
using ModuleHandle = struct ModuleOpaque*;
using FunctionHandle = struct FunctionOpaque*;
using GraphHandle = struct GraphOpaque*;
using GraphExecHandle = struct GraphExecOpaque*;
using GraphNodeHandle = struct GraphNodeOpaque*;

/// Stream handles that are no pointers; a null one is the legacy stream too.
inline constexpr std::uintptr_t stream_legacy = 1, stream_per_thread = 2;

/// hipMemcpyKind.
enum class CopyKind : std::int32_t {
  host_to_host = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  by_address = 4,
  device_to_device_no_cu = 1024,
};

// hipStreamCreateWithFlags, hipEventCreateWithFlags, hipEventRecordWithFlags, hipHostRegister.
inline constexpr unsigned stream_default = 0, stream_non_blocking = 1;
inline constexpr unsigned event_default = 0, event_blocking_sync = 1, event_disable_timing = 2,
                          event_interprocess = 4;
inline constexpr unsigned event_disable_system_fence = 0x20000000, event_release_to_device = 0x40000000,
                          event_release_to_system = 0x80000000;

/// hipStreamCaptureMode: which calls a capture forbids, and to whom.
enum class CaptureMode : std::int32_t {
  global = 0,         ///< unsafe calls of every thread
  thread_local_ = 1,  ///< those of the capturing thread
  relaxed = 2,        ///< none
};

/// hipStreamCaptureStatus.
enum class CaptureStatus : std::int32_t { none = 0, active = 1, invalidated = 2 };

/// Keys of the `extra` array of a launch, which are pointers in HIP's headers.
inline constexpr std::uintptr_t launch_buffer_pointer = 1, launch_buffer_size = 2, launch_end = 3;

/// hipFunction_attribute.
enum class FunctionAttribute : std::int32_t {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  const_size_bytes = 2,
  local_size_bytes = 3,
  num_regs = 4,
  ptx_version = 5,
  binary_version = 6,
  cache_mode_ca = 7,
  max_dynamic_shared_size_bytes = 8,
  preferred_shared_memory_carveout = 9,
};

/// hipMemoryType, as HIP 6 has it.
enum class MemoryType : std::int32_t { unregistered = 0, host = 1, device = 2, managed = 3 };

/// hipPointerAttribute_t. HIP 5 calls the first member memoryType.
struct PointerAttributes {
  MemoryType type;
  std::int32_t device;
  void* devicePointer;
  void* hostPointer;
  std::int32_t isManaged;
  std::uint32_t allocationFlags;
};

/// hipUUID.
struct Uuid {
  std::array<char, 16> bytes;
};

using HostFunction = void (*)(void* data);
using StreamCallback = void (*)(StreamHandle stream, Status status, void* data);

}  // namespace wavesmith::hip
