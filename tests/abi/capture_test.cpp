// Launches through the C interface inside a graph that the program captures with HIP itself: once captured,
// replayed with other data.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "runtime/launcher/hip_abi.h"
#include "tests/abi/one_head.h"
#include "tests/runtime/support.h"

using namespace wavesmith::test;
namespace hip = wavesmith::hip;

namespace {

template <class... Parameters>
void call(const char* name, Parameters... parameters) {
  REQUIRE(function_of<hip::Status(Parameters...)>(WAVESMITH_TEST_HIP_DRIVER, name)(parameters...) ==
          hip::Status::success);
}

/// With keys that are all alike every row is the mean of V's rows, which are alike too: bf16 numbers from 2
/// on, in steps of 1/64, another one in each column.
std::vector<std::uint16_t> columns(std::size_t first) {
  std::vector<std::uint16_t> v(kElements);
  for (std::size_t i = 0; i < kElements; ++i) v[i] = static_cast<std::uint16_t>(0x4000 + (i + first) % 64);
  return v;
}

}  // namespace

TEST_CASE("abi: a launch is captured and replayed, each time with the data of that time") {
  const TemporaryFolder folder;
  const AbiJit jit = jit_on(folder.file("cache"));
  const Kernel kernel = one_head(jit.get());
  const Launcher launcher = opened();
  wavesmith_loaded_kernel* made = nullptr;
  ok(wavesmith_launcher_load(launcher.get(), 0, kernel.get(), &made));
  const Loaded loaded(made);
  void* stream = nullptr;
  ok(wavesmith_stream_create(launcher.get(), 0, &stream));
  std::array<std::uint64_t, 4> buffers{};
  for (std::uint64_t& buffer : buffers)
    ok(wavesmith_memory_allocate(launcher.get(), 0, kElements * 2, &buffer));
  std::vector<std::uint16_t> q(kElements), k(kElements, 0x3f80), v = columns(0), o(kElements);
  for (std::size_t i = 0; i < kElements; ++i) q[i] = static_cast<std::uint16_t>(0x3e00 + i % 97);
  ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[0], q.data(), kElements * 2, stream));
  ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[1], k.data(), kElements * 2, stream));
  ok(wavesmith_stream_synchronize(launcher.get(), stream));

  call("hipStreamBeginCapture", static_cast<hip::StreamHandle>(stream), hip::CaptureMode::global);
  {
    wavesmith_launch launch = planned(kernel.get(), buffers);
    ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[2], v.data(), kElements * 2, stream));
    ok(wavesmith_memory_fill(launcher.get(), buffers[3], 0xff, kElements * 2, stream));
    ok(wavesmith_launcher_launch(launcher.get(), loaded.get(), &launch, stream));
    ok(wavesmith_memory_copy_to_host(launcher.get(), o.data(), buffers[3], kElements * 2, stream));
  }
  hip::GraphHandle captured = nullptr;
  hip::GraphExecHandle graph = nullptr;
  call("hipStreamEndCapture", static_cast<hip::StreamHandle>(stream), &captured);
  call("hipGraphInstantiate", &graph, captured, static_cast<hip::GraphNodeHandle*>(nullptr),
       static_cast<char*>(nullptr), std::size_t{0});
  ok(wavesmith_stream_synchronize(launcher.get(), stream));
  CHECK(o == std::vector<std::uint16_t>(kElements));  // captured, not run

  for (const std::size_t first : {0, 7, 31}) {
    CAPTURE(first);
    std::ranges::copy(columns(first), v.begin());  // in place: the graph reads there
    call("hipGraphLaunch", graph, static_cast<hip::StreamHandle>(stream));
    ok(wavesmith_stream_synchronize(launcher.get(), stream));
    CHECK(o == v);
  }
  call("hipGraphExecDestroy", graph);
  call("hipGraphDestroy", captured);
  for (const std::uint64_t buffer : buffers) ok(wavesmith_memory_free(launcher.get(), buffer));
  ok(wavesmith_stream_destroy(launcher.get(), stream));
}
