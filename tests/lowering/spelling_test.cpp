// Spelling of types and constants, judged by LLVM: it must read each constant as the bits that it stands for.
#include <bit>
#include <limits>
#include <regex>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "lowering/llvm_spelling.h"
#include "tests/lowering/support.h"

namespace wavesmith::lowering::testing {
namespace {

using namespace ir;

TEST_CASE("spelling: LLVM reads every constant as the bits it stands for") {
  struct Constant {
    Type type;
    std::uint64_t bits;
  };
  std::vector<Constant> constants;
  for (float value : {0.0F, -0.0F, 1.0F, 0.1F, -3.5F, 1e-40F, std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::max(),
                      std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::quiet_NaN()})
    constants.push_back({f32, std::bit_cast<std::uint32_t>(value)});
  for (std::uint64_t bits : {0x0000, 0x8000, 0x3c00, 0x0001, 0x7c00, 0xfbff, 0x7e00})
    constants.push_back({f16, bits});
  for (std::uint64_t bits : {0x0000, 0x8000, 0x3f80, 0x0001, 0xff80, 0x7fc0, 0x40a5})
    constants.push_back({bf16, bits});
  for (std::uint64_t bits : {0x0ULL, 0x1ULL, 0x7fffffffULL, 0x80000000ULL, 0xffffffffULL})
    constants.push_back({i32, bits});
  for (std::uint64_t bits : {0x0ULL, 0x8000000000000000ULL, 0xffffffffffffffffULL})
    constants.push_back({i64, bits});
  for (std::uint64_t bits : {0x7fffULL, 0x8000ULL}) constants.push_back({i16, bits});
  for (std::uint64_t bits : {0ULL, 1ULL}) constants.push_back({i1, bits});

  std::string text;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const auto& [type, bits] = constants[i];
    text += fmt::format("define i{0} @f{1}() {{\n  %r = bitcast {2} {3} to i{0}\n  ret i{0} %r\n}}\n",
                        scalar_bits(type), i, llvm_type(type), llvm_constant(type, bits));
  }
  const std::string folded = opt(text, "instsimplify");
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const auto& [type, bits] = constants[i];
    CAPTURE(to_string(type), bits, llvm_constant(type, bits));
    const std::regex function(fmt::format(R"(@f{}\(\) \{{\s+ret i\d+ (-?\d+|true|false)\s)", i));
    std::smatch value;
    REQUIRE(std::regex_search(folded, value, function));
    const std::string read = value[1].str();
    const std::int64_t number = read == "true" ? 1 : read == "false" ? 0 : std::stoll(read);
    const unsigned unused = 64 - scalar_bits(type);
    CHECK((static_cast<std::uint64_t>(number) << unused) == (bits << unused));
  }
}

TEST_CASE("spelling: a vector constant has its element in every lane") {
  const std::string text = fmt::format(
      "define i64 @f() {{\n  %r = bitcast {} {} to i64\n  ret i64 %r\n}}\n"
      "define i128 @g() {{\n  %r = bitcast {} {} to i128\n  ret i128 %r\n}}\n",
      llvm_type(bf16.vector(4)), llvm_constant(bf16.vector(4), 0x3f80), llvm_type(f32.vector(4)),
      llvm_constant(f32.vector(4), 0));
  const std::string folded = opt(text, "instsimplify");
  CHECK(folded.find(fmt::format("ret i64 {}", 0x3f803f803f803f80)) != std::string::npos);
  CHECK(folded.find("ret i128 0") != std::string::npos);
}

TEST_CASE("spelling: types and their parts of intrinsic names") {
  CHECK(llvm_type(i32) == "i32");
  CHECK(llvm_type(bf16.vector(8)) == "<8 x bfloat>");
  CHECK(llvm_type(f16.vector(2)) == "<2 x half>");
  CHECK(llvm_type(global_ptr) == "ptr addrspace(1)");
  CHECK(llvm_type(lds_ptr) == "ptr addrspace(3)");
  CHECK(llvm_type(buffer_resource) == "ptr addrspace(8)");
  CHECK(mangled_type(f32) == "f32");
  CHECK(mangled_type(bf16.vector(8)) == "v8bf16");
  CHECK(mangled_type(i64) == "i64");
  CHECK(mangled_type(buffer_resource) == "p8");
}

}  // namespace
}  // namespace wavesmith::lowering::testing
