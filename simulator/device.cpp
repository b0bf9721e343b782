// Device: the public face over memory, loader and dispatch. include/wavesmith/simulator.h has the contract.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "wavesmith/simulator.h"

#include "runtime/code_object.h"
#include "simulator/assembly_text.h"
#include "simulator/dispatch.h"
#include "simulator/kernel_start.h"
#include "simulator/loader.h"
#include "simulator/memory.h"
#include "simulator/registry.h"
#include "simulator/report.h"
#include "simulator/workgroup.h"

namespace wavesmith::simulator {

struct Device::State {
  runtime::TargetId target;
  const Processor* processor = nullptr;
  Memory memory;
  std::map<std::uint32_t, LoadedModule> modules;
  std::uint32_t next_module = 1;
  DeviceAddress queue = 0;

  Expected<std::span<std::byte>> range(DeviceAddress address, std::uint64_t bytes) const {
    if (bytes == 0) return std::span<std::byte>{};
    const MemoryWindow* window = memory.find(address);
    std::byte* host = window == nullptr ? nullptr : window->translate(address, bytes);
    if (host == nullptr) {
      return std::unexpected(Error::refused(
          {{"address", fmt::format("{:#x} + {} bytes", address, bytes),
            fmt::format("a range inside one allocation ({})", memory.describe(address, bytes))}}));
    }
    return std::span(host, bytes);
  }

  Expected<LoadedModule*> module_of(Module module) {
    const auto found = modules.find(module.id);
    if (found == modules.end()) {
      return std::unexpected(Error::refused({{"module", fmt::format("{}", module.id), "a loaded module"}}));
    }
    return &found->second;
  }
};

namespace {

constexpr std::uint64_t kQueueBytes = 256;          // amd_queue_t
constexpr std::uint64_t kSharedApertureField = 64;  // group_segment_aperture_base_hi, then the private one
constexpr std::uint64_t kKernargGranule = 16;       // compilers may widen the last argument load to 16 bytes

Expected<void> check_launch(const runtime::Kernel& kernel, const Launch& launch, const Processor& processor) {
  std::vector<Refusal> refusals;
  const auto product = [](const std::array<std::uint32_t, 3>& d) {
    return std::uint64_t{d[0]} * d[1] * d[2];
  };
  constexpr std::string_view axes = "xyz";
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis(1, axes[i]);
    if (launch.grid[i] == 0) refusals.push_back({"grid." + axis, "0", "at least 1"});
    if (launch.block[i] == 0 || launch.block[i] > 1024) {
      refusals.push_back({"block." + axis, fmt::format("{}", launch.block[i]), "1 to 1024"});
    }
  }
  const std::uint32_t most = kernel.max_flat_workgroup_size;
  if (refusals.empty() && product(launch.block) > most) {
    refusals.push_back({"block", fmt::format("{} work-items", product(launch.block)),
                        fmt::format("at most {}, what kernel '{}' was compiled for", most, kernel.name)});
  }
  if (kernel.required_workgroup_size && *kernel.required_workgroup_size != launch.block) {
    const auto& r = *kernel.required_workgroup_size;
    refusals.push_back({"block", fmt::format("{},{},{}", launch.block[0], launch.block[1], launch.block[2]),
                        fmt::format("{},{},{}, which kernel '{}' requires", r[0], r[1], r[2], kernel.name)});
  }
  const std::uint64_t lds = std::uint64_t{kernel.lds_bytes} + launch.dynamic_lds_bytes;
  if (lds > processor.lds_bytes) {
    refusals.push_back(
        {"dynamic_lds_bytes", fmt::format("{}", launch.dynamic_lds_bytes),
         fmt::format("at most {}: {} has {} bytes of LDS for a workgroup and kernel '{}' uses {}",
                     processor.lds_bytes - std::min(kernel.lds_bytes, processor.lds_bytes), processor.name,
                     processor.lds_bytes, kernel.name, kernel.lds_bytes)});
  }
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));
  return {};
}

/// Memory that exists for one launch.
class LaunchMemory {
 public:
  explicit LaunchMemory(Memory& memory) : memory_(memory) {}
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;
  ~LaunchMemory() {
    for (const DeviceAddress address : addresses_) (void)memory_.free(address);
  }

  Expected<DeviceAddress> put(std::span<const std::byte> bytes, std::uint64_t room, std::string name) {
    const auto address =
        memory_.allocate(std::max<std::uint64_t>(room, 1), {.name = std::move(name), .writable = false});
    if (!address) return address;
    addresses_.push_back(*address);
    std::ranges::copy(bytes, memory_.find(*address)->host);
    return address;
  }

 private:
  Memory& memory_;
  std::vector<DeviceAddress> addresses_;
};

KernelInfo describe(const runtime::Kernel& kernel) {
  KernelInfo info;
  info.name = kernel.name;
  for (const runtime::KernelArgument& argument : kernel.arguments) {
    if (argument.hidden()) continue;
    info.arguments.push_back(
        {argument.name, std::string(name_of(argument.kind)), argument.offset, argument.size});
  }
  info.kernarg_bytes = kernel.kernarg_bytes;
  info.lds_bytes = kernel.lds_bytes;
  info.scratch_bytes = kernel.scratch_bytes;
  info.wave_size = kernel.wavefront_size;
  info.max_work_items = kernel.max_flat_workgroup_size;
  return info;
}

}  // namespace

Device::Device(std::unique_ptr<State> state) : state_(std::move(state)) {}
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;
Device::~Device() = default;

Expected<Device> Device::create(std::string_view target) {
  auto id = runtime::parse_target_id(target);
  if (!id) return std::unexpected(id.error());
  auto state = std::make_unique<State>();
  state->target = *id;
  state->processor = find_processor(id->processor->name);
  if (state->processor == nullptr) {
    return std::unexpected(Error::refused({{"target", std::string(target), std::string(processor_names())}}));
  }
  const auto queue = state->memory.allocate(kQueueBytes, {.name = "queue", .writable = false});
  if (!queue) return std::unexpected(queue.error());
  state->queue = *queue;
  std::byte* host = state->memory.find(*queue)->host;
  const std::uint32_t bases[2] = {static_cast<std::uint32_t>(kSharedAperture >> 32),
                                  static_cast<std::uint32_t>(kPrivateAperture >> 32)};
  std::memcpy(host + kSharedApertureField, bases, sizeof bases);
  return Device(std::move(state));
}

Expected<DeviceAddress> Device::allocate(std::uint64_t bytes, AllocationOptions options) {
  return state_->memory.allocate(bytes, options);
}

Expected<void> Device::free(DeviceAddress address) {
  return state_->memory.free(address);
}

Expected<void> Device::write(DeviceAddress address, std::span<const std::byte> bytes) {
  auto to = state_->range(address, bytes.size());
  if (!to) return std::unexpected(to.error());
  std::ranges::copy(bytes, to->begin());
  return {};
}

Expected<void> Device::read(DeviceAddress address, std::span<std::byte> bytes) const {
  auto from = state_->range(address, bytes.size());
  if (!from) return std::unexpected(from.error());
  std::ranges::copy(*from, bytes.begin());
  return {};
}

Expected<void> Device::fill(DeviceAddress address, std::uint64_t bytes, std::byte value) {
  auto to = state_->range(address, bytes);
  if (!to) return std::unexpected(to.error());
  std::ranges::fill(*to, value);
  return {};
}

Expected<std::span<std::byte>> Device::view(DeviceAddress address, std::uint64_t bytes) {
  return state_->range(address, bytes);
}

Expected<Module> Device::load(std::span<const std::byte> code_object, std::string name) {
  auto read = runtime::read_code_object(code_object);
  if (!read) return std::unexpected(read.error());
  const runtime::TargetId& needs = read->target;
  if (!runtime::runs_on(needs, state_->target)) {
    return std::unexpected(Error::refused(
        {{"target", needs.text(), fmt::format("code for the simulated device, {}", state_->target.text())}}));
  }
  auto module = load_module(state_->memory, std::move(*read), std::move(name));
  if (!module) return std::unexpected(module.error());
  const std::uint32_t id = state_->next_module++;
  state_->modules.emplace(id, std::move(*module));
  return Module{id};
}

Expected<void> Device::unload(Module module) {
  auto loaded = state_->module_of(module);
  if (!loaded) return std::unexpected(loaded.error());
  unload_module(state_->memory, **loaded);
  state_->modules.erase(module.id);
  return {};
}

Expected<std::vector<KernelInfo>> Device::kernels(Module module) const {
  auto loaded = state_->module_of(module);
  if (!loaded) return std::unexpected(loaded.error());
  std::vector<KernelInfo> kernels;
  for (const runtime::Kernel& kernel : (*loaded)->code_object.kernels) kernels.push_back(describe(kernel));
  return kernels;
}

Expected<std::pair<DeviceAddress, std::uint64_t>> Device::symbol(Module module, std::string_view name) const {
  auto loaded = state_->module_of(module);
  if (!loaded) return std::unexpected(loaded.error());
  for (const runtime::Symbol& symbol : (*loaded)->code_object.symbols) {
    if (symbol.defined && symbol.type == runtime::SymbolType::object && symbol.name == name) {
      return std::pair{(*loaded)->base + symbol.address, symbol.size};
    }
  }
  return std::unexpected(
      Error::refused({{"symbol", std::string(name), "a variable that the code object defines"}}));
}

Expected<Report> Device::launch(Module module, const Launch& launch) {
  auto loaded = state_->module_of(module);
  if (!loaded) return std::unexpected(loaded.error());
  const runtime::Kernel* kernel = (*loaded)->code_object.find_kernel(launch.kernel);
  if (kernel == nullptr) {
    std::string names;
    for (const runtime::Kernel& one : (*loaded)->code_object.kernels)
      names += (names.empty() ? "" : ", ") + one.name;
    return std::unexpected(Error::refused({{"kernel", launch.kernel, "one of: " + names}}));
  }
  const Processor& processor = *state_->processor;
  if (auto checked = check_launch(*kernel, launch, processor); !checked)
    return std::unexpected(checked.error());
  auto program = program_of(**loaded, *kernel, processor);
  if (!program) return std::unexpected(program.error());
  select_handlers(**program, launch.options.wide_vectors);
  const auto arguments = pack_arguments(*kernel, launch, state_->queue);
  if (!arguments) return std::unexpected(arguments.error());

  LaunchMemory memory(state_->memory);
  const std::uint64_t kernarg_room =
      (arguments->size() + kKernargGranule - 1) / kKernargGranule * kKernargGranule;
  const auto kernarg = memory.put(*arguments, kernarg_room, "kernel arguments");
  if (!kernarg) return std::unexpected(kernarg.error());
  const auto packet =
      memory.put(dispatch_packet(*kernel, launch, (*loaded)->base + kernel->descriptor_address, *kernarg), 64,
                 "dispatch packet");
  if (!packet) return std::unexpected(packet.error());

  Dispatch dispatch;
  dispatch.program = *program;
  dispatch.processor = &processor;
  dispatch.kernel = kernel;
  dispatch.memory = &state_->memory;
  dispatch.options = &launch.options;
  dispatch.grid = launch.grid;
  dispatch.block = launch.block;
  dispatch.lds_bytes = kernel->lds_bytes + launch.dynamic_lds_bytes;
  dispatch.kernarg_address = *kernarg;
  dispatch.packet_address = *packet;
  dispatch.queue_address = state_->queue;
  std::optional<FlowTable> flow;
  if (launch.options.follow_inexact)
    dispatch.flow = &flow.emplace(make_flow_table(**program, launch.options));
  return make_report(dispatch, run_dispatch(dispatch));
}

std::vector<ImplementedForm> implemented_forms(std::string_view processor_name) {
  std::vector<ImplementedForm> forms;
  const Processor* processor = find_processor(processor_name);
  if (processor == nullptr) return forms;
  for (const Row* row : all_rows()) {
    if ((row->targets & static_cast<GfxSet>(processor->gfx)) == 0) continue;
    for (FormSet rest = row->forms; rest != 0; rest &= rest - 1) {
      forms.push_back({std::string(row->mnemonic), std::string(name(static_cast<Form>(rest & ~(rest - 1))))});
    }
  }
  std::ranges::sort(forms, {}, [](const ImplementedForm& f) { return std::pair(f.mnemonic, f.form); });
  return forms;
}

}  // namespace wavesmith::simulator
