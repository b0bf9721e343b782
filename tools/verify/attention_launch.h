// What every launch of an attention_dense kernel on the simulator has in common, whoever judges it: the
// dispatch, and the problem that the oracle is to solve.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "wavesmith/simulator.h"

#include "generator/attention_dense/launch.h"
#include "generator/families.h"
#include "tools/verify/data.h"

namespace wavesmith::verify {

using generator::plan_of;

[[nodiscard]] oracle::ElementType element_type(const generator::attention_dense::Spec& spec);

/// Kernel, grid and arguments; options are the caller's.
[[nodiscard]] simulator::Launch dispatch_of(const generator::attention_dense::Plan& plan,
                                            const generator::attention_dense::Launch& launch);

/// The scale that the kernel gets, rounded to f32 as it is passed.
[[nodiscard]] float scale_of(const generator::attention_dense::Launch& launch);

/// Inputs of one launch. They must outlive the problem that is made of them.
struct AttentionInputs {
  const TensorData& q;
  const TensorData& k;
  const TensorData& v;
  std::span<const float> sinks = {};  ///< of each query head, for a spec with sinks
  std::optional<std::int64_t> window_left = {}, window_right = {};  ///< for mask window, as in Shapes
};

/// Head counts are those of the tensors: the code knows their ratio alone.
[[nodiscard]] oracle::Problem problem_of(const generator::attention_dense::Spec& spec,
                                         const AttentionInputs& inputs, float scale);

}  // namespace wavesmith::verify
