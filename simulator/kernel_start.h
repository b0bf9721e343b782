// The state a wave starts in, as the kernel descriptor asks for it: registers, MODE, EXEC; and the kernel
// arguments. Sources: LLVM's AMDGPUUsage, "Initial Kernel Execution State" and "Code Object V5 Metadata".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wavesmith/error.h"
#include "wavesmith/simulator.h"

#include "runtime/code_object.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator {

/// Sets registers, MODE and EXEC of wave `wave.index` of a workgroup. Other registers are poisoned or zeroed.
void start_wave(Wave& wave, const Workgroup& group);

/// The kernarg segment: explicit arguments, checked for count and size, and the hidden ones.
Expected<std::vector<std::byte>> pack_arguments(const runtime::Kernel& kernel, const Launch& launch,
                                                std::uint64_t queue_address);

/// The 64-byte AQL packet of a launch.
std::array<std::byte, 64> dispatch_packet(const runtime::Kernel& kernel, const Launch& launch,
                                          std::uint64_t descriptor_address, std::uint64_t kernarg_address);

/// Where execution starts, relative to the load base: behind the fallback prologue when arguments are
/// preloaded.
std::uint64_t start_address(const runtime::Kernel& kernel);

/// What the simulator cannot set up; empty for kernels that it can start.
std::vector<Refusal> start_refusals(const runtime::Kernel& kernel, const Processor& processor);

}  // namespace wavesmith::simulator
