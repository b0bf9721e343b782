// One attention kernel of one head, its launches on the simulated driver, and data whose result is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <dlfcn.h>

#include <catch2/catch_test_macros.hpp>

#include "tests/abi/support.h"
#include "tests/runtime/support.h"

namespace wavesmith::test {

using Launcher = std::unique_ptr<wavesmith_launcher, Destroyer<wavesmith_launcher_close>>;
using Loaded = std::unique_ptr<wavesmith_loaded_kernel, Destroyer<wavesmith_loaded_kernel_destroy>>;

inline Launcher opened(const char* library = WAVESMITH_TEST_HIP_DRIVER) {
  wavesmith_launcher* launcher = nullptr;
  ok(wavesmith_launcher_open(library, &launcher));
  return Launcher(launcher);
}

inline constexpr std::size_t kElements = std::size_t{64} * 64;

/// One head of 64 queries and keys of one sequence: planned for four buffers.
inline wavesmith_launch planned(const wavesmith_kernel* kernel, const std::array<std::uint64_t, 4>& qkvo) {
  wavesmith_attention_shapes shapes{};
  shapes.struct_size = sizeof shapes;
  shapes.batch = 1;
  shapes.seqlen_q = shapes.seqlen_kv = 64;
  ok(wavesmith_contiguous_strides(WAVESMITH_BSHD, 64, 1, 64, &shapes.q));
  shapes.k = shapes.v = shapes.o = shapes.q;
  wavesmith_attention_buffers buffers{};
  buffers.struct_size = sizeof buffers;
  buffers.q = qkvo[0];
  buffers.k = qkvo[1];
  buffers.v = qkvo[2];
  buffers.o = qkvo[3];
  wavesmith_launch launch{};
  launch.struct_size = sizeof launch;
  ok(wavesmith_plan_attention(kernel, &shapes, &buffers, &launch));
  return launch;
}

/// A function of a library that the process has open.
template <class Function>
Function* function_of(const char* library, const char* name) {
  void* const opened = dlopen(library, RTLD_NOW);
  REQUIRE(opened != nullptr);
  void* const found = dlsym(opened, name);
  REQUIRE(found != nullptr);
  return reinterpret_cast<Function*>(found);
}

/// The kernel from a Jit of its own, loaded on device 0 of a HIP library.
struct OneHead {
  TemporaryFolder folder;
  AbiJit jit = jit_on(folder.file("cache"));
  Kernel kernel = kernel_of(
      jit.get(), request_of(R"({"head_size": 64, "num_query_heads": 1, "num_kv_heads": 1, "mask": "full",
                               "block_m": 128, "block_n": 32, "compiler": "llvm"})")
                     .get());
  Launcher launcher;
  Loaded loaded;

  explicit OneHead(const char* library = WAVESMITH_TEST_HIP_DRIVER) : launcher(opened(library)) {
    wavesmith_loaded_kernel* made = nullptr;
    ok(wavesmith_launcher_load(launcher.get(), 0, kernel.get(), &made));
    loaded.reset(made);
  }
};

/// Tensors whose result is known: all keys are alike, so that every row of O is the mean of V's rows. These
/// are alike too, each column a number for which bf16 has room, and come out whatever the weights are rounded
/// to.
struct OneHeadData {
  std::vector<std::uint16_t> q = std::vector<std::uint16_t>(kElements);
  std::vector<std::uint16_t> k = std::vector<std::uint16_t>(kElements, 0x3f80);
  std::vector<std::uint16_t> v = columns(0);

  OneHeadData() {
    for (std::size_t i = 0; i < kElements; ++i) q[i] = static_cast<std::uint16_t>(0x3e00 + i % 97);
  }
  /// V with the numbers from 2 on in steps of 1/64, turned by `first` columns.
  static std::vector<std::uint16_t> columns(std::size_t first) {
    std::vector<std::uint16_t> v(kElements);
    for (std::size_t i = 0; i < kElements; ++i) v[i] = static_cast<std::uint16_t>(0x4000 + (i + first) % 64);
    return v;
  }
};

}  // namespace wavesmith::test
