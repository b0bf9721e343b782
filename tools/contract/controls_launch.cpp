// Faults in the launch: what a mistake of the launcher, or of whoever fills in the arguments, would be.
#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "tools/contract/faults.h"

namespace wavesmith::contract {
namespace {

constexpr Sign not_resolved(std::string_view kind) {
  return {.gate = Gate::resolves, .symptom = Symptom::not_resolved, .kind = kind};
}

Expected<void> swap_k_and_v(dense::Launch& launch) {
  const auto k = std::ranges::find(launch.arguments, "k", &dense::Launch::Value::name);
  const auto v = std::ranges::find(launch.arguments, "v", &dense::Launch::Value::name);
  if (k == launch.arguments.end() || v == launch.arguments.end())
    return not_applicable("no arguments k and v");
  std::swap(k->value, v->value);
  return {};
}

}  // namespace

std::vector<Control> launch_controls() {
  constexpr std::uint64_t bytes = 16;
  constexpr std::int32_t elements = 8;
  return {
      {"row_block_missing", "one workgroup too few for the rows", fewer_workgroups(0), unwritten},
      {"head_missing", "one workgroup too few for the heads", fewer_workgroups(1), unwritten},
      {"batch_missing", "one workgroup too few for the batch elements", fewer_workgroups(2), unwritten},
      {"work_item_twice",
       "all blocks of a head are decoded as its last one, which is so visited several times",
       changed<std::int32_t>("order_block_3", [](std::int32_t) { return 0; }), stored_twice},
      {"q_base_off", "Q starts 16 bytes off", plus<std::uint64_t>("q", bytes), wrong_o},
      {"k_base_off", "K starts 16 bytes off", plus<std::uint64_t>("k", bytes), wrong_o},
      {"v_base_off", "V starts 16 bytes off", plus<std::uint64_t>("v", bytes), wrong_o},
      {"o_base_off", "O starts 16 bytes off", plus<std::uint64_t>("o", bytes), overwritten},
      {"lse_base_off", "LSE starts 4 bytes early", plus<std::uint64_t>("lse", std::uint64_t{0} - 4),
       overwritten},
      {"q_head_stride_wrong", "heads of Q are taken to be 8 elements further apart",
       plus<std::int32_t>("q_stride_head", elements), wrong_o},
      {"k_token_stride_wrong", "keys are taken to be 8 elements further apart",
       plus<std::int32_t>("k_stride_token", elements), wrong_o},
      {"v_batch_stride_wrong", "batch elements of V are taken to be 8 elements further apart",
       plus<std::int64_t>("v_stride_batch", elements), wrong_o},
      {"o_token_stride_wrong", "rows of O are taken to be 8 elements further apart",
       plus<std::int32_t>("o_stride_token", elements), overwritten},
      {"k_and_v_swapped", "K and V are passed in each other's place", LaunchFault(swap_k_and_v), wrong_o},
      {"one_key_missing", "seqlen_kv is one too small", plus<std::int32_t>("seqlen_kv", -1), wrong_o},
      {"one_key_more", "seqlen_kv is one too large", plus<std::int32_t>("seqlen_kv", 1), wrong_o},
      {"one_query_missing", "seqlen_q is one too small", plus<std::int32_t>("seqlen_q", -1), unwritten},
      {"one_query_more", "seqlen_q is one too large", plus<std::int32_t>("seqlen_q", 1), overwritten},
      {"scale_with_log2e", "softmax_scale already has the factor that the kernel applies",
       changed<float>("softmax_scale", [](float scale) { return scale * std::numbers::log2e_v<float>; }),
       wrong_o},
      {"argument_missing", "the launcher packs one argument less",
       LaunchFault([](dense::Launch& launch) -> Expected<void> {
         launch.arguments.pop_back();
         return {};
       }),
       not_resolved("arguments")},
      {"workgroup_of_half", "workgroups have half of their work-items",
       LaunchFault([](dense::Launch& launch) -> Expected<void> {
         launch.block[0] /= 2;
         return {};
       }),
       not_resolved("workgroup")},
  };
}

}  // namespace wavesmith::contract
