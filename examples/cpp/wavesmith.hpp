// The C interface with owners and exceptions, as a C++ program might wrap it for itself: C++17, nothing but
// the standard library.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "wavesmith/wavesmith.h"

namespace example {

/// A call that failed. The library's text is that of the calling thread, so it is taken at once.
class Failure : public std::runtime_error {
 public:
  explicit Failure(wavesmith_status status)
      : std::runtime_error(std::string(wavesmith_last_error()) + wavesmith_last_error_log()),
        status_(status) {}
  [[nodiscard]] wavesmith_status status() const { return status_; }

 private:
  wavesmith_status status_;
};

inline void check(wavesmith_status status) {
  if (status != WAVESMITH_OK) throw Failure(status);
}

template <auto Destroy>
struct Deleter {
  template <class T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};
using Launcher = std::unique_ptr<wavesmith_launcher, Deleter<wavesmith_launcher_close>>;
using Jit = std::unique_ptr<wavesmith_jit, Deleter<wavesmith_jit_destroy>>;
using Request = std::unique_ptr<wavesmith_request, Deleter<wavesmith_request_destroy>>;
using Kernel = std::unique_ptr<wavesmith_kernel, Deleter<wavesmith_kernel_destroy>>;
using LoadedKernel = std::unique_ptr<wavesmith_loaded_kernel, Deleter<wavesmith_loaded_kernel_destroy>>;

/// Calls `make(arguments…, &handle)` and owns what it made.
template <class Owner, class Make, class... Arguments>
Owner made(Make make, Arguments... arguments) {
  typename Owner::pointer handle = nullptr;
  check(make(arguments..., &handle));
  return Owner(handle);
}

/// A structure of the interface with its size filled in.
template <class T>
T sized() {
  T value{};
  value.struct_size = sizeof value;
  return value;
}

/// A stream of a launcher that outlives it.
class Stream {
 public:
  Stream(const wavesmith_launcher* launcher, std::int32_t device) : launcher_(launcher) {
    check(wavesmith_stream_create(launcher, device, &stream_));
  }
  ~Stream() { wavesmith_stream_destroy(launcher_, stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] void* get() const { return stream_; }
  void synchronize() const { check(wavesmith_stream_synchronize(launcher_, stream_)); }

 private:
  const wavesmith_launcher* launcher_;
  void* stream_ = nullptr;
};

/// Memory on a device.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const wavesmith_launcher* launcher, std::int32_t device, std::size_t bytes)
      : launcher_(launcher), bytes_(bytes) {
    check(wavesmith_memory_allocate(launcher, device, bytes, &address_));
  }
  ~Buffer() {
    if (address_ != 0) wavesmith_memory_free(launcher_, address_);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void upload(const void* from, const Stream& stream) const { upload(from, bytes_, stream); }
  void upload(const void* from, std::size_t bytes, const Stream& stream) const {
    check(wavesmith_memory_copy_to_device(launcher_, address_, from, bytes, stream.get()));
  }
  void download(void* to, std::size_t bytes, const Stream& stream) const {
    check(wavesmith_memory_copy_to_host(launcher_, to, address_, bytes, stream.get()));
  }
  /// All bits set: NaN in every floating-point format.
  void poison(const Stream& stream) const {
    check(wavesmith_memory_fill(launcher_, address_, 0xff, bytes_, stream.get()));
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(launcher_, other.launcher_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
  }
  const wavesmith_launcher* launcher_ = nullptr;
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
};

/// \name bf16: the upper half of a float, rounded to nearest, ties to even
/// @{
std::uint16_t to_bf16(float value);
float from_bf16(std::uint16_t half);
/// @}

}  // namespace example
