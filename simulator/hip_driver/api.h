// What all HIP functions of the library share: the lock, the error that a thread remembers, the wall that no
// exception crosses. api_*.cpp define the functions; exports.map lists them.
#pragma once

#include <new>
#include <utility>

#include "simulator/hip_driver/driver.h"

/// A function that programs find by name.
#define WAVESMITH_HIP_API extern "C" __attribute__((visibility("default")))

namespace wavesmith::simulator::hip_driver {

/// The calling thread's device; hipSetDevice changes it.
[[nodiscard]] int& current_gpu();

/// The last error of the calling thread's calls that nobody has asked for yet.
[[nodiscard]] Status& last_error();

/// Remembers an error. hipErrorNotReady is an answer and no error.
Status remembered(Status status);

/// Runs `body(driver)` under the driver's lock.
template <class Body>
Status call(const Body& body) noexcept {
  try {
    Driver& state = driver();
    const std::lock_guard lock(state.mutex);
    if (state.executing) return remembered(Status::not_supported);
    return remembered(body(state));
  } catch (const std::bad_alloc&) {
    return remembered(Status::out_of_memory);
  } catch (...) {
    return remembered(Status::unknown);
  }
}

/// The same with the thread's device, for calls that need one.
template <class Body>
Status gpu_call(const Body& body) noexcept {
  return call([&](Driver& state) {
    if (state.gpus.empty()) return Status::no_device;
    return body(state, current_gpu());
  });
}

/// The same with a stream of a handle.
template <class Body>
Status stream_call(hip::StreamHandle handle, const Body& body) noexcept {
  return gpu_call([&](Driver& state, int gpu) {
    const std::shared_ptr<Stream> stream = state.stream(handle, gpu);
    return stream == nullptr ? Status::invalid_handle : body(state, stream);
  });
}

[[nodiscard]] inline Gpu& gpu_of(Driver& state, int gpu) {
  return state.gpus[static_cast<std::size_t>(gpu)];
}

[[nodiscard]] inline bool is_gpu(const Driver& state, int gpu) {
  return gpu >= 0 && static_cast<std::size_t>(gpu) < state.gpus.size();
}

}  // namespace wavesmith::simulator::hip_driver
