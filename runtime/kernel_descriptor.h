// The 64-byte kernel descriptor (symbol NAME.kd) that tells the command processor how to start a kernel,
// decoded. decode_kernel_descriptor() is the only entry. Source of every field: LLVM's AMDGPU usage guide,
// "Kernel Descriptor".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/target_id.h"

namespace wavesmith::runtime {

inline constexpr std::size_t kKernelDescriptorBytes = 64;

/// MODE.round: how results are rounded.
enum class RoundMode : std::uint8_t { nearest_even = 0, plus_infinity = 1, minus_infinity = 2, zero = 3 };

/// MODE.denorm: which denormals become zero of the same sign.
enum class DenormMode : std::uint8_t {
  flush_source_and_result = 0,
  flush_result = 1,
  flush_source = 2,
  keep = 3
};

/// Fields that only some families have are optional; the others exist everywhere.
struct KernelDescriptor {
  std::uint32_t group_segment_fixed_size = 0;    ///< LDS bytes of a workgroup, dynamic LDS not counted
  std::uint32_t private_segment_fixed_size = 0;  ///< scratch bytes of a work-item
  std::uint32_t kernarg_size = 0;                ///< bytes
  std::int64_t code_entry_offset = 0;            ///< entry point, in bytes from the descriptor's own address

  // The registers as they are written to the hardware.
  std::uint32_t rsrc1 = 0;
  std::uint32_t rsrc2 = 0;
  std::uint32_t rsrc3 = 0;
  std::uint16_t code_properties = 0;
  std::uint16_t kernarg_preload = 0;

  // rsrc1
  /// Vector registers a wave reserves, accumulation registers included where they share the file. LLVM may
  /// reserve more than the kernel uses (it rounds up to what waves-per-eu permits): occupancy counts from the
  /// metadata.
  std::uint32_t reserved_vgprs = 0;
  std::optional<std::uint32_t> reserved_sgprs;  ///< gfx9 and gfx90a; later processors reserve a fixed number
  RoundMode round_f32{};
  RoundMode round_f16_f64{};
  DenormMode denorm_f32{};
  DenormMode denorm_f16_f64{};
  std::optional<bool> dx10_clamp;        ///< before gfx12: clamping a NaN gives 0
  std::optional<bool> ieee;              ///< before gfx12: IEEE mode, quiets signalling NaNs
  std::optional<bool> round_robin;       ///< gfx12: WG_RR_EN, round-robin scheduling of the workgroup's waves
  bool fp16_overflow = false;            ///< FP16_OVFL: f16 overflow saturates
  std::optional<bool> wgp_mode;          ///< gfx10 and later: a workgroup may use both CUs of a WGP
  std::optional<bool> memory_ordered;    ///< gfx10 and later
  std::optional<bool> forward_progress;  ///< gfx10 and later

  // rsrc2
  bool enable_private_segment = false;
  std::uint32_t user_sgprs = 0;  ///< registers the command processor fills, kernarg preload included
  bool enable_workgroup_id_x = false;
  bool enable_workgroup_id_y = false;
  bool enable_workgroup_id_z = false;
  bool enable_workgroup_info = false;
  std::uint32_t workitem_id_dimensions = 1;  ///< 1: x; 2: x and y; 3: x, y and z
  std::uint32_t exceptions = 0;  ///< [0] invalid [1] denormal source [2] division by zero [3] overflow [4]
                                 ///< underflow [5] inexact [6] integer division by zero

  // rsrc3
  std::optional<std::uint32_t> first_agpr;  ///< gfx90a: index in the register file of accumulation register 0
  std::optional<bool> threadgroup_split;    ///< gfx90a: a workgroup's waves may go to several CUs
  std::optional<std::uint32_t> shared_vgprs;  ///< gfx10 and gfx11, wave64 only: registers both halves share
  std::optional<std::uint32_t>
      prefetch_size;  ///< gfx11 and gfx12: instruction prefetch, in units of 128 bytes

  // Code properties: which user SGPRs are filled, in this order from s0.
  bool sgpr_private_segment_buffer = false;  ///< 4 registers
  bool sgpr_dispatch_ptr = false;            ///< 2
  bool sgpr_queue_ptr = false;               ///< 2
  bool sgpr_kernarg_segment_ptr = false;     ///< 2
  bool sgpr_dispatch_id = false;             ///< 2
  bool sgpr_flat_scratch_init = false;       ///< 2
  bool sgpr_private_segment_size = false;    ///< 1
  bool wave32 = false;
  bool uses_dynamic_stack = false;

  // gfx90a: kernel arguments loaded into user SGPRs behind those above.
  std::uint32_t preload_dwords = 0;
  std::uint32_t preload_offset_dwords = 0;  ///< first preloaded dword of the kernarg segment
};

/// Decodes the 64 bytes of a descriptor of that family. Returns nothing when a reserved byte or bit is set or
/// a field holds a value that its family does not define: then the bytes are no descriptor of this family.
[[nodiscard]] std::optional<KernelDescriptor> decode_kernel_descriptor(
    std::span<const std::byte, kKernelDescriptorBytes> bytes, Family family);

}  // namespace wavesmith::runtime
