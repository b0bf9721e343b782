// Registers, memory and occupancy of each kernel of a code object: the table and the JSON of `compile` and
// `inspect`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/code_object.h"
#include "tools/cli/command.h"

namespace wavesmith::cli {

struct KernelResources {
  std::string name;
  std::string target;
  std::uint32_t vgpr = 0;  ///< accumulation registers included where they share the file
  std::uint32_t agpr = 0;
  std::uint32_t sgpr = 0;
  std::uint32_t vgpr_spills = 0;
  std::uint32_t sgpr_spills = 0;
  std::uint32_t lds_bytes = 0;       ///< of a workgroup
  std::uint32_t scratch_bytes = 0;   ///< of a work-item
  std::uint32_t workgroup_size = 0;  ///< work-items: required, else the largest allowed

  struct Residency {
    std::uint32_t waves_per_cu;       ///< not rounded to whole workgroups
    std::uint32_t workgroups_per_cu;  ///< whole ones
    std::string limiter;              ///< of waves_per_cu
  };
  std::optional<Residency> residency;  ///< empty where the processor's limits are not known
};

[[nodiscard]] std::vector<KernelResources> resources(const runtime::CodeObject& object);

[[nodiscard]] Json resources_json(const KernelResources& kernel);
[[nodiscard]] std::string resources_table(std::span<const KernelResources> kernels);

}  // namespace wavesmith::cli
