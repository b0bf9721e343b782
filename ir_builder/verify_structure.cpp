// The first half of the verifier: shape of operations and regions.
#include <fmt/format.h>

#include "ir_builder/verifier.h"

namespace wavesmith::ir {
namespace {

class StructureCheck {
 public:
  std::vector<std::string> findings;

  void region(const Region& region, bool is_body) {
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
    for (const Value& operand : op.operands)
      if (!operand.valid()) report(op, "has an empty operand");
    for (std::size_t i = 0; i < rule.required_count; ++i)
      if (!op.attr(rule.required[i]))
        report(op, fmt::format("lacks attribute {}", to_string(rule.required[i])));
    control_flow(op);
    for (const Region* inner : op.regions) region(*inner, false);
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
    if (last.kind == OpKind::yield && last.operands.size() != op.results.size())
      report(op, fmt::format("yields {} values for {} results", last.operands.size(), op.results.size()));
    if (last.kind == OpKind::return_ && (op.kind != OpKind::if_ || !op.results.empty()))
      report(op, "may not end in return: only an if without results can");
  }

  void report(const Op& op, std::string_view what) {
    findings.push_back(fmt::format("{} {}", info(op.kind).name, what));
  }
};

}  // namespace

std::vector<std::string> verify_structure(const Kernel& kernel) {
  StructureCheck check;
  check.region(kernel.body(), true);
  return std::move(check.findings);
}

}  // namespace wavesmith::ir
