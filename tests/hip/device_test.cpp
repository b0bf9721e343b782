// The simulated driver's devices: properties in both layouts, attributes, memory, modules, errors.
#include <cstring>
#include <numeric>

#include <catch2/catch_test_macros.hpp>

#include "tests/hip/hip_library.h"

using namespace wavesmith;
using namespace wavesmith::test;
using hip::CopyKind;

TEST_CASE("both layouts of device properties describe the device that the variable names") {
  const HipLibrary& hip = simulated_driver();
  int count = 0;
  REQUIRE(hip.hipGetDeviceCount(&count) == Status::success);
  REQUIRE(count == 3);
  for (const auto& [device, target, units, lds] : {std::tuple{0, "gfx950:sramecc+:xnack-", 256, 160 * 1024},
                                                   {2, "gfx942:sramecc+:xnack-", 304, 64 * 1024}}) {
    // Whatever lies behind the structure must stay: the layouts differ in size.
    struct {
      hip::PropertiesR0000 properties;
      std::array<unsigned char, 1024> behind;
    } old{};
    old.behind.fill(0xa5);
    hip::PropertiesR0600 current{};
    REQUIRE(hip.hipGetDeviceProperties(&old.properties, device) == Status::success);
    REQUIRE(hip.hipGetDevicePropertiesR0600(&current, device) == Status::success);
    for (const unsigned char byte : old.behind) REQUIRE(byte == 0xa5);
    CHECK(std::string(old.properties.gcnArchName.data()) == target);
    CHECK(std::string(current.gcnArchName.data()) == target);
    CHECK(std::string(current.name.data()).find("Simulated") == 0);
    CHECK(old.properties.multiProcessorCount == units);
    CHECK(current.multiProcessorCount == units);
    CHECK(current.sharedMemPerBlock == static_cast<std::size_t>(lds));
    CHECK(old.properties.sharedMemPerBlock == current.sharedMemPerBlock);
    CHECK(old.properties.warpSize == 64);
    CHECK(current.maxThreadsPerMultiProcessor == 2048);  // 4 SIMDs of 8 waves of 64
    CHECK(old.properties.major == 9);
    // hipDeviceAttributeMultiprocessorCount, …WarpSize, …MaxSharedMemoryPerBlock, …ClockRate.
    for (const auto& [attribute, value] :
         {std::pair{63, units}, {87, 64}, {74, lds}, {5, current.clockRate}, {23, 9}}) {
      int got = -1;
      CHECK(hip.hipDeviceGetAttribute(&got, attribute, device) == Status::success);
      CHECK(got == value);
    }
  }
  hip::PropertiesR0600 none{};
  CHECK(hip.hipGetDevicePropertiesR0600(&none, 3) == Status::invalid_device);
  CHECK(hip.hipSetDevice(-1) == Status::invalid_device);
}

TEST_CASE("copies of every kind move bytes and refuse what does not fit") {
  const HipLibrary& hip = simulated_driver();
  std::vector<std::uint8_t> source(1000);
  std::iota(source.begin(), source.end(), std::uint8_t{7});
  void* const a = hip.buffer(1000);
  void* const b = hip.buffer(1000);
  CHECK(hip.hipMemcpy(a, source.data(), 1000, CopyKind::host_to_device) == Status::success);
  CHECK(hip.hipMemcpy(b, a, 1000, CopyKind::device_to_device) == Status::success);
  CHECK(hip.contents<std::uint8_t>(b, 1000) == source);
  std::vector<std::uint8_t> back(1000);
  CHECK(hip.hipMemcpy(back.data(), b, 1000, CopyKind::by_address) == Status::success);
  CHECK(back == source);
  std::vector<std::uint8_t> host(1000);
  CHECK(hip.hipMemcpy(host.data(), source.data(), 1000, CopyKind::host_to_host) == Status::success);
  CHECK(host == source);

  CHECK(hip.hipMemcpy(a, source.data(), 1001, CopyKind::host_to_device) == Status::invalid_value);
  CHECK(hip.hipMemcpy(a, source.data(), 10, CopyKind::device_to_host) == Status::invalid_memcpy_direction);
  CHECK(hip.hipMemcpy(nullptr, source.data(), 10, CopyKind::host_to_device) == Status::invalid_value);
  CHECK(hip.hipMemset(static_cast<char*>(a) + 990, 0, 11) == Status::invalid_value);

  // Rows of 30 bytes, 100 apart, next to one another.
  CHECK(hip.hipMemcpy2DAsync(b, 30, a, 100, 30, 10, CopyKind::device_to_device, nullptr) == Status::success);
  const auto rows = hip.contents<std::uint8_t>(b, 300);
  for (std::size_t i = 0; i < 300; ++i) CHECK(rows[i] == source[i / 30 * 100 + i % 30]);
  CHECK(hip.hipMemcpy2DAsync(b, 30, a, 100, 30, 11, CopyKind::device_to_device, nullptr) ==
        Status::invalid_value);

  CHECK(hip.hipMemsetD32Async(a, 0x01020304, 250, nullptr) == Status::success);
  for (const std::uint32_t word : hip.contents<std::uint32_t>(a, 250)) REQUIRE(word == 0x01020304);

  CHECK(hip.hipFree(a) == Status::success);
  CHECK(hip.hipFree(a) == Status::invalid_value);
  CHECK(hip.hipMemcpy(a, source.data(), 1000, CopyKind::host_to_device) == Status::invalid_value);
  CHECK(hip.hipFree(static_cast<char*>(b) + 4) == Status::invalid_value);
  void* huge = nullptr;
  CHECK(hip.hipMalloc(&huge, std::size_t{300} << 30) == Status::out_of_memory);  // of 288 GiB
  CHECK(hip.hipGetLastError() == Status::out_of_memory);
  CHECK(hip.hipGetLastError() == Status::success);
}

TEST_CASE("memory belongs to the device that was current, and says so") {
  const HipLibrary& hip = simulated_driver();
  std::size_t before = 0, after = 0, total = 0;
  hip.ok(hip.hipMemGetInfo(&before, &total));
  void* const first = hip.buffer(4096);
  hip.ok(hip.hipMemGetInfo(&after, &total));
  CHECK(before - after == 4096);
  hip.ok(hip.hipSetDevice(1));
  void* const second = hip.buffer(4096);
  CHECK(first != second);
  hip::PointerAttributes attributes{};
  REQUIRE(hip.hipPointerGetAttributes(&attributes, static_cast<char*>(second) + 100) == Status::success);
  CHECK(attributes.type == hip::MemoryType::device);
  CHECK(attributes.device == 1);
  const int local = 0;
  REQUIRE(hip.hipPointerGetAttributes(&attributes, &local) == Status::success);
  CHECK(attributes.type == hip::MemoryType::unregistered);
}

TEST_CASE("kernels read and write pinned, registered and managed memory of the host in place") {
  const HipLibrary& hip = simulated_driver();
  const hip::FunctionHandle kernel = hip.kernel(scale_add(), "scale_add");
  constexpr std::uint32_t count = 200;
  const std::vector<float> values = floats(count, 3);
  void* pinned = nullptr;
  void* managed = nullptr;
  hip.ok(hip.hipHostMalloc(&pinned, count * 4, 0));
  hip.ok(hip.hipMallocManaged(&managed, count * 4, 1));
  std::vector<float> registered(values);
  hip.ok(hip.hipHostRegister(registered.data(), count * 4, 0));
  CHECK(hip.hipHostRegister(registered.data(), count * 4, 0) == Status::host_memory_already_registered);
  std::memcpy(managed, values.data(), count * 4);
  ScaleAdd launch{pinned, managed, registered.data(), 3.0f, count};
  hip.ok(launch.launch(hip, kernel));
  hip.ok(hip.hipDeviceSynchronize());
  for (std::uint32_t i = 0; i < count; ++i) {
    const float product = values[i] * 3.0f;
    REQUIRE(static_cast<const float*>(pinned)[i] == product + values[i]);
  }
  CHECK(hip.hipHostUnregister(registered.data()) == Status::success);
  CHECK(hip.hipHostUnregister(registered.data()) == Status::host_memory_not_registered);
  CHECK(hip.hipFree(pinned) == Status::invalid_value);
  CHECK(hip.hipHostFree(pinned) == Status::success);
  CHECK(hip.hipFree(managed) == Status::success);
}

TEST_CASE("modules give their kernels and variables, and refuse code of another target") {
  const HipLibrary& hip = simulated_driver();
  const std::vector<std::byte> code = biased();
  hip::ModuleHandle module = nullptr;
  REQUIRE(hip.hipModuleLoadData(&module, code.data()) == Status::success);
  hip::FunctionHandle kernel = nullptr;
  CHECK(hip.hipModuleGetFunction(&kernel, module, "no_such_kernel") == Status::not_found);
  REQUIRE(hip.hipModuleGetFunction(&kernel, module, "biased") == Status::success);
  hip::FunctionHandle again = nullptr;
  REQUIRE(hip.hipModuleGetFunction(&again, module, "biased") == Status::success);
  CHECK(again == kernel);
  int most = 0;
  CHECK(hip.hipFuncGetAttribute(&most, hip::FunctionAttribute::max_threads_per_block, kernel) ==
        Status::success);
  CHECK(most == 64);

  const std::vector<float> values = floats(128, 5);
  void* in = hip.buffer(values);
  void* out = hip.buffer(128 * 4);
  std::array<void*, 2> parameters{&out, &in};
  const auto launch = [&] {
    return hip.hipModuleLaunchKernel(kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, parameters.data(), nullptr);
  };
  REQUIRE(launch() == Status::success);
  auto got = hip.contents<float>(out, 128);
  for (std::size_t i = 0; i < 128; ++i) REQUIRE(got[i] == values[i] + 0.25f);
  void* bias = nullptr;
  std::size_t bytes = 0;
  REQUIRE(hip.hipModuleGetGlobal(&bias, &bytes, module, "bias") == Status::success);
  CHECK(bytes == 4);
  const float other = -2;
  REQUIRE(hip.hipMemcpy(bias, &other, 4, CopyKind::host_to_device) == Status::success);
  REQUIRE(launch() == Status::success);
  got = hip.contents<float>(out, 128);
  for (std::size_t i = 0; i < 128; ++i) REQUIRE(got[i] == values[i] - 2.0f);

  CHECK(hip.hipModuleLaunchKernel(kernel, 2, 1, 1, 128, 1, 1, 0, nullptr, parameters.data(), nullptr) ==
        Status::launch_failure);
  CHECK(hip.hipModuleLaunchKernel(kernel, 0, 1, 1, 64, 1, 1, 0, nullptr, parameters.data(), nullptr) ==
        Status::invalid_configuration);
  CHECK(hip.hipModuleLaunchKernel(kernel, 2, 1, 1, 64, 1, 1, 200'000, nullptr, parameters.data(), nullptr) ==
        Status::invalid_value);

  hip::ModuleHandle wrong = nullptr;
  const std::vector<std::byte> for_gfx942 = biased_gfx942();
  CHECK(hip.hipModuleLoadData(&wrong, for_gfx942.data()) == Status::no_binary_for_gpu);
  std::vector<std::byte> other_machine(code);
  other_machine[18] = std::byte{62};  // e_machine: x86-64
  CHECK(hip.hipModuleLoadData(&wrong, other_machine.data()) == Status::invalid_image);
  const std::array<char, 64> text{"no code object"};
  CHECK(hip.hipModuleLoadData(&wrong, text.data()) == Status::no_binary_for_gpu);
  CHECK(hip.hipModuleLoad(&wrong, "/nowhere/kernel.hsaco") == Status::file_not_found);

  CHECK(hip.hipModuleUnload(module) == Status::success);
  CHECK(launch() == Status::invalid_handle);
  CHECK(hip.hipModuleUnload(module) == Status::invalid_handle);
}

TEST_CASE("a bundle of code objects gives each device its own") {
  const HipLibrary& hip = simulated_driver();
  const std::array<std::pair<std::string, std::vector<std::byte>>, 3> entries{
      {{"host-x86_64-unknown-linux--", {}},
       {"hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+", biased_gfx942()},
       {"hipv4-amdgcn-amd-amdhsa--gfx950", biased()}}};
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__";
  const auto number = [&](std::uint64_t value) { bundle.append(reinterpret_cast<const char*>(&value), 8); };
  number(entries.size());
  std::size_t offset = bundle.size();
  for (const auto& [name, code] : entries) offset += 24 + name.size();
  for (const auto& [name, code] : entries) {
    number(offset);
    number(code.size());
    number(name.size());
    bundle += name;
    offset += code.size();
  }
  for (const auto& [name, code] : entries)
    bundle.append(reinterpret_cast<const char*>(code.data()), code.size());
  for (const int device : {0, 2}) {
    hip.ok(hip.hipSetDevice(device));
    hip::ModuleHandle module = nullptr;
    hip::FunctionHandle kernel = nullptr;
    REQUIRE(hip.hipModuleLoadData(&module, bundle.data()) == Status::success);
    REQUIRE(hip.hipModuleGetFunction(&kernel, module, "biased") == Status::success);
    const std::vector<float> values = floats(64, 6);
    void* in = hip.buffer(values);
    void* out = hip.buffer(64 * 4);
    std::array<void*, 2> parameters{&out, &in};
    hip.ok(hip.hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters.data(), nullptr));
    const auto got = hip.contents<float>(out, 64);
    for (std::size_t i = 0; i < 64; ++i) REQUIRE(got[i] == values[i] + 0.25f);
  }
}

TEST_CASE("occupancy counts workgroups by wave slots") {
  const HipLibrary& hip = simulated_driver();
  const hip::FunctionHandle kernel = hip.kernel(scale_add(), "scale_add");
  // A compute unit of gfx950 has 4 SIMDs with 8 wave slots; a workgroup of 100 is two waves of 64.
  int groups = 0;
  REQUIRE(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, 100, 0) == Status::success);
  CHECK(groups == 16);
  // 160 KiB of LDS hold two workgroups of 64 KiB.
  REQUIRE(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, 100, 65536) ==
          Status::success);
  CHECK(groups == 2);
  int grid = 0, block = 0;
  REQUIRE(hip.hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0) == Status::success);
  CHECK(block == 128);
  CHECK(grid == 16 * 256);
  CHECK(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, 0, 0) ==
        Status::invalid_value);
}

TEST_CASE("errors have their names") {
  const HipLibrary& hip = simulated_driver();
  CHECK(std::string(hip.hipGetErrorName(Status::illegal_address)) == "hipErrorIllegalAddress");
  CHECK(std::string(hip.hipGetErrorName(Status{100})) == "hipErrorNoDevice");
  CHECK(std::string(hip.hipGetErrorName(Status{424242})) == "hipErrorUnknown");
  CHECK(hip.hipGetErrorString(Status::success) != nullptr);
  // An answer that work is not done is no error.
  hip::EventHandle event = nullptr;
  hip.ok(hip.hipEventCreate(&event));
  hip.ok(hip.hipEventRecord(event, nullptr));
  CHECK(hip.hipEventQuery(event) == Status::not_ready);
  CHECK(hip.hipPeekAtLastError() == Status::success);
}
