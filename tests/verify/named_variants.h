// Kernels and launches by name, for tables: what the published kernel is tested with, and lengths and widths
// around everything that a kernel or a model counts in.
#pragma once

#include <string>
#include <vector>

#include "generator/attention_dense/spec.h"
#include "tools/verify/attention_case.h"

namespace wavesmith::test {

namespace dense = generator::attention_dense;

struct NamedVariant {
  std::string name;
  dense::Spec spec;
  verify::AttentionCase shape;
};

/// The published matrix: both masks and element types, ratios of heads 1, 4, 8 and 16, both grids, tiles of
/// 32, 64 and 128 keys, windows, lengths that are no whole tiles, rescaling at each maximum, and one wave a
/// SIMD. Nineteen variants.
[[nodiscard]] std::vector<NamedVariant> published_variants(int head_size);

/// Lengths of 1 to 2049 rows and keys, fewer and more keys than rows, windows from 1 key to more than there
/// are, a public model with a window and sinks, and two mixes of lengths whose longest is the same.
[[nodiscard]] std::vector<NamedVariant> named_shapes(int head_size);

}  // namespace wavesmith::test
