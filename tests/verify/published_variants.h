// The matrix of variants that the published kernel is tested with: both masks and element types, ratios of
// heads 1, 4, 8 and 16, both grids, tiles of 32, 64 and 128 keys, windows, lengths that are no whole tiles,
// rescaling at each maximum, and one wave a SIMD. Nineteen of them, at each head size.
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

[[nodiscard]] std::vector<NamedVariant> published_variants(int head_size);

}  // namespace wavesmith::test
