// Decoding of the kernel descriptor; the fields are explained in kernel_descriptor.h. Bit positions: LLVM's
// AMDGPU usage guide, tables "compute_pgm_rsrc1" to "compute_pgm_rsrc3" and "Kernel Descriptor".
#include "runtime/kernel_descriptor.h"

#include <algorithm>
#include <cstring>

namespace wavesmith::runtime {
namespace {

// Byte offsets of the fields.
constexpr std::size_t kGroupSegmentSize = 0;
constexpr std::size_t kPrivateSegmentSize = 4;
constexpr std::size_t kKernargSize = 8;
constexpr std::size_t kCodeEntryOffset = 16;
constexpr std::size_t kRsrc3 = 44;
constexpr std::size_t kRsrc1 = 48;
constexpr std::size_t kRsrc2 = 52;
constexpr std::size_t kCodeProperties = 56;
constexpr std::size_t kKernargPreload = 58;

template <class T>
T load(std::span<const std::byte, kKernelDescriptorBytes> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset,
              sizeof value);  // both the format and every supported host: little-endian
  return value;
}

constexpr std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) {
  return (word >> low) & ((1U << count) - 1U);
}
constexpr bool bit(std::uint32_t word, unsigned position) {
  return bits(word, position, 1) != 0;
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte value) { return value == std::byte{0}; });
}

/// Vector registers per unit of rsrc1[5:0].
std::uint32_t vgpr_encoding_granule(Family family, bool wave32) {
  switch (family) {
    case Family::gfx9:
      return 4;
    case Family::gfx90a:
      return 8;
    case Family::gfx10:
    case Family::gfx11:
    case Family::gfx12:
      return wave32 ? 8 : 4;
  }
  return 4;
}

void decode_rsrc1(KernelDescriptor& kd, Family family) {
  const std::uint32_t word = kd.rsrc1;
  const bool gfx10_plus = family >= Family::gfx10;
  kd.reserved_vgprs = (bits(word, 0, 6) + 1) * vgpr_encoding_granule(family, kd.wave32);
  if (!gfx10_plus) kd.reserved_sgprs = (bits(word, 6, 4) / 2 + 1) * 16;  // encoded as 2 * (blocks of 16 - 1)
  kd.round_f32 = RoundMode(bits(word, 12, 2));
  kd.round_f16_f64 = RoundMode(bits(word, 14, 2));
  kd.denorm_f32 = DenormMode(bits(word, 16, 2));
  kd.denorm_f16_f64 = DenormMode(bits(word, 18, 2));
  if (family < Family::gfx12) {
    kd.dx10_clamp = bit(word, 21);
    kd.ieee = bit(word, 23);
  } else {
    kd.round_robin = bit(word, 21);
  }
  kd.fp16_overflow = bit(word, 26);
  if (gfx10_plus) {
    kd.wgp_mode = bit(word, 29);
    kd.memory_ordered = bit(word, 30);
    kd.forward_progress = bit(word, 31);
  }
}

void decode_rsrc2(KernelDescriptor& kd) {
  const std::uint32_t word = kd.rsrc2;
  kd.enable_private_segment = bit(word, 0);
  kd.user_sgprs = bits(word, 1, 5);
  kd.enable_workgroup_id_x = bit(word, 7);
  kd.enable_workgroup_id_y = bit(word, 8);
  kd.enable_workgroup_id_z = bit(word, 9);
  kd.enable_workgroup_info = bit(word, 10);
  kd.workitem_id_dimensions = bits(word, 11, 2) + 1;
  kd.exceptions = bits(word, 24, 7);
}

void decode_rsrc3(KernelDescriptor& kd, Family family) {
  const std::uint32_t word = kd.rsrc3;
  if (family == Family::gfx90a) {
    kd.first_agpr = (bits(word, 0, 6) + 1) * 4;
    kd.threadgroup_split = bit(word, 16);
  }
  if (family == Family::gfx10 || family == Family::gfx11) kd.shared_vgprs = bits(word, 0, 4) * 8;
  if (family == Family::gfx11) kd.prefetch_size = bits(word, 4, 6);
  if (family == Family::gfx12) kd.prefetch_size = bits(word, 4, 8);
}

void decode_code_properties(KernelDescriptor& kd) {
  const std::uint32_t word = kd.code_properties;
  kd.sgpr_private_segment_buffer = bit(word, 0);
  kd.sgpr_dispatch_ptr = bit(word, 1);
  kd.sgpr_queue_ptr = bit(word, 2);
  kd.sgpr_kernarg_segment_ptr = bit(word, 3);
  kd.sgpr_dispatch_id = bit(word, 4);
  kd.sgpr_flat_scratch_init = bit(word, 5);
  kd.sgpr_private_segment_size = bit(word, 6);
  kd.wave32 = bit(word, 10);
  kd.uses_dynamic_stack = bit(word, 11);
}

/// Registers that the enabled user SGPRs take up.
std::uint32_t needed_user_sgprs(const KernelDescriptor& kd) {
  const auto pair = [](bool enabled) { return enabled ? 2U : 0U; };
  return (kd.sgpr_private_segment_buffer ? 4U : 0U) + pair(kd.sgpr_dispatch_ptr) + pair(kd.sgpr_queue_ptr) +
         pair(kd.sgpr_kernarg_segment_ptr) + pair(kd.sgpr_dispatch_id) + pair(kd.sgpr_flat_scratch_init) +
         (kd.sgpr_private_segment_size ? 1U : 0U) + kd.preload_dwords;
}

}  // namespace

std::optional<KernelDescriptor> decode_kernel_descriptor(
    std::span<const std::byte, kKernelDescriptorBytes> bytes, Family family) {
  if (!all_zero(bytes.subspan(12, 4)) || !all_zero(bytes.subspan(24, 20)) ||
      !all_zero(bytes.subspan(60, 4))) {
    return std::nullopt;
  }
  KernelDescriptor kd;
  kd.group_segment_fixed_size = load<std::uint32_t>(bytes, kGroupSegmentSize);
  kd.private_segment_fixed_size = load<std::uint32_t>(bytes, kPrivateSegmentSize);
  kd.kernarg_size = load<std::uint32_t>(bytes, kKernargSize);
  kd.code_entry_offset = load<std::int64_t>(bytes, kCodeEntryOffset);
  kd.rsrc1 = load<std::uint32_t>(bytes, kRsrc1);
  kd.rsrc2 = load<std::uint32_t>(bytes, kRsrc2);
  kd.rsrc3 = load<std::uint32_t>(bytes, kRsrc3);
  kd.code_properties = load<std::uint16_t>(bytes, kCodeProperties);
  kd.kernarg_preload = load<std::uint16_t>(bytes, kKernargPreload);
  decode_code_properties(kd);  // first: the register granule depends on the wave size
  decode_rsrc1(kd, family);
  decode_rsrc2(kd);
  decode_rsrc3(kd, family);
  if (family == Family::gfx90a) {
    kd.preload_dwords = bits(kd.kernarg_preload, 0, 7);
    kd.preload_offset_dwords = bits(kd.kernarg_preload, 7, 9);
  } else if (kd.kernarg_preload != 0) {
    return std::nullopt;
  }
  const bool reserved_properties =
      bits(kd.code_properties, 7, 3) != 0 || bits(kd.code_properties, 12, 4) != 0;
  const bool undefined_wave = kd.wave32 && family < Family::gfx10;
  const bool undefined_ids = kd.workitem_id_dimensions > 3;
  if (reserved_properties || undefined_wave || undefined_ids || needed_user_sgprs(kd) > kd.user_sgprs) {
    return std::nullopt;
  }
  return kd;
}

}  // namespace wavesmith::runtime
