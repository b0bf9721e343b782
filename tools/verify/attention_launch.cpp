// From a planned launch to the simulator's, and from its inputs to the oracle's problem.
#include "tools/verify/attention_launch.h"

#include <algorithm>
#include <variant>

namespace wavesmith::verify {

namespace dense = generator::attention_dense;

oracle::ElementType element_type(const dense::Spec& spec) {
  return spec.dtype == dense::DType::bf16 ? oracle::ElementType::bf16 : oracle::ElementType::fp16;
}

simulator::Launch dispatch_of(const dense::Plan& plan, const dense::Launch& launch) {
  simulator::Launch dispatch;
  dispatch.kernel = plan.symbol;
  std::ranges::copy(launch.grid, dispatch.grid.begin());
  std::ranges::copy(launch.block, dispatch.block.begin());
  for (const dense::Launch::Value& value : launch.arguments)
    std::visit([&](auto v) { dispatch.arguments.push_back(simulator::Argument::of(v)); }, value.value);
  return dispatch;
}

float scale_of(const dense::Launch& launch) {
  const auto argument = std::ranges::find(launch.arguments, "softmax_scale", &dense::Launch::Value::name);
  return std::get<float>(argument->value);
}

oracle::Problem problem_of(const dense::Spec& spec, const AttentionInputs& inputs, float scale) {
  oracle::Problem problem;
  problem.query_heads = inputs.q.shape.heads;
  problem.kv_heads = inputs.k.shape.heads;
  problem.head_size = spec.head_size;
  for (std::int64_t b = 0; b < inputs.q.shape.batch; ++b) {
    problem.seqlen_q.push_back(inputs.q.shape.length(b));
    problem.seqlen_kv.push_back(inputs.k.shape.length(b));
  }
  problem.q = inputs.q.view();
  problem.k = inputs.k.view();
  problem.v = inputs.v.view();
  problem.softmax_scale = static_cast<double>(scale);
  problem.sinks = inputs.sinks;
  if (spec.mask == dense::Mask::window) {
    problem.window_left = inputs.window_left.value_or(-1);
    problem.window_right = inputs.window_right.value_or(-1);
  } else if (spec.mask != dense::Mask::full) {
    problem.window_right = 0;
  }
  problem.top_left = spec.mask == dense::Mask::causal_top_left;
  return problem;
}

}  // namespace wavesmith::verify
