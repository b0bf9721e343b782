// Construction of operations. Result types follow from the operands here; verifier.h checks that they fit.
#include "ir_builder/builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace wavesmith::ir {

Builder::Step::Step(const Builder& builder, std::string_view name)
    : kernel_(builder.kernel()), previous_(kernel_.step) {
  const auto known = std::ranges::find(kernel_.steps, name);
  kernel_.step = static_cast<std::uint16_t>(known - kernel_.steps.begin());
  if (known == kernel_.steps.end()) kernel_.steps.emplace_back(name);
}

Op* Builder::append(OpKind kind, std::span<const Value> operands, std::span<const Type> result_types,
                    std::string_view hint, std::initializer_list<std::pair<Attr, std::int64_t>> attrs) {
  Op* op = kernel_->new_op(kind);
  op->operands.assign(operands.begin(), operands.end());
  op->attrs.assign(attrs);
  op->parent = kernel_->insertion;
  for (Type type : result_types) {
    ValueData* result = kernel_->new_value(type, hint.empty() ? info(kind).name : hint);
    result->producer = op;
    op->results.emplace_back(result);
  }
  kernel_->insertion->ops.push_back(op);
  return op;
}

Value Builder::one(OpKind kind, std::initializer_list<Value> operands, Type type, std::string_view hint,
                   std::initializer_list<std::pair<Attr, std::int64_t>> attrs) {
  return append(kind, {operands.begin(), operands.size()}, {&type, 1}, hint, attrs)->results.front();
}

Value Builder::parameter(Type type, std::string_view name, std::string_view meaning, unsigned align,
                         bool writeonly) {
  ValueData* data = kernel_->new_value(type, name);
  data->region = &kernel_->body();
  kernel_->body().arguments.emplace_back(data);
  kernel_->parameters.push_back({Value(data), writeonly, align, std::string(meaning)});
  return Value(data);
}

namespace {

// Bits of the 16-bit float nearest to an integer: a float's upper bits once its exponent has the same bias.
std::uint64_t bits16(Type type, std::int64_t value) {
  const bool is_half = type.scalar == Scalar::f16;
  const std::uint32_t infinity = is_half ? 0x7c00 : 0x7f80;
  const unsigned dropped = is_half ? 13 : 16;
  const float magnitude = std::fabs(static_cast<float>(value)) * (is_half ? 0x1p-112F : 1.0F);
  const auto bits = std::bit_cast<std::uint32_t>(magnitude);
  const std::uint32_t to_even = (1U << (dropped - 1)) - 1 + (bits >> dropped & 1);
  return std::min((bits + to_even) >> dropped, infinity) | (value < 0 ? 0x8000U : 0U);
}

}  // namespace

Value Builder::constant(Type type, std::int64_t value) {
  if (type.scalar == Scalar::f32) return constant_f32(static_cast<float>(value), type.lanes);
  if (type.is_float()) return kernel_->constant(type, bits16(type, value));
  const unsigned bits = scalar_bits(type);
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return kernel_->constant(type, static_cast<std::uint64_t>(value) & mask);
}

Value Builder::constant_f32(float value, unsigned lanes) {
  return kernel_->constant(f32.vector(lanes), std::bit_cast<std::uint32_t>(value));
}

Value Builder::binary(OpKind kind, Value a, Value b, std::string_view hint) {
  return one(kind, {a, b}, a.type(), hint);
}

Value Builder::compare(Predicate predicate, Value a, Value b) {
  const bool floating = a.type().is_float();
  return one(floating ? OpKind::fcmp : OpKind::icmp, {a, b}, i1.vector(a.type().lanes), "is",
             {{Attr::predicate, static_cast<std::int64_t>(predicate)}});
}

Value Builder::select(Value condition, Value if_true, Value if_false) {
  return one(OpKind::select, {condition, if_true, if_false}, if_true.type(), "");
}

Value Builder::fma(Value a, Value b, Value c) {
  return one(OpKind::fma, {a, b, c}, a.type(), "");
}
Value Builder::fneg(Value a) {
  return one(OpKind::fneg, {a}, a.type(), "");
}
Value Builder::fmax(Value a, Value b) {
  return one(OpKind::fmax, {a, b}, a.type(), "");
}
Value Builder::exp2(Value a) {
  return one(OpKind::exp2, {a}, a.type(), "");
}
Value Builder::log2(Value a) {
  return one(OpKind::log2, {a}, a.type(), "");
}
Value Builder::rcp(Value a) {
  return one(OpKind::rcp, {a}, a.type(), "");
}

Value Builder::convert(OpKind kind, Value a, Type to) {
  if (a.type() == to) return a;
  return one(kind, {a}, to, "");
}

Value Builder::extract(Value vector, unsigned lane) {
  return one(OpKind::extract, {vector}, vector.type().element(), "lane", {{Attr::index, lane}});
}

Value Builder::build(std::span<const Value> elements) {
  const Type type = elements.front().type().vector(static_cast<unsigned>(elements.size()));
  return append(OpKind::build, elements, {&type, 1}, "vec")->results.front();
}

Value Builder::concat(Value low, Value high) {
  return one(OpKind::concat, {low, high}, low.type().vector(low.type().lanes + high.type().lanes), "");
}

Value Builder::slice(Value vector, unsigned first, unsigned lanes) {
  return one(OpKind::slice, {vector}, vector.type().vector(lanes), "", {{Attr::index, first}});
}

Value Builder::splat(Value scalar, unsigned lanes) {
  return one(OpKind::splat, {scalar}, scalar.type().vector(lanes), "");
}

Value Builder::workitem_id() {
  return one(OpKind::workitem_id, {}, ir::i32, "tid");
}

Value Builder::workgroup_id(unsigned axis) {
  constexpr std::array<std::string_view, 3> names{"wg_x", "wg_y", "wg_z"};
  return one(OpKind::workgroup_id, {}, ir::i32, names.at(axis), {{Attr::index, axis}});
}

Value Builder::load_argument(Value parameter, Value zero) {
  return one(OpKind::load_argument, {parameter, zero}, parameter.type(), parameter.data()->hint);
}

Value Builder::readfirstlane(Value a, std::string_view hint) {
  return one(OpKind::readfirstlane, {a}, a.type(), hint);
}

Value Builder::any_lane(Value condition) {
  const Value lanes = one(OpKind::ballot, {condition}, ir::i64, "");
  return compare(Predicate::ne, lanes, i64(0));
}

std::pair<Value, Value> Builder::permlane32_swap(Value a, Value b) {
  const std::array operands{bitcast(a, ir::i32), bitcast(b, ir::i32)};
  const std::array types{ir::i32, ir::i32};
  const Op* op = append(OpKind::permlane32_swap, operands, types, "swap");
  return {bitcast(op->results[0], a.type()), bitcast(op->results[1], b.type())};
}

Value Builder::mfma_32x32x16(Value a, Value b, Value c) {
  return one(OpKind::mfma_32x32x16, {a, b, c}, c.type(), "acc");
}

Value Builder::ptr_offset(Value pointer, Value bytes) {
  return one(OpKind::ptr_offset, {pointer, bytes}, pointer.type(), "addr");
}

Value Builder::lds_address(unsigned bytes) {
  return one(OpKind::lds_address, {}, lds_ptr, "lds", {{Attr::bytes, bytes}});
}

Value Builder::make_buffer_resource(Value base, Value bytes) {
  return one(OpKind::make_buffer_resource, {base, bytes}, buffer_resource, "rsrc");
}

Value Builder::load_constant(Value pointer, std::string_view hint) {
  return one(OpKind::load_constant, {pointer}, ir::i32, hint);
}

Value Builder::buffer_load(Value resource, Value byte_offset, Type type) {
  return one(OpKind::buffer_load, {resource, byte_offset}, type, "load");
}

void Builder::buffer_store(Value data, Value resource, Value byte_offset) {
  const std::array operands{data, resource, byte_offset};
  append(OpKind::buffer_store, operands, {}, "");
}

void Builder::buffer_load_lds(Value resource, Value byte_offset, Value lds_base, unsigned bytes,
                              AliasScope scope) {
  const std::array operands{resource, byte_offset, lds_base};
  append(OpKind::buffer_load_lds, operands, {}, "",
         {{Attr::bytes, bytes}, {Attr::alias_scope, static_cast<std::int64_t>(scope)}});
}

Value Builder::lds_load(Value address, Type type, unsigned align, AliasScope scope) {
  return one(OpKind::lds_load, {address}, type, "ds",
             {{Attr::align, align}, {Attr::alias_scope, static_cast<std::int64_t>(scope)}});
}

Value Builder::lds_read_tr16(Value address, Type type, AliasScope scope) {
  return one(OpKind::lds_read_tr16, {address}, type, "tr",
             {{Attr::alias_scope, static_cast<std::int64_t>(scope)}});
}

void Builder::wait_vmcnt(unsigned outstanding) {
  append(OpKind::waitcnt, {}, {}, "", {{Attr::vmcnt, outstanding}});
}

void Builder::wait_lgkmcnt(unsigned outstanding) {
  append(OpKind::waitcnt, {}, {}, "", {{Attr::lgkmcnt, outstanding}});
}

void Builder::barrier() {
  append(OpKind::barrier, {}, {}, "");
}

void Builder::sched_barrier(std::int64_t mask) {
  append(OpKind::sched_barrier, {}, {}, "", {{Attr::mask, mask}});
}

void Builder::sched_group_barrier(std::int64_t mask, unsigned size, unsigned group) {
  append(OpKind::sched_group_barrier, {}, {}, "",
         {{Attr::mask, mask}, {Attr::size, size}, {Attr::group, group}});
}

void Builder::set_priority(unsigned priority) {
  append(OpKind::set_priority, {}, {}, "", {{Attr::priority, priority}});
}

std::vector<Value> Builder::for_loop(Value lower, Value upper, Value step, std::string_view induction_hint,
                                     std::span<const Carried> carried, const LoopBody& body) {
  std::vector<Value> operands{lower, upper, step};
  for (const Carried& value : carried) operands.push_back(value.init);
  Op* op = append(OpKind::for_, operands, {}, "");

  Region* region = kernel_->new_region(op);
  op->regions.push_back(region);
  const auto argument = [&](Type type, std::string_view hint) {
    ValueData* data = kernel_->new_value(type, hint);
    data->region = region;
    region->arguments.emplace_back(data);
    return Value(data);
  };
  const Value induction = argument(lower.type(), induction_hint);
  std::vector<Value> current;
  for (const Carried& value : carried) current.push_back(argument(value.init.type(), value.hint));

  Region* outer = std::exchange(kernel_->insertion, region);
  const std::vector<Value> next = body(induction, current);
  append(OpKind::yield, next, {}, "");
  kernel_->insertion = outer;

  for (const Carried& value : carried) {
    ValueData* result = kernel_->new_value(value.init.type(), value.hint);
    result->producer = op;
    op->results.emplace_back(result);
  }
  return op->results;
}

std::vector<Value> Builder::if_then(Value condition, std::span<const Value> otherwise, const Branch& then) {
  const std::array operands{condition};
  Op* op = append(OpKind::if_, operands, {}, "");
  Region* region = kernel_->new_region(op);
  op->regions.push_back(region);

  Region* outer = std::exchange(kernel_->insertion, region);
  const std::vector<Value> values = then();
  append(OpKind::yield, values, {}, "");
  kernel_->insertion = outer;

  // The values of the side not taken are operands, so that the op lists all it uses.
  op->operands.insert(op->operands.end(), otherwise.begin(), otherwise.end());
  for (const Value& value : otherwise) {
    ValueData* result =
        kernel_->new_value(value.type(), value.data()->hint.empty() ? "if" : value.data()->hint);
    result->producer = op;
    op->results.emplace_back(result);
  }
  return op->results;
}

void Builder::return_if(Value condition) {
  const std::array operands{condition};
  Op* op = append(OpKind::if_, operands, {}, "");
  Region* region = kernel_->new_region(op);
  op->regions.push_back(region);
  Region* outer = std::exchange(kernel_->insertion, region);
  append(OpKind::return_, {}, {}, "");
  kernel_->insertion = outer;
}

namespace {

Value arithmetic(OpKind integer, OpKind floating, Value a, Value b) {
  return Builder(a.kernel()).binary(a.type().is_float() ? floating : integer, a, b);
}

Value ordered(Predicate integer, Predicate floating, Value a, Value b) {
  return Builder(a.kernel()).compare(a.type().is_float() ? floating : integer, a, b);
}

Value same_type(Value like, std::int64_t value) {
  return Builder(like.kernel()).constant(like.type(), value);
}

}  // namespace

Value operator+(Value a, Value b) {
  return arithmetic(OpKind::add, OpKind::fadd, a, b);
}
Value operator-(Value a, Value b) {
  return arithmetic(OpKind::sub, OpKind::fsub, a, b);
}
Value operator*(Value a, Value b) {
  return arithmetic(OpKind::mul, OpKind::fmul, a, b);
}
Value operator&(Value a, Value b) {
  return Builder(a.kernel()).binary(OpKind::and_, a, b);
}
Value operator|(Value a, Value b) {
  return Builder(a.kernel()).binary(OpKind::or_, a, b);
}
Value operator+(Value a, std::int64_t b) {
  return b == 0 ? a : a + same_type(a, b);
}
Value operator-(Value a, std::int64_t b) {
  return b == 0 ? a : a - same_type(a, b);
}
Value operator-(std::int64_t a, Value b) {
  return same_type(b, a) - b;
}
Value operator*(Value a, std::int64_t b) {
  return b == 1 ? a : a * same_type(a, b);
}
Value operator&(Value a, std::int64_t b) {
  return a & same_type(a, b);
}
Value operator<<(Value a, unsigned bits) {
  return bits == 0 ? a : Builder(a.kernel()).binary(OpKind::shl, a, same_type(a, bits));
}
Value operator>>(Value a, unsigned bits) {
  return bits == 0 ? a : Builder(a.kernel()).binary(OpKind::lshr, a, same_type(a, bits));
}
Value operator<(Value a, Value b) {
  return ordered(Predicate::slt, Predicate::olt, a, b);
}
Value operator<=(Value a, Value b) {
  return ordered(Predicate::sle, Predicate::ole, a, b);
}
Value operator>(Value a, Value b) {
  return ordered(Predicate::sgt, Predicate::ogt, a, b);
}
Value operator>=(Value a, Value b) {
  return ordered(Predicate::sge, Predicate::oge, a, b);
}

}  // namespace wavesmith::ir
