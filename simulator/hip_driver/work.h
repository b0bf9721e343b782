// Work: what a stream does one after another, as values that a graph can hold and repeat. stream_queue.cpp
// decides what runs when; execution.cpp runs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "wavesmith/simulator.h"

#include "runtime/launcher/hip_abi.h"
#include "simulator/hip_driver/address_book.h"

namespace wavesmith::simulator::hip_driver {

struct LoadedModule;
struct Stream;
struct Graph;

/// Rows of bytes from one place to another. Host memory is read and written when this runs, not before.
struct Copy {
  Address to = 0, from = 0;
  std::size_t to_pitch = 0, from_pitch = 0;  ///< bytes between rows
  std::size_t width = 0, height = 1;         ///< bytes of a row, rows
};

/// Rows of memory that are filled with a pattern of 1, 2 or 4 bytes.
struct Fill {
  Address to = 0;
  std::size_t pitch = 0, width = 0, height = 1;  ///< bytes, bytes, rows
  std::array<std::byte, 4> pattern{};
  std::size_t pattern_bytes = 1;
};

struct KernelRun {
  std::shared_ptr<LoadedModule> module;
  Launch launch;
};

/// One recording of an event.
struct EventPoint {
  std::weak_ptr<Stream> stream;
  std::uint64_t sequence = 0;
  bool reached = false;
  double seconds = 0;  ///< simulated, of the stream when it was reached
};

struct EventRecord {
  std::shared_ptr<EventPoint> point;
};

struct EventWait {
  std::shared_ptr<EventPoint> point;
};

/// hipFreeAsync.
struct Release {
  Address address = 0;
};

struct HostCall {
  hip::HostFunction function = nullptr;
  hip::StreamCallback callback = nullptr;  ///< instead of `function`
  hip::StreamHandle stream = nullptr;      ///< what the callback is told
  void* data = nullptr;
};

struct GraphRun {
  std::shared_ptr<const Graph> graph;
};

using Work = std::variant<Copy, Fill, KernelRun, EventRecord, EventWait, Release, HostCall, GraphRun>;

/// Captured work, in an order that keeps every dependency.
struct Graph {
  std::vector<Work> nodes;
};

}  // namespace wavesmith::simulator::hip_driver
