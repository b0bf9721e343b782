// HIP functions of memory: allocation, copies, fills, what a pointer is.
#include <algorithm>
#include <cstring>

#include "simulator/hip_driver/api.h"

namespace wavesmith::simulator::hip_driver {
namespace {

using hip::CopyKind;
using hip::MemoryType;
using hip::StreamHandle;

Address address_of(const void* pointer) {
  return reinterpret_cast<Address>(pointer);
}

/// Whether a copy between these addresses may be called `kind`. Pinned memory is host and GPU memory alike.
bool matches(const Driver& state, CopyKind kind, Address to, Address from) {
  const auto on_gpu = [&](Address address) { return state.book.find(address) != nullptr; };
  const auto on_host = [&](Address address) {
    const Block* const block = state.book.find(address);
    return block == nullptr || block->host != nullptr;
  };
  switch (kind) {
    case CopyKind::host_to_host:
      return on_host(to) && on_host(from);
    case CopyKind::host_to_device:
      return on_gpu(to) && on_host(from);
    case CopyKind::device_to_host:
      return on_host(to) && on_gpu(from);
    case CopyKind::device_to_device:
    case CopyKind::device_to_device_no_cu:
      return on_gpu(to) && on_gpu(from);
    case CopyKind::by_address:
      return true;
  }
  return false;
}

/// Queues a copy. `waits`: the call is one that returns when the copy is done, which it need not be between
/// two places on GPUs.
Status copy(const Copy& copy, CopyKind kind, StreamHandle handle, bool waits) {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    if (waits) {
      const Status s = state.invalidate_captures(Status::stream_capture_implicit);
      if (s != Status::success) return s;
    }
    const Status fault = gpu_of(state, stream->gpu).fault;
    if (fault != Status::success) return fault;
    if (copy.width == 0 || copy.height == 0) return Status::success;
    if (copy.height > 1 && (copy.width > copy.to_pitch || copy.width > copy.from_pitch))
      return Status::invalid_value;
    for (const auto& [address, pitch] : {std::pair{copy.to, copy.to_pitch}, {copy.from, copy.from_pitch}}) {
      const Status s = state.check_range(address, pitch, copy.width, copy.height);
      if (s != Status::success) return s;
    }
    if (!matches(state, kind, copy.to, copy.from)) return Status::invalid_memcpy_direction;
    if (const Status s = state.enqueue(*stream, copy); s != Status::success) return s;
    if (!waits) return Status::success;
    const auto device_memory = [&](Address address) {
      const Block* const block = state.book.find(address);
      return block != nullptr && block->host == nullptr;
    };
    if (device_memory(copy.to) && device_memory(copy.from)) return Status::success;
    state.run_stream(*stream);
    return gpu_of(state, stream->gpu).fault;
  });
}

Status copy_line(void* to, const void* from, std::size_t bytes, CopyKind kind, StreamHandle stream,
                 bool waits) {
  return copy({.to = address_of(to),
               .from = address_of(from),
               .to_pitch = bytes,
               .from_pitch = bytes,
               .width = bytes},
              kind, stream, waits);
}

/// Queues a fill; none of HIP's waits for it.
Status fill(void* to, std::uint32_t value, std::size_t value_bytes, std::size_t count, StreamHandle handle) {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    if (count > SIZE_MAX / value_bytes) return Status::invalid_value;
    Fill one{.to = address_of(to), .pattern_bytes = value_bytes};
    one.width = one.pitch = count * value_bytes;
    std::memcpy(one.pattern.data(), &value, value_bytes);
    const Status fault = gpu_of(state, stream->gpu).fault;
    if (fault != Status::success) return fault;
    if (count == 0) return Status::success;
    if (state.book.find(one.to) == nullptr) return Status::invalid_value;
    if (const Status s = state.check_range(one.to, one.pitch, one.width, 1); s != Status::success) return s;
    return state.enqueue(*stream, one);
  });
}

Status allocate_host(void** pointer, std::size_t bytes, unsigned flags, MemoryType type) {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.check_unsafe(); s != Status::success) return s;
    if (pointer == nullptr) return Status::invalid_value;
    *pointer = nullptr;
    if (bytes == 0) return Status::success;
    Address address = 0;
    const Status status = state.allocate_host(gpu, bytes, flags, type, nullptr, address);
    if (status == Status::success) *pointer = reinterpret_cast<void*>(address);
    return status;
  });
}

/// Frees what is of one of two types, after everything that may use it.
Status release(void* pointer, MemoryType type, MemoryType other) {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.check_unsafe(); s != Status::success) return s;
    if (pointer == nullptr) return Status::success;
    const Block* const block = state.book.starting_at(address_of(pointer));
    if (block == nullptr || (block->type != type && block->type != other)) return Status::invalid_value;
    if (block->host != nullptr && block->mapped_bytes == 0) return Status::invalid_value;  // registered
    state.run_all();
    const Status status = state.free(address_of(pointer));
    return status == Status::success ? gpu_of(state, gpu).fault : status;
  });
}

}  // namespace

WAVESMITH_HIP_API Status hipMalloc(void** pointer, std::size_t bytes) noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.check_unsafe(); s != Status::success) return s;
    if (pointer == nullptr) return Status::invalid_value;
    *pointer = nullptr;
    if (bytes == 0) return Status::success;
    Address address = 0;
    const Status status = state.allocate(gpu, bytes, address);
    if (status == Status::success) *pointer = reinterpret_cast<void*>(address);
    return status;
  });
}

WAVESMITH_HIP_API Status hipMallocAsync(void** pointer, std::size_t bytes, StreamHandle handle) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    if (pointer == nullptr) return Status::invalid_value;
    *pointer = nullptr;
    if (stream->capture != nullptr) {
      stream->capture->invalid = true;
      return Status::stream_capture_unsupported;
    }
    if (bytes == 0) return Status::success;
    Address address = 0;
    const Status status = state.allocate(stream->gpu, bytes, address);
    if (status == Status::success) *pointer = reinterpret_cast<void*>(address);
    return status;
  });
}

WAVESMITH_HIP_API Status hipFree(void* pointer) noexcept {
  return release(pointer, MemoryType::device, MemoryType::managed);
}

WAVESMITH_HIP_API Status hipFreeAsync(void* pointer, StreamHandle handle) noexcept {
  return stream_call(handle, [&](Driver& state, const std::shared_ptr<Stream>& stream) {
    if (pointer == nullptr) return Status::success;
    const Block* const block = state.book.starting_at(address_of(pointer));
    if (block == nullptr || block->type != MemoryType::device) return Status::invalid_value;
    if (stream->capture != nullptr) {
      stream->capture->invalid = true;
      return Status::stream_capture_unsupported;
    }
    return state.enqueue(*stream, Release{address_of(pointer)});
  });
}

WAVESMITH_HIP_API Status hipMallocManaged(void** pointer, std::size_t bytes, unsigned flags) noexcept {
  return allocate_host(pointer, bytes, flags, MemoryType::managed);
}

WAVESMITH_HIP_API Status hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags) noexcept {
  return allocate_host(pointer, bytes, flags, MemoryType::host);
}

WAVESMITH_HIP_API Status hipHostAlloc(void** pointer, std::size_t bytes, unsigned flags) noexcept {
  return allocate_host(pointer, bytes, flags, MemoryType::host);
}

WAVESMITH_HIP_API Status hipMallocHost(void** pointer, std::size_t bytes) noexcept {
  return allocate_host(pointer, bytes, 0, MemoryType::host);
}

WAVESMITH_HIP_API Status hipHostFree(void* pointer) noexcept {
  return release(pointer, MemoryType::host, MemoryType::host);
}

WAVESMITH_HIP_API Status hipFreeHost(void* pointer) noexcept {
  return release(pointer, MemoryType::host, MemoryType::host);
}

WAVESMITH_HIP_API Status hipHostRegister(void* pointer, std::size_t bytes, unsigned flags) noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.check_unsafe(); s != Status::success) return s;
    if (pointer == nullptr || bytes == 0) return Status::invalid_value;
    Address address = 0;
    return state.allocate_host(gpu, bytes, flags, MemoryType::host, static_cast<std::byte*>(pointer),
                               address);
  });
}

WAVESMITH_HIP_API Status hipHostUnregister(void* pointer) noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    if (const Status s = state.check_unsafe(); s != Status::success) return s;
    const Block* const block = state.book.starting_at(address_of(pointer));
    if (block == nullptr || block->host == nullptr || block->mapped_bytes != 0)
      return Status::host_memory_not_registered;
    state.run_all();
    const Status status = state.free(address_of(pointer));
    return status == Status::success ? gpu_of(state, gpu).fault : status;
  });
}

WAVESMITH_HIP_API Status hipHostGetDevicePointer(void** to, void* pointer, unsigned flags) noexcept {
  return gpu_call([&](Driver& state, int) {
    if (to == nullptr || flags != 0) return Status::invalid_value;
    const Block* const block = state.book.find(address_of(pointer));
    if (block == nullptr || block->host == nullptr) return Status::invalid_value;
    *to = pointer;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipHostGetFlags(unsigned* flags, void* pointer) noexcept {
  return gpu_call([&](Driver& state, int) {
    const Block* const block = state.book.find(address_of(pointer));
    if (flags == nullptr || block == nullptr || block->host == nullptr) return Status::invalid_value;
    *flags = block->flags;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipMemGetInfo(std::size_t* free_bytes, std::size_t* total) noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    const Gpu& one = gpu_of(state, gpu);
    if (free_bytes != nullptr) *free_bytes = one.model->memory_bytes - one.allocated;
    if (total != nullptr) *total = one.model->memory_bytes;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipMemGetAddressRange(void** base, std::size_t* bytes, void* pointer) noexcept {
  return gpu_call([&](Driver& state, int) {
    const Block* const block = state.book.find(address_of(pointer));
    if (block == nullptr) return Status::not_found;
    if (base != nullptr) *base = reinterpret_cast<void*>(block->address);
    if (bytes != nullptr) *bytes = block->bytes;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipPointerGetAttributes(hip::PointerAttributes* to, const void* pointer) noexcept {
  return gpu_call([&](Driver& state, int) {
    if (to == nullptr || pointer == nullptr) return Status::invalid_value;
    const Block* const block = state.book.find(address_of(pointer));
    *to = {};
    if (block == nullptr) {
      to->type = MemoryType::unregistered;
      to->device = -2;  // as HIP 6 says of memory that it does not know
      return AddressBook::on_gpu(address_of(pointer)) ? Status::invalid_value : Status::success;
    }
    void* const same = const_cast<void*>(pointer);
    to->type = block->type;
    to->device = block->gpu;
    to->devicePointer = same;
    to->hostPointer = block->host == nullptr ? nullptr : same;
    to->isManaged = block->type == MemoryType::managed;
    to->allocationFlags = block->flags;
    return Status::success;
  });
}

WAVESMITH_HIP_API Status hipMemcpy(void* to, const void* from, std::size_t bytes, CopyKind kind) noexcept {
  return copy_line(to, from, bytes, kind, nullptr, true);
}

WAVESMITH_HIP_API Status hipMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind,
                                        StreamHandle stream) noexcept {
  return copy_line(to, from, bytes, kind, stream, false);
}

WAVESMITH_HIP_API Status hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, CopyKind kind,
                                             StreamHandle stream) noexcept {
  return copy_line(to, from, bytes, kind, stream, true);
}

WAVESMITH_HIP_API Status hipMemcpyHtoD(void* to, const void* from, std::size_t bytes) noexcept {
  return copy_line(to, from, bytes, CopyKind::host_to_device, nullptr, true);
}

WAVESMITH_HIP_API Status hipMemcpyDtoH(void* to, const void* from, std::size_t bytes) noexcept {
  return copy_line(to, from, bytes, CopyKind::device_to_host, nullptr, true);
}

WAVESMITH_HIP_API Status hipMemcpyDtoD(void* to, const void* from, std::size_t bytes) noexcept {
  return copy_line(to, from, bytes, CopyKind::device_to_device, nullptr, true);
}

WAVESMITH_HIP_API Status hipMemcpyHtoDAsync(void* to, const void* from, std::size_t bytes,
                                            StreamHandle stream) noexcept {
  return copy_line(to, from, bytes, CopyKind::host_to_device, stream, false);
}

WAVESMITH_HIP_API Status hipMemcpyDtoHAsync(void* to, const void* from, std::size_t bytes,
                                            StreamHandle stream) noexcept {
  return copy_line(to, from, bytes, CopyKind::device_to_host, stream, false);
}

WAVESMITH_HIP_API Status hipMemcpyDtoDAsync(void* to, const void* from, std::size_t bytes,
                                            StreamHandle stream) noexcept {
  return copy_line(to, from, bytes, CopyKind::device_to_device, stream, false);
}

WAVESMITH_HIP_API Status hipMemcpyPeer(void* to, int /*to_device*/, const void* from, int /*from_device*/,
                                       std::size_t bytes) noexcept {
  return copy_line(to, from, bytes, CopyKind::device_to_device, nullptr, true);
}

WAVESMITH_HIP_API Status hipMemcpyPeerAsync(void* to, int /*to_device*/, const void* from,
                                            int /*from_device*/, std::size_t bytes,
                                            StreamHandle stream) noexcept {
  return copy_line(to, from, bytes, CopyKind::device_to_device, stream, false);
}

WAVESMITH_HIP_API Status hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                     std::size_t width, std::size_t height, CopyKind kind) noexcept {
  return copy({address_of(to), address_of(from), to_pitch, from_pitch, width, height}, kind, nullptr, true);
}

WAVESMITH_HIP_API Status hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                          std::size_t from_pitch, std::size_t width, std::size_t height,
                                          CopyKind kind, StreamHandle stream) noexcept {
  return copy({address_of(to), address_of(from), to_pitch, from_pitch, width, height}, kind, stream, false);
}

WAVESMITH_HIP_API Status hipMemset(void* to, int value, std::size_t bytes) noexcept {
  const Status s =
      call([](Driver& state) { return state.invalidate_captures(Status::stream_capture_implicit); });
  return s != Status::success ? s : fill(to, static_cast<std::uint32_t>(value), 1, bytes, nullptr);
}

WAVESMITH_HIP_API Status hipMemsetAsync(void* to, int value, std::size_t bytes,
                                        StreamHandle stream) noexcept {
  return fill(to, static_cast<std::uint32_t>(value), 1, bytes, stream);
}

WAVESMITH_HIP_API Status hipMemsetD8(void* to, unsigned char value, std::size_t count) noexcept {
  return fill(to, value, 1, count, nullptr);
}

WAVESMITH_HIP_API Status hipMemsetD8Async(void* to, unsigned char value, std::size_t count,
                                          StreamHandle stream) noexcept {
  return fill(to, value, 1, count, stream);
}

WAVESMITH_HIP_API Status hipMemsetD16(void* to, unsigned short value, std::size_t count) noexcept {
  return fill(to, value, 2, count, nullptr);
}

WAVESMITH_HIP_API Status hipMemsetD16Async(void* to, unsigned short value, std::size_t count,
                                           StreamHandle stream) noexcept {
  return fill(to, value, 2, count, stream);
}

WAVESMITH_HIP_API Status hipMemsetD32(void* to, int value, std::size_t count) noexcept {
  return fill(to, static_cast<std::uint32_t>(value), 4, count, nullptr);
}

WAVESMITH_HIP_API Status hipMemsetD32Async(void* to, int value, std::size_t count,
                                           StreamHandle stream) noexcept {
  return fill(to, static_cast<std::uint32_t>(value), 4, count, stream);
}

}  // namespace wavesmith::simulator::hip_driver
