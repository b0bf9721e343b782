// From a case to the places of its tensors in memory, the tables that tell the kernel where its sequences
// are, and the data. attention.h judges what a kernel makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "generator/attention_dense/launch.h"
#include "generator/attention_dense/plan.h"
#include "tools/verify/attention_case.h"
#include "tools/verify/data.h"
#include "tools/verify/lse.h"

namespace wavesmith::verify {

/// Tokens of each batch element, whichever way a case says them; bounded, so that no sum of them overflows.
struct Lengths {
  std::vector<std::int64_t> q, kv;
};
[[nodiscard]] Lengths lengths_of(const AttentionCase& shape);

/// Where everything lies.
struct AttentionLayout {
  TensorShape query, key;  ///< of Q and O; of K and V
  LseShape lse;
  SequenceTables tables;
};

/// Poison between everything; contiguous.
inline constexpr Gaps poisoned_gaps{.tokens = 3, .elements = gap_after_heads}, no_gaps{};

/// The shapes of the case's launch. They need no more memory than one length for each batch element.
[[nodiscard]] generator::attention_dense::Shapes launch_shapes(const generator::attention_dense::Plan& plan,
                                                               const AttentionCase& shape, const Gaps& gaps);

/// All that is wrong with the case's lengths in themselves, and with the memory that its tensors take.
[[nodiscard]] std::vector<Refusal> refused_lengths(const generator::attention_dense::Plan& plan,
                                                   const AttentionCase& shape);
[[nodiscard]] std::vector<Refusal> refused_sizes(const generator::attention_dense::Plan& plan,
                                                 const AttentionCase& shape);

/// Of a case of which neither is refused.
[[nodiscard]] AttentionLayout layout_of(const generator::attention_dense::Plan& plan,
                                        const AttentionCase& shape, const Gaps& gaps);

struct AttentionTensors {
  TensorData q, k, v, o;
  std::vector<float> sinks;  ///< of each query head, where the kernel takes them
};

/// Keys and values of batch elements without a query are poison: nothing needs them, and no other element's
/// result may tell what they are.
[[nodiscard]] AttentionTensors make_tensors(const generator::attention_dense::Plan& plan,
                                            const AttentionLayout& layout, std::uint64_t seed, double sigma);

/// Rows of all heads that see a key.
[[nodiscard]] std::int64_t rows_with_keys(const generator::attention_dense::Plan& plan,
                                          const AttentionCase& shape);

}  // namespace wavesmith::verify
