// The table behind find_processor. Sources: LLVM's AMDGPUUsage for registers and work-item ids, the ISA
// guides for counters and LDS sizes.
#include "simulator/target.h"

#include <array>

namespace wavesmith::simulator {
namespace {

constexpr std::uint32_t kKiB = 1024;

// Columns: name, bit, LDS, vector registers, wait encoding, store counter, unified AGPRs, packed ids,
// architected scratch, ids in TTMP, IEEE mode, largest load and LDS counts.
constexpr std::array kProcessors = {
    Processor{"gfx942", Gfx::gfx942, 64 * kKiB, 512, WaitEncoding::gfx9, false, true, true, true, false, true,
              63, 15},
    Processor{"gfx950", Gfx::gfx950, 160 * kKiB, 512, WaitEncoding::gfx9, false, true, true, true, false,
              true, 63, 15},
    Processor{"gfx1030", Gfx::gfx1030, 64 * kKiB, 256, WaitEncoding::gfx10, true, false, false, false, false,
              true, 63, 63},
    Processor{"gfx1100", Gfx::gfx1100, 64 * kKiB, 256, WaitEncoding::gfx11, true, false, true, true, false,
              true, 63, 63},
    Processor{"gfx1151", Gfx::gfx1151, 64 * kKiB, 256, WaitEncoding::gfx11, true, false, true, true, false,
              true, 63, 63},
    Processor{"gfx1201", Gfx::gfx1201, 64 * kKiB, 256, WaitEncoding::gfx12, true, false, true, true, true,
              false, 63, 63},
};

}  // namespace

const Processor* find_processor(std::string_view name) {
  for (const Processor& processor : kProcessors) {
    if (processor.name == name) return &processor;
  }
  return nullptr;
}

std::string_view processor_names() {
  return "gfx942, gfx950, gfx1030, gfx1100, gfx1151, gfx1201";
}

}  // namespace wavesmith::simulator
