// Lane addresses of MUBUF instructions and the range check of the buffer resource. capture_buffer_address is
// the entry; loads, stores, atomics and LDS-DMA form their addresses with it.
#pragma once

#include "simulator/groups/vector_memory.h"

namespace wavesmith::simulator::groups {

/// The 128-bit resource as gfx9 lays it out (CDNA4 guide 9.1.5). Formats and caching hints have no effect
/// here.
struct BufferResource {
  u64 base = 0;
  u32 stride = 0;
  u32 records = 0;       ///< bytes, or elements where an index counts
  u32 index_stride = 8;  ///< elements that swizzling interleaves
  bool swizzle = false;
  bool add_thread = false;  ///< the lane number is added to the index
};
BufferResource read_resource(const Wave& wave, const Operand& operand);

/// Whether an access is in range for each of its dwords, or only as a whole (atomics).
enum class RangeCheck : std::uint8_t { each_dword, whole };

/// Fills op.address, op.dword_step and op.in_range (lanes of op.exec only) for `bytes` at each lane, and
/// warns of dwords that are not aligned. `vaddr` is the index, the offset, or a pair of both, as the form
/// says.
void capture_buffer_address(Wave& wave, PendingOp& op, const Operand& vaddr, const Operand& resource,
                            const Operand& scalar_offset, u32 bytes, RangeCheck check);

/// Lanes that are in range as a whole and whose dwords are neighbours: they move in one piece.
inline u64 whole_lanes(const PendingOp& op, unsigned dwords) {
  if (dwords > 1 && op.dword_step != 4) return 0;
  u64 lanes = op.exec;
  for (unsigned d = 0; d < dwords; ++d) lanes &= op.in_range[d];
  return lanes;
}

/// Counts bytes and cache lines of what is in range.
void count_buffer(Wave& wave, const PendingOp& op, u32 bytes);

/// Whether the form of an instruction has an offset or an index in VGPRs.
constexpr bool has_vector_offset(Form form) {
  return contains(Form::offen | Form::bothen | Form::lds_offen | Form::lds_bothen | Form::offen_return |
                      Form::bothen_return,
                  form);
}
constexpr bool has_vector_index(Form form) {
  return contains(Form::idxen | Form::bothen | Form::lds_idxen | Form::lds_bothen | Form::idxen_return |
                      Form::bothen_return,
                  form);
}

}  // namespace wavesmith::simulator::groups
