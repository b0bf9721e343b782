// The comgr backend on what it must refuse and survive, with every comgr that tools/compilers.sh unpacked.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/code_object.h"
#include "tests/compilers/toolchains.h"
#include "tests/runtime/compiler_support.h"
#include "tests/runtime/support.h"

namespace wavesmith::test {
namespace {

using Catch::Matchers::ContainsSubstring;
using runtime::Backend;
using runtime::CompileRequest;
using runtime::CompilerPool;

/// Runs a check with each comgr; skips where there is none.
template <class Check>
void with_each_comgr(Check check) {
  static const Toolchains all = find_toolchains(WAVESMITH_COMPILERS);
  bool any = false;
  for (const auto& compiler : all.ready) {
    CompilerPool* pool = compiler->comgr_pool();
    if (pool == nullptr) continue;
    INFO(compiler->name());
    check(*pool);
    any = true;
  }
  if (!any) SKIP(fmt::format("no comgr here; {}", fmt::join(all.skipped, "\n")));
}

CompileRequest request_for_comgr(std::string_view ir, std::string_view target = "gfx950") {
  CompileRequest request = request_for(ir, target);
  request.backend = Backend::comgr;
  return request;
}

Error error_of(CompilerPool& pool, const CompileRequest& request) {
  auto result = pool.compile(request);
  REQUIRE_FALSE(result);
  return std::move(result).error();
}

void check_serves(CompilerPool& pool) {
  const auto result = pool.compile(request_for_comgr(looping_kernel()));
  INFO((result ? "" : result.error().message + result.error().log));
  REQUIRE(result);
  CHECK(runtime::read_code_object(result->hsaco)->find_kernel("looping") != nullptr);
}

}  // namespace

TEST_CASE("comgr: library and preprocessor agree on the version of its LLVM") {
  static const Toolchains all = find_toolchains(WAVESMITH_COMPILERS);
  bool any = false;
  for (const auto& compiler : all.ready) {
    const std::string name = compiler->name();  // "comgr 7.0.2 on LLVM 21.1.8"
    if (!name.starts_with("comgr ")) continue;
    const std::string set = "comgr-" + name.substr(6, name.rfind('.', name.find(" on")) - 6);
    // What the newer C library's loader keeps looks like a leak to a sanitizer made for the older one.
    const std::string says =
        run(fmt::format("ASAN_OPTIONS=detect_leaks=0 '{0}/bin/with-newer-libc' '{1}' "
                        "'{0}/{2}/usr/lib/x86_64-linux-gnu/libamd_comgr.so.3'",
                        WAVESMITH_COMPILERS, WAVESMITH_COMGR_VERSION, set));
    const std::string version = name.substr(name.rfind(' ') + 1), major = version.substr(0, 2);
    // The preprocessor is clang's, which is in comgr itself and may be of another patch version than the
    // library.
    CHECK_THAT(says, Catch::Matchers::StartsWith(version + "\n" + major + "."));
    any = true;
  }
  if (!any) SKIP(fmt::format("no comgr here; {}", fmt::join(all.skipped, "\n")));
}

TEST_CASE("comgr: what it is and what it compiles for") {
  with_each_comgr([](CompilerPool& pool) {
    const auto info = pool.describe(Backend::comgr);
    REQUIRE(info);
    CHECK(info->supports(*runtime::parse_target_id("gfx950:xnack-")));
    CHECK(info->supports(*runtime::parse_target_id("gfx1201")));
    CHECK_THAT(info->version, ContainsSubstring(fmt::format("LLVM {}.", info->llvm_major)));
    const auto result = pool.compile(request_for_comgr(looping_kernel()));
    REQUIRE(result);
    CHECK(result->compiler == info->identity);
    CHECK(result->log.empty());
    CHECK(result->milliseconds.codegen > 0);
    CHECK(result->milliseconds.link > 0);
    // comgr and LLVM are libraries of their own: a build id of 20 bytes each.
    const std::size_t build = info->identity.find(", build ");
    REQUIRE(build != std::string::npos);
    CHECK(info->identity.size() == build + 8 + 40 + 1 + 40);
  });
}

TEST_CASE("comgr: the request's target, level and wishes are followed") {
  with_each_comgr([](CompilerPool& pool) {
    CompileRequest request = request_for_comgr(looping_kernel(), "gfx942:sramecc+:xnack-");
    request.want_assembly = true;
    request.want_disassembly = true;
    const auto fast = pool.compile(request);
    REQUIRE(fast);
    CHECK(runtime::read_code_object(fast->hsaco)->target.text() == "gfx942:sramecc+:xnack-");
    CHECK_THAT(fast->assembly, ContainsSubstring(".amdhsa_kernel looping"));
    CHECK_THAT(fast->disassembly, ContainsSubstring("s_endpgm"));
    request.optimization_level = 0;
    const auto slow = pool.compile(request);
    REQUIRE(slow);
    const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
    CHECK(lines(slow->disassembly) > lines(fast->disassembly));
  });
}

TEST_CASE("comgr: what it rejects is an error with its log, and the next request is served") {
  with_each_comgr([](CompilerPool& pool) {
    const Error syntax =
        error_of(pool, request_for_comgr("define amdgpu_kernel void @k() {\n  frobnicate i32 3\n}\n"));
    CHECK(syntax.kind == ErrorKind::compiler_failed);
    CHECK_THAT(syntax.message, ContainsSubstring("expected instruction opcode"));
    CHECK_THAT(syntax.log, ContainsSubstring("frobnicate i32 3"));

    const std::string flag =
        "\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 500}\n";
    const Error unknown = error_of(pool, request_for_comgr(R"(
      declare i32 @llvm.amdgcn.no.such.thing(i32)
      define amdgpu_kernel void @k(ptr addrspace(1) %p) {
        %v = call i32 @llvm.amdgcn.no.such.thing(i32 3)
        store i32 %v, ptr addrspace(1) %p
        ret void
      })" + flag));
    CHECK(unknown.kind == ErrorKind::compiler_failed);
    CHECK_THAT(unknown.log, ContainsSubstring("llvm.amdgcn.no.such.thing"));
    check_serves(pool);

    // Its abort takes the worker down, not this program.
    const Error abort = error_of(pool, request_for_comgr(R"(
      declare { i32, i32 } @llvm.amdgcn.permlane32.swap(i32, i32, i1 immarg, i1 immarg)
      define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %x) {
        %pair = call { i32, i32 } @llvm.amdgcn.permlane32.swap(i32 %x, i32 %x, i1 false, i1 false)
        %v = extractvalue { i32, i32 } %pair, 0
        store i32 %v, ptr addrspace(1) %p
        ret void
      })" + flag,
                                                         "gfx942"));
    CHECK(abort.kind == ErrorKind::compiler_failed);
    CHECK_THAT(abort.message + abort.log,
               ContainsSubstring("annot select") || ContainsSubstring("not supported"));
    check_serves(pool);
  });
}

TEST_CASE("comgr: a code object version that the text does not have is refused") {
  with_each_comgr([](CompilerPool& pool) {
    CompileRequest request = request_for_comgr(looping_kernel());  // whose flag says 5
    request.code_object_version = 6;
    const Error error = error_of(pool, request);
    CHECK(error.kind == ErrorKind::invalid_request);
    REQUIRE(error.refusals.size() == 1);
    CHECK(error.refusals[0].field == "code_object_version");
  });
}

TEST_CASE("comgr: no results are kept on disk, whatever the environment says") {
  const TemporaryFolder folder;
  const std::string cache = folder.file("cache");
  setenv("AMD_COMGR_CACHE", "1", 1);
  setenv("AMD_COMGR_CACHE_DIR", cache.c_str(), 1);
  const Toolchains all = find_toolchains(WAVESMITH_COMPILERS);  // starts workers
  bool any = false;
  for (const auto& compiler : all.ready) {
    if (compiler->comgr_pool() == nullptr) continue;
    check_serves(*compiler->comgr_pool());
    any = true;
  }
  unsetenv("AMD_COMGR_CACHE");
  unsetenv("AMD_COMGR_CACHE_DIR");
  CHECK_FALSE(std::filesystem::exists(cache));
  if (!any) SKIP(fmt::format("no comgr here; {}", fmt::join(all.skipped, "\n")));
}

}  // namespace wavesmith::test
