// Numbered metadata of one module: alias scopes, loop hints, the workgroup size, and the optional line table.
// Nodes are numbered in the order of first use.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir_builder/function.h"

namespace wavesmith::lowering {

class Metadata {
 public:
  explicit Metadata(const ir::Kernel& kernel) : kernel_(kernel) {}

  /// ", !alias.scope !N, !noalias !M" for one set of LDS accesses; empty for AliasScope::none.
  std::string alias(ir::AliasScope scope);
  /// A node that keeps LLVM from unrolling a loop: unrolling is the generator's choice.
  unsigned no_unroll();
  unsigned node(std::string text);

  /// \name Line table
  /// @{
  /// The kernel's subprogram node.
  unsigned subprogram();
  /// ", !dbg !N" for a step of the Plan: line 1 of a file named after the step.
  std::string location(std::uint16_t step);
  /// @}

  [[nodiscard]] bool has_line_table() const { return compile_unit_ != none; }
  [[nodiscard]] unsigned compile_unit() const { return compile_unit_; }
  /// "!0 = …" lines in numeric order.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr unsigned none = ~0U;

  unsigned reserve();
  void make_scopes();

  const ir::Kernel& kernel_;
  std::vector<std::string> nodes_;
  unsigned dma_list_ = none, read_list_ = none;
  unsigned compile_unit_ = none, subprogram_ = none;
  std::map<std::uint16_t, unsigned> locations_;
};

}  // namespace wavesmith::lowering
