// Changes the IR of a kernel before it is verified, for faults that are planted there. A place that is not
// there exactly as often as expected is an error: a fault that plants nothing would prove nothing.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "ir_builder/builder.h"

namespace wavesmith::contract {

class IrEditor {
 public:
  explicit IrEditor(ir::Kernel& kernel) : kernel_(kernel) {}

  [[nodiscard]] ir::Kernel& kernel() const { return kernel_; }

  /// All operations of a kind in a step of the Plan, in the order in which they were built. `step` empty:
  /// those that belong to none. Errors: not as many as `expected` (0: any number but none).
  [[nodiscard]] Expected<std::vector<ir::Op*>> find(ir::OpKind kind, std::string_view step,
                                                    std::size_t expected = 0) const;
  /// All operations of a kind with that operand, in the order in which they were built.
  [[nodiscard]] std::vector<ir::Op*> users(ir::Value value, ir::OpKind kind) const;
  /// Every operand that is `from` becomes `to`. Errors: there is none.
  Expected<void> replace_uses(ir::Value from, ir::Value to) const;
  /// What `build` makes stands right before `user`, and becomes its operand of that number.
  void replace_operand(ir::Op& user, std::size_t operand,
                       const std::function<ir::Value(ir::Builder&, ir::Value old)>& build) const;
  /// Errors: the kernel has no such parameter.
  [[nodiscard]] Expected<ir::Value> parameter(std::string_view name) const;

 private:
  ir::Kernel& kernel_;
};

/// The error of a fault that does not apply.
[[nodiscard]] std::unexpected<Error> not_applicable(std::string_view what);

}  // namespace wavesmith::contract
