// What a code object's metadata says of its kernel, as a JitKernel.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/code_object.h"
#include "runtime/jit/kernel_store.h"

namespace wavesmith::runtime {

Expected<JitKernel> describe_kernel(std::vector<std::byte> hsaco, const std::string& symbol) {
  const Expected<CodeObject> object = read_code_object(hsaco);
  if (!object) return std::unexpected(object.error());
  const Kernel* found = object->find_kernel(symbol);
  if (found == nullptr)
    return fail(ErrorKind::compiler_failed, fmt::format("the code object has no kernel {}", symbol));
  JitKernel kernel;
  kernel.hsaco = std::move(hsaco);
  for (const KernelArgument& argument : found->arguments)
    if (!argument.hidden())
      kernel.arguments.push_back(
          {argument.name, std::string(name_of(argument.kind)), argument.offset, argument.size});
  kernel.kernarg_bytes = found->kernarg_bytes;
  kernel.vgpr = found->total_vgprs;
  kernel.agpr = found->agprs;
  kernel.sgpr = found->sgprs;
  kernel.vgpr_spills = found->vgpr_spills;
  kernel.sgpr_spills = found->sgpr_spills;
  kernel.lds_bytes = found->lds_bytes;
  kernel.scratch_bytes = found->scratch_bytes;
  kernel.workgroup_size = found->max_flat_workgroup_size;
  if (const auto& required = found->required_workgroup_size)
    kernel.workgroup_size = (*required)[0] * (*required)[1] * (*required)[2];
  return kernel;
}

}  // namespace wavesmith::runtime
