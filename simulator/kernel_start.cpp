// Initial registers, kernel arguments and the dispatch packet; kernel_start.h has the contract and the
// sources.
#include "simulator/kernel_start.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace wavesmith::simulator {
namespace {

using runtime::Kernel;
using runtime::KernelDescriptor;
using runtime::ValueKind;

// Kernel code of gfx9 whose arguments are preloaded begins with 256 bytes that load them for older firmware.
constexpr std::uint64_t kPreloadPrologueBytes = 256;

std::uint32_t initial_mode(const KernelDescriptor& descriptor) {
  std::uint32_t mode = static_cast<std::uint32_t>(descriptor.round_f32) |
                       static_cast<std::uint32_t>(descriptor.round_f16_f64) << 2 |
                       static_cast<std::uint32_t>(descriptor.denorm_f32) << 4 |
                       static_cast<std::uint32_t>(descriptor.denorm_f16_f64) << 6;
  if (descriptor.dx10_clamp.value_or(false)) mode |= Mode::kDx10Clamp;
  if (descriptor.ieee.value_or(false)) mode |= Mode::kIeee;
  if (descriptor.fp16_overflow) mode |= Mode::kFp16Overflow;
  return mode;
}

/// User and system SGPRs in the order the command processor allocates them.
void set_scalars(Wave& wave, const Workgroup& group) {
  const Dispatch& dispatch = *group.dispatch;
  const KernelDescriptor& d = dispatch.kernel->descriptor;
  std::uint32_t next = 0;
  const auto put32 = [&](std::uint32_t value) { wave.scalar[next++] = value; };
  const auto put64 = [&](std::uint64_t value) {
    wave.set_scalar64(next, value);
    next += 2;
  };
  if (d.sgpr_private_segment_buffer) {
    put64(0);
    put64(0);
  }
  if (d.sgpr_dispatch_ptr) put64(dispatch.packet_address);
  if (d.sgpr_queue_ptr) put64(dispatch.queue_address);
  if (d.sgpr_kernarg_segment_ptr) put64(dispatch.kernarg_address);
  if (d.sgpr_dispatch_id) put64(0);
  if (d.sgpr_flat_scratch_init) put64(0);
  if (d.sgpr_private_segment_size) put32(d.private_segment_fixed_size);
  if (d.preload_dwords != 0) {
    const MemoryWindow* kernarg = dispatch.memory->find(dispatch.kernarg_address);
    for (std::uint32_t i = 0; i < d.preload_dwords; ++i) {
      std::uint32_t value = 0;
      const std::uint64_t at = dispatch.kernarg_address + 4 * std::uint64_t{d.preload_offset_dwords + i};
      if (const std::byte* host = kernarg == nullptr ? nullptr : kernarg->translate(at, 4)) {
        std::memcpy(&value, host, sizeof value);
      }
      put32(value);
    }
  }
  if (dispatch.processor->workgroup_ids_in_ttmp) {
    wave.scalar[kTtmp + 9] = group.id[0];
    wave.scalar[kTtmp + 7] = group.id[1] | group.id[2] << 16;
    return;
  }
  next = std::max(next, d.user_sgprs);
  if (d.enable_workgroup_id_x) put32(group.id[0]);
  if (d.enable_workgroup_id_y) put32(group.id[1]);
  if (d.enable_workgroup_id_z) put32(group.id[2]);
}

void set_work_item_ids(Wave& wave, const Dispatch& dispatch) {
  const std::uint32_t dimensions = dispatch.kernel->descriptor.workitem_id_dimensions;
  for (std::uint32_t lane = 0; lane < wave.size; ++lane) {
    const std::uint32_t flat = wave.index * wave.size + lane;
    if (flat >= dispatch.work_items()) break;
    const std::uint32_t x = flat % dispatch.block[0];
    const std::uint32_t y = dimensions >= 2 ? flat / dispatch.block[0] % dispatch.block[1] : 0;
    const std::uint32_t z = dimensions >= 3 ? flat / dispatch.block[0] / dispatch.block[1] : 0;
    if (dispatch.processor->packed_work_item_ids) {
      wave.row(0)[lane] = x | y << 10 | z << 20;
    } else {
      wave.row(0)[lane] = x;
      if (dimensions >= 2) wave.row(1)[lane] = y;
      if (dimensions >= 3) wave.row(2)[lane] = z;
    }
  }
}

template <class T>
void store(std::span<std::byte> bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Value of a hidden argument. Facilities that the simulator does not have (hostcall, printf, heap) get null.
std::uint64_t hidden_value(ValueKind kind, const Launch& launch, std::uint64_t queue_address) {
  switch (kind) {
    case ValueKind::hidden_block_count_x:
      return launch.grid[0];
    case ValueKind::hidden_block_count_y:
      return launch.grid[1];
    case ValueKind::hidden_block_count_z:
      return launch.grid[2];
    case ValueKind::hidden_group_size_x:
      return launch.block[0];
    case ValueKind::hidden_group_size_y:
      return launch.block[1];
    case ValueKind::hidden_group_size_z:
      return launch.block[2];
    case ValueKind::hidden_grid_dims:
      return launch.grid[2] * launch.block[2] > 1 ? 3 : launch.grid[1] * launch.block[1] > 1 ? 2 : 1;
    case ValueKind::hidden_dynamic_lds_size:
      return launch.dynamic_lds_bytes;
    case ValueKind::hidden_private_base:
      return kPrivateAperture >> 32;
    case ValueKind::hidden_shared_base:
      return kSharedAperture >> 32;
    case ValueKind::hidden_queue_ptr:
      return queue_address;
    default:
      return 0;  // remainders (whole workgroups only), global offsets, absent facilities
  }
}

}  // namespace

void start_wave(Wave& wave, const Workgroup& group) {
  const Dispatch& dispatch = *group.dispatch;
  const Program& program = *dispatch.program;
  const bool poison = dispatch.options->poison;
  wave.program = &program;
  wave.processor = dispatch.processor;
  wave.memory = dispatch.memory;
  wave.size = program.wave_size;
  wave.full_exec = wave.size == 64 ? ~std::uint64_t{0} : 0xffffffffu;
  wave.next = program.entry;
  wave.scc = false;
  wave.signal = Signal::none;
  wave.mode.bits = initial_mode(dispatch.kernel->descriptor);
  wave.steps = 0;
  wave.barrier_phase = 0;
  wave.windows = {};
  wave.scratch_bytes = dispatch.kernel->scratch_bytes;

  // Rows are aligned to a cache line so that the widest vector loads do not straddle one.
  constexpr std::size_t line = 64 / sizeof(std::uint32_t);
  wave.vector_storage.assign(std::size_t{program.rows()} * kLanes + line, poison ? kRegisterPoison : 0);
  const auto address = reinterpret_cast<std::uintptr_t>(wave.vector_storage.data());
  wave.vectors = wave.vector_storage.data() + (64 - address % 64) % 64 / sizeof(std::uint32_t);
  wave.scalar.fill(poison ? kRegisterPoison : 0);
  if (group.shadow) fill_undefined(wave);
  wave.in_flight.reset(program.rows());

  wave.set_scalar64(kFlatScratch, 0);
  wave.set_scalar64(kXnackMask, 0);
  const std::uint32_t first = wave.index * wave.size;
  const std::uint32_t lanes = std::min(wave.size, dispatch.work_items() - first);
  wave.set_scalar64(kExec, lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1);
  set_scalars(wave, group);
  set_work_item_ids(wave, dispatch);
}

Expected<std::vector<std::byte>> pack_arguments(const Kernel& kernel, const Launch& launch,
                                                std::uint64_t queue_address) {
  std::vector<Refusal> refusals;
  const auto hidden = [](const runtime::KernelArgument& argument) { return argument.hidden(); };
  const auto wanted =
      kernel.arguments.size() - static_cast<std::size_t>(std::ranges::count_if(kernel.arguments, hidden));
  if (launch.arguments.size() != wanted) {
    return std::unexpected(
        Error::refused({{"args", fmt::format("{} values", launch.arguments.size()),
                         fmt::format("kernel '{}' has {} arguments", kernel.name, wanted)}}));
  }
  std::vector<std::byte> bytes(kernel.kernarg_bytes);
  std::size_t next = 0;
  for (const runtime::KernelArgument& argument : kernel.arguments) {
    if (argument.hidden()) {
      const std::uint64_t value = hidden_value(argument.kind, launch, queue_address);
      std::memcpy(bytes.data() + argument.offset, &value, std::min<std::size_t>(argument.size, sizeof value));
      continue;
    }
    const Argument& given = launch.arguments[next];
    if (given.bytes.size() != argument.size) {
      refusals.push_back(
          {fmt::format("args[{}]", next), fmt::format("{} bytes", given.bytes.size()),
           fmt::format("{} bytes ('{}', {})", argument.size, argument.name, name_of(argument.kind))});
    } else {
      std::ranges::copy(given.bytes, bytes.begin() + argument.offset);
    }
    ++next;
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  return bytes;
}

std::array<std::byte, 64> dispatch_packet(const Kernel& kernel, const Launch& launch,
                                          std::uint64_t descriptor_address, std::uint64_t kernarg_address) {
  constexpr std::uint16_t kernel_dispatch = 2;  // HSA packet type
  std::array<std::byte, 64> packet{};
  store(std::span(packet), 0, kernel_dispatch);
  store(std::span(packet), 2, std::uint16_t{3});  // dimensions
  for (std::size_t i = 0; i < 3; ++i) {
    store(std::span(packet), 4 + 2 * i, static_cast<std::uint16_t>(launch.block[i]));
    store(std::span(packet), 12 + 4 * i, launch.grid[i] * launch.block[i]);
  }
  store(std::span(packet), 24, kernel.scratch_bytes);
  store(std::span(packet), 28, kernel.lds_bytes + launch.dynamic_lds_bytes);
  store(std::span(packet), 32, descriptor_address);
  store(std::span(packet), 40, kernarg_address);
  return packet;
}

std::uint64_t start_address(const Kernel& kernel) {
  return kernel.code_address + (kernel.descriptor.preload_dwords != 0 ? kPreloadPrologueBytes : 0);
}

std::vector<Refusal> start_refusals(const Kernel& kernel, const Processor& processor) {
  std::vector<Refusal> refusals;
  const KernelDescriptor& d = kernel.descriptor;
  if (d.enable_workgroup_info) {
    refusals.push_back({"enable_workgroup_info", "1", "0: the layout of that register is not documented"});
  }
  if (kernel.scratch_bytes != 0 && !processor.architected_flat_scratch) {
    refusals.push_back(
        {"private_segment_fixed_size", fmt::format("{}", kernel.scratch_bytes),
         fmt::format("0 on {}, whose scratch set-up by the kernel is not simulated", processor.name)});
  }
  if (kernel.uses_dynamic_stack) {
    refusals.push_back({"uses_dynamic_stack", "true", "false: the scratch size has to be known at launch"});
  }
  return refusals;
}

}  // namespace wavesmith::simulator
