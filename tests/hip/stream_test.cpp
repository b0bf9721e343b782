// The simulated driver's streams: work runs when something waits for it and in the order that a program asked
// for, and no other; events and their time; faults and hazards; several threads.
#include <algorithm>
#include <thread>

#include <catch2/catch_test_macros.hpp>

#include "wavesmith/simulator.h"

#include "tests/hip/hip_library.h"

using namespace wavesmith;
using namespace wavesmith::test;
using hip::CopyKind;

namespace {

hip::StreamHandle stream(const HipLibrary& hip, unsigned flags = hip::stream_non_blocking) {
  hip::StreamHandle made = nullptr;
  hip.ok(hip.hipStreamCreateWithFlags(&made, flags));
  return made;
}

hip::EventHandle event(const HipLibrary& hip) {
  hip::EventHandle made = nullptr;
  hip.ok(hip.hipEventCreate(&made));
  return made;
}

}  // namespace

TEST_CASE("asynchronous work has not run before something waits for it") {
  const HipLibrary& hip = simulated_driver();
  const hip::StreamHandle s = stream(hip);
  void* const buffer = hip.buffer(4);
  std::uint32_t source = 1, target = 0;
  hip.ok(hip.hipMemcpyAsync(buffer, &source, 4, CopyKind::host_to_device, s));
  hip.ok(hip.hipMemcpyAsync(&target, buffer, 4, CopyKind::device_to_host, s));
  source = 2;  // too early: the copy reads the host's memory when it runs
  CHECK(target == 0);
  hip.ok(hip.hipStreamSynchronize(s));
  CHECK(target == 2);
}

TEST_CASE("streams without an order between them do not wait for one another") {
  const HipLibrary& hip = simulated_driver();
  void* const buffer = hip.buffer(std::vector<std::uint32_t>{5});
  const hip::StreamHandle producer = stream(hip), consumer = stream(hip);
  std::uint32_t seen = 0;
  hip.ok(hip.hipMemsetD32Async(buffer, 6, 1, producer));
  hip.ok(hip.hipMemcpyAsync(&seen, buffer, 4, CopyKind::device_to_host, consumer));
  hip.ok(hip.hipStreamSynchronize(consumer));
  CHECK(seen == 5);

  // With an event between them they do, and only up to it.
  const hip::EventHandle done = event(hip);
  hip.ok(hip.hipMemsetD32Async(buffer, 7, 1, producer));
  hip.ok(hip.hipEventRecord(done, producer));
  hip.ok(hip.hipMemsetD32Async(buffer, 8, 1, producer));
  hip.ok(hip.hipStreamWaitEvent(consumer, done, 0));
  hip.ok(hip.hipMemcpyAsync(&seen, buffer, 4, CopyKind::device_to_host, consumer));
  hip.ok(hip.hipStreamSynchronize(consumer));
  CHECK(seen == 7);
  hip.ok(hip.hipDeviceSynchronize());
  CHECK(hip.contents<std::uint32_t>(buffer, 1)[0] == 8);
}

TEST_CASE("the null stream and blocking streams wait for one another; others do not") {
  const HipLibrary& hip = simulated_driver();
  void* const buffer = hip.buffer(std::vector<std::uint32_t>{1});
  const hip::StreamHandle blocking = stream(hip, hip::stream_default), free = stream(hip);
  std::uint32_t seen = 0;
  hip.ok(hip.hipMemsetD32Async(buffer, 2, 1, blocking));
  hip.ok(hip.hipMemcpyAsync(&seen, buffer, 4, CopyKind::device_to_host, nullptr));
  hip.ok(hip.hipStreamSynchronize(nullptr));
  CHECK(seen == 2);
  hip.ok(hip.hipMemsetD32Async(buffer, 3, 1, nullptr));
  hip.ok(hip.hipMemcpyAsync(&seen, buffer, 4, CopyKind::device_to_host, blocking));
  hip.ok(hip.hipStreamSynchronize(blocking));
  CHECK(seen == 3);
  hip.ok(hip.hipMemsetD32Async(buffer, 4, 1, nullptr));
  hip.ok(hip.hipMemcpyAsync(&seen, buffer, 4, CopyKind::device_to_host, free));
  hip.ok(hip.hipStreamSynchronize(free));
  CHECK(seen == 3);
  // hipMemset does not wait for itself either; hipMemcpy to the host does.
  hip.ok(hip.hipMemset(buffer, 0, 4));
  hip.ok(hip.hipMemcpyAsync(&seen, buffer, 4, CopyKind::device_to_host, free));
  hip.ok(hip.hipStreamSynchronize(free));
  CHECK(seen == 3);
  CHECK(hip.contents<std::uint32_t>(buffer, 1)[0] == 0);
}

TEST_CASE("a program that asks again and again gets on, and hears no at least once") {
  const HipLibrary& hip = simulated_driver();
  const hip::StreamHandle s = stream(hip);
  void* const buffer = hip.buffer(4);
  for (int i = 0; i < 3; ++i) hip.ok(hip.hipMemsetD32Async(buffer, i, 1, s));
  int refusals = 0;
  while (hip.hipStreamQuery(s) == Status::not_ready) ++refusals;
  CHECK(refusals == 3);
  CHECK(hip.contents<std::uint32_t>(buffer, 1)[0] == 2);
}

TEST_CASE("host functions run in their place and must not call HIP") {
  const HipLibrary& hip = simulated_driver();
  const hip::StreamHandle s = stream(hip);
  struct State {
    const HipLibrary* hip;
    std::uint32_t value = 0, seen = 0;
    Status status = Status::success;
  } state{&hip, 1};
  void* const buffer = hip.buffer(4);
  hip.ok(hip.hipMemsetD32Async(buffer, 9, 1, s));
  hip.ok(hip.hipMemcpyAsync(&state.value, buffer, 4, CopyKind::device_to_host, s));
  hip.ok(hip.hipLaunchHostFunc(
      s,
      [](void* data) {
        auto& at = *static_cast<State*>(data);
        at.seen = at.value;
        at.status = at.hip->hipDeviceSynchronize();
      },
      &state));
  CHECK(state.seen == 0);
  hip.ok(hip.hipStreamSynchronize(s));
  CHECK(state.seen == 9);
  CHECK(state.status == Status::not_supported);
}

TEST_CASE("both forms of arguments give the same, and are copied by the call") {
  const HipLibrary& hip = simulated_driver();
  const hip::FunctionHandle kernel = hip.kernel(scale_add(), "scale_add");
  constexpr std::uint32_t count = 250;
  const std::vector<float> a = floats(count, 1), b = floats(count, 2);
  ScaleAdd launch{hip.buffer(count * 4), hip.buffer(a), hip.buffer(b), 1.5f, count};
  ScaleAdd packed = launch;
  packed.out = hip.buffer(count * 4);
  hip.ok(launch.launch(hip, kernel));
  launch.scale = 100;  // too late
  hip.ok(packed.launch_packed(hip, kernel));
  const auto first = hip.contents<float>(launch.out, count), second = hip.contents<float>(packed.out, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const float product = a[i] * 1.5f;
    REQUIRE(first[i] == product + b[i]);
  }
  CHECK(first == second);
  const std::string said =
      standard_error([&] { CHECK(packed.launch_packed(hip, kernel, nullptr, 28) == Status::invalid_value); });
  CHECK(said.find("gives 28 bytes of arguments; it has 32") != std::string::npos);
  CHECK(hip.hipModuleLaunchKernel(kernel, 1, 1, 1, 100, 1, 1, 0, nullptr, nullptr, nullptr) ==
        Status::invalid_value);
}

TEST_CASE("the time between events is the busiest unit's cycles over the stated clock") {
  const HipLibrary& hip = simulated_driver();
  const std::vector<std::byte> code = scale_add();
  const hip::FunctionHandle kernel = hip.kernel(code, "scale_add");
  constexpr std::uint32_t count = 5000;
  const std::vector<float> values = floats(count, 1);
  ScaleAdd launch{hip.buffer(count * 4), hip.buffer(values), hip.buffer(values), 2, count};
  const hip::EventHandle begin = event(hip), end = event(hip);
  const hip::StreamHandle s = stream(hip);
  float milliseconds = -1;
  CHECK(hip.hipEventElapsedTime(&milliseconds, begin, end) == Status::invalid_handle);  // not recorded
  hip.ok(hip.hipEventRecord(begin, s));
  hip.ok(launch.launch(hip, kernel, s));
  hip.ok(launch.launch(hip, kernel, s));
  hip.ok(hip.hipEventRecord(end, s));
  CHECK(hip.hipEventElapsedTime(&milliseconds, begin, end) == Status::not_ready);
  hip.ok(hip.hipEventSynchronize(end));
  REQUIRE(hip.hipEventElapsedTime(&milliseconds, begin, end) == Status::success);

  // The same dispatch on a simulated device without the driver.
  auto device = simulator::Device::create("gfx950");
  const auto module = device->load(code);
  simulator::Launch direct{.kernel = "scale_add", .grid = {launch.groups(), 1, 1}, .block = {100, 1, 1}};
  for (int i = 0; i < 3; ++i)
    direct.arguments.push_back(simulator::Argument::of(*device->allocate(count * 4)));
  direct.arguments.push_back(simulator::Argument::of(2.0f));
  direct.arguments.push_back(simulator::Argument::of(count));
  const auto report = device->launch(*module, direct);
  REQUIRE(report);
  double cycles = 0;
  for (const auto& [unit, busy] : report->cycles_by_unit) cycles = std::max(cycles, busy);
  REQUIRE(cycles > 0);
  constexpr double cycles_per_millisecond = 2.4e6;  // MI355X: 2400 MHz
  CHECK(std::abs(milliseconds - 2 * cycles / cycles_per_millisecond) < 1e-6 * milliseconds);
}

TEST_CASE("a stray access of a kernel is an illegal address that stays, with the report on standard error") {
  const HipLibrary& hip = simulated_driver();
  const hip::FunctionHandle kernel = hip.kernel(scale_add(), "scale_add");
  constexpr std::uint32_t count = 300;
  const std::vector<float> values = floats(count, 1);
  ScaleAdd launch{hip.buffer(count * 4 - 4), hip.buffer(values), hip.buffer(values), 2, count};
  REQUIRE(launch.launch(hip, kernel) == Status::success);
  const std::string said =
      standard_error([&] { CHECK(hip.hipDeviceSynchronize() == Status::illegal_address); });
  INFO(said);
  CHECK(said.find("scale_add") != std::string::npos);
  CHECK(said.find("global_store_dword") != std::string::npos);
  CHECK(said.find("hipMalloc(1196)") != std::string::npos);
  CHECK(hip.hipGetLastError() == Status::illegal_address);
  // Nothing works any more on that device, whatever is asked first.
  void* pointer = nullptr;
  CHECK(hip.hipMalloc(&pointer, 4) == Status::illegal_address);
  CHECK(launch.launch(hip, kernel) == Status::illegal_address);
  CHECK(hip.hipMemcpy(launch.a, values.data(), 4, CopyKind::host_to_device) == Status::illegal_address);
  CHECK(hip.hipStreamSynchronize(nullptr) == Status::illegal_address);
  hip.ok(hip.hipSetDevice(1));
  CHECK(hip.hipMalloc(&pointer, 4) == Status::success);
  hip.ok(hip.hipSetDevice(0));
  CHECK(hip.hipDeviceReset() == Status::success);
  CHECK(hip.hipMalloc(&pointer, 4) == Status::success);
}

TEST_CASE("a race between workgroups is an illegal address too") {
  const HipLibrary& hip = simulated_driver();
  const hip::FunctionHandle kernel = hip.kernel(scale_add(), "scale_add");
  // Every workgroup writes what the next one reads.
  constexpr std::uint32_t count = 300;
  const std::vector<float> values = floats(count + 100, 1);
  void* const both = hip.buffer(values);
  ScaleAdd launch{static_cast<float*>(both) + 100, both, hip.buffer(values), 2, count};
  REQUIRE(launch.launch(hip, kernel) == Status::success);
  const std::string said =
      standard_error([&] { CHECK(hip.hipDeviceSynchronize() == Status::illegal_address); });
  INFO(said);
  CHECK(said.find("hazards") != std::string::npos);
  CHECK(said.find("global_race") != std::string::npos);
}

TEST_CASE("memory that is freed in the wrong order is found when the work runs") {
  const HipLibrary& hip = simulated_driver();
  const hip::StreamHandle s = stream(hip), other = stream(hip);
  void* const buffer = hip.buffer(64);
  hip.ok(hip.hipFreeAsync(buffer, s));
  hip.ok(hip.hipMemsetAsync(buffer, 0, 64, other));
  hip.ok(hip.hipStreamSynchronize(s));
  const std::string said =
      standard_error([&] { CHECK(hip.hipStreamSynchronize(other) == Status::illegal_address); });
  CHECK(said.find("no longer, allocated") != std::string::npos);
}

TEST_CASE("a reset drops work that has not run") {
  const HipLibrary& hip = simulated_driver();
  std::uint32_t target = 1;
  void* const buffer = hip.buffer(std::vector<std::uint32_t>{2});
  hip.ok(hip.hipMemcpyAsync(&target, buffer, 4, CopyKind::device_to_host, nullptr));
  hip.ok(hip.hipDeviceReset());
  hip.ok(hip.hipDeviceSynchronize());
  CHECK(target == 1);
  CHECK(hip.hipFree(buffer) == Status::invalid_value);
}

TEST_CASE("threads with streams of their own get their own results") {
  const HipLibrary& hip = simulated_driver();
  const hip::FunctionHandle kernel = hip.kernel(scale_add(), "scale_add");
  constexpr std::size_t threads = 4;
  constexpr std::uint32_t count = 300;
  std::array<int, threads> wrong{};
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const hip::StreamHandle s = stream(hip);
      for (std::uint64_t round = 0; round < 3; ++round) {
        const std::vector<float> a = floats(count, 10 * t + round), b = floats(count, 100 + t);
        std::vector<float> out(count);
        ScaleAdd launch{hip.buffer(count * 4), hip.buffer(count * 4), hip.buffer(count * 4), 0.75f, count};
        hip.ok(hip.hipMemcpyAsync(launch.a, a.data(), count * 4, CopyKind::host_to_device, s));
        hip.ok(hip.hipMemcpyAsync(launch.b, b.data(), count * 4, CopyKind::host_to_device, s));
        hip.ok(launch.launch(hip, kernel, s));
        hip.ok(hip.hipMemcpyAsync(out.data(), launch.out, count * 4, CopyKind::device_to_host, s));
        hip.ok(hip.hipStreamSynchronize(s));
        for (std::uint32_t i = 0; i < count; ++i) {
          const float product = a[i] * 0.75f;
          wrong[t] += out[i] != product + b[i];
        }
        for (void* pointer : {launch.out, launch.a, launch.b}) hip.ok(hip.hipFree(pointer));
      }
      hip.ok(hip.hipStreamDestroy(s));
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const int count_wrong : wrong) CHECK(count_wrong == 0);
}
