// A kernel that LLVM compiled, loaded and run from end to end, against the same arithmetic on the host.
#include <cmath>
#include <fstream>
#include <iterator>

#include <catch2/catch_test_macros.hpp>

#include "wavesmith/simulator.h"

using namespace wavesmith;
using namespace wavesmith::simulator;

TEST_CASE(
    "a compiled kernel gives what its source says, on any number of threads, with plain and wide handlers") {
  std::ifstream file(WAVESMITH_TEST_SCALE_ADD, std::ios::binary);
  const std::vector<char> contents((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  REQUIRE(!contents.empty());
  auto device = Device::create("gfx950");
  REQUIRE(device);
  const auto module = device->load(std::as_bytes(std::span(contents)), "scale_add");
  REQUIRE(module);
  const auto kernels = device->kernels(*module);
  REQUIRE(kernels);
  REQUIRE(kernels->size() == 1);
  CHECK((*kernels)[0].arguments.size() == 5);

  constexpr std::uint32_t count = 997, guard = 64;
  const float scale = 1.0f / 3;
  std::vector<float> a(count), b(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    a[i] = std::ldexp(static_cast<float>(i) - 498.3f, static_cast<int>(i % 7) - 3);
    b[i] = 1.0f / (static_cast<float>(i) + 0.7f);
  }
  const auto input = [&](const std::vector<float>& values, const char* name) {
    const auto address = device->allocate(4 * count, {.name = name});
    REQUIRE(address);
    REQUIRE(device->write(*address, std::as_bytes(std::span(values))));
    return *address;
  };
  const DeviceAddress pa = input(a, "a"), pb = input(b, "b");
  std::optional<Report> first;
  for (const bool wide : {false, true}) {
    for (const unsigned threads : {1u, 2u, 5u}) {
      const auto out = device->allocate(4 * (count + guard), {.name = "out"});
      REQUIRE(out);
      REQUIRE(device->fill(*out, 4 * (count + guard), std::byte{0xff}));
      Launch launch{.kernel = "scale_add", .grid = {10, 1, 1}, .block = {100, 1, 1}};
      launch.arguments = {Argument::of(*out), Argument::of(pa), Argument::of(pb), Argument::of(scale),
                          Argument::of(count)};
      launch.options.threads = threads;
      launch.options.wide_vectors = wide;
      const auto report = device->launch(*module, launch);
      REQUIRE(report);
      REQUIRE(!report->fault);
      std::vector<float> values(count + guard);
      REQUIRE(device->read(*out, std::as_writable_bytes(std::span(values))));
      for (std::uint32_t i = 0; i < count; ++i) {
        const float product = a[i] * scale;
        CHECK(values[i] == product + b[i]);
      }
      for (std::uint32_t i = count; i < count + guard; ++i) CHECK(std::isnan(values[i]));
      if (!first) first = *report;
      CHECK(report->counters == first->counters);
      CHECK(report->cycles_by_unit == first->cycles_by_unit);
      REQUIRE(device->free(*out));
    }
  }
  // 10 workgroups of two waves; only active lanes move bytes.
  CHECK(first->counters.at("SQ_WAVES") == 20);
  CHECK(first->counters.at("SQ_INSTS_VMEM_RD") == 40);
  CHECK(first->counters.at("SQ_INSTS_VMEM_WR") == 20);
  for (const InstructionReport& i : first->instructions) {
    if (i.unit == "vmem_store") CHECK(i.counters.bytes == 4 * count);
  }
}
