// Blocks, loops and ifs, and the helpers that the operations share. The operations themselves:
// op_lowering.cpp.
#include "lowering/function_lowering.h"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lowering/llvm_spelling.h"

namespace wavesmith::lowering {

std::string lds_pool_name(const ir::Kernel& kernel) {
  return fmt::format("@lds.{}", kernel.name);
}

void FunctionLowering::run() {
  text += current_block_ + ":\n";
  region(kernel_.body());
  step_ = 0;
  line("ret void");
}

void FunctionLowering::region(const ir::Region& region) {
  for (const ir::Op* op : region.ops) this->op(*op);
}

void FunctionLowering::op(const ir::Op& op) {
  step_ = op.step;
  switch (op.kind) {
    case ir::OpKind::for_:
      for_loop(op);
      break;
    case ir::OpKind::if_:
      if_then(op);
      break;
    case ir::OpKind::yield:
      break;  // the loop or if around it reads its operands
    case ir::OpKind::return_:
      line("ret void");
      break;
    default:
      arithmetic(op);
  }
}

void FunctionLowering::for_loop(const ir::Op& op) {
  const ir::Region& body = *op.regions.front();
  const ir::Op& yield = *body.ops.back();
  const std::string label = fmt::format("bb{}", blocks_++);
  const std::string before = current_block_;
  line(fmt::format("br label %{}.header", label));

  // The back edge's block and next values are known only after the body; the phis are put in then.
  block(label + ".header");
  const std::size_t phis_at = text.size();
  const std::uint16_t step = step_;
  const ir::Value induction = body.arguments.front();
  const std::string type = llvm_type(induction.type());
  line(fmt::format("%{}.more = icmp slt {} %{}, {}", label, type, induction.name(), operand(op.operands[1])));
  line(fmt::format("br i1 %{0}.more, label %{0}.body, label %{0}.exit", label));

  block(label + ".body");
  region(body);
  step_ = step;
  line(fmt::format("%{}.next = add nsw {} %{}, {}", label, type, induction.name(), operand(op.operands[2])));
  line(fmt::format("br label %{}.header", label), fmt::format(", !llvm.loop !{}", metadata_.no_unroll()));

  std::string phis;
  const auto phi = [&](const ir::Value& value, const ir::Value& init, const std::string& next) {
    fmt::format_to(std::back_inserter(phis), "  %{} = phi {} [ {}, %{} ], [ {}, %{} ]{}\n", value.name(),
                   llvm_type(value.type()), operand(init), before, next, current_block_,
                   line_table_ ? metadata_.location(step) : "");
  };
  phi(induction, op.operands[0], fmt::format("%{}.next", label));
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    phi(body.arguments[i + 1], op.operands[i + 3], operand(yield.operands[i]));
    aliases_[op.results[i].data()] = fmt::format("%{}", body.arguments[i + 1].name());
  }
  text.insert(phis_at, phis);
  block(label + ".exit");
}

void FunctionLowering::if_then(const ir::Op& op) {
  const ir::Region& then = *op.regions.front();
  const ir::Op& last = *then.ops.back();
  const std::string label = fmt::format("bb{}", blocks_++);
  const std::string before = current_block_;
  line(fmt::format("br i1 {}, label %{}.then, label %{}.end", operand(op.operands[0]), label, label));
  const std::uint16_t step = step_;

  block(label + ".then");
  region(then);
  step_ = step;
  const std::string then_end = current_block_;
  if (last.kind == ir::OpKind::yield) line(fmt::format("br label %{}.end", label));

  block(label + ".end");
  for (std::size_t i = 0; i < op.results.size(); ++i)
    define(op.results[i],
           fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", llvm_type(op.results[i].type()),
                       operand(last.operands[i]), then_end, operand(op.operands[i + 1]), before));
}

void FunctionLowering::line(std::string_view instruction, std::string_view suffix) {
  // Appended, not formatted: the text is most of the work of emitting a kernel, and it is made of lines.
  text += "  ";
  text += instruction;
  end_line(suffix);
}

void FunctionLowering::end_line(std::string_view suffix) {
  text += suffix;
  if (line_table_) text += metadata_.location(step_);
  text += '\n';
}

void FunctionLowering::define(const ir::Value& result, std::string_view instruction,
                              std::string_view suffix) {
  text += "  %";
  text += result.name();
  text += " = ";
  text += instruction;
  end_line(suffix);
}

void FunctionLowering::block(const std::string& label) {
  current_block_ = label;
  fmt::format_to(std::back_inserter(text), "\n{}:\n", label);
}

std::string FunctionLowering::call(std::string_view result_type, const std::string& name,
                                   const std::vector<std::string>& arguments, std::uint32_t immediates) {
  if (declared_.insert(name).second) declare(result_type, name, arguments, immediates);
  std::string result = "call ";
  result += result_type;
  result += " @";
  result += name;
  result += '(';
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) result += ", ";
    result += arguments[i];
  }
  result += ')';
  return result;
}

void FunctionLowering::declare(std::string_view result_type, const std::string& name,
                               const std::vector<std::string>& arguments, std::uint32_t immediates) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // An argument is "type value"; the type is all up to the last space outside a vector's brackets.
    const std::string& argument = arguments[i];
    const std::size_t vector_end = argument.front() == '<' ? argument.find('>') : 0;
    const std::size_t space = argument.front() == '<' ? argument.find(' ', vector_end) : argument.rfind(' ');
    parameters.push_back(argument.substr(0, space) + ((immediates >> i & 1U) != 0 ? " immarg" : ""));
  }
  declarations.insert(fmt::format("declare {} @{}({})", result_type, name, fmt::join(parameters, ", ")));
}

std::string FunctionLowering::operand(const ir::Value& value) const {
  if (value.is_constant()) return llvm_constant(value.type(), value.constant_bits());
  const auto alias = aliases_.find(value.data());
  return alias != aliases_.end() ? alias->second : "%" + value.name();
}

std::string FunctionLowering::typed_operand(const ir::Value& value) const {
  return llvm_type(value.type()) + " " + operand(value);
}

}  // namespace wavesmith::lowering
