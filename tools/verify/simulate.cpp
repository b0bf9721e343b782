// Checks a launch against a code object, places its buffers, packs its arguments.
#include "tools/verify/simulate.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/code_object.h"
#include "tools/verify/fill.h"

namespace wavesmith::verify {
namespace {

using simulator::DeviceAddress;

constexpr std::size_t pointer_bytes = 8;

bool is_buffer(const LaunchArgument& argument) {
  return std::holds_alternative<BufferArgument>(argument.value) ||
         std::holds_alternative<FileArgument>(argument.value);
}

/// Calls visit(name, argument) for every buffer, those inside structures too.
template <class Visit>
void for_each_buffer(std::span<const LaunchArgument> arguments, const std::string& prefix, Visit&& visit) {
  for (const LaunchArgument& argument : arguments) {
    if (const auto* nested = std::get_if<StructArgument>(&argument.value))
      for_each_buffer(nested->members, prefix + argument.name + ".", visit);
    else if (is_buffer(argument))
      visit(prefix + argument.name, argument);
  }
}

struct Extent {
  std::size_t bytes = 0, alignment = 1;
};

std::size_t align_up(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

Extent extent_of(const LaunchArgument& argument) {
  if (is_buffer(argument)) return {pointer_bytes, pointer_bytes};
  if (const auto* value = std::get_if<ValueArgument>(&argument.value))
    return {value->bytes.size(), value->bytes.size()};
  Extent whole;
  for (const LaunchArgument& member : std::get<StructArgument>(argument.value).members) {
    const Extent one = extent_of(member);
    whole.bytes = align_up(whole.bytes, one.alignment) + one.bytes;
    whole.alignment = std::max(whole.alignment, one.alignment);
  }
  whole.bytes = align_up(whole.bytes, whole.alignment);
  return whole;
}

/// Everything about one run that has to be looked up by name.
class Placement {
 public:
  Placement(const LaunchFile& launch, const Contents& contents) : launch_(launch), contents_(contents) {
    for_each_buffer(launch.arguments, "", [&](const std::string& name, const LaunchArgument& argument) {
      const auto* generated = std::get_if<BufferArgument>(&argument.value);
      const auto given = contents.find(name);
      const std::uint64_t bytes = generated != nullptr      ? generated->bytes()
                                  : given == contents.end() ? 0
                                                            : given->second.size();
      buffers_.push_back({.name = name, .bytes = bytes});
    });
  }

  void check(std::vector<Refusal>& refusals) const {
    for (const auto& [name, bytes] : contents_) {
      const SimulatedBuffer* buffer = find(name);
      if (buffer == nullptr)
        refusals.push_back({"load", name, fmt::format("a buffer: {}", fmt::join(names(), ", "))});
      else if (bytes.empty())
        refusals.push_back({name, "an empty file", "at least one byte"});
      else if (buffer->bytes != bytes.size())
        refusals.push_back({name, fmt::format("a file of {} bytes", bytes.size()),
                            fmt::format("{} bytes, as the launch says", buffer->bytes)});
    }
    for (std::size_t i = 0; i < launch_.pointers.size(); ++i) {
      const PointerPatch& patch = launch_.pointers[i];
      const std::uint64_t in = find(patch.in)->bytes, to = find(patch.to)->bytes;
      if (in < pointer_bytes || patch.at > in - pointer_bytes)
        refusals.push_back(
            {fmt::format("pointers[{}].at", i), fmt::format("{}", patch.at),
             fmt::format("an offset with 8 bytes behind it in {}, which has {}", patch.in, in)});
      if (patch.plus > to)
        refusals.push_back({fmt::format("pointers[{}].plus", i), fmt::format("{}", patch.plus),
                            fmt::format("0 to {}, the bytes of {}", to, patch.to)});
    }
  }

  Expected<void> place(simulator::Device& device) {
    for (SimulatedBuffer& buffer : buffers_) {
      const auto address = device.allocate(buffer.bytes, {.name = buffer.name});
      if (!address) return std::unexpected(address.error());
      buffer.address = *address;
    }
    std::size_t next = 0;
    Expected<void> result;
    for_each_buffer(launch_.arguments, "", [&](const std::string& name, const LaunchArgument& argument) {
      const SimulatedBuffer& buffer = buffers_[next++];
      const auto view = device.view(buffer.address, buffer.bytes);
      if (!view)
        result = std::unexpected(view.error());
      else if (const auto given = contents_.find(name); given != contents_.end())
        std::memcpy(view->data(), given->second.data(), view->size());
      else
        fill(std::get<BufferArgument>(argument.value), *view);
    });
    for (const PointerPatch& patch : launch_.pointers) {
      const DeviceAddress target = find(patch.to)->address + patch.plus;
      const auto written =
          device.write(find(patch.in)->address + patch.at, std::as_bytes(std::span(&target, 1)));
      if (!written) return written;
    }
    return result;
  }

  std::vector<std::byte> pack(const LaunchArgument& argument, const std::string& prefix) const {
    if (const auto* value = std::get_if<ValueArgument>(&argument.value)) return value->bytes;
    if (is_buffer(argument)) return simulator::Argument::of(find(prefix + argument.name)->address).bytes;
    std::vector<std::byte> packed(extent_of(argument).bytes);
    std::size_t at = 0;
    for (const LaunchArgument& member : std::get<StructArgument>(argument.value).members) {
      const Extent extent = extent_of(member);
      at = align_up(at, extent.alignment);
      std::ranges::copy(pack(member, prefix + argument.name + "."), packed.data() + at);
      at += extent.bytes;
    }
    return packed;
  }

  [[nodiscard]] const std::vector<SimulatedBuffer>& buffers() const { return buffers_; }

 private:
  const SimulatedBuffer* find(std::string_view name) const {
    const auto found = std::ranges::find(buffers_, name, &SimulatedBuffer::name);
    return found == buffers_.end() ? nullptr : &*found;
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    for (const SimulatedBuffer& buffer : buffers_) all.push_back(buffer.name);
    return all;
  }

  const LaunchFile& launch_;
  const Contents& contents_;
  std::vector<SimulatedBuffer> buffers_;
};

void check_arguments(const simulator::KernelInfo& kernel, const LaunchFile& launch,
                     std::vector<Refusal>& refusals) {
  if (kernel.arguments.size() != launch.arguments.size()) {
    std::vector<std::string> wanted;
    for (const simulator::ArgumentInfo& argument : kernel.arguments)
      wanted.push_back(
          fmt::format("{} ({} bytes)", argument.name.empty() ? argument.kind : argument.name, argument.size));
    refusals.push_back({"args", fmt::format("{} of them", launch.arguments.size()),
                        fmt::format("the {} arguments of kernel {}: {}", wanted.size(), kernel.name,
                                    fmt::join(wanted, ", "))});
    return;
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const simulator::ArgumentInfo& wanted = kernel.arguments[i];
    if (const std::size_t bytes = extent_of(launch.arguments[i]).bytes; bytes != wanted.size)
      refusals.push_back({fmt::format("args[{}]", i),
                          fmt::format("{} of {} bytes", launch.arguments[i].name, bytes),
                          fmt::format("{} bytes, as the kernel's metadata says{}", wanted.size,
                                      wanted.name.empty() ? "" : fmt::format(" of '{}'", wanted.name))});
  }
}

}  // namespace

std::vector<std::string> buffers_of(const LaunchFile& launch) {
  std::vector<std::string> names;
  for_each_buffer(launch.arguments, "",
                  [&](const std::string& name, const LaunchArgument&) { names.push_back(name); });
  return names;
}

std::vector<std::pair<std::string, std::string>> files_of(const LaunchFile& launch) {
  std::vector<std::pair<std::string, std::string>> files;
  for_each_buffer(launch.arguments, "", [&](const std::string& name, const LaunchArgument& argument) {
    if (const auto* file = std::get_if<FileArgument>(&argument.value)) files.emplace_back(name, file->path);
  });
  return files;
}

Expected<std::span<std::byte>> Simulation::contents(const SimulatedBuffer& buffer) {
  return device.view(buffer.address, buffer.bytes);
}

Expected<Simulation> simulate(std::span<const std::byte> code_object, const LaunchFile& launch,
                              const Contents& contents, const simulator::Options& options) {
  const auto object = runtime::read_code_object(code_object);
  if (!object) return std::unexpected(object.error());
  Expected<simulator::Device> device = simulator::Device::create(object->target.text());
  if (!device) return std::unexpected(device.error());
  const auto module = device->load(code_object);
  if (!module) return std::unexpected(module.error());
  const auto kernels = device->kernels(*module);
  if (!kernels) return std::unexpected(kernels.error());

  std::vector<Refusal> refusals;
  Placement placement(launch, contents);
  const auto kernel = std::ranges::find(*kernels, launch.kernel, &simulator::KernelInfo::name);
  if (kernel == kernels->end()) {
    std::vector<std::string_view> names;
    for (const simulator::KernelInfo& one : *kernels) names.push_back(one.name);
    refusals.push_back(
        {"kernel", launch.kernel, fmt::format("a kernel of the code object: {}", fmt::join(names, ", "))});
  } else {
    check_arguments(*kernel, launch, refusals);
  }
  placement.check(refusals);
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));

  if (const auto placed = placement.place(*device); !placed) return std::unexpected(placed.error());
  simulator::Launch dispatch{.kernel = launch.kernel,
                             .grid = launch.grid,
                             .block = launch.block,
                             .dynamic_lds_bytes = launch.dynamic_lds_bytes,
                             .options = options};
  for (const LaunchArgument& argument : launch.arguments)
    dispatch.arguments.push_back({placement.pack(argument, "")});
  Expected<simulator::Report> report = device->launch(*module, dispatch);
  if (!report) return std::unexpected(report.error());
  return Simulation{std::move(*device), std::move(*report), placement.buffers()};
}

}  // namespace wavesmith::verify
