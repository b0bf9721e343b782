// The processors of AMDGPU code objects: machine number in e_flags and which settings exist. Source: LLVM's
// AMDGPU usage guide, tables "AMDGPU Processors" and "AMDGPU ELF Header e_flags"; tests/runtime compares
// every row with what LLVM writes. gfx125x is left out on purpose: its kernel descriptor has other fields.
#include <algorithm>
#include <array>

#include "runtime/target_id.h"

namespace wavesmith::runtime {
namespace {

constexpr std::array kProcessors = {
    // name, e_flags machine, family, xnack, sramecc, generic
    Processor{"gfx10-1-generic", 0x52, Family::gfx10, true, false, true},
    Processor{"gfx10-3-generic", 0x53, Family::gfx10, false, false, true},
    Processor{"gfx1010", 0x33, Family::gfx10, true, false, false},
    Processor{"gfx1011", 0x34, Family::gfx10, true, false, false},
    Processor{"gfx1012", 0x35, Family::gfx10, true, false, false},
    Processor{"gfx1013", 0x42, Family::gfx10, true, false, false},
    Processor{"gfx1030", 0x36, Family::gfx10, false, false, false},
    Processor{"gfx1031", 0x37, Family::gfx10, false, false, false},
    Processor{"gfx1032", 0x38, Family::gfx10, false, false, false},
    Processor{"gfx1033", 0x39, Family::gfx10, false, false, false},
    Processor{"gfx1034", 0x3e, Family::gfx10, false, false, false},
    Processor{"gfx1035", 0x3d, Family::gfx10, false, false, false},
    Processor{"gfx1036", 0x45, Family::gfx10, false, false, false},
    Processor{"gfx11-generic", 0x54, Family::gfx11, false, false, true},
    Processor{"gfx1100", 0x41, Family::gfx11, false, false, false},
    Processor{"gfx1101", 0x46, Family::gfx11, false, false, false},
    Processor{"gfx1102", 0x47, Family::gfx11, false, false, false},
    Processor{"gfx1103", 0x44, Family::gfx11, false, false, false},
    Processor{"gfx1150", 0x43, Family::gfx11, false, false, false},
    Processor{"gfx1151", 0x4a, Family::gfx11, false, false, false},
    Processor{"gfx1152", 0x55, Family::gfx11, false, false, false},
    Processor{"gfx1153", 0x58, Family::gfx11, false, false, false},
    Processor{"gfx12-generic", 0x59, Family::gfx12, false, false, true},
    Processor{"gfx1200", 0x48, Family::gfx12, false, false, false},
    Processor{"gfx1201", 0x4e, Family::gfx12, false, false, false},
    Processor{"gfx9-4-generic", 0x5f, Family::gfx90a, true, true, true},
    Processor{"gfx9-generic", 0x51, Family::gfx9, true, false, true},
    Processor{"gfx900", 0x2c, Family::gfx9, true, false, false},
    Processor{"gfx902", 0x2d, Family::gfx9, true, false, false},
    Processor{"gfx904", 0x2e, Family::gfx9, true, false, false},
    Processor{"gfx906", 0x2f, Family::gfx9, true, true, false},
    Processor{"gfx908", 0x30, Family::gfx9, true, true, false},
    Processor{"gfx909", 0x31, Family::gfx9, true, false, false},
    Processor{"gfx90a", 0x3f, Family::gfx90a, true, true, false},
    Processor{"gfx90c", 0x32, Family::gfx9, true, false, false},
    Processor{"gfx942", 0x4c, Family::gfx90a, true, true, false},
    Processor{"gfx950", 0x4f, Family::gfx90a, true, true, false},
};
static_assert(std::ranges::is_sorted(kProcessors, {}, &Processor::name));

}  // namespace

std::span<const Processor> processors() {
  return kProcessors;
}

const Processor* find_processor(std::string_view name) {
  const auto found = std::ranges::lower_bound(kProcessors, name, {}, &Processor::name);
  return found != kProcessors.end() && found->name == name ? &*found : nullptr;
}

const Processor* find_processor_by_machine(std::uint32_t elf_machine) {
  const auto found = std::ranges::find(kProcessors, elf_machine, &Processor::elf_machine);
  return found != kProcessors.end() ? &*found : nullptr;
}

}  // namespace wavesmith::runtime
