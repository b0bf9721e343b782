// What threads do with the C interface at the same time; its own program, which the thread sanitizer runs
// too.
#include <array>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/abi/support.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::test;

TEST_CASE("abi: threads share a Jit, kernels and requests") {
  const TemporaryFolder folder;
  const AbiJit jit = jit_on(folder.file("cache"));
  const Request request = request_of(small_kernel()), wrong = request_of(small_kernel(R"("mask": "round")"));
  std::array<std::string, 8> keys, errors;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < keys.size(); ++i)
      threads.emplace_back([&, i] {
        for (int round = 0; round < 50; ++round) {
          wavesmith_kernel* kernel = nullptr;
          if (wavesmith_jit_get(jit.get(), request.get(), &kernel) != WAVESMITH_OK) return;
          const Kernel own(kernel);
          wavesmith_kernel_info info{};
          info.struct_size = sizeof info;
          if (wavesmith_kernel_get_info(kernel, &info) != WAVESMITH_OK) return;
          keys[i] = info.key;
          if (wavesmith_jit_prepare(jit.get(), wrong.get(), &kernel) == WAVESMITH_INVALID_REQUEST)
            errors[i] = wavesmith_last_error();
        }
      });
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CHECK(keys[i].size() == 64);
    CHECK(keys[i] == keys[0]);
    CHECK(errors[i].find("mask") != std::string::npos);
  }
  CHECK(statistics_of(jit.get()).compiles == 1);
}

TEST_CASE("abi: every thread has its own last error") {
  CHECK(wavesmith_supports(nullptr) == WAVESMITH_INVALID_ARGUMENT);
  const std::string before = wavesmith_last_error();
  std::thread([] {
    CHECK(wavesmith_last_error() == std::string_view());
    CHECK(wavesmith_request_create(nullptr, nullptr) == WAVESMITH_INVALID_ARGUMENT);
  }).join();
  CHECK(wavesmith_last_error() == before);
}
