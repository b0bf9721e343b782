// The table behind op_table.h. One row an operation, in the order of OpKind.
#include "ir_builder/op_table.h"

#include <initializer_list>

namespace wavesmith::ir {
namespace {

constexpr OpInfo row(OpKind kind, std::string_view name, int operands, int results, Effect effect,
                     Uniformity uniformity, bool keeps_order, bool whole_wave,
                     std::initializer_list<Attr> required) {
  OpInfo info{kind,
              name,
              static_cast<std::int8_t>(operands),
              static_cast<std::int8_t>(results),
              effect,
              uniformity,
              keeps_order,
              whole_wave,
              {},
              static_cast<std::uint8_t>(required.size())};
  std::size_t i = 0;
  for (Attr attr : required) info.required[i++] = attr;
  return info;
}

// A plain value: no effect, free to move, as uniform as its operands.
constexpr OpInfo value(OpKind kind, std::string_view name, int operands,
                       std::initializer_list<Attr> required = {}) {
  return row(kind, name, operands, 1, Effect::none, Uniformity::propagates, false, false, required);
}

// A value whose place among its like is the generator's schedule (matrix and transcendental instructions).
constexpr OpInfo scheduled(OpKind kind, std::string_view name, int operands, bool whole_wave) {
  return row(kind, name, operands, 1, Effect::none, Uniformity::propagates, true, whole_wave, {});
}

constexpr OpInfo order(OpKind kind, std::string_view name, bool whole_wave,
                       std::initializer_list<Attr> required = {}) {
  return row(kind, name, 0, 0, Effect::orders, Uniformity::workgroup, true, whole_wave, required);
}

using enum OpKind;

constexpr std::array table{
    value(add, "add", 2),
    value(sub, "sub", 2),
    value(mul, "mul", 2),
    value(udiv, "udiv", 2),
    value(urem, "urem", 2),
    value(and_, "and", 2),
    value(or_, "or", 2),
    value(xor_, "xor", 2),
    value(shl, "shl", 2),
    value(lshr, "lshr", 2),
    value(ashr, "ashr", 2),
    value(smin, "smin", 2),
    value(smax, "smax", 2),
    value(umin, "umin", 2),
    value(umax, "umax", 2),
    value(icmp, "icmp", 2, {Attr::predicate}),
    value(fadd, "fadd", 2),
    value(fsub, "fsub", 2),
    value(fmul, "fmul", 2),
    value(fma, "fma", 3),
    value(fneg, "fneg", 1),
    value(fmax, "fmax", 2),
    value(fcmp, "fcmp", 2, {Attr::predicate}),
    scheduled(exp2, "exp2", 1, false),
    scheduled(log2, "log2", 1, false),
    value(rcp, "rcp", 1),
    value(zext, "zext", 1),
    value(sext, "sext", 1),
    value(trunc, "trunc", 1),
    value(fptrunc, "fptrunc", 1),
    value(fpext, "fpext", 1),
    value(bitcast, "bitcast", 1),
    value(extract, "extract", 1, {Attr::index}),
    value(build, "build", -1),
    value(concat, "concat", 2),
    value(slice, "slice", 1, {Attr::index}),
    value(splat, "splat", 1),
    value(select, "select", 3),
    row(workitem_id, "workitem_id", 0, 1, Effect::none, Uniformity::divergent, false, false, {}),
    row(workgroup_id, "workgroup_id", 0, 1, Effect::none, Uniformity::workgroup, false, false, {Attr::index}),
    value(load_argument, "load_argument", 2),
    row(readfirstlane, "readfirstlane", 1, 1, Effect::lanes, Uniformity::one_lane, true, false, {}),
    // A ballot shows which lanes are active, which differs between waves even for equal operands.
    row(ballot, "ballot", 1, 1, Effect::lanes, Uniformity::wave, true, false, {}),
    row(permlane32_swap, "permlane32_swap", 2, 2, Effect::lanes, Uniformity::divergent, true, true, {}),
    // MFMA ignores EXEC and reads every lane's registers (CDNA4 ISA, MFMA): all lanes must have computed
    // them.
    scheduled(mfma_32x32x16, "mfma_32x32x16", 3, true),
    value(ptr_offset, "ptr_offset", 2),
    value(lds_address, "lds_address", 0, {Attr::bytes}),
    value(make_buffer_resource, "make_buffer_resource", 2),
    // Memory that nothing writes while a kernel runs: as good as a value.
    value(load_constant, "load_constant", 1),
    row(buffer_load, "buffer_load", 2, 1, Effect::reads, Uniformity::divergent, true, false, {}),
    row(buffer_store, "buffer_store", 3, 0, Effect::writes, Uniformity::workgroup, true, false, {}),
    // Writes LDS at a wave-uniform base plus lane * bytes: a lane that is off leaves a hole.
    row(buffer_load_lds, "buffer_load_lds", 3, 0, Effect::writes, Uniformity::workgroup, true, true,
        {Attr::bytes, Attr::alias_scope}),
    row(lds_load, "lds_load", 1, 1, Effect::reads, Uniformity::divergent, true, false,
        {Attr::align, Attr::alias_scope}),
    // The transpose exchanges data between the lanes of 16-lane groups; EXEC must be all ones (CDNA4 ISA
    // §11.4).
    row(lds_read_tr16, "lds_read_tr16", 1, 1, Effect::reads, Uniformity::divergent, true, true,
        {Attr::alias_scope}),
    order(waitcnt, "waitcnt", false),
    order(barrier, "barrier", true),
    order(sched_barrier, "sched_barrier", false, {Attr::mask}),
    order(sched_group_barrier, "sched_group_barrier", false, {Attr::mask, Attr::size, Attr::group}),
    order(set_priority, "set_priority", false, {Attr::priority}),
    row(for_, "for", -1, -1, Effect::flow, Uniformity::propagates, true, false, {}),
    row(if_, "if", -1, -1, Effect::flow, Uniformity::propagates, true, false, {}),
    row(yield, "yield", -1, 0, Effect::flow, Uniformity::workgroup, true, false, {}),
    row(return_, "return", 0, 0, Effect::flow, Uniformity::workgroup, true, false, {}),
};

static_assert(table.size() == static_cast<std::size_t>(OpKind::count_), "every OpKind has one row");
static_assert(
    [] {
      for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].kind != static_cast<OpKind>(i)) return false;
      return true;
    }(),
    "rows stand in the order of OpKind");

}  // namespace

const OpInfo& info(OpKind kind) {
  return table[static_cast<std::size_t>(kind)];
}

std::span<const OpInfo> all_ops() {
  return table;
}

std::string_view to_string(Attr attr) {
  constexpr std::array<std::string_view, 12> names{"predicate",   "index", "bytes",    "align",
                                                   "alias_scope", "vmcnt", "lgkmcnt",  "mask",
                                                   "size",        "group", "priority", "cache_policy"};
  return names[static_cast<std::size_t>(attr)];
}

std::string_view to_string(Predicate predicate) {
  constexpr std::array<std::string_view, 15> names{"eq",  "ne",  "slt", "sle", "sgt", "sge", "ult", "ule",
                                                   "ugt", "uge", "oeq", "olt", "ole", "ogt", "oge"};
  return names[static_cast<std::size_t>(predicate)];
}

}  // namespace wavesmith::ir
