// Handles that release themselves, and small requests, for the tests of the C interface.
#pragma once

#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "wavesmith/wavesmith.h"

namespace wavesmith::test {

template <auto Destroy>
struct Destroyer {
  template <class T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};
using Request = std::unique_ptr<wavesmith_request, Destroyer<wavesmith_request_destroy>>;
using AbiJit = std::unique_ptr<wavesmith_jit, Destroyer<wavesmith_jit_destroy>>;
using Kernel = std::unique_ptr<wavesmith_kernel, Destroyer<wavesmith_kernel_destroy>>;

/// Fails the test, with what the library says, unless the call went well.
inline void ok(wavesmith_status status) {
  if (status != WAVESMITH_OK)
    FAIL("status " << status << ": " << wavesmith_last_error() << '\n' << wavesmith_last_error_log());
}

inline Request request_of(const std::string& json) {
  wavesmith_request* request = nullptr;
  ok(wavesmith_request_from_json(json.c_str(), &request));
  return Request(request);
}

/// A kernel of few instructions for its kind; `fields` are more members of the object.
inline std::string small_kernel(const std::string& fields = "") {
  return R"({"head_size": 64, "num_query_heads": 2, "num_kv_heads": 1, "block_m": 128, "block_n": 32, )"
         R"("compiler": "llvm")" +
         (fields.empty() ? "" : ", " + fields) + "}";
}

inline AbiJit jit_on(const std::string& directory) {
  wavesmith_jit_options options{};
  options.struct_size = sizeof options;
  options.cache_directory = directory.c_str();
  options.workers = 2;
  wavesmith_jit* jit = nullptr;
  ok(wavesmith_jit_create(&options, &jit));
  return AbiJit(jit);
}

inline Kernel kernel_of(wavesmith_jit* jit, const wavesmith_request* request) {
  wavesmith_kernel* kernel = nullptr;
  ok(wavesmith_jit_get(jit, request, &kernel));
  REQUIRE(kernel != nullptr);
  return Kernel(kernel);
}

inline wavesmith_kernel_info info_of(const wavesmith_kernel* kernel) {
  wavesmith_kernel_info info{};
  info.struct_size = sizeof info;
  ok(wavesmith_kernel_get_info(kernel, &info));
  return info;
}

inline wavesmith_statistics statistics_of(wavesmith_jit* jit) {
  wavesmith_statistics statistics{};
  statistics.struct_size = sizeof statistics;
  ok(wavesmith_jit_statistics(jit, &statistics));
  return statistics;
}

inline wavesmith_refusal refusal(std::size_t index) {
  wavesmith_refusal refusal{};
  refusal.struct_size = sizeof refusal;
  REQUIRE(wavesmith_refusal_get(index, &refusal) == WAVESMITH_OK);
  return refusal;
}

}  // namespace wavesmith::test
