// Storage of a kernel's values, operations and regions.
#include "ir_builder/function.h"

namespace wavesmith::ir {

Kernel::Kernel(std::string kernel_name, KernelAttributes kernel_attributes)
    : name(std::move(kernel_name)), attributes(kernel_attributes), steps{name} {
  body_ = new_region(nullptr);
  insertion = body_;
}

ValueData* Kernel::new_value(Type type, std::string_view hint) {
  ValueData& value = values_.emplace_back();
  value.type = type;
  value.kernel = this;
  value.hint = hint;
  return &value;
}

Op* Kernel::new_op(OpKind kind) {
  Op& op = ops_.emplace_back();
  op.kind = kind;
  op.step = step;
  return &op;
}

Region* Kernel::new_region(Op* parent) {
  Region& region = regions_.emplace_back();
  region.parent = parent;
  return &region;
}

Value Kernel::constant(Type type, std::uint64_t bits) {
  const std::uint64_t type_key = static_cast<std::uint64_t>(type.scalar) | std::uint64_t{type.lanes} << 8 |
                                 static_cast<std::uint64_t>(type.space) << 32;
  auto [entry, is_new] = constants_.try_emplace({type_key, bits});
  if (is_new) {
    ValueData* value = new_value(type, "");
    value->constant = bits;
    value->extent = Extent::workgroup;
    entry->second = Value(value);
  }
  return entry->second;
}

}  // namespace wavesmith::ir
