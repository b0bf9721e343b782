// Builder: an integer beside a value stands for a constant of the value's type, loops and ifs give what their
// bodies give, and each operation belongs to the Plan step that was open when it was built.
#include <array>

#include <catch2/catch_test_macros.hpp>

#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {
namespace {

std::uint64_t constant_operand(Value value, std::size_t index = 1) {
  const Value operand = value.producer()->operands[index];
  REQUIRE(operand.is_constant());
  CHECK(operand.type() == value.type());
  return operand.constant_bits();
}

TEST_CASE("builder: an integer beside an integer value is masked to its width") {
  TestKernel k;
  CHECK(constant_operand(k.count + -1) == 0xffffffffU);
  CHECK(constant_operand(k.wide * -2) == 0xfffffffffffffffeU);
  CHECK(constant_operand(k.count << 5) == 5);
  CHECK(constant_operand(5 - k.count, 0) == 5);
  CHECK(constant_operand(k.b.splat(k.count, 4) & 7) == 7);
}

TEST_CASE("builder: an integer beside a float is that number as a float") {
  TestKernel k;
  CHECK(constant_operand(k.x * 2) == 0x40000000U);  // IEEE 754 binary32
  CHECK(constant_operand(-3 - k.x, 0) == 0xc0400000U);
  CHECK(constant_operand(k.b.splat(k.x, 4) + 1) == 0x3f800000U);
  CHECK(constant_operand(k.b.fptrunc(k.x, bf16) * 2) == 0x4000U);     // its upper half
  CHECK(constant_operand(k.b.fptrunc(k.x, bf16) + -257) == 0xc380U);  // 257 is between 256 and 258: to even
  CHECK(constant_operand(k.b.fptrunc(k.x, bf16) + 259) == 0x4382U);   // between 258 and 260: to even
  CHECK(constant_operand(k.b.fptrunc(k.x, f16) * 2) == 0x4000U);      // binary16: 1.0 is 0x3c00
  CHECK(constant_operand(k.b.fptrunc(k.x, f16) + -2049) == 0xe800U);  // between 2048 and 2050: to even
  CHECK(constant_operand(k.b.fptrunc(k.x, f16) + 65504) == 0x7bffU);  // the largest
  CHECK(constant_operand(k.b.fptrunc(k.x, f16) + 70000) == 0x7c00U);  // infinity
  CHECK(k.b.constant(f16, 0).constant_bits() == 0);
}

TEST_CASE("builder: adding 0, multiplying with 1 and shifting by 0 build nothing") {
  TestKernel k;
  const std::size_t before = k.b.kernel().body().ops.size();
  CHECK(k.count + 0 == k.count);
  CHECK(k.count - 0 == k.count);
  CHECK(k.count * 1 == k.count);
  CHECK((k.count << 0) == k.count);
  CHECK((k.count >> 0) == k.count);
  CHECK(k.b.zext(k.count, i32) == k.count);
  CHECK(k.b.kernel().body().ops.size() == before);
}

TEST_CASE("builder: equal constants are one value, and types and widths are told apart") {
  TestKernel k;
  Builder& b = k.b;
  CHECK(b.i32(7) == b.i32(7));
  CHECK(b.i32(-1) == b.i32(0xffffffff));
  CHECK_FALSE(b.i32(7) == b.i64(7));
  CHECK_FALSE(b.constant(f32.vector(2), 0) == b.constant(f32.vector(4), 0));
  CHECK_FALSE(b.constant_f32(0.0F) == b.constant_f32(-0.0F));
}

TEST_CASE("builder: comparisons and arithmetic follow the operands' type") {
  TestKernel k;
  const auto predicate = [](Value value) {
    return static_cast<Predicate>(*value.producer()->attr(Attr::predicate));
  };
  CHECK(predicate(k.count < k.count) == Predicate::slt);
  CHECK(predicate(k.count >= k.count) == Predicate::sge);
  CHECK(predicate(k.x <= k.x) == Predicate::ole);
  CHECK(predicate(k.x > k.x) == Predicate::ogt);
  CHECK((k.x < k.x).producer()->kind == OpKind::fcmp);
  CHECK((k.x + k.x).producer()->kind == OpKind::fadd);
  CHECK((k.count - k.count).producer()->kind == OpKind::sub);
  CHECK((k.count >> 3).producer()->kind == OpKind::lshr);
  CHECK((k.b.splat(k.x, 4) < k.b.splat(k.x, 4)).type() == i1.vector(4));
}

TEST_CASE("builder: any_lane asks whether a bit of the ballot is set") {
  TestKernel k;
  const Value any = k.b.any_lane(k.b.workitem_id() < k.count);
  CHECK(static_cast<Predicate>(*any.producer()->attr(Attr::predicate)) == Predicate::ne);
  CHECK(any.producer()->operands[0].producer()->kind == OpKind::ballot);
  CHECK(any.producer()->operands[1].constant_bits() == 0);
}

TEST_CASE("builder: a lane swap returns values of the types it was given") {
  TestKernel k;
  const auto [a, c] = k.b.permlane32_swap(k.x, k.count);
  CHECK(a.type() == f32);
  CHECK(c.type() == i32);
  CHECK(c.producer()->kind == OpKind::permlane32_swap);
  CHECK(a.producer()->operands[0].producer() == c.producer());
}

TEST_CASE("builder: operations belong to the innermost open step, and to the outer one after it") {
  TestKernel k;
  const Value before = k.count + 1;
  Value outer, inner, after, last;
  {
    const Builder::Step qk(k.b, "qk");
    outer = k.count + 2;
    {
      const Builder::Step mask(k.b, "mask");
      inner = k.count + 3;
    }
    after = k.count + 4;
  }
  last = k.count + 5;
  const auto& steps = k.b.kernel().steps;
  const auto step = [&](Value value) { return steps[value.producer()->step]; };
  CHECK(step(before) == "test_kernel");
  CHECK(step(outer) == "qk");
  CHECK(step(inner) == "mask");
  CHECK(step(after) == "qk");
  CHECK(step(last) == "test_kernel");
}

}  // namespace
}  // namespace wavesmith::ir::testing
