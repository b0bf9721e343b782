// Stream capture and graphs of the simulated driver: replay with new data, streams that join, and every call
// that a capture forbids with the error that HIP gives.
#include <algorithm>
#include <functional>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "tests/hip/hip_library.h"

using namespace wavesmith;
using namespace wavesmith::test;
using hip::CaptureMode;
using hip::CaptureStatus;
using hip::CopyKind;

namespace {

constexpr std::uint32_t count = 250;

struct Setup {
  const HipLibrary& hip = simulated_driver();
  hip::FunctionHandle kernel = hip.kernel(scale_add(), "scale_add");
  hip::StreamHandle stream = nullptr, second = nullptr;
  hip::EventHandle event = nullptr, joined = nullptr;
  void* buffer = nullptr;

  Setup() {
    hip.ok(hip.hipStreamCreate(&stream));
    hip.ok(hip.hipStreamCreateWithFlags(&second, hip::stream_non_blocking));
    hip.ok(hip.hipEventCreate(&event));
    hip.ok(hip.hipEventCreate(&joined));
    buffer = hip.buffer(std::vector<std::uint32_t>{1, 2, 3, 4});
  }
  void begin(CaptureMode mode = CaptureMode::global) const {
    hip.ok(hip.hipStreamBeginCapture(stream, mode));
  }
  [[nodiscard]] Status end() const {
    hip::GraphHandle graph = nullptr;
    const Status status = hip.hipStreamEndCapture(stream, &graph);
    if (status != Status::success) CHECK(graph == nullptr);
    return status;
  }
  [[nodiscard]] hip::GraphExecHandle executable() const {
    hip::GraphHandle graph = nullptr;
    hip::GraphExecHandle made = nullptr;
    hip.ok(hip.hipStreamEndCapture(stream, &graph));
    hip.ok(hip.hipGraphInstantiate(&made, graph, nullptr, nullptr, 0));
    hip.ok(hip.hipGraphDestroy(graph));
    return made;
  }
};

}  // namespace

TEST_CASE("a captured launch runs only when its graph does, each time with the data of that time") {
  const Setup at;
  const HipLibrary& hip = at.hip;
  std::vector<float> a = floats(count, 1), out(count, -7.0f);
  const std::vector<float> b = floats(count, 2);
  ScaleAdd launch{hip.buffer(count * 4), hip.buffer(count * 4), hip.buffer(b), 0.5f, count};
  at.begin();
  hip.ok(hip.hipMemcpyAsync(launch.a, a.data(), count * 4, CopyKind::host_to_device, at.stream));
  hip.ok(launch.launch(hip, at.kernel, at.stream));
  hip.ok(hip.hipMemcpyAsync(out.data(), launch.out, count * 4, CopyKind::device_to_host, at.stream));
  launch.scale = 9;  // the graph has copied it
  const hip::GraphExecHandle graph = at.executable();
  hip.ok(hip.hipDeviceSynchronize());
  for (const float value : out) REQUIRE(value == -7.0f);
  for (std::uint64_t round = 0; round < 3; ++round) {
    std::ranges::copy(floats(count, 50 + round), a.begin());  // in place: the graph reads there
    hip.ok(hip.hipGraphLaunch(graph, at.second));
    hip.ok(hip.hipStreamSynchronize(at.second));
    for (std::uint32_t i = 0; i < count; ++i) {
      const float product = a[i] * 0.5f;
      REQUIRE(out[i] == product + b[i]);
    }
  }
  // An executable that was launched may be destroyed before its work runs.
  std::ranges::copy(floats(count, 99), a.begin());
  hip.ok(hip.hipGraphLaunch(graph, at.stream));
  hip.ok(hip.hipGraphExecDestroy(graph));
  CHECK(hip.hipGraphLaunch(graph, at.stream) == Status::invalid_value);
  hip.ok(hip.hipStreamSynchronize(at.stream));
  const float product = a[7] * 0.5f;
  CHECK(out[7] == product + b[7]);
}

TEST_CASE("streams join a capture through events") {
  const Setup at;
  const HipLibrary& hip = at.hip;
  at.begin();
  hip.ok(hip.hipMemsetD32Async(at.buffer, 10, 1, at.stream));
  hip.ok(hip.hipEventRecord(at.event, at.stream));
  hip.ok(hip.hipStreamWaitEvent(at.second, at.event, 0));
  CaptureStatus status{};
  hip.ok(hip.hipStreamIsCapturing(at.second, &status));
  CHECK(status == CaptureStatus::active);
  auto* const words = static_cast<std::uint32_t*>(at.buffer);
  hip.ok(hip.hipMemcpyAsync(words + 1, words, 4, CopyKind::device_to_device, at.second));
  hip.ok(hip.hipEventRecord(at.joined, at.second));
  hip.ok(hip.hipStreamWaitEvent(at.stream, at.joined, 0));
  hip.ok(hip.hipMemcpyAsync(words + 2, words + 1, 4, CopyKind::device_to_device, at.stream));
  hip::GraphHandle captured = nullptr;
  REQUIRE(hip.hipStreamEndCapture(at.stream, &captured) == Status::success);
  std::size_t nodes = 0;
  hip.ok(hip.hipGraphGetNodes(captured, nullptr, &nodes));
  CHECK(nodes == 3);
  hip.ok(hip.hipStreamIsCapturing(at.second, &status));
  CHECK(status == CaptureStatus::none);
  hip::GraphExecHandle graph = nullptr;
  hip.ok(hip.hipGraphInstantiate(&graph, captured, nullptr, nullptr, 0));
  hip.ok(hip.hipGraphLaunch(graph, at.stream));
  CHECK(hip.contents<std::uint32_t>(at.buffer, 4) == std::vector<std::uint32_t>{10, 10, 10, 4});
}

TEST_CASE("calls that a capture forbids give their error and invalidate it") {
  const Setup at;
  const HipLibrary& hip = at.hip;
  void* pointer = nullptr;
  std::uint32_t word = 0;
  ScaleAdd launch{at.buffer, at.buffer, at.buffer, 1, 1};
  const std::vector<std::byte> code = scale_add();
  hip::ModuleHandle module = nullptr;
  const std::vector<std::tuple<const char*, Status, std::function<Status()>>> calls{
      {"hipMalloc", Status::stream_capture_unsupported, [&] { return hip.hipMalloc(&pointer, 4); }},
      {"hipFree", Status::stream_capture_unsupported, [&] { return hip.hipFree(at.buffer); }},
      {"hipModuleLoadData", Status::stream_capture_unsupported,
       [&] { return hip.hipModuleLoadData(&module, code.data()); }},
      {"hipDeviceSynchronize", Status::stream_capture_unsupported,
       [&] { return hip.hipDeviceSynchronize(); }},
      {"hipStreamSynchronize", Status::stream_capture_unsupported,
       [&] { return hip.hipStreamSynchronize(at.stream); }},
      {"hipStreamQuery", Status::stream_capture_unsupported, [&] { return hip.hipStreamQuery(at.stream); }},
      {"hipMemcpy", Status::stream_capture_implicit,
       [&] { return hip.hipMemcpy(&word, at.buffer, 4, CopyKind::device_to_host); }},
      {"hipMemset", Status::stream_capture_implicit, [&] { return hip.hipMemset(at.buffer, 0, 4); }},
      {"launch on the null stream", Status::stream_capture_implicit,
       [&] { return launch.launch(hip, at.kernel, nullptr); }},
      {"hipEventQuery", Status::captured_event,
       [&] {
         hip.ok(hip.hipEventRecord(at.event, at.stream));
         return hip.hipEventQuery(at.event);
       }},
      {"wait for work outside", Status::stream_capture_isolation,
       [&] {
         hip.ok(hip.hipEventRecord(at.joined, at.second));
         return hip.hipStreamWaitEvent(at.stream, at.joined, 0);
       }},
  };
  for (const auto& [name, expected, call] : calls) {
    INFO(name);
    at.begin();
    hip.ok(hip.hipMemsetD32Async(at.buffer, 77, 1, at.stream));
    CHECK(call() == expected);
    CaptureStatus status{};
    hip.ok(hip.hipStreamIsCapturing(at.stream, &status));
    CHECK(status == CaptureStatus::invalidated);
    CHECK(hip.hipMemsetD32Async(at.buffer, 78, 1, at.stream) == Status::stream_capture_invalidated);
    CHECK(at.end() == Status::stream_capture_invalidated);
    hip.ok(hip.hipStreamIsCapturing(at.stream, &status));
    CHECK(status == CaptureStatus::none);
  }
  CHECK(hip.contents<std::uint32_t>(at.buffer, 4) == std::vector<std::uint32_t>{1, 2, 3, 4});
}

TEST_CASE("the mode of a capture says whose calls it forbids") {
  const Setup at;
  const HipLibrary& hip = at.hip;
  const auto elsewhere = [&] {
    Status status{};
    std::thread([&] {
      void* pointer = nullptr;
      status = hip.hipMalloc(&pointer, 4);
    }).join();
    return status;
  };
  void* pointer = nullptr;
  at.begin(CaptureMode::global);
  CHECK(elsewhere() == Status::stream_capture_unsupported);
  CHECK(at.end() == Status::stream_capture_invalidated);
  at.begin(CaptureMode::thread_local_);
  CHECK(elsewhere() == Status::success);
  CHECK(hip.hipMalloc(&pointer, 4) == Status::stream_capture_unsupported);
  CHECK(at.end() == Status::stream_capture_invalidated);
  at.begin(CaptureMode::relaxed);
  CHECK(hip.hipMalloc(&pointer, 4) == Status::success);
  CHECK(at.end() == Status::success);
  // A thread can exempt its own calls.
  at.begin(CaptureMode::global);
  CaptureMode mode = CaptureMode::relaxed;
  hip.ok(hip.hipThreadExchangeStreamCaptureMode(&mode));
  CHECK(mode == CaptureMode::global);
  CHECK(hip.hipMalloc(&pointer, 4) == Status::success);
  hip.ok(hip.hipThreadExchangeStreamCaptureMode(&mode));
  CHECK(at.end() == Status::success);
}

TEST_CASE("captures begin and end where they must") {
  const Setup at;
  const HipLibrary& hip = at.hip;
  hip::GraphHandle graph = nullptr;
  CHECK(hip.hipStreamBeginCapture(nullptr, CaptureMode::global) == Status::stream_capture_unsupported);
  CHECK(at.end() == Status::illegal_state);
  at.begin();
  CHECK(hip.hipStreamBeginCapture(at.stream, CaptureMode::global) == Status::illegal_state);
  CHECK(at.end() == Status::success);

  Status elsewhere{};
  at.begin();
  std::thread([&] { elsewhere = hip.hipStreamEndCapture(at.stream, &graph); }).join();
  CHECK(elsewhere == Status::stream_capture_wrong_thread);
  CHECK(at.end() == Status::success);

  // A stream that joined and did not come back.
  at.begin();
  hip.ok(hip.hipEventRecord(at.event, at.stream));
  hip.ok(hip.hipStreamWaitEvent(at.second, at.event, 0));
  hip.ok(hip.hipMemsetD32Async(at.buffer, 5, 1, at.second));
  CHECK(hip.hipStreamEndCapture(at.second, &graph) == Status::stream_capture_unmatched);
  CHECK(at.end() == Status::stream_capture_invalidated);
  at.begin();
  hip.ok(hip.hipEventRecord(at.event, at.stream));
  hip.ok(hip.hipStreamWaitEvent(at.second, at.event, 0));
  hip.ok(hip.hipMemsetD32Async(at.buffer, 5, 1, at.second));
  CHECK(at.end() == Status::stream_capture_unjoined);

  // Two captures cannot become one.
  at.begin();
  hip.ok(hip.hipStreamBeginCapture(at.second, CaptureMode::global));
  hip.ok(hip.hipEventRecord(at.event, at.second));
  CHECK(hip.hipStreamWaitEvent(at.stream, at.event, 0) == Status::stream_capture_merge);
  CHECK(at.end() == Status::stream_capture_invalidated);
  CHECK(hip.hipStreamEndCapture(at.second, &graph) == Status::stream_capture_invalidated);
}
