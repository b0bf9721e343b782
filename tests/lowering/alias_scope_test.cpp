// Alias scopes of LDS accesses: present on every DMA and read that asks for one, disjoint, and enough to keep
// LLVM from draining all LDS DMA before each LDS read.
#include <array>
#include <regex>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/lowering/support.h"

namespace wavesmith::lowering::testing {
namespace {

using ir::AliasScope;
using ir::Builder;
using ir::Value;

// Double-buffered: fills one half of LDS while it reads the other.
std::string double_buffered(AliasScope write, AliasScope read) {
  TestKernel k;
  const Operands o(k);
  Builder& b = k.b;
  const auto half = [&](Value i) { return b.ptr_offset(o.lds, (i & 1) * 1024); };
  b.buffer_load_lds(o.in, o.lane * 4, half(b.i32(0)), 4, write);
  const std::array carried{ir::Carried{"sum", b.constant_f32(0)}};
  const auto sums = b.for_loop(b.i32(0), k.count, b.i32(1), "i", carried, [&](Value i, auto sum) {
    b.buffer_load_lds(o.in, (i << 10) + o.lane * 4, half(i + 1), 4, write);
    b.wait_vmcnt(1);
    b.barrier();
    const Value loaded = b.lds_load(b.ptr_offset(half(i), o.lane * 4), ir::f32, 4, read);
    const Value turned = b.lds_read_tr16(b.ptr_offset(half(i), o.lane * 8), ir::bf16.vector(4), read);
    const Value next = sum[0] + loaded + b.extract(b.bitcast(turned, ir::f32.vector(2)), 0);
    b.wait_lgkmcnt(0);
    b.barrier();
    return std::vector{next};
  });
  b.buffer_store(sums[0], o.out, o.lane);
  return lowered(k);
}

TEST_CASE("alias scopes: every LDS DMA and LDS read has its scope and excludes the other") {
  const std::string text = double_buffered(AliasScope::dma_write, AliasScope::lds_read);
  const std::regex scopes(R"(, !alias\.scope (!\d+), !noalias (!\d+))");
  const auto lists = [&](std::string_view access, std::size_t times) {
    const auto lines = lines_with(text, access);
    REQUIRE(lines.size() == times);
    std::smatch first;
    REQUIRE(std::regex_search(lines[0], first, scopes));
    for (const std::string& line : lines) {
      std::smatch match;
      REQUIRE(std::regex_search(line, match, scopes));
      CHECK(match[0] == first[0]);
    }
    return std::pair{first[1].str(), first[2].str()};
  };
  const auto dma = lists("call void @llvm.amdgcn.raw.ptr.buffer.load.lds(", 2);
  const auto read = lists("= load ", 1);
  const auto transposed = lists("= call <4 x bfloat> @llvm.amdgcn.ds.read.tr16", 1);
  CHECK(dma.first == read.second);
  CHECK(dma.second == read.first);
  CHECK(dma.first != dma.second);
  CHECK(transposed == read);
  CHECK(count(text, "!alias.scope") == 4);  // and nothing else has one

  // Each list holds one scope of its own, both of one domain.
  const auto node = [&](const std::string& number) { return lines_with("\n" + text, number + " = ").at(0); };
  const auto scope_of = [&](const std::string& list) {
    std::smatch match;
    const std::string line = node(list);
    REQUIRE(std::regex_match(line, match, std::regex(list + R"( = !\{(!\d+)\})")));
    return match[1].str();
  };
  const auto domain_of = [&](const std::string& scope) {
    std::smatch match;
    const std::string line = node(scope);
    REQUIRE(std::regex_match(
        line, match, std::regex(scope + " = distinct !\\{" + scope + R"re(, (!\d+), !"[\w.]+"\})re")));
    return match[1].str();
  };
  CHECK(scope_of(dma.first) != scope_of(read.first));
  CHECK(domain_of(scope_of(dma.first)) == domain_of(scope_of(read.first)));
}

TEST_CASE("alias scopes: an access that asks for none has none") {
  const std::string text = double_buffered(AliasScope::none, AliasScope::none);
  CHECK(count(text, "!alias.scope") == 0);
  CHECK(count(text, "!noalias") == 0);
}

TEST_CASE("alias scopes: with them LLVM adds no wait for all LDS DMA before an LDS read") {
  const auto drains = [](const std::string& text) { return count(assembly(text), "vmcnt(0)"); };
  CHECK(drains(double_buffered(AliasScope::dma_write, AliasScope::lds_read)) == 0);
  // The same kernel without scopes shows what they are for.
  CHECK(drains(double_buffered(AliasScope::none, AliasScope::none)) > 0);
}

}  // namespace
}  // namespace wavesmith::lowering::testing
