// The first half of the verifier: shape of operations and regions.
#include <algorithm>

#include <fmt/format.h>

#include "ir_builder/verifier.h"

namespace wavesmith::ir {
namespace {

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || is_digit(c); });
}

class StructureCheck {
 public:
  explicit StructureCheck(const Kernel& kernel) : kernel_(kernel) {}

  std::vector<std::string> findings;

  void names_of_kernel() {
    if (!is_identifier(kernel_.name))
      findings.push_back(
          fmt::format("\"{}\" is no name for a kernel: letters, digits and _ are allowed", kernel_.name));
    // Step names become file names of the line table.
    for (const std::string& step : kernel_.steps)
      if (step.find_first_of("\"\\\n") != std::string::npos)
        findings.push_back(fmt::format("step \"{}\" has a quote, a backslash or a line break", step));
  }

  void region(const Region& region, bool is_body) {
    for (const Value& argument : region.arguments) name(argument);
    for (std::size_t i = 0; i < region.ops.size(); ++i) {
      const Op& op = *region.ops[i];
      this->op(op);
      const bool ends_region = op.kind == OpKind::yield || op.kind == OpKind::return_;
      if (ends_region && i + 1 != region.ops.size()) report(op, "stands before the end of its region");
      if (ends_region && is_body) report(op, "ends the kernel's body, which ends by itself");
      if (op.parent != &region) report(op, "is in another region than it says");
    }
    if (!is_body && (region.ops.empty() || (region.ops.back()->kind != OpKind::yield &&
                                            region.ops.back()->kind != OpKind::return_)))
      findings.push_back("a region does not end in yield or return");
  }

 private:
  void op(const Op& op) {
    const OpInfo& rule = info(op.kind);
    if (rule.operands >= 0 && op.operands.size() != static_cast<std::size_t>(rule.operands))
      report(op, fmt::format("has {} operands, {} are needed", op.operands.size(), rule.operands));
    if (rule.results >= 0 && op.results.size() != static_cast<std::size_t>(rule.results))
      report(op, fmt::format("has {} results, {} are needed", op.results.size(), rule.results));
    for (const Value& operand : op.operands) check_operand(op, operand);
    for (const Value& result : op.results) name(result);
    for (std::size_t i = 0; i < rule.required_count; ++i)
      if (!op.attr(rule.required[i]))
        report(op, fmt::format("lacks attribute {}", to_string(rule.required[i])));
    attributes(op);
    control_flow(op);
    for (const Region* inner : op.regions) region(*inner, false);
  }

  void check_operand(const Op& op, const Value& operand) {
    if (!operand.valid()) {
      report(op, "has an empty operand");
    } else if (&operand.kernel() != &kernel_) {
      report(op, fmt::format("has an operand of another kernel, {}", operand.kernel().name));
    } else if (operand.is_constant() && !operand.type().is_integer() && !operand.type().is_float()) {
      report(op, fmt::format("has a constant of type {}: constants are numbers", to_string(operand.type())));
    }
  }

  void attributes(const Op& op) {
    for (std::size_t i = 0; i < op.attrs.size(); ++i) {
      const Attr key = op.attrs[i].first;
      if (!takes(op.kind, key)) report(op, fmt::format("does not take attribute {}", to_string(key)));
      for (std::size_t j = 0; j < i; ++j)
        if (op.attrs[j].first == key) report(op, fmt::format("has attribute {} twice", to_string(key)));
    }
  }

  static bool takes(OpKind kind, Attr key) {
    const OpInfo& rule = info(kind);
    for (std::size_t i = 0; i < rule.required_count; ++i)
      if (rule.required[i] == key) return true;
    if (key == Attr::vmcnt || key == Attr::lgkmcnt) return kind == OpKind::waitcnt;
    return key == Attr::cache_policy &&
           (kind == OpKind::buffer_load || kind == OpKind::buffer_store || kind == OpKind::buffer_load_lds);
  }

  // A "." is left to the names that assign_names and lowering make out of hints, so that none can collide.
  void name(const Value& value) {
    if (!is_identifier(value.data()->hint))
      findings.push_back(fmt::format("\"{}\" is no name for a value: letters, digits and _ are allowed",
                                     value.data()->hint));
  }

  void control_flow(const Op& op) {
    const bool has_region = op.kind == OpKind::for_ || op.kind == OpKind::if_;
    if (op.regions.size() != (has_region ? 1U : 0U)) {
      report(op, fmt::format("has {} regions", op.regions.size()));
      return;
    }
    if (!has_region || op.regions.front()->ops.empty()) return;
    const Region& inner = *op.regions.front();
    const Op& last = *inner.ops.back();
    const std::size_t fixed = op.kind == OpKind::for_ ? 3 : 1;
    if (op.operands.size() != fixed + op.results.size())
      report(op, fmt::format("has {} operands for {} results", op.operands.size(), op.results.size()));
    if (op.kind == OpKind::for_ && inner.arguments.size() != op.results.size() + 1)
      report(op, "has not one region argument for the induction and each carried value");
    if (op.kind == OpKind::if_ && !inner.arguments.empty()) report(op, "has region arguments");
    if (last.kind == OpKind::yield && last.operands.size() != op.results.size())
      report(op, fmt::format("yields {} values for {} results", last.operands.size(), op.results.size()));
    if (last.kind == OpKind::return_ && (op.kind != OpKind::if_ || !op.results.empty()))
      report(op, "may not end in return: only an if without results can");
  }

  void report(const Op& op, std::string_view what) {
    findings.push_back(fmt::format("{} {}", info(op.kind).name, what));
  }

  const Kernel& kernel_;
};

}  // namespace

std::vector<std::string> verify_structure(const Kernel& kernel) {
  StructureCheck check(kernel);
  check.names_of_kernel();
  check.region(kernel.body(), true);
  return std::move(check.findings);
}

}  // namespace wavesmith::ir
