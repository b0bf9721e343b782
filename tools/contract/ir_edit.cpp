// Walks the tree of regions.
#include "tools/contract/ir_edit.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::contract {
namespace {

template <class Visit>
void for_each_op(const ir::Region& region, const Visit& visit) {
  for (ir::Op* op : region.ops) {
    visit(*op);
    for (const ir::Region* inner : op->regions) for_each_op(*inner, visit);
  }
}

}  // namespace

std::unexpected<Error> not_applicable(std::string_view what) {
  return fail(ErrorKind::check_failed, fmt::format("the fault cannot be planted: {}", what));
}

Expected<std::vector<ir::Op*>> IrEditor::find(ir::OpKind kind, std::string_view step,
                                              std::size_t expected) const {
  std::vector<ir::Op*> found;
  for_each_op(kernel_.body(), [&](ir::Op& op) {
    const bool here = step.empty() ? op.step == 0 : op.step != 0 && kernel_.steps[op.step] == step;
    if (op.kind == kind && here) found.push_back(&op);
  });
  if (found.empty() || (expected != 0 && found.size() != expected))
    return not_applicable(fmt::format("{} operations {} in step \"{}\", {} expected", found.size(),
                                      ir::info(kind).name, step,
                                      expected == 0 ? "at least one" : fmt::format("{}", expected)));
  return found;
}

std::vector<ir::Op*> IrEditor::users(ir::Value value, ir::OpKind kind) const {
  std::vector<ir::Op*> found;
  for_each_op(kernel_.body(), [&](ir::Op& op) {
    if (op.kind == kind && std::ranges::find(op.operands, value) != op.operands.end()) found.push_back(&op);
  });
  return found;
}

Expected<void> IrEditor::replace_uses(ir::Value from, ir::Value to) const {
  std::size_t uses = 0;
  for_each_op(kernel_.body(), [&](ir::Op& op) {
    for (ir::Value& operand : op.operands) {
      if (operand != from) continue;
      operand = to;
      ++uses;
    }
  });
  if (uses == 0) return not_applicable(fmt::format("value {} is not used", from.data()->hint));
  return {};
}

void IrEditor::replace_operand(ir::Op& user, std::size_t operand,
                               const std::function<ir::Value(ir::Builder&, ir::Value)>& build) const {
  ir::Region& region = *user.parent;
  ir::Region* const insertion = std::exchange(kernel_.insertion, &region);
  const std::uint16_t step = std::exchange(kernel_.step, user.step);
  const auto before = static_cast<std::ptrdiff_t>(region.ops.size());
  ir::Builder builder(kernel_);
  user.operands[operand] = build(builder, user.operands[operand]);
  // The builder appends; move what it made.
  const auto place = std::ranges::find(region.ops, &user);
  std::rotate(place, region.ops.begin() + before, region.ops.end());
  kernel_.insertion = insertion;
  kernel_.step = step;
}

Expected<ir::Value> IrEditor::parameter(std::string_view name) const {
  for (const ir::Parameter& parameter : kernel_.parameters)
    if (parameter.value.data()->hint == name) return parameter.value;
  return not_applicable(fmt::format("there is no parameter {}", name));
}

}  // namespace wavesmith::contract
