// Verifier, types: for each operation, shapes that are valid and the nearest ones that are not. A shape is
// the types of operands and results, and the attributes.
#include <initializer_list>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/ir_builder/support.h"

namespace wavesmith::ir::testing {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Attrs = std::vector<std::pair<Attr, std::int64_t>>;

struct Shape {
  std::vector<Type> operands;
  std::vector<Type> results;
  Attrs attrs = {};
};

struct TypeRule {
  std::vector<OpKind> kinds;
  std::string reason;
  std::vector<Shape> valid, broken;
};

std::vector<std::string> findings(OpKind kind, const Shape& shape) {
  TestKernel k;
  std::vector<Value> operands;
  for (Type type : shape.operands) operands.push_back(some_value(k, type));
  Op* op = k.b.append(kind, operands, shape.results, "");
  op->attrs = shape.attrs;
  const std::vector<Value> results = op->results;
  for (const Value& result : results) k.keep(result);
  return k.findings();
}

constexpr Type i32x2 = i32.vector(2), i32x4 = i32.vector(4), f32x2 = f32.vector(2), f32x4 = f32.vector(4);
constexpr Type bf16x8 = bf16.vector(8), f16x8 = f16.vector(8), f32x16 = f32.vector(16);

Attrs predicate(Predicate p) {
  return {{Attr::predicate, static_cast<std::int64_t>(p)}};
}
Attrs index(std::int64_t i) {
  return {{Attr::index, i}};
}

const std::vector<TypeRule>& rules() {
  static const std::vector<TypeRule> table{
      {{OpKind::add, OpKind::sub, OpKind::mul, OpKind::udiv, OpKind::urem, OpKind::and_, OpKind::or_,
        OpKind::xor_, OpKind::shl, OpKind::lshr, OpKind::ashr, OpKind::smin, OpKind::smax, OpKind::umin,
        OpKind::umax},
       "needs two integers of one type",
       {{{i32, i32}, {i32}}, {{i64, i64}, {i64}}, {{i16, i16}, {i16}}, {{i32x4, i32x4}, {i32x4}}},
       {{{f32, f32}, {f32}},
        {{i32, i64}, {i32}},
        {{i32, i32}, {i64}},
        {{i32x4, i32}, {i32x4}},
        {{lds_ptr, lds_ptr}, {lds_ptr}}}},
      {{OpKind::icmp},
       "compares two integers of one type with an integer predicate",
       {{{i32, i32}, {i1}, predicate(Predicate::eq)},
        {{i64, i64}, {i1}, predicate(Predicate::uge)},
        {{i32x4, i32x4}, {i1.vector(4)}, predicate(Predicate::slt)}},
       {{{f32, f32}, {i1}, predicate(Predicate::eq)},
        {{i32, i64}, {i1}, predicate(Predicate::eq)},
        {{i32, i32}, {i32}, predicate(Predicate::eq)},
        {{i32x4, i32x4}, {i1}, predicate(Predicate::eq)},
        {{i32, i32}, {i1}, predicate(Predicate::oeq)},
        {{i32, i32}, {i1}, {{Attr::predicate, -1}}}}},
      {{OpKind::fcmp},
       "compares two floats of one type with a floating predicate",
       {{{f32, f32}, {i1}, predicate(Predicate::oeq)},
        {{f32x4, f32x4}, {i1.vector(4)}, predicate(Predicate::oge)}},
       {{{i32, i32}, {i1}, predicate(Predicate::oeq)},
        {{f32, f16}, {i1}, predicate(Predicate::oeq)},
        {{f32, f32}, {f32}, predicate(Predicate::oeq)},
        {{f32, f32}, {i1}, predicate(Predicate::uge)},
        {{f32, f32}, {i1}, {{Attr::predicate, 15}}}}},
      {{OpKind::fadd, OpKind::fsub, OpKind::fmul, OpKind::fmax},
       "needs two floats of one type",
       {{{f32, f32}, {f32}}, {{f32x2, f32x2}, {f32x2}}, {{f16, f16}, {f16}}},
       {{{i32, i32}, {i32}}, {{f32, f32x2}, {f32}}, {{f32, f32}, {f16}}}},
      {{OpKind::fma},
       "needs three floats of one type",
       {{{f32, f32, f32}, {f32}}, {{f32x2, f32x2, f32x2}, {f32x2}}},
       {{{i32, i32, i32}, {i32}},
        {{f32, f16, f32}, {f32}},
        {{f32, f32, f32x2}, {f32}},
        {{f32, f32, f32}, {f16}}}},
      {{OpKind::fneg},
       "needs a float",
       {{{f32}, {f32}}, {{bf16x8}, {bf16x8}}},
       {{{i32}, {i32}}, {{f32}, {f16}}}},
      {{OpKind::exp2, OpKind::log2, OpKind::rcp},
       "needs one f32: the instruction is scalar",
       {{{f32}, {f32}}},
       {{{f16}, {f16}}, {{f32x2}, {f32x2}}, {{f32}, {f16}}, {{i32}, {f32}}}},
      {{OpKind::zext, OpKind::sext},
       "needs a wider integer as its result",
       {{{i32}, {i64}}, {{i1}, {i32}}, {{i16.vector(2)}, {i32x2}}},
       {{{i64}, {i32}}, {{i32}, {i32}}, {{i32}, {i64.vector(2)}}, {{f32}, {i64}}, {{i16}, {f32}}}},
      {{OpKind::trunc},
       "needs a narrower integer as its result",
       {{{i64}, {i32}}, {{i32x2}, {i16.vector(2)}}},
       {{{i32}, {i64}}, {{i32}, {i32}}, {{i64}, {i32x2}}, {{f32}, {i16}}}},
      {{OpKind::fptrunc},
       "needs a narrower float as its result",
       {{{f32}, {bf16}}, {{f32x2}, {f16.vector(2)}}},
       {{{bf16}, {f32}}, {{f16}, {bf16}}, {{f32x2}, {bf16}}, {{f32}, {i16}}}},
      {{OpKind::fpext},
       "needs a wider float as its result",
       {{{bf16}, {f32}}, {{f16.vector(2)}, {f32x2}}},
       {{{f32}, {bf16}}, {{bf16}, {f16}}, {{f16}, {f32x2}}, {{i16}, {f32}}}},
      {{OpKind::bitcast},
       "needs as many bits on both sides, and no pointers",
       {{{f32}, {i32}}, {{i32x4}, {bf16x8}}, {{i64}, {f32x2}}},
       {{{f32}, {i64}}, {{i32x4}, {i32x2}}, {{lds_ptr}, {i32}}, {{i64}, {global_ptr}}}},
      {{OpKind::extract},
       "needs a lane of a vector",
       {{{i32x4}, {i32}, index(0)}, {{i32x4}, {i32}, index(3)}},
       {{{i32x4}, {i32}, index(4)},
        {{i32x4}, {i32}, index(-1)},
        {{i32}, {i32}, index(0)},
        {{i32x4}, {f32}, index(0)}}},
      {{OpKind::build},
       "needs one scalar a lane, all of one type",
       {{{i32, i32}, {i32x2}}, {{f32, f32, f32, f32}, {f32x4}}},
       {{{i32}, {i32}},
        {{i32, i32, i32}, {i32x4}},
        {{i32, i64}, {i32x2}},
        {{i32x2, i32x2}, {i32x4}},
        {{}, {i32x2}}}},
      {{OpKind::concat},
       "needs two vectors of one type",
       {{{i32x2, i32x2}, {i32x4}}},
       {{{i32x2, i32x4}, {i32.vector(6)}},
        {{i32, i32}, {i32x2}},
        {{i32x2, i32x2}, {i32x2}},
        {{i32x2, i32x2}, {f32x4}}}},
      {{OpKind::slice},
       "needs lanes within a vector",
       {{{f32x16}, {f32x4}, index(12)}, {{f32x16}, {f32x16}, index(0)}},
       {{{f32x16}, {f32x4}, index(13)},
        {{f32x16}, {f32x4}, index(-1)},
        {{f32x16}, {f32}, index(0)},
        {{f32x16}, {i32x4}, index(0)}}},
      {{OpKind::splat},
       "needs a scalar",
       {{{f32}, {f32x4}}},
       {{{f32x2}, {f32x4}}, {{f32}, {f32}}, {{f32}, {i32x4}}}},
      {{OpKind::select},
       "needs an i1 and two values of one type",
       {{{i1, i32, i32}, {i32}},
        {{i1, f32x4, f32x4}, {f32x4}},
        {{i1.vector(4), f32x4, f32x4}, {f32x4}},
        {{i1, lds_ptr, lds_ptr}, {lds_ptr}}},
       {{{i32, i32, i32}, {i32}},
        {{i1, i32, i64}, {i32}},
        {{i1, i32, i32}, {i64}},
        {{i1.vector(2), f32x4, f32x4}, {f32x4}},
        {{i1.vector(4), f32, f32}, {f32}}}},
      {{OpKind::workitem_id}, "is an i32", {{{}, {i32}}}, {{{}, {i64}}}},
      {{OpKind::workgroup_id},
       "is an i32 of axis 0 to 2",
       {{{}, {i32}, index(0)}, {{}, {i32}, index(2)}},
       {{{}, {i32}, index(3)}, {{}, {i32}, index(-1)}, {{}, {i64}, index(0)}}},
      // Other values than pointers are constants here, and no parameters.
      {{OpKind::load_argument},
       "needs a parameter and an i32",
       {{{global_ptr, i32}, {global_ptr}}},
       {{{global_ptr, i64}, {global_ptr}}, {{global_ptr, i32}, {i64}}, {{i32, i32}, {i32}}}},
      {{OpKind::load_constant},
       "needs a global pointer and gives an i32",
       {{{global_ptr}, {i32}}},
       {{{lds_ptr}, {i32}}, {{global_ptr}, {f32}}, {{i64}, {i32}}}},
      {{OpKind::readfirstlane},
       "needs an i32",
       {{{i32}, {i32}}},
       {{{f32}, {f32}}, {{i64}, {i64}}, {{i32}, {i64}}}},
      {{OpKind::ballot},
       "needs an i1 and gives one bit a lane as i64",
       {{{i1}, {i64}}},
       {{{i32}, {i64}}, {{i1}, {i32}}, {{i1.vector(2)}, {i64}}}},
      {{OpKind::permlane32_swap},
       "needs two i32",
       {{{i32, i32}, {i32, i32}}},
       {{{f32, f32}, {f32, f32}}, {{i32, i64}, {i32, i32}}, {{i32, i32}, {i32, f32}}}},
      {{OpKind::mfma_32x32x16},
       "needs 8 elements of bf16 or f16 for A and B, and 16 floats for C",
       {{{bf16x8, bf16x8, f32x16}, {f32x16}}, {{f16x8, f16x8, f32x16}, {f32x16}}},
       {{{bf16x8, f16x8, f32x16}, {f32x16}},
        {{bf16.vector(4), bf16.vector(4), f32x16}, {f32x16}},
        {{i16.vector(8), i16.vector(8), f32x16}, {f32x16}},
        {{bf16x8, bf16x8, f32x4}, {f32x4}},
        {{bf16x8, bf16x8, f32x16}, {f32x4}}}},
      {{OpKind::ptr_offset},
       "needs an LDS pointer and an i32, or a global pointer and an i64",
       {{{lds_ptr, i32}, {lds_ptr}}, {{global_ptr, i64}, {global_ptr}}},
       {{{lds_ptr, i64}, {lds_ptr}},
        {{global_ptr, i32}, {global_ptr}},
        {{i32, i32}, {i32}},
        {{lds_ptr, i32}, {global_ptr}},
        {{buffer_resource, i32}, {buffer_resource}}}},
      {{OpKind::lds_address},
       "needs an offset within the LDS pool",
       {{{}, {lds_ptr}, {{Attr::bytes, 0}}}, {{}, {lds_ptr}, {{Attr::bytes, 4095}}}},
       {{{}, {lds_ptr}, {{Attr::bytes, 4096}}},
        {{}, {lds_ptr}, {{Attr::bytes, -1}}},
        {{}, {global_ptr}, {{Attr::bytes, 0}}}}},
  };
  return table;
}

TEST_CASE("verifier: each operation accepts its types and refuses the nearest others") {
  for (const TypeRule& rule : rules())
    for (OpKind kind : rule.kinds) {
      const std::string name(info(kind).name);
      for (std::size_t i = 0; i < rule.valid.size(); ++i) {
        CAPTURE(name, "valid", i);
        CHECK(findings(kind, rule.valid[i]) == std::vector<std::string>{});
      }
      for (std::size_t i = 0; i < rule.broken.size(); ++i) {
        CAPTURE(name, "broken", i);
        const auto found = findings(kind, rule.broken[i]);
        REQUIRE(found.size() == 1);
        CHECK_THAT(found[0], ContainsSubstring(" = " + name + "(") && EndsWith("): " + rule.reason));
      }
    }
}

TEST_CASE("verifier: the type rules above cover every operation that computes from its operands alone") {
  std::set<OpKind> covered;
  for (const TypeRule& rule : rules()) covered.insert(rule.kinds.begin(), rule.kinds.end());
  // Its operands must be uniform as well: verifier_memory_test.cpp.
  covered.insert(OpKind::make_buffer_resource);
  for (const OpInfo& op : all_ops()) {
    CAPTURE(op.name);
    CHECK(covered.contains(op.kind) == (op.effect == Effect::none || op.effect == Effect::lanes));
  }
}

TEST_CASE("verifier: a constant that makes poison of an integer operation is refused") {
  const auto with_constant = [](OpKind kind, Type type, std::int64_t second) {
    return [=](TestKernel& k) {
      k.keep(k.b.binary(kind, type == i64 ? k.wide : k.count, k.b.constant(type, second), "r"));
    };
  };
  check_rules({
      {"division",
       with_constant(OpKind::udiv, i32, 1),
       with_constant(OpKind::udiv, i32, 0),
       {"%r = udiv(i32, i32): divides by zero"}},
      {"remainder",
       with_constant(OpKind::urem, i64, 7),
       with_constant(OpKind::urem, i64, 0),
       {"%r = urem(i64, i64): divides by zero"}},
      {"shift left",
       with_constant(OpKind::shl, i32, 31),
       with_constant(OpKind::shl, i32, 32),
       {"%r = shl(i32, i32): shifts all bits out"}},
      {"shift right",
       with_constant(OpKind::lshr, i64, 63),
       with_constant(OpKind::lshr, i64, 64),
       {"%r = lshr(i64, i64): shifts all bits out"}},
      {"shift by a negative number",
       with_constant(OpKind::ashr, i32, 0),
       with_constant(OpKind::ashr, i32, -1),
       {"%r = ashr(i32, i32): shifts all bits out"}},
      {"adding what would be too much to shift by",
       with_constant(OpKind::add, i32, 32),
       with_constant(OpKind::shl, i32, 32),
       {"%r = shl(i32, i32): shifts all bits out"}},
  });
}

}  // namespace
}  // namespace wavesmith::ir::testing
