// Lowers the body of a kernel to LLVM IR basic blocks. lower.cpp puts the module around them.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir_builder/function.h"
#include "lowering/flavour.h"
#include "lowering/metadata.h"
#include "lowering/target.h"

namespace wavesmith::lowering {

class FunctionLowering {
 public:
  FunctionLowering(const ir::Kernel& kernel, const TargetFacts& target, const Flavour& flavour,
                   Metadata& metadata, bool line_table)
      : kernel_(kernel), target_(target), flavour_(flavour), metadata_(metadata), line_table_(line_table) {}

  void run();

  std::string text;                      ///< the basic blocks
  std::set<std::string> declarations;    ///< of the intrinsics that they call
  std::vector<std::string> unsupported;  ///< operations that the target lacks

 private:
  void region(const ir::Region& region);
  void op(const ir::Op& op);
  void arithmetic(const ir::Op& op);
  void vector_op(const ir::Op& op);
  void lane_op(const ir::Op& op);
  void load_argument(const ir::Op& op);
  void load_constant(const ir::Op& op);
  void memory_op(const ir::Op& op);
  void order_op(const ir::Op& op);
  void for_loop(const ir::Op& op);
  void if_then(const ir::Op& op);

  /// One line of the current block; `suffix` is metadata.
  void line(std::string_view instruction, std::string_view suffix = {});
  void define(const ir::Value& result, std::string_view instruction, std::string_view suffix = {});
  void end_line(std::string_view suffix);
  void block(const std::string& label);
  /// A call; declares the intrinsic. `immediates` says which arguments are immarg, as a bit mask.
  std::string call(std::string_view result_type, const std::string& name,
                   const std::vector<std::string>& arguments, std::uint32_t immediates = 0);
  void declare(std::string_view result_type, const std::string& name,
               const std::vector<std::string>& arguments, std::uint32_t immediates);

  [[nodiscard]] std::string operand(const ir::Value& value) const;        ///< "%x" or a constant
  [[nodiscard]] std::string typed_operand(const ir::Value& value) const;  ///< "i32 %x"

  const ir::Kernel& kernel_;
  const TargetFacts& target_;
  const Flavour& flavour_;
  Metadata& metadata_;
  const bool line_table_;
  std::uint16_t step_ = 0;
  unsigned blocks_ = 0;
  std::unordered_set<std::string> declared_;  ///< names of intrinsics; overloads differ in theirs
  /// LLVM keeps labels and values in one table; a value's hint has no dot, so no label collides with one.
  std::string current_block_ = "bb.entry";
  std::unordered_map<const ir::ValueData*, std::string> aliases_;  ///< loop results are the header's phis
};

/// The name of the kernel's LDS pool.
[[nodiscard]] std::string lds_pool_name(const ir::Kernel& kernel);

}  // namespace wavesmith::lowering
