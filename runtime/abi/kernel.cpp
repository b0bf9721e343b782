// What a kernel is.
#include <utility>

#include "generator/families.h"
#include "runtime/abi/boundary.h"
#include "runtime/abi/handles.h"
#include "runtime/abi/structs.h"

using namespace wavesmith;
using namespace wavesmith::abi;

const Expected<generator::attention_dense::Plan>& wavesmith_kernel::plan() const {
  std::call_once(planned_, [this] {
    plan_ = [this]() -> Expected<generator::attention_dense::Plan> {
      const auto target = lowering::parse_target_id(kernel->target);
      if (!target) return std::unexpected(target.error());
      const auto resolved =
          generator::find_family(request->family)->resolve(request->fields, request->preset, *target);
      if (!resolved) return std::unexpected(resolved.error());
      return generator::plan_of(**resolved);
    }();
  });
  return *plan_;
}

extern "C" {

wavesmith_status wavesmith_kernel_get_info(const wavesmith_kernel* kernel,
                                           wavesmith_kernel_info* info) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(kernel, "kernel"); !there) return there;
    if (Outcome checked = check_struct(info, "info"); !checked) return checked;
    const JitKernel& own = *kernel->kernel;
    write_struct(wavesmith_kernel_info{.struct_size = 0,
                                       .hsaco = own.hsaco.data(),
                                       .hsaco_bytes = own.hsaco.size(),
                                       .symbol = own.symbol.c_str(),
                                       .target = own.target.c_str(),
                                       .flavour = own.flavour.c_str(),
                                       .compiler = own.compiler.c_str(),
                                       .key = own.key.c_str(),
                                       .ir_sha256 = own.ir_sha256.c_str(),
                                       .code_object_id = own.code_object_id.c_str(),
                                       .argument_count = static_cast<std::uint32_t>(own.arguments.size()),
                                       .kernarg_bytes = own.kernarg_bytes,
                                       .vgpr = own.vgpr,
                                       .agpr = own.agpr,
                                       .sgpr = own.sgpr,
                                       .vgpr_spills = own.vgpr_spills,
                                       .sgpr_spills = own.sgpr_spills,
                                       .lds_bytes = own.lds_bytes,
                                       .scratch_bytes = own.scratch_bytes,
                                       .workgroup_size = own.workgroup_size},
                 info);
    return {};
  });
}

wavesmith_status wavesmith_kernel_get_argument(const wavesmith_kernel* kernel, size_t index,
                                               wavesmith_kernel_argument* argument) noexcept {
  return guarded([&]() -> Outcome {
    if (Outcome there = not_null(kernel, "kernel"); !there) return there;
    if (Outcome checked = check_struct(argument, "argument"); !checked) return checked;
    const auto& arguments = kernel->kernel->arguments;
    if (index >= arguments.size())
      return bad_argument("index", std::to_string(index),
                          "less than the kernel's " + std::to_string(arguments.size()) + " arguments");
    const JitArgument& own = arguments[index];
    write_struct(wavesmith_kernel_argument{.struct_size = 0,
                                           .name = own.name.c_str(),
                                           .kind = own.kind.c_str(),
                                           .offset = own.offset,
                                           .bytes = own.bytes},
                 argument);
    return {};
  });
}

void wavesmith_kernel_destroy(wavesmith_kernel* kernel) noexcept {
  delete kernel;
}
}
