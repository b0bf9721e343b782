// Specs that the generator's tests start from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generator/attention_dense/plan.h"

namespace wavesmith::test {

namespace dense = generator::attention_dense;

/// gfx950.
[[nodiscard]] const lowering::TargetId& target();

/// A spec with these fields, everything else at its default.
[[nodiscard]] dense::Spec spec(int head_size, int query_heads, int kv_heads,
                               dense::DType dtype = dense::DType::bf16,
                               dense::Mask mask = dense::Mask::causal);

/// Every size of workgroup and tile at both head sizes, with waves_per_eu 1 where LDS has room for no more;
/// the other fields are at their defaults.
[[nodiscard]] std::vector<dense::Spec> all_geometries();

/// "d128 bm256 bn64 causal bf16 w2 lse exact": what tells variants apart in messages.
[[nodiscard]] std::string name_of(const dense::Spec& spec);

/// The Plan for a spec that must be accepted.
[[nodiscard]] dense::Plan resolved(const dense::Spec& spec);

/// The LLVM IR of a spec that must be accepted, flavour llvm22.
[[nodiscard]] std::string emitted(const dense::Spec& spec);

/// The text with every occurrence of the kernel's symbol replaced by SYMBOL.
[[nodiscard]] std::string masked(std::string text, std::string_view symbol);

}  // namespace wavesmith::test
