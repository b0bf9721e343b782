// Faults by what changes.
#include "tools/contract/faults.h"

#include <utility>

namespace wavesmith::contract {

IrFault changed_operand(ir::OpKind kind, std::string_view step, std::size_t operand, Which which,
                        Rebuild build, std::size_t expected) {
  return [=, build = std::move(build)](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto ops = editor.find(kind, step, expected);
    if (!ops) return std::unexpected(ops.error());
    if (which == Which::all)
      for (ir::Op* op : *ops) editor.replace_operand(*op, operand, build);
    else
      editor.replace_operand(which == Which::first ? *ops->front() : *ops->back(), operand, build);
    return {};
  };
}

Expected<void> change_uses(const IrEditor& editor, ir::Value value, ir::OpKind kind, const Rebuild& build) {
  const std::vector<ir::Op*> users = editor.users(value, kind);
  if (users.empty())
    return not_applicable(fmt::format("no {} uses {}", ir::info(kind).name, value.data()->hint));
  for (ir::Op* user : users)
    for (std::size_t i = 0; i < user->operands.size(); ++i)
      if (user->operands[i] == value) editor.replace_operand(*user, i, build);
  return {};
}

IrFault changed_loops(std::size_t count, std::vector<LoopChange> changes) {
  return [count, changes = std::move(changes)](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto loops = editor.find(ir::OpKind::for_, "", count);
    if (!loops) return std::unexpected(loops.error());
    for (const LoopChange& change : changes)
      editor.replace_operand(*loops->at(change.loop), change.bound, plus_i32(change.by));
    return {};
  };
}

CodeFault removed(std::string_view mnemonic, std::string_view step, bool all, std::size_t expected) {
  return [=](CodeEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto found = editor.find(mnemonic, step, expected);
    if (!found) return std::unexpected(found.error());
    for (const CodeEditor::Instruction* one : *found) {
      editor.remove(*one);
      if (!all) break;
    }
    return {};
  };
}

LaunchFault fewer_workgroups(std::size_t axis) {
  return [=](dense::Launch& launch) -> Expected<void> {
    if (launch.grid.at(axis) > 1) --launch.grid.at(axis);
    return {};
  };
}

}  // namespace wavesmith::contract
