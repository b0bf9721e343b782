// Which compiler is chosen, for every combination of what is there and what is wanted.
#include "runtime/compiler_choice.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace wavesmith;
using namespace wavesmith::runtime;
using Catch::Matchers::ContainsSubstring;

namespace {

Expected<CompilerInfo> compiler(std::uint32_t llvm_major, std::vector<std::string> processors = {"gfx950"}) {
  return CompilerInfo{.version = "LLVM " + std::to_string(llvm_major),
                      .identity = "some",
                      .llvm_major = llvm_major,
                      .processors = std::move(processors)};
}

Expected<CompilerInfo> absent() {
  return fail(ErrorKind::environment, "not there");
}

/// "comgr llvm21", or the error's message.
std::string chosen(const Expected<CompilerInfo>& comgr, Backend wanted, std::string_view flavour,
                   const Expected<CompilerInfo>& llvm = compiler(22)) {
  const auto choice = choose_compiler(comgr, llvm, wanted, flavour, "gfx950:sramecc+");
  if (!choice) return choice.error().message;
  CHECK(choice->compiler.llvm_major == choice->flavour->llvm_major);
  return std::string(name_of(choice->backend)) + " " + std::string(choice->flavour->name);
}

}  // namespace

TEST_CASE("choice: auto takes comgr where its LLVM has a flavour and it has the target, else llvm") {
  CHECK(chosen(compiler(21), Backend::automatic, "auto") == "comgr llvm21");
  CHECK(chosen(compiler(22), Backend::automatic, "auto") == "comgr llvm22");
  CHECK(chosen(absent(), Backend::automatic, "auto") == "llvm llvm22");
  CHECK(chosen(compiler(15), Backend::automatic, "auto") == "llvm llvm22");
  CHECK(chosen(compiler(24), Backend::automatic, "auto") == "llvm llvm22");
  CHECK(chosen(compiler(21, {"gfx942"}), Backend::automatic, "auto") == "llvm llvm22");
}

TEST_CASE("choice: a named flavour takes the compiler that reads it") {
  CHECK(chosen(compiler(21), Backend::automatic, "llvm21") == "comgr llvm21");
  CHECK(chosen(compiler(21), Backend::automatic, "llvm22") == "llvm llvm22");
  CHECK(chosen(compiler(22), Backend::automatic, "llvm22") == "comgr llvm22");
  CHECK_THAT(chosen(compiler(21), Backend::automatic, "llvm23"),
             ContainsSubstring("flavour = llvm23") && ContainsSubstring("llvm22"));
  CHECK_THAT(chosen(compiler(21), Backend::comgr, "llvm22"), ContainsSubstring("flavour = llvm22"));
  CHECK_THAT(chosen(compiler(22), Backend::automatic, "llvm19"), ContainsSubstring("llvm20, llvm21"));
}

TEST_CASE("choice: what is asked for by name is taken or an error, never replaced") {
  CHECK(chosen(compiler(21), Backend::llvm, "auto") == "llvm llvm22");
  CHECK(chosen(compiler(21), Backend::comgr, "auto") == "comgr llvm21");
  CHECK(chosen(absent(), Backend::comgr, "auto") == "not there");
  CHECK_THAT(chosen(compiler(15), Backend::comgr, "auto"),
             ContainsSubstring("no flavour for the compiler LLVM 15"));
  CHECK_THAT(chosen(compiler(21, {"gfx942"}), Backend::comgr, "auto"),
             ContainsSubstring("target = gfx950:sramecc+"));
  CHECK(chosen(compiler(21), Backend::llvm, "auto", absent()) == "not there");
  CHECK_FALSE(choose_compiler(compiler(21), compiler(22), Backend::automatic, "auto", "gfx9999"));
}
