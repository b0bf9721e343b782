// Whether a spec fits the hardware: LDS for its tiles, vector registers for its waves. resolve() asks before
// it makes a Plan; the types of the layouts are in layout.h.
#pragma once

#include <vector>

#include "generator/attention_dense/layout.h"
#include "generator/attention_dense/spec.h"
#include "lowering/target.h"

namespace wavesmith::generator::attention_dense {

/// Tiles of K and of V in LDS, each in two buffers, so that one is filled while the other is read.
inline constexpr unsigned tile_buffers = 2;

struct TileLayouts {
  Layout k, v;

  [[nodiscard]] unsigned lds_bytes() const { return tile_buffers * (k.tile_bytes() + v.tile_bytes()); }
};

/// Waves of a workgroup: each owns the 32 query rows of one 32 x 32 matrix instruction.
[[nodiscard]] unsigned waves_of(const Spec& spec);

/// Errors: those of Layout::make(). The fields must be in their ranges.
[[nodiscard]] Expected<TileLayouts> tile_layouts(const Spec& spec);

/// Vector registers that a lane needs for the loop not to spill: what is carried from tile to tile, and room
/// to work. Found with LLVM 22; resources_test.cpp holds every spec that is accepted to having no spill.
[[nodiscard]] unsigned vector_registers(const Spec& spec);

/// Appends a refusal for each field of a canonical spec that asks for more than the target has: pads beyond
/// its LDS, waves beyond its LDS or registers.
void check_resources(const Spec& spec, const lowering::TargetFacts& target, std::vector<Refusal>& refusals);

}  // namespace wavesmith::generator::attention_dense
