// The operations of the kernel IR, each stated once: name, operand and result counts, effect, and what it
// needs of control flow. Builder, verifier, canonical order, printer and lowering all ask this table; none
// keeps a list of its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace wavesmith::ir {

enum class OpKind : std::uint8_t {
  // Integers and addresses
  add,
  sub,
  mul,
  udiv,
  urem,
  and_,
  or_,
  xor_,
  shl,
  lshr,
  ashr,
  smin,
  smax,
  umin,
  umax,
  icmp,
  // Floating point
  fadd,
  fsub,
  fmul,
  fma,
  fneg,
  fmax,
  fcmp,
  exp2,
  log2,
  rcp,
  // Conversions
  zext,
  sext,
  trunc,
  fptrunc,
  fpext,
  bitcast,
  // Vectors
  extract,
  build,
  concat,
  slice,
  splat,
  select,
  // Position in the grid
  workitem_id,
  workgroup_id,
  load_argument,
  // Lanes of a wave
  readfirstlane,
  ballot,
  permlane32_swap,
  // Matrix cores
  mfma_32x32x16,
  // Addresses
  ptr_offset,
  lds_address,
  make_buffer_resource,
  // Memory
  load_constant,
  buffer_load,
  buffer_store,
  buffer_load_lds,
  lds_load,
  lds_read_tr16,
  // Order in time
  waitcnt,
  barrier,
  sched_barrier,
  sched_group_barrier,
  set_priority,
  // Structured control flow
  for_,
  if_,
  yield,
  return_,
  count_,
};

/// What an operation does besides computing its results.
enum class Effect : std::uint8_t {
  none,    ///< results depend on the operands alone; may be dropped when unused, moved, or shared
  reads,   ///< reads memory that other operations change
  writes,  ///< writes memory (an asynchronous copy into LDS counts as a write)
  lanes,   ///< reads other lanes' values, so it depends on which lanes are active
  orders,  ///< orders other operations in time: waits, barriers, scheduling marks
  flow,    ///< transfers control
};

/// How far a value is known to be the same. Control flow that depends on it stays together as far.
enum class Extent : std::uint8_t {
  lane,       ///< may differ between the lanes of a wave
  wave,       ///< uniform: equal in all lanes of a wave, may differ between waves
  workgroup,  ///< equal in all lanes of all waves of the workgroup
};

/// How the extent of a result follows from the operands.
enum class Uniformity : std::uint8_t {
  propagates,  ///< the smallest extent of the operands
  one_lane,    ///< the wave, or the workgroup where all operands are
  wave,        ///< always the wave
  workgroup,   ///< always the workgroup
  divergent,   ///< never assumed to be the same in two lanes
};

/// Keys of an operation's attributes; every value is an integer.
enum class Attr : std::uint8_t {
  predicate,    ///< icmp, fcmp: a Predicate
  index,        ///< extract: lane; slice: first lane; workgroup_id: axis 0 to 2
  bytes,        ///< lds_address: offset in the pool; buffer_load_lds: bytes a lane (1, 2, 4, 12, 16)
  align,        ///< lds_load: promised alignment in bytes
  alias_scope,  ///< LDS accesses: an AliasScope
  vmcnt,        ///< waitcnt: vector-memory operations that may stay in flight; absent means any number
  lgkmcnt,   ///< waitcnt: LDS and scalar-memory operations that may stay in flight; absent means any number
  mask,      ///< sched_barrier, sched_group_barrier: classes of instructions (LLVM's bits)
  size,      ///< sched_group_barrier: number of instructions
  group,     ///< sched_group_barrier: synchronisation group
  priority,  ///< set_priority: 0 (lowest) to 3
  cache_policy,  ///< buffer operations: cache bits (LLVM's `aux`); 0 when absent
};

/// Comparison predicates; s/u are signed and unsigned integers, o ordered floating point (false on NaN).
enum class Predicate : std::uint8_t {
  eq,
  ne,
  slt,
  sle,
  sgt,
  sge,
  ult,
  ule,
  ugt,
  uge,
  oeq,
  olt,
  ole,
  ogt,
  oge
};

/// Disjoint sets of LDS accesses, told to LLVM as alias scopes. Without them the backend's wait insertion
/// drains all LDS DMA before every LDS read.
enum class AliasScope : std::uint8_t { none, dma_write, lds_read };

/// Classes of instructions in scheduling marks (LLVM, AMDGPUUsage: llvm.amdgcn.sched.group.barrier).
namespace sched {
inline constexpr std::int64_t valu = 0x2, mfma = 0x8, lds_read = 0x100, transcendental = 0x400, all = 0x7ff;
}

struct OpInfo {
  OpKind kind;
  std::string_view name;
  std::int8_t operands;  ///< exact number; -1: any
  std::int8_t results;   ///< exact number; -1: any (structured control flow)
  Effect effect;
  Uniformity uniformity;
  bool keeps_order;  ///< stays where the generator put it among its like, though it may have no effect
  bool whole_wave;   ///< wrong unless all lanes of the wave (a barrier: of the workgroup) reach it together
  [[nodiscard]] constexpr Extent needs_together() const {
    return !whole_wave ? Extent::lane : kind == OpKind::barrier ? Extent::workgroup : Extent::wave;
  }
  std::array<Attr, 3> required;
  std::uint8_t required_count;
};

[[nodiscard]] const OpInfo& info(OpKind kind);
[[nodiscard]] std::span<const OpInfo> all_ops();

[[nodiscard]] std::string_view to_string(Attr attr);
[[nodiscard]] std::string_view to_string(Predicate predicate);

}  // namespace wavesmith::ir
