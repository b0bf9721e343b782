// The launcher on the simulated driver: devices, kernels, arguments, streams, capture; and on a library that
// writes down its calls: what a launch must not do.
#include "wavesmith/launcher.h"

#include <cstring>
#include <thread>

#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/hip/counted_allocations.h"
#include "tests/hip/hip_library.h"

using namespace wavesmith;
using namespace wavesmith::test;
using launcher::Argument;
using launcher::DeviceAddress;
using launcher::Launcher;

namespace {

constexpr std::uint32_t count = 250;

Launcher on_driver() {
  (void)simulated_driver();  // sets the environment, and resets
  auto opened = Launcher::open(WAVESMITH_TEST_HIP_DRIVER);
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

/// The value, or an exception with the error's message.
template <class T>
T got(Expected<T> value) {
  if (!value) throw std::runtime_error(value.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(value);
}

/// Whether a call was refused, and each of the texts is in its message.
template <class T>
bool refused(const Expected<T>& result, std::initializer_list<const char*> texts) {
  if (result) return false;
  UNSCOPED_INFO(result.error().message);
  if (result.error().kind != ErrorKind::invalid_request) return false;
  for (const char* text : texts)
    if (result.error().message.find(text) == std::string::npos) return false;
  return true;
}

struct Buffers {
  std::vector<float> a = floats(count, 1), b = floats(count, 2);
  DeviceAddress out, pa, pb;

  Buffers(const Launcher& hip, int device, launcher::Stream stream)
      : out(got(hip.allocate(device, count * 4))),
        pa(got(hip.allocate(device, count * 4))),
        pb(got(hip.allocate(device, count * 4))) {
    got(hip.copy_to_device(pa, std::as_bytes(std::span(a)), stream));
    got(hip.copy_to_device(pb, std::as_bytes(std::span(b)), stream));
  }
  [[nodiscard]] std::vector<Argument> arguments(float scale) const {
    return {Argument::buffer(out), Argument::buffer(pa), Argument::buffer(pb), Argument::value(scale),
            Argument::value(count)};
  }
  [[nodiscard]] std::size_t wrong(const std::vector<float>& values, float scale) const {
    std::size_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const float product = a[i] * scale;
      number += values[i] != product + b[i];
    }
    return number;
  }
};

constexpr launcher::Grid grid{.grid = {3, 1, 1}, .block = {100, 1, 1}};

}  // namespace

TEST_CASE("the launcher finds devices with their full target ids") {
  const Launcher hip = on_driver();
  REQUIRE(hip.devices().size() == 3);
  CHECK(hip.devices()[0].target == "gfx950:sramecc+:xnack-");
  CHECK(hip.devices()[0].compute_units == 256);
  CHECK(hip.devices()[0].lds_bytes == 163840);
  CHECK(hip.devices()[2].target == "gfx942:sramecc+:xnack-");
  CHECK(hip.devices()[2].ordinal == 2);
  CHECK(hip.hip_version() / 10'000'000 == 6);
}

TEST_CASE("a launch gives right numbers, when the stream is waited for and not before") {
  Launcher hip = on_driver();
  const launcher::Kernel kernel = got(hip.load(0, scale_add(), "scale_add"));
  REQUIRE(kernel.parameters().size() == 5);
  CHECK(kernel.parameters()[0].buffer);
  CHECK(kernel.parameters()[0].address_space == "global");
  CHECK(kernel.parameters()[3].size == 4);
  const launcher::Stream stream = got(hip.create_stream(0));
  const Buffers buffers(hip, 0, stream);
  std::vector<float> values(count);
  got(hip.launch(kernel, grid, buffers.arguments(1.75f), stream));
  got(hip.copy_to_host(std::as_writable_bytes(std::span(values)), buffers.out, stream));
  CHECK(buffers.wrong(values, 1.75f) == count);
  got(hip.synchronize(stream));
  CHECK(buffers.wrong(values, 1.75f) == 0);

  // A structure's bytes are an argument like any other.
  const std::array<float, 1> scale{-3};
  std::vector<Argument> arguments = buffers.arguments(0);
  arguments[3] = Argument::bytes(std::as_bytes(std::span(scale)));
  const launcher::Event begin = got(hip.create_event(0)), end = got(hip.create_event(0));
  const launcher::Stream reader = got(hip.create_stream(0));
  got(hip.record(begin, stream));
  got(hip.launch(kernel, grid, arguments, stream));
  got(hip.record(end, stream));
  got(hip.wait(reader, end));
  got(hip.copy_to_host(std::as_writable_bytes(std::span(values)), buffers.out, reader));
  got(hip.synchronize(reader));
  CHECK(buffers.wrong(values, -3) == 0);
  got(hip.synchronize_event(end));
  CHECK(got(hip.elapsed(begin, end)) > 0);
  got(hip.fill(buffers.out, std::byte{0}, count * 4, reader));
  got(hip.copy_to_host(std::as_writable_bytes(std::span(values)), buffers.out, reader));
  got(hip.synchronize(reader));
  CHECK(values == std::vector<float>(count));
  for (const launcher::Event event : {begin, end}) got(hip.destroy_event(event));
  for (const launcher::Stream one : {stream, reader}) got(hip.destroy_stream(one));
  got(hip.free(buffers.out));
}

TEST_CASE("arguments of the wrong number, size or kind are refused before HIP sees them") {
  Launcher hip = on_driver();
  const launcher::Kernel kernel = got(hip.load(0, scale_add(), "scale_add"));
  const Buffers buffers(hip, 0, nullptr);
  const std::vector<Argument> right = buffers.arguments(1);
  const auto with = [&](std::size_t at, Argument argument) {
    std::vector<Argument> changed = right;
    changed[at] = argument;
    return changed;
  };
  CHECK(refused(hip.launch(kernel, grid, std::span(right).first(4)), {"args = 4 values", "has 5 arguments"}));
  std::vector<Argument> more = right;
  more.push_back(Argument::value(1));
  CHECK(refused(hip.launch(kernel, grid, more), {"args = 6 values"}));
  CHECK(refused(hip.launch(kernel, grid, with(3, Argument::value(1.0))),
                {"args[3] = a value of 8 bytes", "a value of 4 bytes", "scale"}));
  CHECK(refused(hip.launch(kernel, grid, with(1, Argument::value(std::uint64_t{4096}))),
                {"args[1] = a value of 8 bytes", "a buffer"}));
  CHECK(refused(hip.launch(kernel, grid, with(4, Argument::buffer(buffers.out))), {"args[4] = a buffer"}));
  CHECK(refused(hip.launch(kernel, {.grid = {0, 1, 1}, .block = {100, 1, 1}}, right), {"grid = 0,1,1"}));
  CHECK(refused(hip.launch(kernel, {.grid = {1, 1, 1}, .block = {129, 1, 1}}, right),
                {"block = 129,1,1", "1 to 128 work-items"}));
  CHECK(refused(
      hip.launch(kernel, {.grid = {1, 1, 1}, .block = {100, 1, 1}, .dynamic_lds_bytes = 163841}, right),
      {"dynamic_lds_bytes = 163841", "163840"}));
  CHECK(hip.launch(kernel, grid, right).has_value());
  got(hip.synchronize(nullptr));
}

TEST_CASE("code is refused that a device cannot run, with both targets named") {
  Launcher hip = on_driver();
  CHECK(refused(hip.load(2, scale_add(), "scale_add"), {"gfx950", "device 2", "gfx942:sramecc+:xnack-"}));
  CHECK(refused(hip.load(3, scale_add(), "scale_add"), {"device = 3", "0 to 2"}));
  CHECK(refused(hip.load(0, scale_add(), "scale_ad"), {"kernel = scale_ad", "scale_add"}));
  std::vector<std::byte> damaged = scale_add();
  damaged.resize(damaged.size() / 2);
  CHECK(refused(hip.load(0, damaged, "scale_add"), {"code object"}));
}

TEST_CASE("a code object is loaded once for each device, and runs on each") {
  Launcher hip = on_driver();
  {
    const launcher::Kernel first = got(hip.load(0, scale_add(), "scale_add"));
    const launcher::Kernel again = got(hip.load(0, scale_add(), "scale_add"));
    const launcher::Kernel second = got(hip.load(1, scale_add(), "scale_add"));
    CHECK(second.device() == 1);
    for (const launcher::Kernel& kernel : {first, again, second}) {
      const launcher::Stream stream = got(hip.create_stream(kernel.device()));
      const Buffers buffers(hip, kernel.device(), stream);
      got(hip.synchronize(stream));
      std::vector<float> values(count);
      got(hip.launch(kernel, grid, buffers.arguments(2), nullptr));
      const HipLibrary raw(WAVESMITH_TEST_HIP_DRIVER);
      raw.ok(raw.hipSetDevice(kernel.device()));
      raw.ok(raw.hipDeviceSynchronize());
      raw.ok(raw.hipSetDevice(0));
      got(hip.copy_to_host(std::as_writable_bytes(std::span(values)), buffers.out, stream));
      got(hip.synchronize(stream));
      CHECK(buffers.wrong(values, 2) == 0);
    }
    CHECK(hip.unload_unused() == 0);
  }
  CHECK(hip.unload_unused() == 2);
}

TEST_CASE("a launch can be captured and replayed with new data; loading cannot, and says so") {
  Launcher hip = on_driver();
  const HipLibrary raw(WAVESMITH_TEST_HIP_DRIVER);
  const launcher::Kernel kernel = got(hip.load(0, scale_add(), "scale_add"));
  const launcher::Stream stream = got(hip.create_stream(0));
  Buffers buffers(hip, 0, stream);
  got(hip.synchronize(stream));
  auto* const handle = static_cast<hip::StreamHandle>(stream);
  raw.ok(raw.hipStreamBeginCapture(handle, hip::CaptureMode::global));
  got(hip.launch(kernel, grid, buffers.arguments(5), stream));
  hip::GraphHandle captured = nullptr;
  hip::GraphExecHandle graph = nullptr;
  raw.ok(raw.hipStreamEndCapture(handle, &captured));
  raw.ok(raw.hipGraphInstantiate(&graph, captured, nullptr, nullptr, 0));
  std::vector<float> values(count);
  for (std::uint64_t round = 0; round < 2; ++round) {
    buffers.a = floats(count, 30 + round);
    got(hip.copy_to_device(buffers.pa, std::as_bytes(std::span(buffers.a)), stream));
    raw.ok(raw.hipGraphLaunch(graph, handle));
    got(hip.copy_to_host(std::as_writable_bytes(std::span(values)), buffers.out, stream));
    got(hip.synchronize(stream));
    CHECK(buffers.wrong(values, 5) == 0);
  }
  raw.ok(raw.hipStreamBeginCapture(handle, hip::CaptureMode::global));
  const auto late = hip.load(0, biased(), "biased");
  REQUIRE(!late);
  CHECK(late.error().message.find("hipModuleLoadData: hipErrorStreamCaptureUnsupported") !=
        std::string::npos);
  CHECK(raw.hipStreamEndCapture(handle, &captured) == Status::stream_capture_invalidated);
}

TEST_CASE("HIP's errors are error values with their names") {
  Launcher hip = on_driver();
  const auto too_much = hip.allocate(0, std::size_t{400} << 30);
  REQUIRE(!too_much);
  CHECK(too_much.error().kind == ErrorKind::environment);
  CHECK(too_much.error().message.find("hipMalloc: hipErrorOutOfMemory") == 0);
  const auto no_stream = hip.synchronize(&hip);
  REQUIRE(!no_stream);
  CHECK(no_stream.error().kind == ErrorKind::invalid_request);
  CHECK(no_stream.error().message.find("hipErrorInvalidHandle") != std::string::npos);

  // A kernel that strays.
  const launcher::Kernel kernel = got(hip.load(0, scale_add(), "scale_add"));
  const Buffers buffers(hip, 0, nullptr);
  std::vector<Argument> arguments = buffers.arguments(1);
  arguments[0] = Argument::buffer(buffers.out + 4);
  got(hip.launch(kernel, grid, arguments));
  Expected<void> synchronized;
  (void)standard_error([&] { synchronized = hip.synchronize(nullptr); });
  REQUIRE(!synchronized);
  CHECK(synchronized.error().kind == ErrorKind::check_failed);
  CHECK(synchronized.error().message.find("hipErrorIllegalAddress") != std::string::npos);
  const auto after = hip.launch(kernel, grid, buffers.arguments(1));
  REQUIRE(!after);
  CHECK(after.error().message.find("hipModuleLaunchKernel: hipErrorIllegalAddress") == 0);
  (void)simulated_driver();  // resets: what the launcher unloads is gone
}

TEST_CASE("threads load and launch through one launcher") {
  Launcher hip = on_driver();
  std::array<std::size_t, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const int device = static_cast<int>(t % 2);
      const launcher::Kernel kernel = got(hip.load(device, scale_add(), "scale_add"));
      const launcher::Stream stream = got(hip.create_stream(device));
      const Buffers buffers(hip, device, stream);
      std::vector<float> values(count);
      got(hip.launch(kernel, grid, buffers.arguments(static_cast<float>(t)), stream));
      got(hip.copy_to_host(std::as_writable_bytes(std::span(values)), buffers.out, stream));
      got(hip.synchronize(stream));
      wrong[t] = buffers.wrong(values, static_cast<float>(t));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::size_t one : wrong) CHECK(one == 0);
}

TEST_CASE(
    "a launch allocates nothing and calls nothing but the launch; device properties of HIP 5 are read") {
  Launcher hip = got(Launcher::open(WAVESMITH_TEST_RECORDING_HIP));
  CHECK(hip.devices()[1].target == "gfx950:sramecc+:xnack-");
  CHECK(hip.devices()[1].name == "Recorder 1");
  CHECK(hip.devices()[1].compute_units == 7);
  CHECK(hip.hip_version() == 50221153);
  void* const library = dlopen(WAVESMITH_TEST_RECORDING_HIP, RTLD_NOW);
  const auto calls = reinterpret_cast<const char* (*)()>(dlsym(library, "recorded_calls"));
  const auto forget = reinterpret_cast<void (*)()>(dlsym(library, "forget_calls"));
  const launcher::Kernel first = got(hip.load(0, scale_add(), "scale_add"));
  const launcher::Kernel second = got(hip.load(1, scale_add(), "scale_add"));
  const std::vector<Argument> arguments{Argument::buffer(1), Argument::buffer(2), Argument::buffer(3),
                                        Argument::value(1.0f), Argument::value(2)};
  const auto launched = [&](const launcher::Kernel& kernel) {
    forget();
    const std::size_t before = allocations();
    const bool done = hip.launch(kernel, grid, arguments).has_value();
    const std::size_t made = allocations() - before;
    CHECK(done);
    CHECK(made == 0);
    return std::string(calls());
  };
  CHECK(launched(first) == "hipGetDevice hipModuleLaunchKernel ");
  CHECK(launched(second) == "hipGetDevice hipSetDevice(1) hipModuleLaunchKernel hipSetDevice(0) ");
  forget();
  CHECK(refused(hip.launch(first, grid, {}), {"args = 0 values"}));
  CHECK(std::string(calls()).empty());
  (void)got(hip.load(0, scale_add(), "scale_add"));
  CHECK(std::string(calls()).find("hipModuleLoadData") == std::string::npos);
}
