// The planted faults ("controls"): what shows that the gates can see. Each names where it is planted and what
// it must be found as. controls() lists them all: those of controls_ir.cpp, controls_code.cpp and
// controls_launch.cpp, by level, are for every kernel; those of controls_items.cpp, controls_window.cpp,
// controls_sequences.cpp and controls_pages.cpp for kernels that have what they break.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/contract/case.h"
#include "tools/contract/code_edit.h"
#include "tools/contract/gates.h"
#include "tools/contract/ir_edit.h"

namespace wavesmith::contract {

using IrFault = std::function<Expected<void>(IrEditor&, const dense::Plan&)>;
using CodeFault = std::function<Expected<void>(CodeEditor&, const dense::Plan&)>;
using LaunchFault = LaunchEdit;
using TableFault = TableEdit;

/// A kernel that faults are planted into, with shapes on which every fault matters.
struct ControlKernel {
  std::string name;  ///< "causal_d64"
  dense::Plan plan;
  std::vector<Shape> shapes;
  bool usual;  ///< takes the faults that any kernel can have
};
/// Errors: the target has no such kernels.
[[nodiscard]] Expected<std::vector<ControlKernel>> control_kernels(const lowering::TargetId& target);

struct Control {
  std::string_view name;
  std::string_view what;  ///< the fault, one sentence
  std::variant<IrFault, CodeFault, LaunchFault, TableFault> plant;
  Sign sign;  ///< what it must be found as
  /// Kernels that it is planted into, by the names of control_kernels(); empty: the usual ones.
  std::vector<std::string_view> kernels = {};

  /// "ir", "code object", "launch"
  [[nodiscard]] std::string_view level() const;
  [[nodiscard]] bool belongs_to(const ControlKernel& kernel) const;
};

/// All of them.
[[nodiscard]] std::span<const Control> controls();

/// \name The lists behind controls()
/// @{
[[nodiscard]] std::vector<Control> ir_controls();
[[nodiscard]] std::vector<Control> code_controls();
[[nodiscard]] std::vector<Control> launch_controls();
[[nodiscard]] std::vector<Control> item_controls();      ///< of the loop over work items
[[nodiscard]] std::vector<Control> window_controls();    ///< of windows and sinks
[[nodiscard]] std::vector<Control> sequence_controls();  ///< of sequences of different lengths
[[nodiscard]] std::vector<Control> page_controls();      ///< of keys and values in pages
/// @}

/// A control kernel, compiled and run once without any fault.
struct Baseline {
  ControlKernel kernel;
  std::vector<std::byte> code;
  std::vector<simulator::InstructionReport> instructions;  ///< of the run on the first shape
};
[[nodiscard]] Expected<Baseline> baseline(const ControlKernel& kernel, const KernelCompiler& compiler,
                                          unsigned threads = 1);

enum class ControlState : std::uint8_t {
  red,          ///< found as what it is
  misread,      ///< found, but not as what it is
  missed,       ///< stayed green
  not_planted,  ///< could not be planted, or changed nothing
};
[[nodiscard]] std::string_view name_of(ControlState state);

struct ControlResult {
  std::string name, kernel, level, what, sign;
  ControlState state{};
  std::string why = {};                ///< not planted: the reason
  std::vector<Problem> problems = {};  ///< everything that was found
};

/// Plants one fault and looks for it. Errors: none that are the control's own; those are in the result.
[[nodiscard]] ControlResult run_control(const Control& control, const Baseline& baseline,
                                        const KernelCompiler& compiler, unsigned threads = 1);

}  // namespace wavesmith::contract
