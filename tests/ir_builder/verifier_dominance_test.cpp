// Verifier, dominance: a value is used only after its definition and inside the region that defines it. Pure
// operations are placed on demand, so faults are planted on those that keep order.
#include <algorithm>
#include <array>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {
namespace {

TEST_CASE("verifier: a use before the definition is refused, directly and through pure operations") {
  const auto kernel = [](bool swapped, bool through_pure) {
    return [=](TestKernel& k) {
      const Operands o(k);
      const Value loaded = k.b.buffer_load(o.in, o.lane, i32);
      k.b.buffer_store(through_pure ? loaded + 1 : loaded, o.out, o.lane);
      auto& ops = k.b.kernel().body().ops;
      if (swapped) std::swap(*std::ranges::find(ops, loaded.producer()), ops.back());
    };
  };
  check_rules({
      {"direct",
       kernel(false, false),
       kernel(true, false),
       {"buffer_store(i32, ptr<buffer_resource>, i32): uses %load.2 where it is not defined"}},
      {"through an addition",
       kernel(false, true),
       kernel(true, true),
       {"%add = add(i32, i32): uses %load.2 where it is not defined"}},
  });
}

TEST_CASE("verifier: operations that use each other in a circle are refused") {
  const auto kernel = [](bool circle) {
    return [=](TestKernel& k) {
      const Value first = k.b.binary(OpKind::add, k.count, k.count, "first");
      const Value second = k.b.binary(OpKind::mul, first, k.count, "second");
      if (circle) first.producer()->operands[1] = second;
      k.keep(second);
    };
  };
  check_rules({{"circle",
                kernel(false),
                kernel(true),
                {"%first = add(i32, i32): uses %second where it is not defined"}}});
}

TEST_CASE("verifier: a value of a loop or an if is not seen after it or beside it") {
  // where: 0 inside the loop itself, 1 after it, 2 in the loop beside it. The value is pure, or keeps order.
  const auto kernel = [](int where, bool pure) {
    return [=](TestKernel& k) {
      Builder& b = k.b;
      const Operands o(k);
      Value inner;
      const auto loop = [&](auto body) {
        b.for_loop(b.i32(0), k.count, b.i32(1), "i", {}, [&](Value i, std::span<const Value>) {
          body(i);
          return std::vector<Value>{};
        });
      };
      loop([&](Value i) {
        inner = pure ? b.binary(OpKind::add, i, i, "inner") : b.readfirstlane(i, "inner");
        if (where == 0) b.buffer_store(inner, o.out, o.lane);
      });
      if (where == 1) b.buffer_store(inner, o.out, o.lane);
      loop([&](Value) {
        if (where == 2) b.buffer_store(inner, o.out, o.lane);
      });
    };
  };
  const std::vector<std::string> finding{
      "buffer_store(i32, ptr<buffer_resource>, i32): uses %inner where it is not defined"};
  check_rules({
      {"after the loop, keeps order", kernel(0, false), kernel(1, false), finding},
      {"after the loop, pure", kernel(0, true), kernel(1, true), finding},
      {"in the loop beside it, keeps order", kernel(0, false), kernel(2, false), finding},
      {"in the loop beside it, pure", kernel(0, true), kernel(2, true), finding},
  });
}

TEST_CASE("verifier: an induction or carried value is not seen outside its loop, its result is") {
  const auto kernel = [](int which) {
    return [=](TestKernel& k) {
      const std::array carried{Carried{"sum", k.x}};
      Value induction, sum;
      const auto sums = k.b.for_loop(k.b.i32(0), k.count, k.b.i32(1), "i", carried,
                                     [&](Value i, std::span<const Value> values) {
                                       induction = i;
                                       sum = values[0];
                                       return std::vector{values[0] * values[0]};
                                     });
      const std::array outside{sums[0], induction, sum};
      k.keep(outside.at(static_cast<std::size_t>(which)));
    };
  };
  // Both ways through the if of keep() use the value.
  check_rules({
      {"induction",
       kernel(0),
       kernel(1),
       {"%i.1 = if(i1, i32): uses %i where it is not defined",
        "yield(i32): uses %i where it is not defined"}},
      {"carried value",
       kernel(0),
       kernel(2),
       {"%sum.2 = if(i1, f32): uses %sum where it is not defined",
        "yield(f32): uses %sum where it is not defined"}},
  });
}

TEST_CASE("verifier: a loop does not see its own results, nor an if what the region yields") {
  const auto kernel = [](bool own) {
    return [=](TestKernel& k) {
      const std::array carried{Carried{"sum", k.count}};
      const auto sums = k.b.for_loop(k.b.i32(0), k.count, k.b.i32(1), "i", carried,
                                     [&](Value, std::span<const Value> sum) { return std::vector{sum[0]}; });
      if (own) sums[0].producer()->operands[3] = sums[0];
    };
  };
  check_rules({{"own result as its start",
                kernel(false),
                kernel(true),
                {"%sum.1 = for(i32, i32, i32, i32): uses %sum.1 where it is not defined"}}});
}

TEST_CASE("verifier: a value of another kernel is refused") {
  TestKernel other;
  TestKernel k;
  k.keep(k.count + other.count);
  const auto findings = k.findings();
  REQUIRE(findings.size() == 1);
  CHECK(findings[0] == "add has an operand of another kernel, test_kernel");
}

}  // namespace
}  // namespace wavesmith::ir::testing
