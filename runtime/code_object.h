// A code object (HSACO): the ELF file that holds compiled AMDGPU kernels, turned into one value that says
// everything a launcher, an occupancy estimate or a simulator needs. The only entry is read_code_object(). No
// LLVM is involved: elf_image.h reads the ELF structures, code_object_metadata.h the msgpack note,
// kernel_descriptor.h the descriptors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wavesmith/error.h"

#include "runtime/kernel_descriptor.h"
#include "runtime/target_id.h"

namespace wavesmith::runtime {

/// A range of the code object that is loaded into device memory (PT_LOAD). Addresses are relative to the load
/// base.
struct Segment {
  std::uint64_t address = 0;
  std::uint64_t memory_bytes = 0;  ///< at least file_bytes; the rest is zero
  std::uint64_t file_offset = 0;   ///< in CodeObject::image
  std::uint64_t file_bytes = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
};

enum class SymbolType : std::uint8_t { none, object, function, other };

/// An entry of the dynamic symbol table.
struct Symbol {
  std::string name;
  std::uint64_t address = 0;  ///< relative to the load base; 0 when not defined here
  std::uint64_t size = 0;
  SymbolType type = SymbolType::none;
  bool defined = false;
};

/// What a dynamic relocation writes; the enumerators are the ELF types R_AMDGPU_*.
enum class RelocationType : std::uint8_t {
  abs32_low = 1,    ///< low half of symbol + addend, 4 bytes
  abs32_high = 2,   ///< high half of symbol + addend, 4 bytes
  abs64 = 3,        ///< symbol + addend, 8 bytes
  abs32 = 6,        ///< symbol + addend, 4 bytes
  relative64 = 13,  ///< load base + addend, 8 bytes
};

struct Relocation {
  std::uint64_t address = 0;  ///< where to write; the whole field lies in one segment
  RelocationType type{};
  std::uint32_t symbol = 0;  ///< index in CodeObject::symbols; 0, the null symbol, for relative64
  std::int64_t addend = 0;
};

/// How an argument reaches the kernel. Everything from hidden_first on is filled in by the runtime.
enum class ValueKind : std::uint8_t {
  by_value,
  global_buffer,           ///< a device address
  dynamic_shared_pointer,  ///< offset of dynamic LDS
  sampler,
  image,
  pipe,
  queue,
  hidden_first,
  hidden_global_offset_x = hidden_first,
  hidden_global_offset_y,
  hidden_global_offset_z,
  hidden_none,
  hidden_printf_buffer,
  hidden_hostcall_buffer,
  hidden_heap_v1,
  hidden_default_queue,
  hidden_completion_action,
  hidden_multigrid_sync_arg,
  hidden_block_count_x,
  hidden_block_count_y,
  hidden_block_count_z,
  hidden_group_size_x,
  hidden_group_size_y,
  hidden_group_size_z,
  hidden_remainder_x,
  hidden_remainder_y,
  hidden_remainder_z,
  hidden_grid_dims,
  hidden_dynamic_lds_size,
  hidden_private_base,
  hidden_shared_base,
  hidden_queue_ptr,
};

/// The name in the metadata, e.g. "hidden_block_count_x".
[[nodiscard]] std::string_view name_of(ValueKind kind);

/// One argument of a kernel, explicit or hidden.
struct KernelArgument {
  std::string name;       ///< empty where the metadata has none
  std::string type_name;  ///< source-language type; empty where the metadata has none
  ValueKind kind{};
  std::uint32_t offset = 0;  ///< bytes from the start of the kernarg segment; offset + size lies inside it
  std::uint32_t size = 0;    ///< bytes
  /// "global", "local", "constant", "private", "generic" or "region"; empty for values.
  std::string address_space;
  std::string access;         ///< what the source allows: "read_only", "write_only", "read_write" or empty
  std::string actual_access;  ///< what the compiler found, the same words
  std::uint32_t pointee_align = 0;  ///< dynamic_shared_pointer: alignment of what it points to; else 0

  [[nodiscard]] bool hidden() const { return kind >= ValueKind::hidden_first; }
};

/// One kernel: its metadata, its descriptor and where its code is.
struct Kernel {
  std::string name;
  std::string descriptor_symbol;  ///< usually NAME.kd

  // Arguments, in the order of the metadata, hidden ones included.
  std::vector<KernelArgument> arguments;
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t kernarg_align = 0;  ///< a power of two

  // Registers. On gfx90a and its successors one file holds both kinds: total_vgprs is the metadata's
  // .vgpr_count and already includes the AGPRs; vgprs is the rest, and was rounded up to a multiple of 4 if
  // there are AGPRs. Elsewhere agprs is 0 (gfx908: a file of its own) and vgprs equals total_vgprs.
  std::uint32_t total_vgprs = 0;
  std::uint32_t vgprs = 0;
  std::uint32_t agprs = 0;
  std::uint32_t sgprs = 0;  ///< VCC and other special registers included
  std::uint32_t vgpr_spills = 0;
  std::uint32_t sgpr_spills = 0;

  std::uint32_t lds_bytes = 0;      ///< of a workgroup; dynamic LDS comes on top
  std::uint32_t scratch_bytes = 0;  ///< of a work-item, the fixed part
  bool uses_dynamic_stack = false;  ///< scratch_bytes is then only a lower bound; never set in version 4

  std::uint32_t max_flat_workgroup_size = 0;                            ///< work-items
  std::optional<std::array<std::uint32_t, 3>> required_workgroup_size;  ///< work-items in x, y, z
  std::optional<bool> uniform_workgroup_size;  ///< the grid must be a multiple of the workgroup
  std::uint32_t wavefront_size = 0;            ///< 32 or 64

  KernelDescriptor descriptor;
  std::uint64_t descriptor_address = 0;  ///< relative to the load base, a multiple of 64
  std::uint64_t code_address = 0;        ///< entry point, relative to the load base, a multiple of 256
  /// Size of the function symbol at the entry point; without one, up to the end of the segment.
  std::uint64_t code_bytes = 0;
};

/// A code object. Owns a copy of the file; nothing points into the caller's bytes.
struct CodeObject {
  TargetId target;
  std::uint32_t elf_flags = 0;
  unsigned version = 0;               ///< code object version: 4, 5 or 6
  std::uint32_t generic_version = 0;  ///< version of a generic target (version 6), else 0
  std::vector<Kernel> kernels;        ///< in the order of the metadata
  std::vector<Segment> segments;      ///< ascending addresses, not overlapping
  std::vector<Symbol> symbols;        ///< dynamic symbol table; entry 0 is the null symbol
  std::vector<Relocation> relocations;
  std::vector<std::byte> image;

  /// The kernel of that name, or null.
  [[nodiscard]] const Kernel* find_kernel(std::string_view name) const;
  /// The bytes of a segment that are in the file.
  [[nodiscard]] std::span<const std::byte> bytes(const Segment& segment) const;
  /// The bytes of a kernel's code.
  [[nodiscard]] std::span<const std::byte> code(const Kernel& kernel) const;
  /// `size` file bytes at a load-relative address; empty when they do not all lie in one segment's file
  /// bytes.
  [[nodiscard]] std::span<const std::byte> bytes_at(std::uint64_t address, std::uint64_t size) const;
};

/// Reads a linked code object of version 4, 5 or 6 for the HSA ABI. Every offset, size and cross-reference is
/// checked, and the memory used is bounded by a constant factor times the size of the input: hostile bytes
/// give an Error of kind invalid_request whose message says which structure is wrong, never a crash. Code is
/// not looked at.
[[nodiscard]] Expected<CodeObject> read_code_object(std::span<const std::byte> file);

}  // namespace wavesmith::runtime
