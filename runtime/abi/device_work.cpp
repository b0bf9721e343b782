// Streams, events and device memory: each function is one call of the launcher.
#include <cstddef>
#include <span>
#include <utility>

#include "wavesmith/launcher.h"

#include "runtime/abi/boundary.h"
#include "runtime/abi/handles.h"

namespace wavesmith::abi {
namespace {

/// A call that gives nothing.
template <class Call>
wavesmith_status done(const wavesmith_launcher* launcher, const Call& call) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    Expected<void> result = call(launcher->launcher);
    if (!result) return std::unexpected(Problem(std::move(result).error()));
    return {};
  });
}

/// The same for an event, which is never null.
template <class Call>
wavesmith_status done_with(const wavesmith_launcher* launcher, void* event, const Call& call) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    if (Outcome there = not_null(event, "event"); !there) return there;
    Expected<void> result = call(launcher->launcher);
    if (!result) return std::unexpected(Problem(std::move(result).error()));
    return {};
  });
}

/// A call whose value goes to `*out`.
template <class Out, class Call>
wavesmith_status given(const wavesmith_launcher* launcher, Out* out, std::string_view name,
                       const Call& call) noexcept {
  if (out != nullptr) *out = {};
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    if (Outcome there = not_null(out, name); !there) return there;
    auto result = call(launcher->launcher);
    if (!result) return std::unexpected(Problem(std::move(result).error()));
    *out = *result;
    return {};
  });
}

/// Copies from and to the host.
template <class Call>
wavesmith_status copied(const wavesmith_launcher* launcher, const void* host, std::string_view name,
                        std::size_t bytes, const Call& call) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(launcher, "launcher"); !there) return there;
    if (bytes == 0) return {};
    if (Outcome there = not_null(host, name); !there) return there;
    Expected<void> result = call(launcher->launcher);
    if (!result) return std::unexpected(Problem(std::move(result).error()));
    return {};
  });
}

}  // namespace
}  // namespace wavesmith::abi

using namespace wavesmith::abi;
using wavesmith::launcher::Launcher;

extern "C" {

wavesmith_status wavesmith_stream_create(const wavesmith_launcher* launcher, int32_t device,
                                         void** stream) noexcept {
  return given(launcher, stream, "stream", [&](const Launcher& hip) { return hip.create_stream(device); });
}

wavesmith_status wavesmith_stream_destroy(const wavesmith_launcher* launcher, void* stream) noexcept {
  return done(launcher, [&](const Launcher& hip) { return hip.destroy_stream(stream); });
}

wavesmith_status wavesmith_stream_synchronize(const wavesmith_launcher* launcher, void* stream) noexcept {
  return done(launcher, [&](const Launcher& hip) { return hip.synchronize(stream); });
}

wavesmith_status wavesmith_stream_wait(const wavesmith_launcher* launcher, void* stream,
                                       void* event) noexcept {
  return done_with(launcher, event, [&](const Launcher& hip) { return hip.wait(stream, event); });
}

wavesmith_status wavesmith_event_create(const wavesmith_launcher* launcher, int32_t device,
                                        void** event) noexcept {
  return given(launcher, event, "event", [&](const Launcher& hip) { return hip.create_event(device); });
}

wavesmith_status wavesmith_event_destroy(const wavesmith_launcher* launcher, void* event) noexcept {
  return done_with(launcher, event, [&](const Launcher& hip) { return hip.destroy_event(event); });
}

wavesmith_status wavesmith_event_record(const wavesmith_launcher* launcher, void* event,
                                        void* stream) noexcept {
  return done_with(launcher, event, [&](const Launcher& hip) { return hip.record(event, stream); });
}

wavesmith_status wavesmith_event_synchronize(const wavesmith_launcher* launcher, void* event) noexcept {
  return done_with(launcher, event, [&](const Launcher& hip) { return hip.synchronize_event(event); });
}

wavesmith_status wavesmith_event_elapsed(const wavesmith_launcher* launcher, void* from, void* to,
                                         float* milliseconds) noexcept {
  if (milliseconds != nullptr) *milliseconds = 0;
  return guarded([&]() -> Outcome {
    for (const auto& [pointer, name] : {std::pair<const void*, const char*>{launcher, "launcher"},
                                        {from, "from"},
                                        {to, "to"},
                                        {milliseconds, "milliseconds"}})
      if (Outcome there = not_null(pointer, name); !there) return there;
    auto elapsed = launcher->launcher.elapsed(from, to);
    if (!elapsed) return std::unexpected(Problem(std::move(elapsed).error()));
    *milliseconds = *elapsed;
    return {};
  });
}

wavesmith_status wavesmith_memory_allocate(const wavesmith_launcher* launcher, int32_t device, size_t bytes,
                                           uint64_t* address) noexcept {
  return given(launcher, address, "address",
               [&](const Launcher& hip) { return hip.allocate(device, bytes); });
}

wavesmith_status wavesmith_memory_free(const wavesmith_launcher* launcher, uint64_t address) noexcept {
  return done(launcher, [&](const Launcher& hip) { return hip.free(address); });
}

wavesmith_status wavesmith_memory_copy_to_device(const wavesmith_launcher* launcher, uint64_t to,
                                                 const void* from, size_t bytes, void* stream) noexcept {
  return copied(launcher, from, "from", bytes, [&](const Launcher& hip) {
    return hip.copy_to_device(to, {static_cast<const std::byte*>(from), bytes}, stream);
  });
}

wavesmith_status wavesmith_memory_copy_to_host(const wavesmith_launcher* launcher, void* to, uint64_t from,
                                               size_t bytes, void* stream) noexcept {
  return copied(launcher, to, "to", bytes, [&](const Launcher& hip) {
    return hip.copy_to_host({static_cast<std::byte*>(to), bytes}, from, stream);
  });
}

wavesmith_status wavesmith_memory_fill(const wavesmith_launcher* launcher, uint64_t to, uint8_t value,
                                       size_t bytes, void* stream) noexcept {
  return done(launcher, [&](const Launcher& hip) { return hip.fill(to, std::byte{value}, bytes, stream); });
}
}
