// The second half of the verifier: dominance, types, address spaces, and control flow.
#include "ir_builder/verifier.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include <fmt/format.h>

namespace wavesmith::ir {
namespace {

// A register tuple that one memory instruction moves, in every vector type that LLVM selects one for.
bool one_access(Type type) {
  if (type.is_pointer() || scalar_bits(type) < 16) return false;
  const unsigned bits = total_bits(type);
  return bits == 16 || bits == 32 || bits == 64 || bits == 128 || (bits == 96 && scalar_bits(type) == 32);
}
constexpr std::string_view access_sizes = "moves 16, 32, 64, 96 (of 32-bit elements) or 128 bits of numbers";

class Verifier {
 public:
  std::vector<std::string> findings;

  // `together`: how far control flow has stayed together where the region stands.
  void region(const Region& region, Extent together) {
    std::vector<const ValueData*> defined;
    const auto define = [&](const Value& value) {
      if (!visible_.insert(value.data()).second)
        findings.push_back(fmt::format("%{} is defined twice", value.name()));
      defined.push_back(value.data());
    };
    for (const Value& argument : region.arguments) define(argument);
    for (const Op* op : region.ops) {
      for (const Value& operand : op->operands)
        if (!operand.is_constant() && !visible_.contains(operand.data()))
          report(*op, fmt::format("uses %{} where it is not defined", name_or_hint(operand)));
      placement(*op, together);
      types(*op);
      flow(*op, together);
      for (const Value& result : op->results) define(result);
    }
    for (const ValueData* value : defined) visible_.erase(value);
  }

 private:
  void placement(const Op& op, Extent together) {
    const Extent needed = info(op.kind).needs_together();
    if (needed > Extent::lane && (together == Extent::lane || lanes_returned_))
      report(op, "stands where lanes of a wave may have parted");
    else if (needed > together)
      report(op, "stands where waves of the workgroup may have parted");
  }

  void flow(const Op& op, Extent together) {
    if (op.kind == OpKind::return_ && together == Extent::lane) lanes_returned_ = true;
    for (const Region* inner : op.regions) {
      const Extent inside = std::min(together, condition(op));
      // What a loop's body does at its end has happened when the next round begins.
      if (op.kind == OpKind::for_ && some_lanes_return(*inner, inside)) lanes_returned_ = true;
      region(*inner, inside);
    }
  }

  // How far lanes and waves agree on entering the region of an if or on the trips of a loop.
  static Extent condition(const Op& op) {
    return op.kind == OpKind::if_ ? op.operands[0].extent() : op.regions.front()->arguments[0].extent();
  }

  static bool some_lanes_return(const Region& region, Extent together) {
    return std::ranges::any_of(region.ops, [&](const Op* op) {
      if (op->kind == OpKind::return_) return together == Extent::lane;
      return !op->regions.empty() &&
             some_lanes_return(*op->regions.front(), std::min(together, condition(*op)));
    });
  }

  // An operation that was dropped, or not placed where it is needed, has no name.
  static const std::string& name_or_hint(const Value& value) {
    return value.name().empty() ? value.data()->hint : value.name();
  }

  void types(const Op& op);
  void constant_operand(const Op& op);
  void types_of_memory(const Op& op);
  void types_of_control_flow(const Op& op);

  void expect(const Op& op, bool holds, std::string_view what) {
    if (!holds) report(op, what);
  }

  void report(const Op& op, std::string_view what) {
    std::string operands;
    for (const Value& operand : op.operands)
      operands += fmt::format("{}{}", operands.empty() ? "" : ", ", to_string(operand.type()));
    const std::string result = op.results.empty() ? "" : fmt::format("%{} = ", op.results[0].name());
    findings.push_back(fmt::format("{}{}({}): {}", result, info(op.kind).name, operands, what));
  }

  std::unordered_set<const ValueData*> visible_;
  bool lanes_returned_ = false;
};

void Verifier::types(const Op& op) {
  const auto operand = [&](std::size_t i) { return op.operands[i].type(); };
  const auto result = [&](std::size_t i = 0) { return op.results[i].type(); };
  switch (op.kind) {
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
    case OpKind::udiv:
    case OpKind::urem:
    case OpKind::and_:
    case OpKind::or_:
    case OpKind::xor_:
    case OpKind::shl:
    case OpKind::lshr:
    case OpKind::ashr:
    case OpKind::smin:
    case OpKind::smax:
    case OpKind::umin:
    case OpKind::umax:
      expect(op, operand(0).is_integer() && operand(0) == operand(1) && result() == operand(0),
             "needs two integers of one type");
      constant_operand(op);
      break;
    case OpKind::icmp:
      expect(op,
             operand(0).is_integer() && operand(0) == operand(1) && result() == i1.vector(operand(0).lanes) &&
                 op.attr(Attr::predicate) >= 0 &&
                 op.attr(Attr::predicate) < static_cast<std::int64_t>(Predicate::oeq),
             "compares two integers of one type with an integer predicate");
      break;
    case OpKind::fadd:
    case OpKind::fsub:
    case OpKind::fmul:
    case OpKind::fmax:
      expect(op, operand(0).is_float() && operand(0) == operand(1) && result() == operand(0),
             "needs two floats of one type");
      break;
    case OpKind::fma:
      expect(op,
             operand(0).is_float() && operand(0) == operand(1) && operand(0) == operand(2) &&
                 result() == operand(0),
             "needs three floats of one type");
      break;
    case OpKind::fneg:
      expect(op, operand(0).is_float() && result() == operand(0), "needs a float");
      break;
    case OpKind::fcmp:
      expect(op,
             operand(0).is_float() && operand(0) == operand(1) && result() == i1.vector(operand(0).lanes) &&
                 op.attr(Attr::predicate) >= static_cast<std::int64_t>(Predicate::oeq) &&
                 op.attr(Attr::predicate) <= static_cast<std::int64_t>(Predicate::oge),
             "compares two floats of one type with a floating predicate");
      break;
    case OpKind::exp2:
    case OpKind::log2:
    case OpKind::rcp:
      expect(op, operand(0) == f32 && result() == f32, "needs one f32: the instruction is scalar");
      break;
    case OpKind::zext:
    case OpKind::sext:
      expect(op,
             operand(0).is_integer() && result().is_integer() && operand(0).lanes == result().lanes &&
                 scalar_bits(operand(0)) < scalar_bits(result()),
             "needs a wider integer as its result");
      break;
    case OpKind::trunc:
      expect(op,
             operand(0).is_integer() && result().is_integer() && operand(0).lanes == result().lanes &&
                 scalar_bits(operand(0)) > scalar_bits(result()),
             "needs a narrower integer as its result");
      break;
    case OpKind::fptrunc:
      expect(op,
             operand(0).is_float() && result().is_float() && operand(0).lanes == result().lanes &&
                 scalar_bits(operand(0)) > scalar_bits(result()),
             "needs a narrower float as its result");
      break;
    case OpKind::fpext:
      expect(op,
             operand(0).is_float() && result().is_float() && operand(0).lanes == result().lanes &&
                 scalar_bits(operand(0)) < scalar_bits(result()),
             "needs a wider float as its result");
      break;
    case OpKind::bitcast:
      expect(op,
             !operand(0).is_pointer() && !result().is_pointer() &&
                 total_bits(operand(0)) == total_bits(result()),
             "needs as many bits on both sides, and no pointers");
      break;
    case OpKind::extract:
      expect(op,
             operand(0).is_vector() && result() == operand(0).element() && op.attr(Attr::index) >= 0 &&
                 op.attr(Attr::index) < operand(0).lanes,
             "needs a lane of a vector");
      break;
    case OpKind::build: {
      bool same = op.operands.size() >= 2 && op.operands.size() == result().lanes;
      for (const Value& value : op.operands) same = same && value.type() == result().element();
      expect(op, same, "needs one scalar a lane, all of one type");
      break;
    }
    case OpKind::concat:
      expect(op,
             operand(0) == operand(1) && operand(0).is_vector() &&
                 result() == operand(0).vector(2U * operand(0).lanes),
             "needs two vectors of one type");
      break;
    case OpKind::slice:
      expect(op,
             operand(0).is_vector() && result().is_vector() && result().element() == operand(0).element() &&
                 op.attr(Attr::index) >= 0 && *op.attr(Attr::index) + result().lanes <= operand(0).lanes,
             "needs lanes within a vector");
      break;
    case OpKind::splat:
      expect(op, !operand(0).is_vector() && result().is_vector() && result().element() == operand(0),
             "needs a scalar");
      break;
    case OpKind::select:
      expect(op,
             operand(0).scalar == Scalar::i1 &&
                 (operand(0).lanes == 1 || operand(0).lanes == operand(1).lanes) &&
                 operand(1) == operand(2) && result() == operand(1),
             "needs an i1 and two values of one type");
      break;
    case OpKind::workitem_id:
      expect(op, result() == i32, "is an i32");
      break;
    case OpKind::workgroup_id:
      expect(op, result() == i32 && op.attr(Attr::index) >= 0 && op.attr(Attr::index) <= 2,
             "is an i32 of axis 0 to 2");
      break;
    case OpKind::load_argument: {
      const Region* defined_in = op.operands[0].data()->region;
      const bool is_parameter = defined_in != nullptr && defined_in->parent == nullptr;
      expect(op, is_parameter && result() == operand(0) && operand(1) == i32, "needs a parameter and an i32");
      break;
    }
    case OpKind::load_constant:
      expect(op, operand(0) == global_ptr && result() == i32, "needs a global pointer and gives an i32");
      break;
    case OpKind::readfirstlane:
      expect(op, operand(0) == i32 && result() == i32, "needs an i32");
      break;
    case OpKind::ballot:
      expect(op, operand(0) == i1 && result() == i64, "needs an i1 and gives one bit a lane as i64");
      break;
    case OpKind::permlane32_swap:
      expect(op, operand(0) == i32 && operand(1) == i32 && result(0) == i32 && result(1) == i32,
             "needs two i32");
      break;
    case OpKind::mfma_32x32x16:
      expect(op,
             (operand(0) == bf16.vector(8) || operand(0) == f16.vector(8)) && operand(0) == operand(1) &&
                 operand(2) == f32.vector(16) && result() == operand(2),
             "needs 8 elements of bf16 or f16 for A and B, and 16 floats for C");
      break;
    case OpKind::for_:
    case OpKind::if_:
    case OpKind::yield:
    case OpKind::return_:
      types_of_control_flow(op);
      break;
    default:
      types_of_memory(op);
  }
}

// LLVM makes poison of both.
void Verifier::constant_operand(const Op& op) {
  const Value& value = op.operands[1];
  if (!value.is_constant() || !value.type().is_integer()) return;
  if (op.kind == OpKind::udiv || op.kind == OpKind::urem)
    expect(op, value.constant_bits() != 0, "divides by zero");
  if (op.kind == OpKind::shl || op.kind == OpKind::lshr || op.kind == OpKind::ashr)
    expect(op, value.constant_bits() < scalar_bits(value.type()), "shifts all bits out");
}

void Verifier::types_of_memory(const Op& op) {
  const auto operand = [&](std::size_t i) { return op.operands[i].type(); };
  const auto is_uniform = [&](std::size_t i) { return op.operands[i].is_uniform(); };
  const auto in_range = [&](Attr key, std::int64_t low, std::int64_t high) {
    const auto value = op.attr(key);
    return !value || (*value >= low && *value <= high);
  };
  expect(op, in_range(Attr::alias_scope, 0, static_cast<std::int64_t>(AliasScope::lds_read)),
         "needs one of the alias scopes");
  // SC0, NT and SC1 of gfx9, the five bits of scope and temporal hint of gfx12 (LLVM, AMDGPUUsage).
  expect(op, in_range(Attr::cache_policy, 0, 31), "needs a cache policy from 0 to 31");
  switch (op.kind) {
    case OpKind::ptr_offset:
      expect(
          op,
          ((operand(0) == lds_ptr && operand(1) == i32) || (operand(0) == global_ptr && operand(1) == i64)) &&
              op.results[0].type() == operand(0),
          "needs an LDS pointer and an i32, or a global pointer and an i64");
      break;
    case OpKind::lds_address:
      expect(op,
             op.results[0].type() == lds_ptr &&
                 in_range(Attr::bytes, 0, std::int64_t{op.results[0].kernel().lds_bytes()} - 1),
             "needs an offset within the LDS pool");
      break;
    case OpKind::make_buffer_resource:
      expect(op,
             operand(0) == global_ptr && operand(1) == i32 && is_uniform(0) && is_uniform(1) &&
                 op.results[0].type() == buffer_resource,
             "needs a uniform global pointer and a uniform i32 number of bytes");
      break;
    case OpKind::buffer_load:
      expect(op, operand(0) == buffer_resource && operand(1) == i32 && is_uniform(0),
             "needs a uniform descriptor and an i32 offset");
      expect(op, one_access(op.results[0].type()), access_sizes);
      break;
    case OpKind::buffer_store:
      expect(op, operand(1) == buffer_resource && operand(2) == i32 && is_uniform(1),
             "needs data, a uniform descriptor and an i32 offset");
      expect(op, one_access(operand(0)), access_sizes);
      break;
    case OpKind::buffer_load_lds: {
      const auto bytes = op.attr(Attr::bytes);
      expect(op,
             operand(0) == buffer_resource && operand(1) == i32 && operand(2) == lds_ptr && is_uniform(0) &&
                 is_uniform(2),
             "needs a uniform descriptor, an i32 offset and a uniform LDS pointer");
      expect(op, bytes == 1 || bytes == 2 || bytes == 4 || bytes == 12 || bytes == 16,
             "moves 1, 2, 4, 12 or 16 bytes a lane");
      break;
    }
    case OpKind::lds_load:
      expect(op, operand(0) == lds_ptr, "needs an LDS pointer");
      expect(op, one_access(op.results[0].type()), access_sizes);
      expect(
          op,
          op.attr(Attr::align) > 0 && std::has_single_bit(static_cast<std::uint64_t>(*op.attr(Attr::align))),
          "needs a power of two as its alignment");
      break;
    case OpKind::lds_read_tr16:
      expect(
          op,
          operand(0) == lds_ptr && scalar_bits(op.results[0].type()) == 16 && op.results[0].type().lanes == 4,
          "needs an LDS pointer and gives four 16-bit elements");
      break;
    case OpKind::waitcnt:
      expect(op, op.attr(Attr::vmcnt) || op.attr(Attr::lgkmcnt), "waits for nothing");
      expect(op, in_range(Attr::vmcnt, 0, 63) && in_range(Attr::lgkmcnt, 0, 15),
             "counts vmcnt to 63 and lgkmcnt to 15");
      break;
    case OpKind::sched_barrier:
      expect(op, in_range(Attr::mask, 0, sched::all), "needs classes of instructions as its mask");
      break;
    case OpKind::sched_group_barrier:
      expect(op, in_range(Attr::mask, 1, sched::all), "needs classes of instructions as its mask");
      expect(op, in_range(Attr::size, 1, INT32_MAX) && in_range(Attr::group, 0, INT32_MAX),
             "needs a size of at least 1 and a group of at least 0");
      break;
    case OpKind::set_priority:
      expect(op, in_range(Attr::priority, 0, 3), "needs a priority from 0 to 3");
      break;
    default:
      break;  // a barrier has neither operands nor attributes
  }
}

void Verifier::types_of_control_flow(const Op& op) {
  if (op.kind == OpKind::for_) {
    const Type induction = op.operands[0].type();
    expect(op,
           induction.is_integer() && !induction.is_vector() && op.operands[1].type() == induction &&
               op.operands[2].type() == induction && op.regions[0]->arguments[0].type() == induction,
           "needs integer bounds and step of one type");
    const Value& step = op.operands[2];
    if (step.is_constant() && step.type().is_integer())
      expect(op, step.constant_bits() != 0 && step.constant_bits() >> (scalar_bits(step.type()) - 1) == 0,
             "needs a step above zero");
  }
  if (op.kind == OpKind::if_) expect(op, op.operands[0].type() == i1, "needs an i1");
  if (op.regions.empty()) return;
  const Region& inner = *op.regions.front();
  const Op& last = *inner.ops.back();
  const std::size_t fixed = op.kind == OpKind::for_ ? 3 : 1;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const Type type = op.results[i].type();
    const bool argument_fits = op.kind != OpKind::for_ || inner.arguments[i + 1].type() == type;
    const bool yield_fits = last.kind != OpKind::yield || last.operands[i].type() == type;
    expect(op, argument_fits && yield_fits && op.operands[fixed + i].type() == type,
           fmt::format("result {} has another type than what flows into it", i));
  }
}

}  // namespace

std::vector<std::string> verify(const Kernel& kernel) {
  Verifier verifier;
  verifier.region(kernel.body(), Extent::workgroup);
  return std::move(verifier.findings);
}

}  // namespace wavesmith::ir
