#include "tests/hip/hip_library.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include <dlfcn.h>
#include <unistd.h>

namespace wavesmith::test {

HipLibrary::HipLibrary(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto find = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library, name);
    if (symbol == nullptr) throw std::runtime_error(std::string("no function ") + name);
    std::memcpy(&function, &symbol, sizeof symbol);
  };
  find(hipGetErrorName, "hipGetErrorName");
  find(hipGetErrorString, "hipGetErrorString");
#define WAVESMITH_TEST_FIND(name, ...) find(name, #name);
  WAVESMITH_TEST_HIP_FUNCTIONS(WAVESMITH_TEST_FIND)
#undef WAVESMITH_TEST_FIND
}

void HipLibrary::ok(Status status) const {
  if (status != Status::success) throw std::runtime_error(hipGetErrorName(status));
}

void* HipLibrary::buffer(std::size_t bytes) const {
  void* pointer = nullptr;
  ok(hipMalloc(&pointer, bytes));
  return pointer;
}

hip::FunctionHandle HipLibrary::kernel(const std::vector<std::byte>& code_object, const char* name) const {
  hip::ModuleHandle module = nullptr;
  hip::FunctionHandle function = nullptr;
  ok(hipModuleLoadData(&module, code_object.data()));
  ok(hipModuleGetFunction(&function, module, name));
  return function;
}

const HipLibrary& simulated_driver() {
  static const HipLibrary library = [] {
    setenv("WAVESMITH_SIM_ARCH", "gfx950,gfx950,gfx942", 1);
    unsetenv("HIP_VISIBLE_DEVICES");
    return HipLibrary(WAVESMITH_TEST_HIP_DRIVER);
  }();
  for (const int device : {2, 1, 0}) {
    library.ok(library.hipSetDevice(device));
    library.ok(library.hipDeviceReset());
  }
  (void)library.hipGetLastError();
  return library;
}

std::vector<std::byte> file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
  if (chars.empty()) throw std::runtime_error("no file " + path);
  const auto* const first = reinterpret_cast<const std::byte*>(chars.data());
  return {first, first + chars.size()};
}

std::vector<std::byte> scale_add() {
  return file_bytes(WAVESMITH_TEST_SCALE_ADD);
}

std::vector<std::byte> biased() {
  return file_bytes(WAVESMITH_TEST_BIASED "gfx950.hsaco");
}

std::vector<std::byte> biased_gfx942() {
  return file_bytes(WAVESMITH_TEST_BIASED "gfx942.hsaco");
}

Status ScaleAdd::launch(const HipLibrary& hip, hip::FunctionHandle kernel, hip::StreamHandle stream) {
  std::array<void*, 5> parameters{&out, &a, &b, &scale, &count};
  return hip.hipModuleLaunchKernel(kernel, groups(), 1, 1, 100, 1, 1, 0, stream, parameters.data(), nullptr);
}

Status ScaleAdd::launch_packed(const HipLibrary& hip, hip::FunctionHandle kernel, hip::StreamHandle stream,
                               std::size_t bytes) const {
  // Three pointers, then two words.
  std::array<std::byte, 32> packed{};
  std::memcpy(packed.data(), &out, 8);
  std::memcpy(packed.data() + 8, &a, 8);
  std::memcpy(packed.data() + 16, &b, 8);
  std::memcpy(packed.data() + 24, &scale, 4);
  std::memcpy(packed.data() + 28, &count, 4);
  const auto key = [](std::uintptr_t value) { return reinterpret_cast<void*>(value); };
  std::array<void*, 5> extra{key(1), packed.data(), key(2), &bytes, key(3)};
  const Status status =
      hip.hipModuleLaunchKernel(kernel, groups(), 1, 1, 100, 1, 1, 0, stream, nullptr, extra.data());
  packed.fill(std::byte{0xee});  // the call has copied them
  return status;
}

std::vector<float> floats(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(count);
  for (float& value : values)
    value = std::ldexp(static_cast<float>(static_cast<std::int32_t>(random() >> 32)), -31);
  return values;
}

std::string standard_error(const std::function<void()>& body) {
  std::FILE* const file = std::tmpfile();
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  body();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace wavesmith::test
