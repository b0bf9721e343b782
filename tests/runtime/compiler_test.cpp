// What compiles and what is refused: CompilerPool's results against clang and LLVM's tools, its errors by
// what they say.
#include "runtime/compiler.h"

#include <algorithm>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "runtime/code_object.h"
#include "runtime/worker_path.h"
#include "tests/runtime/compiler_support.h"
#include "tests/runtime/support.h"

using namespace wavesmith;
using namespace wavesmith::runtime;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::string_view kNoVersionKernel = R"(
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  ret void
})";

CodeObject read_result(const CompileResult& result) {
  auto object = read_code_object(result.hsaco);
  if (!object) FAIL(object.error().message);
  return std::move(*object);
}

std::vector<std::byte> code_of(const CodeObject& object, std::string_view kernel) {
  const auto code = object.code(*object.find_kernel(kernel));
  return {code.begin(), code.end()};
}

/// The error of a request that must not compile.
Error error_of(CompilerPool& pool, const CompileRequest& request) {
  auto result = pool.compile(request);
  REQUIRE_FALSE(result);
  return std::move(result).error();
}

std::string refused_field(const Error& error) {
  CHECK(error.kind == ErrorKind::invalid_request);
  return error.refusals.size() == 1 ? error.refusals[0].field
                                    : fmt::format("{} refusals", error.refusals.size());
}

}  // namespace

TEST_CASE("kernels compile to the bytes that clang makes of the same text") {
  CompilerPool pool(test::one_worker());
  const test::TemporaryFolder folder;
  test::write_text(folder.file("k.ll"), test::looping_kernel());
  for (const char* processor : {"gfx950", "gfx942", "gfx1030", "gfx1100", "gfx1151", "gfx1201"}) {
    for (const unsigned level : {1U, 2U, 3U}) {
      INFO(processor << " -O" << level);
      CompileRequest request = test::request_for(test::looping_kernel(), processor);
      request.optimization_level = level;
      const auto result = pool.compile(request);
      if (!result) FAIL(result.error().message);
      test::run(
          fmt::format("{} -x ir -O{} -target amdgcn-amd-amdhsa -mcpu={} -nogpulib -mcode-object-version=5 "
                      "-Wno-override-module {} -o {}",
                      WAVESMITH_CLANG, level, processor, folder.file("k.ll"), folder.file("k.hsaco")));
      const auto by_clang = read_code_object(test::read_bytes(folder.file("k.hsaco")));
      REQUIRE(by_clang);
      CHECK(code_of(read_result(*result), "looping") == code_of(*by_clang, "looping"));
    }
  }
}

TEST_CASE("a result says who compiled it and how long each step took") {
  CompilerPool pool(test::one_worker());
  const auto result = pool.compile(test::request_for(test::looping_kernel(), "gfx950"));
  REQUIRE(result);
  const std::string version = test::run(std::string(WAVESMITH_LLC) + " --version");
  const std::size_t at = version.find("LLVM version ");
  const std::string number = version.substr(at + 13, version.find('\n', at) - at - 13);
  CHECK_THAT(result->compiler, Catch::Matchers::StartsWith("LLVM " + number + " (llvm)"));
  CHECK_THAT(result->compiler, ContainsSubstring("LLD " + number));
  CHECK(pool.identity(Backend::llvm) == result->compiler);
  CHECK(pool.identity(Backend::automatic) == result->compiler);
  // Two builds of one version differ in the build ids: the one of the library that llc uses too, then the
  // worker's own.
  const auto build_id = [](const std::string& file) {
    const std::string notes = test::run(fmt::format("{} -n {}", WAVESMITH_READELF, file));
    const std::size_t id = notes.find("Build ID: ") + 10;
    return notes.substr(id, notes.find('\n', id) - id);
  };
  const std::string linked = test::run(std::string("ldd ") + WAVESMITH_LLC);
  const std::size_t library = linked.find("libLLVM");
  const std::size_t path = linked.find("=> ", library) + 3;
  CHECK_THAT(result->compiler,
             Catch::Matchers::EndsWith(
                 fmt::format(", build {}+{}", build_id(linked.substr(path, linked.find(' ', path) - path)),
                             build_id(find_compiler_worker().value()))));
  const CompileMilliseconds& time = result->milliseconds;
  for (const double step : {time.parse, time.verify, time.optimize, time.codegen, time.link}) CHECK(step > 0);
  CHECK(result->log.empty());
  CHECK(result->assembly.empty());
  CHECK(result->disassembly.empty());
}

TEST_CASE("the code object version is the request's, and text that says otherwise is refused") {
  CompilerPool pool(test::one_worker());
  for (const std::uint32_t version : {5U, 6U}) {
    CompileRequest request = test::request_for(kNoVersionKernel, "gfx950");
    request.code_object_version = version;
    CHECK(read_result(*pool.compile(request)).version == version);
    request.ir = test::two_kernels(static_cast<int>(version));
    CHECK(read_result(*pool.compile(request)).version == version);
    request.code_object_version = 11 - version;
    const Error error = error_of(pool, request);
    CHECK(refused_field(error) == "code_object_version");
    CHECK_THAT(error.message, ContainsSubstring(std::to_string(version * 100)));
  }
}

TEST_CASE("target settings reach the code object") {
  CompilerPool pool(test::one_worker());
  for (const char* target : {"gfx942:sramecc+:xnack-", "gfx950:xnack+", "gfx90a", "gfx1201"}) {
    CHECK(read_result(*pool.compile(test::request_for(kNoVersionKernel, target))).target.text() == target);
  }
  CompileRequest generic = test::request_for(kNoVersionKernel, "gfx9-4-generic");
  CHECK(refused_field(error_of(pool, generic)) == "code_object_version");
  generic.code_object_version = 6;
  CHECK(read_result(*pool.compile(generic)).generic_version == 1);
}

TEST_CASE("requests are refused with every field that is wrong") {
  CompilerPool pool(test::one_worker());
  CompileRequest request;
  request.target = "gfx9999";
  request.code_object_version = 4;
  request.optimization_level = 4;
  request.backend = Backend{7};
  const Error error = error_of(pool, request);
  std::vector<std::string> fields;
  for (const Refusal& refusal : error.refusals) fields.push_back(refusal.field);
  CHECK(fields ==
        std::vector<std::string>{"ir", "code_object_version", "optimization_level", "compiler", "target"});
  CHECK(pool.idle_workers().empty());  // no worker was needed to find out
}

TEST_CASE("a comgr that cannot be opened is an error that names it, and the worker goes on") {
  CompilerPoolOptions options = test::one_worker();
  options.comgr_library = "/no/such/folder/libamd_comgr.so.3";
  CompilerPool pool(options);
  const auto info = pool.describe(Backend::comgr);
  REQUIRE_FALSE(info);
  CHECK(info.error().kind == ErrorKind::environment);
  CHECK_THAT(info.error().message, ContainsSubstring(options.comgr_library));
  CompileRequest request = test::request_for(kNoVersionKernel, "gfx950");
  request.backend = Backend::comgr;
  CHECK(error_of(pool, request).kind == ErrorKind::environment);
  const std::vector<pid_t> workers = pool.idle_workers();
  request.backend = Backend::llvm;
  CHECK(pool.compile(request));
  CHECK(pool.idle_workers() == workers);
  // A library that is none of comgr.
  options.comgr_library = "libc.so.6";
  CompilerPool other(options);
  const auto no_comgr = other.describe(Backend::comgr);
  REQUIRE_FALSE(no_comgr);
  CHECK_THAT(no_comgr.error().message, ContainsSubstring("no function amd_comgr_get_version"));
}

TEST_CASE("text that contradicts the request is refused") {
  CompilerPool pool(test::one_worker());
  const std::string kernel(kNoVersionKernel);
  const auto error_with = [&](const std::string& ir) {
    return error_of(pool, test::request_for(ir, "gfx950"));
  };

  const Error layout = error_with("target datalayout = \"e-p:64:64\"\n" + kernel);
  CHECK(refused_field(layout) == "ir");
  CHECK_THAT(layout.message, ContainsSubstring("\"e-p:64:64\"") && ContainsSubstring("p8:128:128:128:48"));

  const Error triple = error_with("target triple = \"x86_64-unknown-linux-gnu\"\n" + kernel);
  CHECK(refused_field(triple) == "ir");
  CHECK_THAT(triple.message, ContainsSubstring("x86_64"));

  const Error processor = error_with("define void @f() \"target-cpu\"=\"gfx942\" { ret void }\n" + kernel);
  CHECK(refused_field(processor) == "target");
  CHECK_THAT(processor.message, ContainsSubstring("gfx942"));

  // What agrees is accepted.
  const auto agreeing = pool.compile(test::request_for(
      "target triple = \"amdgcn-amd-amdhsa\"\ndefine void @f() \"target-cpu\"=\"gfx950\" { ret void }\n" +
          kernel,
      "gfx950"));
  CHECK(agreeing);
}

TEST_CASE("a syntax error names line and column and shows the line") {
  CompilerPool pool(test::one_worker());
  const Error error = error_of(
      pool, test::request_for("define amdgpu_kernel void @k() {\n  frobnicate i32 3\n}\n", "gfx950"));
  CHECK(error.kind == ErrorKind::compiler_failed);
  CHECK_THAT(error.message, ContainsSubstring("kernel.ll:2:3: expected instruction opcode"));
  CHECK_THAT(error.log, ContainsSubstring("frobnicate i32 3") && ContainsSubstring("^"));
}

TEST_CASE("text that breaks the IR's rules is an error of the verifier") {
  CompilerPool pool(test::one_worker());
  const Error error = error_of(pool, test::request_for(R"(
    define amdgpu_kernel void @k(ptr addrspace(1) %p, i1 %c) {
      br i1 %c, label %a, label %b
    a:
      %x = load i32, ptr addrspace(1) %p
      br label %b
    b:
      store i32 %x, ptr addrspace(1) %p
      ret void
    })",
                                                       "gfx950"));
  CHECK(error.kind == ErrorKind::compiler_failed);
  CHECK_THAT(error.message, ContainsSubstring("does not dominate all uses"));
}

TEST_CASE("an unknown intrinsic is an error that names it, called or not") {
  CompilerPool pool(test::one_worker());
  const std::string called = R"(
    declare i32 @llvm.amdgcn.no.such.thing(i32)
    define amdgpu_kernel void @k(ptr addrspace(1) %p) {
      %v = call i32 @llvm.amdgcn.no.such.thing(i32 3)
      store i32 %v, ptr addrspace(1) %p
      ret void
    })";
  const std::string only_declared = "declare void @llvm.amdgcn.nor.this()\n" + std::string(kNoVersionKernel);
  const Error error = error_of(pool, test::request_for(called, "gfx950"));
  CHECK(error.kind == ErrorKind::compiler_failed);
  CHECK_THAT(error.message, ContainsSubstring("llvm.amdgcn.no.such.thing"));
  CHECK_THAT(error_of(pool, test::request_for(only_declared, "gfx950")).message,
             ContainsSubstring("llvm.amdgcn.nor.this"));
}

TEST_CASE("undefined functions, variables and assembly symbols are errors that name them") {
  CompilerPool pool(test::one_worker());
  const auto message_with = [&](const std::string& head, const std::string& body) {
    return error_of(pool, test::request_for(head + "\ndefine amdgpu_kernel void @k(ptr addrspace(1) %p) {\n" +
                                                body + "\n  ret void\n}\n",
                                            "gfx950"))
        .message;
  };
  CHECK_THAT(message_with("declare void @helper()", "  call void @helper()"),
             ContainsSubstring("undefined: helper"));
  CHECK_THAT(
      message_with("@table = external addrspace(1) global i32", "  store i32 1, ptr addrspace(1) @table"),
      ContainsSubstring("undefined: table"));
  // Only the linker can see this one.
  CHECK_THAT(
      message_with("",
                   "  call void asm sideeffect \"s_add_u32 s0, s0, missing_symbol@rel32@lo+4\", \"~{s0}\"()"),
      ContainsSubstring("undefined: missing_symbol"));
  // Dynamic LDS is declared like this and needs no definition.
  CHECK(pool.compile(test::request_for(
      "@dynamic = external addrspace(3) global [0 x i8]\n" + std::string(kNoVersionKernel), "gfx950")));
}

TEST_CASE("errors that the code generator reports are errors, with the other diagnostics in the log") {
  CompilerPool pool(test::one_worker());
  const Error error = error_of(pool, test::request_for(R"(
    @lds = internal addrspace(3) global [200000 x i8] poison
    define amdgpu_kernel void @k(ptr addrspace(1) %p) {
      %v = load volatile i32, ptr addrspace(3) @lds
      store i32 %v, ptr addrspace(1) %p
      ret void
    })",
                                                       "gfx950"));
  CHECK(error.kind == ErrorKind::compiler_failed);
  CHECK_THAT(error.message, ContainsSubstring("200000") && ContainsSubstring("163840"));
  CHECK_THAT(error.log, ContainsSubstring("error: "));
}

TEST_CASE("names that LLVM rewrote are noted in the log") {
  CompilerPool pool(test::one_worker());
  const std::string ir = R"(
    declare i32 @llvm.amdgcn.readfirstlane(i32)  ; @llvm.amdgcn.in.a.comment is not looked at
    define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %x) {
      %v = call i32 @llvm.amdgcn.readfirstlane(i32 %x)
      store i32 %v, ptr addrspace(1) %p
      ret void
    })";
  const auto result = pool.compile(test::request_for(ir, "gfx950"));
  REQUIRE(result);
  CHECK_THAT(result->log,
             ContainsSubstring("llvm.amdgcn.readfirstlane was rewritten") && !ContainsSubstring("comment"));
}

TEST_CASE("assembly and disassembly come on request and change no byte") {
  CompilerPool pool(test::one_worker());
  CompileRequest request = test::request_for(test::two_kernels(5), "gfx950");
  const auto plain = pool.compile(request);
  request.want_assembly = true;
  request.want_disassembly = true;
  const auto full = pool.compile(request);
  REQUIRE(plain);
  REQUIRE(full);
  CHECK(plain->hsaco == full->hsaco);
  CHECK_THAT(full->assembly, ContainsSubstring(".amdhsa_kernel first") && ContainsSubstring("; NumVgprs: "));

  // Instruction by instruction what llvm-objdump prints of the same file.
  const test::TemporaryFolder folder;
  test::write_bytes(folder.file("k.hsaco"), full->hsaco);
  std::istringstream by_objdump(test::run(fmt::format(
      "{} -d --no-show-raw-insn --disassemble-symbols=first {}", WAVESMITH_OBJDUMP, folder.file("k.hsaco"))));
  std::istringstream ours(full->disassembly);
  std::string line;
  std::getline(ours, line);
  CHECK(line == "first:");
  std::size_t instructions = 0;
  std::string after_kernel;
  for (std::string expected; std::getline(by_objdump, expected);) {
    if (!expected.starts_with('\t')) continue;
    expected = expected.substr(1, expected.find(" //") - 1);
    expected.erase(expected.find_last_not_of(' ') + 1);
    // llvm-objdump goes on with the filler up to the next symbol.
    if (after_kernel.empty()) std::getline(ours, line);
    if (line == "second:") after_kernel = expected;
    CHECK((after_kernel.empty() ? line.substr(line.find(":\t") + 2) : "s_nop 0") == expected);
    ++instructions;
  }
  CHECK(instructions > 5);
  CHECK(after_kernel == "s_nop 0");
}

TEST_CASE("line tables are kept and leave the code as it is") {
  CompilerPool pool(test::one_worker());
  const auto plain = pool.compile(test::request_for(test::looping_kernel(false), "gfx950"));
  const auto with_lines = pool.compile(test::request_for(test::looping_kernel(true), "gfx950"));
  REQUIRE(plain);
  REQUIRE(with_lines);
  CHECK(code_of(read_result(*plain), "looping") == code_of(read_result(*with_lines), "looping"));
  const test::TemporaryFolder folder;
  test::write_bytes(folder.file("k.hsaco"), with_lines->hsaco);
  const std::string lines =
      test::run(fmt::format("{} --debug-line {}", WAVESMITH_DWARFDUMP, folder.file("k.hsaco")));
  CHECK_THAT(lines, ContainsSubstring("attention.plan"));  // the file name in the text
}
