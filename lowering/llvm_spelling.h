// How types, constants and operands of the kernel IR are spelled in LLVM IR.
#pragma once

#include <string>
#include <string_view>

#include "ir_builder/function.h"

namespace wavesmith::lowering {

[[nodiscard]] std::string llvm_type(ir::Type type);
/// The type's part of an overloaded intrinsic's name: "v8bf16", "f32", "p8".
[[nodiscard]] std::string mangled_type(ir::Type type);
[[nodiscard]] std::string llvm_constant(ir::Type type, std::uint64_t bits);

}  // namespace wavesmith::lowering
