// The Jit through the C interface: kernels are those of the C++ interface, failures have the compiler's log,
// a forked child goes on.
#include "wavesmith/jit.h"

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/abi/support.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::test;

TEST_CASE("abi: a kernel is the one that the C++ interface gives") {
  const TemporaryFolder folder;
  JitOptions options;
  options.cache_directory = folder.file("own");
  options.workers = 1;
  Jit own(options);
  JitRequest asked;
  asked.fields = {{"head_size", "64"}, {"num_query_heads", "2"}, {"num_kv_heads", "1"},
                  {"block_m", "128"},  {"block_n", "32"},        {"lse", "true"}};
  asked.compiler = "llvm";
  const Expected<JitKernelPointer> expected = own.get(asked);
  REQUIRE(expected);
  const JitKernel& wanted = **expected;

  const AbiJit jit = jit_on(folder.file("cache"));
  CHECK(wavesmith_jit_cache_directory(jit.get()) == folder.file("cache"));
  const Request request = request_of(small_kernel());
  ok(wavesmith_request_set(request.get(), "lse", "true"));
  const Kernel kernel = kernel_of(jit.get(), request.get());
  // A kernel stays what it is when its request changes.
  ok(wavesmith_request_set(request.get(), "lse", "false"));
  const wavesmith_kernel_info info = info_of(kernel.get());
  const auto* code = static_cast<const std::byte*>(info.hsaco);
  CHECK(std::vector<std::byte>(code, code + info.hsaco_bytes) == wanted.hsaco);
  CHECK(info.symbol == wanted.symbol);
  CHECK(info.target == wanted.target);
  CHECK(info.flavour == wanted.flavour);
  CHECK(info.compiler == wanted.compiler);
  CHECK(info.key == wanted.key);
  CHECK(info.ir_sha256 == wanted.ir_sha256);
  CHECK(info.code_object_id == wanted.code_object_id);
  CHECK(std::array{info.kernarg_bytes, info.vgpr, info.agpr, info.sgpr, info.vgpr_spills, info.sgpr_spills,
                   info.lds_bytes, info.scratch_bytes, info.workgroup_size} ==
        std::array{wanted.kernarg_bytes, wanted.vgpr, wanted.agpr, wanted.sgpr, wanted.vgpr_spills,
                   wanted.sgpr_spills, wanted.lds_bytes, wanted.scratch_bytes, wanted.workgroup_size});
  CHECK(info.workgroup_size == 256);  // 128 rows, 32 a wave of 64
  REQUIRE(info.argument_count == wanted.arguments.size());
  for (std::uint32_t i = 0; i < info.argument_count; ++i) {
    wavesmith_kernel_argument argument{};
    argument.struct_size = sizeof argument;
    ok(wavesmith_kernel_get_argument(kernel.get(), i, &argument));
    CHECK(argument.name == wanted.arguments[i].name);
    CHECK(argument.kind == wanted.arguments[i].kind);
    CHECK(argument.offset == wanted.arguments[i].offset);
    CHECK(argument.bytes == wanted.arguments[i].bytes);
  }
  wavesmith_kernel_argument argument{};
  argument.struct_size = sizeof argument;
  CHECK(wavesmith_kernel_get_argument(kernel.get(), info.argument_count, &argument) ==
        WAVESMITH_INVALID_ARGUMENT);

  // The disk served nobody yet; a second Jit on it compiles nothing.
  CHECK(statistics_of(jit.get()).compiles == 1);
  const AbiJit second = jit_on(folder.file("cache"));
  ok(wavesmith_request_set(request.get(), "lse", "true"));
  CHECK(std::string(info_of(kernel_of(second.get(), request.get()).get()).key) == info.key);
  CHECK(statistics_of(second.get()).compiles == 0);
  CHECK(statistics_of(second.get()).disk_hits == 1);
  std::array<char, 65> key{};
  ok(wavesmith_jit_key(second.get(), request.get(), key.data()));
  CHECK(key.data() == wanted.key);
}

TEST_CASE("abi: prepare says not ready and then has the kernel; warm serves a list, wrong ones too") {
  const TemporaryFolder folder;
  const AbiJit jit = jit_on(folder.file("cache"));
  const Request request = request_of(small_kernel());
  wavesmith_kernel* kernel = nullptr;
  CHECK(wavesmith_jit_prepare(jit.get(), request.get(), &kernel) == WAVESMITH_NOT_READY);
  CHECK(kernel == nullptr);
  CHECK(std::strlen(wavesmith_last_error()) > 0);
  wavesmith_status status = WAVESMITH_NOT_READY;
  for (int round = 0; round < 120'000 && status == WAVESMITH_NOT_READY; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    status = wavesmith_jit_prepare(jit.get(), request.get(), &kernel);
  }
  ok(status);
  const Kernel prepared(kernel);

  const Request other = request_of(small_kernel(R"("dtype": "fp16")"));
  const Request wrong = request_of(small_kernel(R"("mask": "round")"));
  const std::array<const wavesmith_request*, 3> requests{request.get(), wrong.get(), other.get()};
  std::array<wavesmith_kernel*, 3> kernels{};
  std::array<wavesmith_status, 3> statuses{};
  CHECK(wavesmith_jit_warm(jit.get(), requests.data(), 3, kernels.data(), statuses.data()) ==
        WAVESMITH_INVALID_REQUEST);
  CHECK(refusal(0).field == std::string_view("mask"));
  CHECK(statuses == std::array{WAVESMITH_OK + 0, WAVESMITH_INVALID_REQUEST + 0, WAVESMITH_OK + 0});
  const Kernel first(kernels[0]), last(kernels[2]);
  CHECK(kernels[1] == nullptr);
  CHECK(std::string(info_of(first.get()).key) == info_of(prepared.get()).key);
  CHECK(std::string(info_of(last.get()).key) != info_of(prepared.get()).key);
  CHECK(statistics_of(jit.get()).compiles == 2);
  ok(wavesmith_jit_warm(jit.get(), nullptr, 0, nullptr, nullptr));
  ok(wavesmith_jit_warm(jit.get(), requests.data(), 1, nullptr, nullptr));

  // Bundles and looking after the cache.
  const std::string bundle = folder.file("kernels.bundle");
  wavesmith_cache_report report{};
  report.struct_size = sizeof report;
  ok(wavesmith_cache_export(folder.file("cache").c_str(), bundle.c_str(), &report));
  CHECK(report.records == 4);  // two requests, two code objects
  ok(wavesmith_cache_import(bundle.c_str(), folder.file("copy").c_str(), nullptr));
  ok(wavesmith_cache_check(folder.file("copy").c_str(), 0, &report));
  CHECK(report.records == 4);
  CHECK(report.problems == 0);
  ok(wavesmith_cache_prune(folder.file("copy").c_str(), 0, WAVESMITH_UNLIMITED, &report));
  CHECK(report.records == 0);
  CHECK(report.removed == 4);
  CHECK(wavesmith_cache_import(folder.file("none").c_str(), folder.file("copy").c_str(), nullptr) ==
        WAVESMITH_ENVIRONMENT);
  write_text(bundle, "no bundle");
  CHECK(wavesmith_cache_import(bundle.c_str(), folder.file("copy").c_str(), nullptr) ==
        WAVESMITH_CHECK_FAILED);
}

TEST_CASE("abi: a compiler that cannot be started or that fails is an error with its words") {
  const TemporaryFolder folder;
  const std::string directory = folder.file("cache"), worker = folder.file("worker");
  write_text(worker, "#!/bin/sh\necho 'the worker says no' >&2\nexit 7\n");
  REQUIRE(chmod(worker.c_str(), 0755) == 0);
  wavesmith_jit_options options{};
  options.struct_size = sizeof options;
  options.cache_directory = directory.c_str();
  options.worker_path = worker.c_str();
  wavesmith_jit* made = nullptr;
  ok(wavesmith_jit_create(&options, &made));
  const AbiJit jit(made);
  wavesmith_kernel* kernel = nullptr;
  const wavesmith_status status = wavesmith_jit_get(jit.get(), request_of(small_kernel()).get(), &kernel);
  CHECK((status == WAVESMITH_COMPILER_FAILED || status == WAVESMITH_ENVIRONMENT));
  const std::string said = std::string(wavesmith_last_error()) + wavesmith_last_error_log();
  CHECK(said.find("the worker says no") != std::string::npos);
  CHECK(kernel == nullptr);
}

TEST_CASE("abi: after a fork, parent and child both get kernels") {
  const TemporaryFolder folder;
  const AbiJit jit = jit_on(folder.file("cache"));
  const Request request = request_of(small_kernel()), other = request_of(small_kernel(R"("lse": true)"));
  const std::string key = info_of(kernel_of(jit.get(), request.get()).get()).key;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    wavesmith_kernel* kernel = nullptr;
    int wrong = wavesmith_jit_get(jit.get(), other.get(), &kernel) == WAVESMITH_OK ? 0 : 1;
    wavesmith_kernel_destroy(kernel);
    if (wavesmith_jit_get(jit.get(), request.get(), &kernel) != WAVESMITH_OK) wrong |= 2;
    wavesmith_kernel_info info{};
    info.struct_size = sizeof info;
    if (wavesmith_kernel_get_info(kernel, &info) != WAVESMITH_OK || info.key != key) wrong |= 4;
    _exit(wrong);
  }
  const Kernel mine = kernel_of(jit.get(), other.get());
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(info_of(mine.get()).argument_count > 0);
}
