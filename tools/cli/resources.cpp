// Resource rows from a code object's metadata and the occupancy formulas.
#include "tools/cli/resources.h"

#include <fmt/format.h>

#include "runtime/occupancy.h"
#include "tools/cli/table.h"

namespace wavesmith::cli {

std::vector<KernelResources> resources(const runtime::CodeObject& object) {
  std::vector<KernelResources> rows;
  for (const runtime::Kernel& kernel : object.kernels) {
    KernelResources row{.name = kernel.name,
                        .target = object.target.text(),
                        .vgpr = kernel.total_vgprs,
                        .agpr = kernel.agprs,
                        .sgpr = kernel.sgprs,
                        .vgpr_spills = kernel.vgpr_spills,
                        .sgpr_spills = kernel.sgpr_spills,
                        .lds_bytes = kernel.lds_bytes,
                        .scratch_bytes = kernel.scratch_bytes,
                        .workgroup_size = kernel.max_flat_workgroup_size,
                        .residency = std::nullopt};
    if (const auto& required = kernel.required_workgroup_size)
      row.workgroup_size = (*required)[0] * (*required)[1] * (*required)[2];
    if (const auto occupancy = runtime::occupancy(object, kernel))
      row.residency = KernelResources::Residency{.waves_per_cu = occupancy->waves_per_cu,
                                                 .workgroups_per_cu = occupancy->workgroups_per_cu(),
                                                 .limiter = std::string(name_of(occupancy->limiter))};
    rows.push_back(std::move(row));
  }
  return rows;
}

Json resources_json(const KernelResources& kernel) {
  Json json = {{"name", kernel.name},
               {"target", kernel.target},
               {"vgpr", kernel.vgpr},
               {"agpr", kernel.agpr},
               {"sgpr", kernel.sgpr},
               {"vgpr_spills", kernel.vgpr_spills},
               {"sgpr_spills", kernel.sgpr_spills},
               {"lds_bytes", kernel.lds_bytes},
               {"scratch_bytes", kernel.scratch_bytes},
               {"workgroup_size", kernel.workgroup_size},
               {"waves_per_cu", nullptr},
               {"workgroups_per_cu", nullptr},
               {"limiter", nullptr}};
  if (kernel.residency) {
    json["waves_per_cu"] = kernel.residency->waves_per_cu;
    json["workgroups_per_cu"] = kernel.residency->workgroups_per_cu;
    json["limiter"] = kernel.residency->limiter;
  }
  return json;
}

std::string resources_table(std::span<const KernelResources> kernels) {
  using enum Table::Align;
  // The name comes last: names of other compilers can be very long.
  Table table({{"target", left},
               {"VGPR", right},
               {"AGPR", right},
               {"SGPR", right},
               {"VGPR spills", right},
               {"SGPR spills", right},
               {"LDS", right},
               {"scratch", right},
               {"workgroup", right},
               {"waves/CU", right},
               {"limiter", left},
               {"workgroups/CU", right},
               {"kernel", left}});
  const auto number = [](std::uint32_t value) { return fmt::format("{}", value); };
  for (const KernelResources& k : kernels) {
    const auto& residency = k.residency;
    table.row({k.target, number(k.vgpr), number(k.agpr), number(k.sgpr), number(k.vgpr_spills),
               number(k.sgpr_spills), number(k.lds_bytes), number(k.scratch_bytes), number(k.workgroup_size),
               residency ? number(residency->waves_per_cu) : "?", residency ? residency->limiter : "?",
               residency ? number(residency->workgroups_per_cu) : "?", for_cell(k.name)});
  }
  return table.text();
}

}  // namespace wavesmith::cli
