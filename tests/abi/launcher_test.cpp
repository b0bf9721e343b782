// Devices, memory, streams and launches through the C interface, on the simulated driver: what is wrong is
// refused before HIP sees it, and what the device does wrong comes back.
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "runtime/launcher/hip_abi.h"
#include "tests/abi/one_head.h"
#include "tests/hip/counted_allocations.h"

using namespace wavesmith::test;
namespace hip = wavesmith::hip;

namespace {

/// The launch as a program with HIP of its own makes it: with the packed block, by hip_runtime_api.h's
/// HIP_LAUNCH_PARAM_BUFFER_POINTER (1), _BUFFER_SIZE (2) and _END (3).
void launch_packed(const wavesmith_kernel* kernel, wavesmith_launch& launch, void* stream) {
  const char* const driver = WAVESMITH_TEST_HIP_DRIVER;
  const wavesmith_kernel_info info = info_of(kernel);
  hip::ModuleHandle module = nullptr;
  hip::FunctionHandle function = nullptr;
  REQUIRE(function_of<hip::Status(hip::ModuleHandle*, const void*)>(driver, "hipModuleLoadData")(
              &module, info.hsaco) == hip::Status::success);
  REQUIRE(function_of<hip::Status(hip::FunctionHandle*, hip::ModuleHandle, const char*)>(
              driver, "hipModuleGetFunction")(&function, module, info.symbol) == hip::Status::success);
  std::size_t bytes = launch.arguments_bytes;
  const auto key = [](std::uintptr_t number) { return reinterpret_cast<void*>(number); };
  std::array<void*, 5> extra{key(1), launch.arguments, key(2), &bytes, key(3)};
  REQUIRE(
      function_of<hip::Status(hip::FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, hip::StreamHandle, void**, void**)>(driver, "hipModuleLaunchKernel")(
          function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
          launch.block[2], launch.dynamic_lds_bytes, static_cast<hip::StreamHandle>(stream), nullptr,
          extra.data()) == hip::Status::success);
}

}  // namespace

TEST_CASE("abi: a launch through the C interface writes what the kernel computes, replanned or not") {
  OneHead at;
  auto& [folder, jit, kernel, launcher, loaded] = at;
  std::int32_t count = 0;
  ok(wavesmith_launcher_device_count(launcher.get(), &count));
  CHECK(count == 1);
  wavesmith_device_info device{};
  device.struct_size = sizeof device;
  ok(wavesmith_launcher_get_device(launcher.get(), 0, &device));
  CHECK(device.target == std::string_view("gfx950:sramecc+:xnack-"));
  CHECK(device.lds_bytes == 160 * 1024);  // CDNA 4
  CHECK(device.wave_size == 64);
  CHECK(wavesmith_launcher_get_device(launcher.get(), 1, &device) == WAVESMITH_INVALID_ARGUMENT);
  CHECK(wavesmith_launcher_get_device(launcher.get(), -1, &device) == WAVESMITH_INVALID_ARGUMENT);

  void* stream = nullptr;
  std::array<void*, 2> events{};
  ok(wavesmith_stream_create(launcher.get(), 0, &stream));
  for (void*& event : events) ok(wavesmith_event_create(launcher.get(), 0, &event));

  const OneHeadData data;
  std::vector<std::uint16_t> o(kElements);
  std::array<std::uint64_t, 4> buffers{};
  for (std::uint64_t& buffer : buffers)
    ok(wavesmith_memory_allocate(launcher.get(), 0, kElements * 2, &buffer));
  ok(wavesmith_event_record(launcher.get(), events[0], stream));
  ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[0], data.q.data(), kElements * 2, stream));
  ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[1], data.k.data(), kElements * 2, stream));
  ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[2], data.v.data(), kElements * 2, stream));
  ok(wavesmith_memory_fill(launcher.get(), buffers[3], 0xff, kElements * 2, stream));
  wavesmith_launch launch = planned(kernel.get(), buffers);
  ok(wavesmith_launcher_launch(launcher.get(), loaded.get(), &launch, stream));
  std::memset(launch.arguments, 0xee, sizeof launch.arguments);  // they were copied
  ok(wavesmith_memory_copy_to_host(launcher.get(), o.data(), buffers[3], kElements * 2, stream));
  ok(wavesmith_event_record(launcher.get(), events[1], stream));
  CHECK(o == std::vector<std::uint16_t>(kElements));  // nothing has waited
  ok(wavesmith_event_synchronize(launcher.get(), events[1]));
  CHECK(o == data.v);
  float milliseconds = 0;
  ok(wavesmith_event_elapsed(launcher.get(), events[0], events[1], &milliseconds));
  CHECK(milliseconds > 0);
  ok(wavesmith_stream_wait(launcher.get(), stream, events[1]));
  ok(wavesmith_stream_synchronize(launcher.get(), stream));

  // Replanned, and launched by HIP itself.
  launch = planned(kernel.get(), buffers);
  ok(wavesmith_memory_fill(launcher.get(), buffers[3], 0xff, kElements * 2, stream));
  launch_packed(kernel.get(), launch, stream);
  o.assign(kElements, 0);
  ok(wavesmith_memory_copy_to_host(launcher.get(), o.data(), buffers[3], kElements * 2, stream));
  ok(wavesmith_stream_synchronize(launcher.get(), stream));
  CHECK(o == data.v);

  // Refused, and nothing has run.
  const auto refused = [&](auto change) {
    wavesmith_launch changed = launch;
    change(changed);
    const wavesmith_status status = wavesmith_launcher_launch(launcher.get(), loaded.get(), &changed, stream);
    CHECK((status == WAVESMITH_INVALID_ARGUMENT || status == WAVESMITH_INVALID_REQUEST));
    REQUIRE(wavesmith_refusal_count() == 1);
    return std::string(refusal(0).field);
  };
  CHECK(refused([](auto& l) { l.arguments_bytes -= 4; }) == "launch.arguments_bytes");
  CHECK(refused([](auto& l) { l.struct_size = 0; }) == "launch.struct_size");
  CHECK(refused([](auto& l) { l.grid[1] = 0; }) == "grid");
  CHECK(refused([](auto& l) { l.block[0] = 512; }) == "block");
  CHECK(refused([](auto& l) { l.dynamic_lds_bytes = 160 * 1024; }) == "dynamic_lds_bytes");
  wavesmith_loaded_kernel* made = loaded.get();
  CHECK(wavesmith_launcher_load(launcher.get(), 7, kernel.get(), &made) != WAVESMITH_OK);
  CHECK(made == nullptr);

  std::uint64_t modules = 7;
  ok(wavesmith_launcher_unload_unused(launcher.get(), &modules));
  CHECK(modules == 0);
  loaded.reset();
  ok(wavesmith_launcher_unload_unused(launcher.get(), &modules));
  CHECK(modules == 1);
  for (const std::uint64_t buffer : buffers) ok(wavesmith_memory_free(launcher.get(), buffer));
  for (void* const event : events) ok(wavesmith_event_destroy(launcher.get(), event));
  ok(wavesmith_stream_destroy(launcher.get(), stream));
  CHECK(wavesmith_memory_free(launcher.get(), buffers[0]) != WAVESMITH_OK);
  CHECK(std::string(wavesmith_last_error()).find("hipFree") != std::string::npos);
}

TEST_CASE("abi: a launch allocates nothing and calls nothing but HIP's launch") {
  const OneHead at(WAVESMITH_TEST_RECORDING_HIP);
  const auto& [folder, jit, kernel, launcher, loaded] = at;
  const std::size_t before_planning = allocations();
  const wavesmith_launch launch = planned(kernel.get(), {0x100, 0x100, 0x100, 0x100});
  CHECK(allocations() > before_planning);  // those of the library are counted
  function_of<void()>(WAVESMITH_TEST_RECORDING_HIP, "forget_calls")();
  const std::size_t before = allocations();
  const wavesmith_status status = wavesmith_launcher_launch(launcher.get(), loaded.get(), &launch, nullptr);
  const std::size_t after = allocations();
  ok(status);
  CHECK(after == before);
  CHECK(function_of<const char*()>(WAVESMITH_TEST_RECORDING_HIP, "recorded_calls")() ==
        std::string_view("hipGetDevice hipModuleLaunchKernel "));
}

TEST_CASE("abi: work that fails on the device is a failed check where it is waited for") {
  const OneHead at;
  const auto& [folder, jit, kernel, launcher, loaded] = at;
  const wavesmith_launch launch = planned(kernel.get(), {0x10, 0x10, 0x10, 0x10});
  ok(wavesmith_launcher_launch(launcher.get(), loaded.get(), &launch, nullptr));
  CHECK(wavesmith_stream_synchronize(launcher.get(), nullptr) == WAVESMITH_CHECK_FAILED);
  CHECK(std::string(wavesmith_last_error()).find("hipErrorIllegalAddress") != std::string::npos);
}

TEST_CASE("abi: the launcher's functions refuse null by name") {
  const Launcher launcher = opened();
  wavesmith_launcher* const hip = launcher.get();
  wavesmith_launcher* other = nullptr;
  std::int32_t number = 0;
  std::uint64_t address = 0;
  float milliseconds = 0;
  char host[8]{};
  void* event = host;
  wavesmith_device_info info{};
  info.struct_size = sizeof info;
  wavesmith_launch launch{};
  launch.struct_size = sizeof launch;
  wavesmith_loaded_kernel* loaded = nullptr;
  const std::vector<std::pair<std::string, std::function<wavesmith_status()>>> calls{
      {"launcher", [&] { return wavesmith_launcher_open(nullptr, nullptr); }},
      {"launcher", [&] { return wavesmith_launcher_device_count(nullptr, &number); }},
      {"count", [&] { return wavesmith_launcher_device_count(hip, nullptr); }},
      {"launcher", [&] { return wavesmith_launcher_get_device(nullptr, 0, &info); }},
      {"info", [&] { return wavesmith_launcher_get_device(hip, 0, nullptr); }},
      {"launcher", [&] { return wavesmith_launcher_load(nullptr, 0, nullptr, &loaded); }},
      {"kernel", [&] { return wavesmith_launcher_load(hip, 0, nullptr, &loaded); }},
      {"launcher", [&] { return wavesmith_launcher_unload_unused(nullptr, nullptr); }},
      {"launcher", [&] { return wavesmith_launcher_launch(nullptr, nullptr, &launch, nullptr); }},
      {"loaded", [&] { return wavesmith_launcher_launch(hip, nullptr, &launch, nullptr); }},
      {"launcher", [&] { return wavesmith_stream_create(nullptr, 0, &event); }},
      {"stream", [&] { return wavesmith_stream_create(hip, 0, nullptr); }},
      {"launcher", [&] { return wavesmith_stream_destroy(nullptr, nullptr); }},
      {"launcher", [&] { return wavesmith_stream_synchronize(nullptr, nullptr); }},
      {"launcher", [&] { return wavesmith_stream_wait(nullptr, nullptr, host); }},
      {"event", [&] { return wavesmith_stream_wait(hip, nullptr, nullptr); }},
      {"event", [&] { return wavesmith_event_create(hip, 0, nullptr); }},
      {"launcher", [&] { return wavesmith_event_create(nullptr, 0, &event); }},
      {"event", [&] { return wavesmith_event_destroy(hip, nullptr); }},
      {"event", [&] { return wavesmith_event_record(hip, nullptr, nullptr); }},
      {"event", [&] { return wavesmith_event_synchronize(hip, nullptr); }},
      {"from", [&] { return wavesmith_event_elapsed(hip, nullptr, host, &milliseconds); }},
      {"to", [&] { return wavesmith_event_elapsed(hip, host, nullptr, &milliseconds); }},
      {"milliseconds", [&] { return wavesmith_event_elapsed(hip, host, host, nullptr); }},
      {"launcher", [&] { return wavesmith_memory_allocate(nullptr, 0, 4, &address); }},
      {"address", [&] { return wavesmith_memory_allocate(hip, 0, 4, nullptr); }},
      {"launcher", [&] { return wavesmith_memory_free(nullptr, 4); }},
      {"launcher", [&] { return wavesmith_memory_copy_to_device(nullptr, 0, host, 1, nullptr); }},
      {"from", [&] { return wavesmith_memory_copy_to_device(hip, 0, nullptr, 1, nullptr); }},
      {"launcher", [&] { return wavesmith_memory_copy_to_host(nullptr, host, 0, 1, nullptr); }},
      {"to", [&] { return wavesmith_memory_copy_to_host(hip, nullptr, 0, 1, nullptr); }},
      {"launcher", [&] { return wavesmith_memory_fill(nullptr, 0, 0, 1, nullptr); }},
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    INFO("call " << i << ", " << calls[i].first);
    CHECK(calls[i].second() == WAVESMITH_INVALID_ARGUMENT);
    REQUIRE(wavesmith_refusal_count() == 1);
    CHECK(refusal(0).field == calls[i].first);
  }
  wavesmith_launcher_close(nullptr);
  wavesmith_loaded_kernel_destroy(nullptr);
  CHECK(wavesmith_launcher_open("/nonexistent/libamdhip64.so", &other) == WAVESMITH_ENVIRONMENT);
  CHECK(other == nullptr);
}
