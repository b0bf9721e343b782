// The state of the simulated HIP driver: GPUs, memory, streams, events, modules, graphs. One Driver exists
// for a process; api_*.cpp are its callers and hold its lock. Work is queued by the calls and runs when
// something waits for it (run(), stream_queue.cpp).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "runtime/code_object.h"
#include "runtime/launcher/hip_abi.h"
#include "simulator/hip_driver/address_book.h"
#include "simulator/hip_driver/device_model.h"
#include "simulator/hip_driver/work.h"

namespace wavesmith::simulator::hip_driver {

using hip::Status;

struct Gpu {
  runtime::TargetId target;
  const DeviceModel* model = nullptr;
  Device device;
  unsigned flags = 0;              ///< of hipSetDeviceFlags
  std::uint64_t allocated = 0;     ///< bytes of buffers
  Status fault = Status::success;  ///< stays until hipDeviceReset
  std::shared_ptr<Stream> null_stream;
};

/// A code object on one GPU.
struct LoadedModule {
  int gpu = 0;
  Module module;
  runtime::CodeObject object;
};

struct Function {
  std::shared_ptr<LoadedModule> module;
  const runtime::Kernel* kernel = nullptr;  ///< of the module's code object
};

/// Streams that record their work instead of queueing it.
struct Capture {
  struct Node {
    Work work;
    std::vector<std::size_t> after;  ///< nodes that it depends on
  };
  Stream* origin = nullptr;
  hip::CaptureMode mode{};
  std::thread::id thread;
  std::uint64_t id = 0;
  bool invalid = false;
  std::vector<Node> nodes;
  std::vector<std::shared_ptr<Stream>> members;  ///< the origin is the first
};

struct Stream {
  struct Entry {
    std::uint64_t sequence;
    Work work;
  };
  int gpu = 0;
  unsigned flags = 0;
  int priority = 0;
  bool legacy = false;      ///< the null stream
  std::deque<Entry> queue;  ///< rising sequence numbers
  double seconds = 0;       ///< simulated time that its work has taken, waiting included
  std::shared_ptr<Capture> capture;
  std::vector<std::size_t> frontier;  ///< nodes of the capture that the next one depends on

  [[nodiscard]] bool blocking() const { return (flags & hip::stream_non_blocking) == 0; }
};

struct Event {
  unsigned flags = 0;
  int gpu = 0;
  std::shared_ptr<EventPoint> point;  ///< of the last recording; null before
  std::shared_ptr<Capture> captured;  ///< the last recording was in this capture
  std::vector<std::size_t> frontier;  ///< what it stands for there
};

/// Handles are addresses of the objects.
template <class T>
class Registry {
 public:
  [[nodiscard]] std::shared_ptr<T> find(const void* handle) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  void* insert(std::shared_ptr<T> object) {
    void* const handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  bool erase(const void* handle) { return objects_.erase(handle) != 0; }
  template <class Condition>
  void erase_if(const Condition& condition) {
    std::erase_if(objects_, [&](const auto& entry) { return condition(*entry.second); });
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (const auto& [handle, object] : objects_) visit(object);
  }

 private:
  std::unordered_map<const void*, std::shared_ptr<T>> objects_;
};

class Driver {
 public:
  Driver();

  /// Held by every call. A thread that runs a host function of the program may come again: see `executing`.
  std::recursive_mutex mutex;
  bool executing = false;  ///< host functions must not call HIP
  std::vector<Gpu> gpus;   ///< empty when the variable is refused
  AddressBook book;
  Registry<Stream> streams;  ///< those that were created; null streams are in `gpus`
  Registry<Event> events;
  Registry<LoadedModule> modules;
  Registry<Function> functions;
  Registry<Graph> graphs;       ///< as captured
  Registry<Graph> executables;  ///< instantiated
  bool hazards = true;          ///< kernels are checked for hazards

  //! \name Streams (stream_queue.cpp)
  /// The stream of a handle for a thread whose device is `gpu`; null for none.
  [[nodiscard]] std::shared_ptr<Stream> stream(hip::StreamHandle handle, int gpu);
  /// Queues or captures work.
  Status enqueue(Stream& stream, Work work);
  /// How far streams must have come.
  using Needs = std::map<Stream*, std::uint64_t>;
  /// Runs everything that has to be done for the streams to come that far, in the order in which it was
  /// queued; with a limit, only the first `most` of it. Returns how much ran.
  std::size_t run(Needs needs, std::size_t most = SIZE_MAX);
  void run_stream(Stream& stream) { run({{&stream, UINT64_MAX}}); }
  void run_gpu(int gpu);
  void run_all();
  /// Whether work waits in the stream.
  [[nodiscard]] static bool idle(const Stream& stream) { return stream.queue.empty(); }

  //! \name Capture (capture.cpp)
  /// hipSuccess when a call may be made that can synchronise or allocate; else captures are invalidated.
  Status check_unsafe();
  /// Invalidates every capture. `status` when there was one, else hipSuccess.
  Status invalidate_captures(Status status);
  /// The same with those of blocking streams of a GPU alone.
  Status invalidate_blocking_captures(int gpu, Status status);
  Status begin_capture(const std::shared_ptr<Stream>& stream, hip::CaptureMode mode);
  Status end_capture(Stream& stream, std::shared_ptr<Graph>& graph);
  Status record(const std::shared_ptr<Stream>& stream, Event& event);
  Status wait(const std::shared_ptr<Stream>& stream, Event& event);

  //! \name Memory (memory.cpp)
  Status allocate(int gpu, std::size_t bytes, Address& address);
  /// Memory of the host that kernels see. `own` is the program's, else fresh memory is mapped.
  Status allocate_host(int gpu, std::size_t bytes, unsigned flags, hip::MemoryType type, std::byte* own,
                       Address& address);
  /// Nothing may still use it.
  Status free(Address address);
  /// hipSuccess when a copy or fill of that range can be queued. Outside blocks an address is the host's own.
  [[nodiscard]] Status check_range(Address address, std::size_t pitch, std::size_t width,
                                   std::size_t height) const;
  /// Host bytes behind an address, or null when it is a GPU's without an allocation.
  [[nodiscard]] std::byte* host_bytes(Address address, std::size_t bytes);

  //! \name Modules (modules.cpp)
  Status load(int gpu, std::span<const std::byte> image, std::shared_ptr<LoadedModule>& module);
  void unload(const std::shared_ptr<LoadedModule>& module);

  /// Forgets everything of a GPU, its fault, and work that has not run.
  void reset(int gpu);

 private:
  std::uint64_t next_sequence_ = 1;
  std::uint64_t next_capture_ = 1;
  std::map<std::pair<std::thread::id, int>, std::shared_ptr<Stream>> per_thread_;

  template <class Visit>
  void each_stream(const Visit& visit) const;
  void execute(Stream& stream, Work& work);
  [[nodiscard]] std::vector<std::pair<std::uint64_t, Stream*>> plan(Needs needs) const;

  // execution.cpp; errors are sentences for standard error.
  Expected<void> perform(Stream& stream, const Copy& copy);
  Expected<void> perform(Stream& stream, const Fill& fill);
  Expected<void> perform(Stream& stream, const KernelRun& kernel);
  Expected<void> perform(Stream& stream, const EventRecord& record);
  Expected<void> perform(Stream& stream, const EventWait& wait);
  Expected<void> perform(Stream& stream, const Release& release);
  Expected<void> perform(Stream& stream, const HostCall& call);
  Expected<void> perform(Stream& stream, const GraphRun& run);
};

/// The process's driver, made by the first call.
[[nodiscard]] Driver& driver();

/// A line on standard error with the library's name before it.
void say(const std::string& text);

/// The mode in which the calling thread's own calls are judged while streams capture
/// (hipThreadExchangeStreamCaptureMode).
[[nodiscard]] hip::CaptureMode& thread_capture_mode();

}  // namespace wavesmith::simulator::hip_driver
