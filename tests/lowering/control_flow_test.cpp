// Meaning of the lowered text: kernels that compute on constants, folded by LLVM until only the results that
// they store are left. The expected numbers are worked out by hand.
#include <array>
#include <bit>
#include <limits>
#include <regex>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "tests/lowering/support.h"

namespace wavesmith::lowering::testing {
namespace {

using namespace ir;
using Numbers = std::vector<std::int64_t>;

class Folded {
 public:
  Folded() : out_(k.b.make_buffer_resource(k.target, k.count)) {}

  // Each to a place of its own: LLVM drops a store that an equal one follows.
  void store(Value value) { k.b.buffer_store(value, out_, k.b.i32(4 * stores_++)); }

  // The i32 constants that are stored, in order; empty when one of them is not a constant.
  Numbers numbers() {
    // Unrolling is the generator's choice, so lowering forbids it; here it serves to fold the loops away.
    const std::string text = std::regex_replace(lowered(k), std::regex(", !llvm.loop !\\d+"), "");
    Numbers stored;
    for (const std::string& line :
         lines_with(opt(text, "default<O3>"), "call void @llvm.amdgcn.raw.ptr.buffer.store")) {
      std::smatch number;
      if (!std::regex_search(line, number, std::regex(R"(store\.i32\(i32 (-?\d+),)"))) return {};
      stored.push_back(std::stoll(number[1].str()));
    }
    return stored;
  }

  TestKernel k;
  Builder& b = k.b;

 private:
  Value out_;
  int stores_ = 0;
};

TEST_CASE("meaning: integer arithmetic") {
  Folded f;
  const auto store = [&](OpKind kind, std::int64_t a, std::int64_t c) {
    f.store(f.b.binary(kind, f.b.i32(a), f.b.i32(c)));
  };
  store(OpKind::add, 7, -9);
  store(OpKind::sub, 7, 9);
  store(OpKind::mul, -3, 5);
  store(OpKind::udiv, -8, 3);  // (2^32 - 8) / 3
  store(OpKind::urem, -8, 3);
  store(OpKind::and_, 12, 10);
  store(OpKind::or_, 12, 10);
  store(OpKind::xor_, 12, 10);
  store(OpKind::shl, 3, 4);
  store(OpKind::lshr, -8, 1);
  store(OpKind::ashr, -8, 1);
  store(OpKind::smin, -1, 1);
  store(OpKind::smax, -1, 1);
  store(OpKind::umin, -1, 1);
  store(OpKind::umax, -1, 1);
  CHECK(f.numbers() == Numbers{-2, -2, -15, 1431655762, 2, 8, 14, 6, 48, 0x7ffffffc, -4, -1, 1, 1, -1});
}

TEST_CASE("meaning: comparisons") {
  Folded f;
  const auto bits = [&](Predicate predicate, std::initializer_list<std::pair<Value, Value>> pairs) {
    Value mask = f.b.i32(0);
    for (const auto& [a, c] : pairs) mask = (mask << 1) | f.b.zext(f.b.compare(predicate, a, c), i32);
    f.store(mask);
  };
  const Value minus = f.b.i32(-1), one = f.b.i32(1);
  for (Predicate predicate : {Predicate::eq, Predicate::ne, Predicate::slt, Predicate::sle, Predicate::sgt,
                              Predicate::sge, Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge})
    bits(predicate, {{minus, one}, {one, one}, {one, minus}});
  const Value two = f.b.constant_f32(2), four = f.b.constant_f32(4);
  const Value nan = f.b.constant_f32(std::numeric_limits<float>::quiet_NaN());
  for (Predicate predicate : {Predicate::oeq, Predicate::olt, Predicate::ole, Predicate::ogt, Predicate::oge})
    bits(predicate, {{two, four}, {four, four}, {four, two}, {nan, two}});
  CHECK(f.numbers() == Numbers{0b010, 0b101, 0b100, 0b110, 0b001, 0b011, 0b001, 0b011, 0b100, 0b110,  //
                               0b0100, 0b1000, 0b1100, 0b0010, 0b0110});
}

TEST_CASE("meaning: floating point, one rounding in fma, the number in fmax") {
  Folded f;
  Builder& b = f.b;
  const auto store = [&](Value value) { f.store(b.bitcast(value, i32)); };
  const auto bits = [](float value) { return static_cast<std::int64_t>(std::bit_cast<std::int32_t>(value)); };
  const Value a = b.constant_f32(1.0F + 0x1p-12F);
  store(b.fma(a, a, b.constant_f32(-1.0F - 0x1p-11F)));  // (1 + e)^2 - 1 - 2e = e^2, lost when rounded twice
  store(a * a - b.constant_f32(1.0F + 0x1p-11F));
  store(a - b.constant_f32(1));
  store(b.fneg(a));
  store(b.fmax(b.constant_f32(std::numeric_limits<float>::quiet_NaN()), b.constant_f32(3)));
  store(b.fmax(b.constant_f32(-2), b.constant_f32(-3)));
  CHECK(f.numbers() ==
        Numbers{bits(0x1p-24F), bits(0.0F), bits(0x1p-12F), bits(-1.0F - 0x1p-12F), bits(3.0F), bits(-2.0F)});
}

TEST_CASE("meaning: conversions") {
  Folded f;
  Builder& b = f.b;
  f.store(b.zext(b.constant(i16, -1), i32));
  f.store(b.sext(b.constant(i16, -1), i32));
  f.store(b.convert(OpKind::trunc, b.i64(0x100000005), i32));
  const auto rounded = [&](float value, Type type) {
    f.store(b.zext(b.bitcast(b.fptrunc(b.constant_f32(value), type), i16), i32));
  };
  rounded(1.0F + 0x1p-8F, bf16);            // between 1 and 1 + 2^-7: to even
  rounded(1.0F + 0x1p-7F + 0x1p-8F, bf16);  // to even, upwards
  rounded(1.0F + 0x1p-11F, f16);
  f.store(b.bitcast(b.convert(OpKind::fpext, b.constant(bf16, -2), f32), i32));
  f.store(b.bitcast(b.convert(OpKind::fpext, b.constant(f16, -2), f32), i32));
  f.store(b.bitcast(b.constant(i16.vector(2), 0x1234), i32));
  CHECK(f.numbers() == Numbers{65535, -1, 5, 0x3f80, 0x3f82, 0x3c00, -0x40000000, -0x40000000, 0x12341234});
}

TEST_CASE("meaning: lanes of vectors keep their order") {
  Folded f;
  Builder& b = f.b;
  const std::array low{b.i32(1), b.i32(2)}, high{b.i32(3), b.i32(4)};
  const Value all = b.concat(b.build(low), b.build(high));
  for (unsigned lane = 0; lane < 4; ++lane) f.store(b.extract(all, lane));
  const Value middle = b.slice(all, 1, 2);
  for (unsigned lane = 0; lane < 2; ++lane) f.store(b.extract(middle, lane));
  const Value same = b.splat(b.i32(9), 3);
  for (unsigned lane = 0; lane < 3; ++lane) f.store(b.extract(same, lane));
  f.store(b.select(b.i32(1) < b.i32(2), b.i32(10), b.i32(20)));
  f.store(b.select(b.i32(2) < b.i32(1), b.i32(10), b.i32(20)));
  CHECK(f.numbers() == Numbers{1, 2, 3, 4, 2, 3, 9, 9, 9, 10, 20});
}

std::vector<Value> loop(Builder& b, int lower, int upper, int step, std::span<const Carried> carried,
                        const Builder::LoopBody& body) {
  return b.for_loop(b.i32(lower), b.i32(upper), b.i32(step), "i", carried, body);
}

TEST_CASE("meaning: a loop counts from lower, below upper, by step, and hands its values on") {
  Folded f;
  Builder& b = f.b;
  const auto store_sum = [&](int lower, int upper, int step) {
    const std::array carried{Carried{"sum", b.i32(1000)}};
    f.store(
        loop(b, lower, upper, step, carried, [](Value i, auto sum) { return std::vector{sum[0] + i}; })[0]);
  };
  store_sum(0, 5, 1);    // 0 + 1 + 2 + 3 + 4
  store_sum(0, 10, 3);   // 0 + 3 + 6 + 9
  store_sum(-2, 2, 1);   // -2 - 1 + 0 + 1
  store_sum(3, 3, 1);    // nothing
  store_sum(4, 3, 1);    // nothing
  store_sum(-4, -3, 2);  // -4
  CHECK(f.numbers() == Numbers{1010, 1018, 998, 1000, 1000, 996});
}

TEST_CASE("meaning: carried values change all at once") {
  Folded f;
  const std::array carried{Carried{"a", f.b.i32(0)}, Carried{"b", f.b.i32(1)}};
  const auto fibonacci =
      loop(f.b, 0, 10, 1, carried, [](Value, auto pair) { return std::vector{pair[1], pair[0] + pair[1]}; });
  f.store(fibonacci[0]);
  f.store(fibonacci[1]);
  const std::array swapped{Carried{"x", f.b.i32(7)}, Carried{"y", f.b.i32(8)}};
  const auto pair = loop(f.b, 0, 3, 1, swapped, [](Value, auto v) { return std::vector{v[1], v[0]}; });
  f.store(pair[0]);
  f.store(pair[1]);
  CHECK(f.numbers() == Numbers{55, 89, 8, 7});
}

TEST_CASE("meaning: loops in loops, whose results the outer loop carries") {
  Folded f;
  Builder& b = f.b;
  const std::array outer{Carried{"sum", b.i32(0)}};
  const auto sums = loop(b, 1, 4, 1, outer, [&](Value i, auto sum) {
    const std::array inner{Carried{"sum", sum[0]}};
    return loop(b, 0, 4, 1, inner, [&](Value j, auto s) { return std::vector{s[0] + i * j}; });
  });
  f.store(sums[0]);  // (1 + 2 + 3) * (0 + 1 + 2 + 3)
  // The inner loop's bound is the outer's induction.
  const std::array triangle{Carried{"n", b.i32(0)}};
  const auto count = loop(b, 0, 5, 1, triangle, [&](Value i, auto n) {
    const std::array inner{Carried{"n", n[0]}};
    return b.for_loop(b.i32(0), i, b.i32(1), "j", inner, [](Value, auto m) { return std::vector{m[0] + 1}; });
  });
  f.store(count[0]);  // 0 + 1 + 2 + 3 + 4
  CHECK(f.numbers() == Numbers{36, 10});
}

TEST_CASE("meaning: an if gives what its region yields, or the other values") {
  Folded f;
  Builder& b = f.b;
  const std::array carried{Carried{"even", b.i32(0)}, Carried{"odd", b.i32(0)}};
  const auto sums = loop(b, 0, 6, 1, carried, [&](Value i, auto sum) {
    const std::array otherwise{sum[0], sum[1] + i};
    return b.if_then(b.compare(Predicate::eq, i & 1, b.i32(0)), otherwise,
                     [&] { return std::vector{sum[0] + i, sum[1]}; });
  });
  f.store(sums[0]);  // 0 + 2 + 4
  f.store(sums[1]);  // 1 + 3 + 5
  // An if in an if, and a loop in an if: the value comes from the innermost block.
  const std::array otherwise{b.i32(-1)};
  const auto nested = b.if_then(b.i32(1) < b.i32(2), otherwise, [&] {
    const std::array inner_otherwise{b.i32(-2)};
    return b.if_then(b.i32(3) < b.i32(2), inner_otherwise, [&] { return std::vector{b.i32(-3)}; });
  });
  f.store(nested[0]);
  const auto looped = b.if_then(b.i32(1) < b.i32(2), otherwise, [&] {
    const std::array start{Carried{"n", b.i32(5)}};
    return loop(b, 0, 3, 1, start, [](Value, auto n) { return std::vector{n[0] * 2}; });
  });
  f.store(looped[0]);
  CHECK(f.numbers() == Numbers{6, 9, -2, 40});
}

TEST_CASE("meaning: return ends the kernel where its condition holds") {
  Folded f;
  Builder& b = f.b;
  f.store(b.i32(1));
  b.return_if(b.i32(5) < b.i32(4));
  f.store(b.i32(2));
  loop(b, 0, 10, 1, {}, [&](Value i, std::span<const Value>) {
    f.store(i + 100);
    b.return_if(b.i32(2) <= i);
    return std::vector<Value>{};
  });
  f.store(b.i32(3));
  CHECK(f.numbers() == Numbers{1, 2, 100, 101, 102});
}

}  // namespace
}  // namespace wavesmith::lowering::testing
