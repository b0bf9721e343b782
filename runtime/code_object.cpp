// Puts a code object together from its parts: ELF structures, metadata and kernel descriptors, and checks
// that they agree with each other. Entry: read_code_object().
#include "runtime/code_object.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "runtime/code_object_metadata.h"
#include "runtime/elf_image.h"

namespace wavesmith::runtime {
namespace {

// EI_ABIVERSION of code object versions 4 to 6: version - 2.
constexpr unsigned kOldestVersion = 4;
constexpr unsigned kNewestVersion = 6;
constexpr unsigned kVersionToAbi = 2;

constexpr std::uint64_t kDescriptorAlign = 64;
constexpr std::uint64_t kCodeAlign = 256;  // the entry address is programmed in units of 256 bytes

/// e_flags: machine [7:0], XNACK [9:8], SRAMECC [11:10], version of a generic target [31:24].
Expected<TargetId> target_of(std::uint32_t flags) {
  TargetId id{.processor = find_processor_by_machine(flags & 0xff),
              .sramecc = FeatureSetting((flags >> 10) & 3),
              .xnack = FeatureSetting((flags >> 8) & 3)};
  if (id.processor == nullptr) {
    return malformed(
        fmt::format("e_flags name machine {:#04x}, which is not a known processor", flags & 0xff));
  }
  const auto agrees = [](bool has, FeatureSetting setting) {
    return has == (setting != FeatureSetting::unsupported);
  };
  if (!agrees(id.processor->has_xnack, id.xnack) || !agrees(id.processor->has_sramecc, id.sramecc)) {
    return malformed(fmt::format("e_flags {:#x} have XNACK or SRAMECC settings that {} does not have", flags,
                                 id.processor->name));
  }
  return id;
}

/// "amdgcn-amd-amdhsa--gfx950:xnack-" -> "gfx950:xnack-". The environment between the last two of the four
/// dashes is empty or, from LLVM 23 on, "unknown"; processor names may contain dashes themselves.
std::string_view target_in(std::string_view triple_and_target) {
  for (int dashes = 0; dashes < 4; ++dashes) {
    const std::size_t dash = triple_and_target.find('-');
    if (dash == std::string_view::npos) return {};
    triple_and_target.remove_prefix(dash + 1);
  }
  return triple_and_target;
}

/// Looks symbols up by name and functions by address without a walk over the table for every kernel.
class SymbolIndex {
 public:
  explicit SymbolIndex(const std::vector<Symbol>& symbols) {
    for (const Symbol& symbol : symbols) {
      if (!symbol.defined) continue;
      by_name_.emplace(symbol.name, &symbol);
      if (symbol.type == SymbolType::function) functions_.emplace(symbol.address, &symbol);
    }
  }
  [[nodiscard]] const Symbol* named(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found != by_name_.end() ? found->second : nullptr;
  }
  [[nodiscard]] const Symbol* function_at(std::uint64_t address) const {
    const auto found = functions_.find(address);
    return found != functions_.end() ? found->second : nullptr;
  }

 private:
  std::map<std::string_view, const Symbol*> by_name_;
  std::map<std::uint64_t, const Symbol*> functions_;
};

/// Finds the kernel's code from its descriptor.
Expected<void> place_code(const CodeObject& object, const SymbolIndex& symbols, Kernel& kernel) {
  // Unsigned addition wraps as the hardware's does; the result is then checked against the segments.
  kernel.code_address =
      kernel.descriptor_address + static_cast<std::uint64_t>(kernel.descriptor.code_entry_offset);
  const Segment* segment = segment_at(object.segments, kernel.code_address);
  const std::uint64_t into = segment == nullptr ? 0 : kernel.code_address - segment->address;
  if (segment == nullptr || !segment->executable || into >= segment->file_bytes) {
    return malformed(fmt::format("kernel {}: its entry point is not in an executable segment", kernel.name));
  }
  if (kernel.code_address % kCodeAlign != 0) {
    return malformed(
        fmt::format("kernel {}: its entry point is not aligned to {} bytes", kernel.name, kCodeAlign));
  }
  const Symbol* function = symbols.function_at(kernel.code_address);
  const std::uint64_t available = segment->file_bytes - into;
  kernel.code_bytes = function != nullptr && function->size != 0 ? function->size : available;
  if (kernel.code_bytes > available) {
    return malformed(fmt::format("kernel {}: its code reaches outside its segment", kernel.name));
  }
  return {};
}

/// Fills in what the descriptor says and checks it against the metadata: launchers use one or the other.
Expected<void> add_descriptor(const CodeObject& object, const SymbolIndex& symbols, Kernel& kernel) {
  const Symbol* symbol = symbols.named(kernel.descriptor_symbol);
  if (symbol == nullptr) {
    return malformed(
        fmt::format("kernel {}: its descriptor symbol {} is missing", kernel.name, kernel.descriptor_symbol));
  }
  kernel.descriptor_address = symbol->address;
  const auto bytes = object.bytes_at(symbol->address, kKernelDescriptorBytes);
  if (bytes.empty() || symbol->address % kDescriptorAlign != 0) {
    return malformed(
        fmt::format("kernel {}: its descriptor is outside the segments or misaligned", kernel.name));
  }
  const auto descriptor =
      decode_kernel_descriptor(bytes.first<kKernelDescriptorBytes>(), object.target.processor->family);
  if (!descriptor) {
    return malformed(fmt::format("kernel {}: its descriptor has values that {} does not define", kernel.name,
                                 object.target.processor->name));
  }
  kernel.descriptor = *descriptor;
  const auto contradicts = [&](std::string_view what, std::uint64_t in_descriptor,
                               std::uint64_t in_metadata) {
    return malformed(fmt::format("kernel {}: {} is {} in the descriptor and {} in the metadata", kernel.name,
                                 what, in_descriptor, in_metadata));
  };
  if (descriptor->group_segment_fixed_size != kernel.lds_bytes) {
    return contradicts("LDS size", descriptor->group_segment_fixed_size, kernel.lds_bytes);
  }
  if (descriptor->private_segment_fixed_size != kernel.scratch_bytes) {
    return contradicts("scratch size", descriptor->private_segment_fixed_size, kernel.scratch_bytes);
  }
  if (descriptor->kernarg_size != kernel.kernarg_bytes) {
    return contradicts("kernarg size", descriptor->kernarg_size, kernel.kernarg_bytes);
  }
  if (const unsigned wave = descriptor->wave32 ? 32 : 64; wave != kernel.wavefront_size) {
    return contradicts("wave size", wave, kernel.wavefront_size);
  }
  return place_code(object, symbols, kernel);
}

}  // namespace

const Kernel* CodeObject::find_kernel(std::string_view name) const {
  const auto found = std::ranges::find(kernels, name, &Kernel::name);
  return found != kernels.end() ? &*found : nullptr;
}

std::span<const std::byte> CodeObject::bytes(const Segment& segment) const {
  return std::span(image).subspan(segment.file_offset, segment.file_bytes);
}

std::span<const std::byte> CodeObject::bytes_at(std::uint64_t address, std::uint64_t size) const {
  const Segment* segment = segment_at(segments, address);
  if (segment == nullptr || !inside(address - segment->address, size, segment->file_bytes)) return {};
  return bytes(*segment).subspan(address - segment->address, size);
}

std::span<const std::byte> CodeObject::code(const Kernel& kernel) const {
  return bytes_at(kernel.code_address, kernel.code_bytes);
}

Expected<CodeObject> read_code_object(std::span<const std::byte> file) {
  auto elf = read_elf_image(file);
  if (!elf) return std::unexpected(std::move(elf).error());

  CodeObject object;
  object.elf_flags = elf->flags;
  object.version = elf->abi_version + kVersionToAbi;
  if (object.version < kOldestVersion || object.version > kNewestVersion) {
    return malformed(fmt::format("ELF ABI version {}: code object versions {} to {} are read",
                                 elf->abi_version, kOldestVersion, kNewestVersion));
  }
  auto target = target_of(elf->flags);
  if (!target) return std::unexpected(std::move(target).error());
  object.target = *target;
  object.generic_version = elf->flags >> 24;
  if ((object.generic_version != 0) != target->processor->generic) {
    return malformed(
        fmt::format("e_flags {:#x}: only generic targets have a version, and they need one", elf->flags));
  }

  auto metadata = read_metadata(elf->metadata, target->processor->family);
  if (!metadata) return std::unexpected(std::move(metadata).error());
  if (target_in(metadata->target) != target->text()) {
    return malformed(
        fmt::format("the metadata is for \"{}\", e_flags say {}", metadata->target, target->text()));
  }

  object.segments = std::move(elf->segments);
  object.symbols = std::move(elf->symbols);
  object.relocations = std::move(elf->relocations);
  object.image.assign(file.begin(), file.end());
  object.kernels = std::move(metadata->kernels);
  const SymbolIndex symbols(object.symbols);
  for (Kernel& kernel : object.kernels) {
    if (auto added = add_descriptor(object, symbols, kernel); !added)
      return std::unexpected(std::move(added).error());
  }
  return object;
}

}  // namespace wavesmith::runtime
