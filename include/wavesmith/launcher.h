// Launches compiled kernels on real GPUs through HIP, whose library is opened at run time and never linked:
// finds devices, loads code objects, packs arguments by what the code object says of its kernel. Launcher is
// the entry. docs/launcher.md has the rules for streams and graphs.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "wavesmith/error.h"

namespace wavesmith::launcher {

/// A hipStream_t, of HIP's or of the launcher's making. Null is the null stream: in a launch that of the
/// kernel's device, elsewhere that of the calling thread's current device.
using Stream = void*;
/// A hipEvent_t.
using Event = void*;
/// An address in a GPU's memory.
using DeviceAddress = std::uint64_t;

struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  std::string target;  ///< full target id, e.g. "gfx950:sramecc+:xnack-"
  std::uint32_t compute_units = 0;
  std::uint32_t lds_bytes = 0;  ///< most that one workgroup can have
  std::uint32_t wave_size = 0;
  std::uint64_t memory_bytes = 0;
  std::uint32_t clock_khz = 0;
};

/// The value of one explicit kernel argument. Small; bytes() alone refers to the caller's memory.
class Argument {
 public:
  /// A pointer to global memory.
  [[nodiscard]] static Argument buffer(DeviceAddress address) { return Argument(address, true); }
  /// A number, of the size that the kernel has.
  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] static Argument value(T number) {
    return Argument(number, false);
  }
  /// A structure passed by value. The bytes must stay until launch() has returned.
  [[nodiscard]] static Argument bytes(std::span<const std::byte> bytes) {
    Argument argument(std::uint64_t{0}, false);
    argument.outside_ = bytes.data();
    argument.size_ = bytes.size();
    return argument;
  }

  [[nodiscard]] const void* data() const {
    return outside_ != nullptr ? outside_ : static_cast<const void*>(inside_.data());
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_buffer() const { return buffer_; }

 private:
  template <class T>
  Argument(T value, bool buffer) : size_(sizeof value), buffer_(buffer) {
    static_assert(sizeof value <= 8);
    std::memcpy(inside_.data(), &value, sizeof value);
  }
  alignas(8) std::array<std::byte, 8> inside_{};
  const void* outside_ = nullptr;
  std::size_t size_ = 0;
  bool buffer_ = false;
};

/// Extent of one launch.
struct Grid {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< workgroups
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< work-items of a workgroup
  std::uint32_t dynamic_lds_bytes = 0;
};

/// One explicit argument that a kernel wants.
struct Parameter {
  std::string name;           ///< empty where the code object has none
  bool buffer = false;        ///< a device address; else a value
  std::string address_space;  ///< of a buffer: "global", "constant" or "generic"
  std::uint32_t size = 0;     ///< bytes
};

/// A kernel that is loaded on a device. Copies share it; its module stays loaded as long as one exists.
class Kernel {
 public:
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] int device() const;
  [[nodiscard]] std::span<const Parameter> parameters() const;

  struct State;  ///< of the implementation

 private:
  friend class Launcher;
  explicit Kernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// The most arguments that a kernel may have; more are refused when it is loaded.
inline constexpr std::size_t most_arguments = 128;

/// Every failing HIP call gives an Error that names the call and HIP's error. Its kind is environment where
/// the machine is to blame (no device, no memory), check_failed where work on the device failed (an illegal
/// address), else invalid_request.
///
/// Thread-safe: any number of threads may call one Launcher. The calling thread's current device is the same
/// after every call.
class Launcher {
 public:
  /// `library` is a path or name; where it is empty, libamdhip64 in $ROCM_PATH/lib and then by the names of
  /// HIP 7, 6 and 5, where the dynamic linker finds it.
  ///
  /// Errors (environment): no library, one without a function that is needed, no GPU.
  [[nodiscard]] static Expected<Launcher> open(std::string_view library = {});

  Launcher(Launcher&&) noexcept;
  Launcher& operator=(Launcher&&) noexcept;
  ~Launcher();

  /// The library that was opened, and what it says its version is: major * 10^7 + minor * 10^5 + patch.
  [[nodiscard]] const std::string& library() const;
  [[nodiscard]] int hip_version() const;
  [[nodiscard]] std::span<const DeviceInfo> devices() const;

  //! \name Code
  /// Loads a code object on a device, once for each device and content, and finds a kernel in it. Not while a
  /// stream captures.
  ///
  /// Errors: a code object that cannot be read or is for another target (both before HIP sees it), no such
  /// kernel, arguments of a kind that cannot be passed.
  [[nodiscard]] Expected<Kernel> load(int device, std::span<const std::byte> code_object,
                                      std::string_view kernel);
  /// Unloads what no Kernel refers to; how many modules that were. Their launches must have finished.
  std::size_t unload_unused();

  /// Puts a launch into a stream and returns. Allocates nothing, compiles nothing, synchronises nothing, so
  /// that it can be captured; HIP copies the arguments at the call.
  ///
  /// Errors: arguments of the wrong number, size or kind, an extent that the kernel or the device cannot
  /// have.
  [[nodiscard]] Expected<void> launch(const Kernel& kernel, const Grid& grid,
                                      std::span<const Argument> arguments, Stream stream = nullptr) const;

  //! \name Streams and events
  /// A stream that does not wait for the null stream.
  [[nodiscard]] Expected<Stream> create_stream(int device) const;
  Expected<void> destroy_stream(Stream stream) const;
  Expected<void> synchronize(Stream stream) const;
  [[nodiscard]] Expected<Event> create_event(int device) const;
  Expected<void> destroy_event(Event event) const;
  Expected<void> record(Event event, Stream stream) const;
  /// Later work of the stream waits for the event.
  Expected<void> wait(Stream stream, Event event) const;
  Expected<void> synchronize_event(Event event) const;
  /// Milliseconds between two events that have been reached.
  [[nodiscard]] Expected<float> elapsed(Event from, Event to) const;

  //! \name Memory
  [[nodiscard]] Expected<DeviceAddress> allocate(int device, std::size_t bytes) const;
  Expected<void> free(DeviceAddress address) const;
  /// Queued in the stream: the host's memory must stay, unchanged, until the copy is done.
  Expected<void> copy_to_device(DeviceAddress to, std::span<const std::byte> from, Stream stream) const;
  Expected<void> copy_to_host(std::span<std::byte> to, DeviceAddress from, Stream stream) const;
  Expected<void> fill(DeviceAddress to, std::byte value, std::size_t bytes, Stream stream) const;

 private:
  struct State;
  explicit Launcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wavesmith::launcher
