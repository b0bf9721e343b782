// The third part of the verifier: what a kernel promises to its launcher. Lowering hands the promises about
// pointers to LLVM (readonly, writeonly, align), which optimizes on them: an access that breaks one is
// undefined.
#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "ir_builder/verifier.h"

namespace wavesmith::ir {
namespace {

class InterfaceCheck {
 public:
  explicit InterfaceCheck(const Kernel& kernel) : kernel_(kernel) {}

  std::vector<std::string> findings;

  void attributes() {
    const KernelAttributes& asked = kernel_.attributes;
    // 1024 work-items a workgroup is the hardware's limit (LLVM, AMDGPUUsage, "amdgpu-flat-work-group-size").
    if (asked.workgroup_size < 1 || asked.workgroup_size > 1024)
      findings.push_back(fmt::format("workgroup_size = {}: 1 to 1024 work-items", asked.workgroup_size));
    if (asked.waves_per_eu < 1) findings.emplace_back("waves_per_eu = 0: at least 1 wave");
  }

  void parameter(const Parameter& parameter) {
    const Type type = parameter.value.type();
    const auto report = [&](std::string_view what) {
      findings.push_back(
          fmt::format("parameter %{} : {}: {}", parameter.value.data()->hint, to_string(type), what));
    };
    const bool is_number = (type.is_integer() || type.is_float()) && type != i1 && !type.is_vector();
    if (type != global_ptr && !is_number) report("is a number of at least 16 bits or a global pointer");
    if (type == global_ptr && !std::has_single_bit(parameter.align))
      report(fmt::format("align = {} is no power of two", parameter.align));
    if (type != global_ptr && (parameter.writeonly || parameter.align != 0))
      report("only a pointer is writeonly or aligned");
  }

  void region(const Region& region) {
    for (const Op* op : region.ops) {
      if (op->kind == OpKind::buffer_load || op->kind == OpKind::buffer_load_lds ||
          op->kind == OpKind::load_constant)
        access(*op, 0, false);
      if (op->kind == OpKind::buffer_store) access(*op, 1, true);
      for (const Region* inner : op->regions) this->region(*inner);
    }
  }

 private:
  void access(const Op& op, std::size_t descriptor, bool writes) {
    visited_.clear();
    from_parameters(op.operands[descriptor], [&](const Parameter& parameter) {
      if (parameter.writeonly != writes)
        findings.push_back(fmt::format("{}: {} through parameter %{}, which is {}", info(op.kind).name,
                                       writes ? "writes" : "reads", parameter.value.data()->hint,
                                       parameter.writeonly ? "writeonly" : "readonly"));
    });
  }

  // Calls `found` for every parameter that a descriptor or pointer may come from.
  template <class Found>
  void from_parameters(const Value& value, const Found& found) {
    if (value.is_constant() || !visited_.insert(value.data()).second) return;
    if (const Op* op = value.producer(); op != nullptr) {
      const auto index =
          static_cast<std::size_t>(std::ranges::find(op->results, value) - op->results.begin());
      from_operation(*op, index, found);
    } else if (value.data()->region == nullptr) {
      return;  // defined nowhere: verify() says so
    } else if (const Op* loop = value.data()->region->parent; loop != nullptr) {
      const auto& arguments = value.data()->region->arguments;
      const auto index = static_cast<std::size_t>(std::ranges::find(arguments, value) - arguments.begin());
      if (index > 0) from_operation(*loop, index - 1, found);
    } else {
      const auto parameter = std::ranges::find(kernel_.parameters, value, &Parameter::value);
      if (parameter != kernel_.parameters.end()) found(*parameter);
    }
  }

  template <class Found>
  void from_operation(const Op& op, std::size_t result, const Found& found) {
    switch (op.kind) {
      case OpKind::ptr_offset:
      case OpKind::make_buffer_resource:
      case OpKind::load_argument:
        from_parameters(op.operands[0], found);
        break;
      case OpKind::select:
        from_parameters(op.operands[1], found);
        from_parameters(op.operands[2], found);
        break;
      case OpKind::for_:
      case OpKind::if_:
        from_parameters(op.operands[(op.kind == OpKind::for_ ? 3 : 1) + result], found);
        from_parameters(op.regions.front()->ops.back()->operands[result], found);
        break;
      default:
        break;  // no other operation gives a pointer or a descriptor
    }
  }

  const Kernel& kernel_;
  std::unordered_set<const ValueData*> visited_;
};

}  // namespace

std::vector<std::string> verify_interface(const Kernel& kernel) {
  InterfaceCheck check(kernel);
  check.attributes();
  for (const Parameter& parameter : kernel.parameters) check.parameter(parameter);
  check.region(kernel.body());
  return std::move(check.findings);
}

}  // namespace wavesmith::ir
