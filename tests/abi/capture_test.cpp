// Launches through the C interface inside a graph that the program captures with HIP itself: once captured,
// replayed with other data.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "runtime/launcher/hip_abi.h"
#include "tests/abi/one_head.h"

using namespace wavesmith::test;
namespace hip = wavesmith::hip;

namespace {

template <class... Parameters>
void call(const char* name, Parameters... parameters) {
  REQUIRE(function_of<hip::Status(Parameters...)>(WAVESMITH_TEST_HIP_DRIVER, name)(parameters...) ==
          hip::Status::success);
}

}  // namespace

TEST_CASE("abi: a launch is captured and replayed, each time with the data of that time") {
  const OneHead at;
  const auto& [folder, jit, kernel, launcher, loaded] = at;
  void* stream = nullptr;
  ok(wavesmith_stream_create(launcher.get(), 0, &stream));
  std::array<std::uint64_t, 4> buffers{};
  for (std::uint64_t& buffer : buffers)
    ok(wavesmith_memory_allocate(launcher.get(), 0, kElements * 2, &buffer));
  OneHeadData data;
  std::vector<std::uint16_t> o(kElements);
  ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[0], data.q.data(), kElements * 2, stream));
  ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[1], data.k.data(), kElements * 2, stream));
  ok(wavesmith_stream_synchronize(launcher.get(), stream));

  call("hipStreamBeginCapture", static_cast<hip::StreamHandle>(stream), hip::CaptureMode::global);
  {
    wavesmith_launch launch = planned(kernel.get(), buffers);
    ok(wavesmith_memory_copy_to_device(launcher.get(), buffers[2], data.v.data(), kElements * 2, stream));
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
    std::ranges::copy(OneHeadData::columns(first), data.v.begin());  // in place: the graph reads there
    call("hipGraphLaunch", graph, static_cast<hip::StreamHandle>(stream));
    ok(wavesmith_stream_synchronize(launcher.get(), stream));
    CHECK(o == data.v);
  }
  call("hipGraphExecDestroy", graph);
  call("hipGraphDestroy", captured);
  for (const std::uint64_t buffer : buffers) ok(wavesmith_memory_free(launcher.get(), buffer));
  ok(wavesmith_stream_destroy(launcher.get(), stream));
}
