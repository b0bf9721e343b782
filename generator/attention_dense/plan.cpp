// resolve(): from a spec to a Plan.
#include "generator/attention_dense/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "generator/identity.h"

namespace wavesmith::generator::attention_dense {
namespace {

constexpr unsigned rows_per_wave = 32;  // queries of one 32 x 32 matrix instruction
constexpr unsigned mfma_k = 16;         // K steps of v_mfma_f32_32x32x16
constexpr std::string_view supported_target = "gfx950";

std::string symbol_of(const Spec& spec) {
  return fmt::format("wavesmith_attention_dense_d{}_q{}_kv{}_{}_{}_bm{}_bn{}_{}", spec.head_size,
                     spec.num_query_heads, spec.num_kv_heads, value_text(spec.dtype), value_text(spec.mask),
                     spec.block_m, spec.block_n, sha256_hex(non_default_text(spec)).substr(0, 8));
}

std::vector<Argument> arguments() {
  return {
      {"q", ir::global_ptr, "queries"},
      {"k", ir::global_ptr, "keys"},
      {"v", ir::global_ptr, "values"},
      {"o", ir::global_ptr, "output"},
      {"q_stride_batch", ir::i64, "elements from one batch to the next"},
      {"k_stride_batch", ir::i64, "elements"},
      {"v_stride_batch", ir::i64, "elements"},
      {"o_stride_batch", ir::i64, "elements"},
      {"q_stride_token", ir::i32, "elements from one token to the next"},
      {"k_stride_token", ir::i32, "elements"},
      {"v_stride_token", ir::i32, "elements"},
      {"o_stride_token", ir::i32, "elements"},
      {"q_stride_head", ir::i32, "elements from one head to the next"},
      {"k_stride_head", ir::i32, "elements"},
      {"v_stride_head", ir::i32, "elements"},
      {"o_stride_head", ir::i32, "elements"},
      {"seqlen_q", ir::i32, "queries of each batch"},
      {"seqlen_kv", ir::i32, "keys of each batch"},
      {"softmax_scale", ir::f32, "factor of the scores before softmax"},
  };
}

std::vector<Step> steps() {
  return {
      {"locate", "position in the grid; base addresses; which tiles are visible, and which need no mask"},
      {"load_q", "this wave's 32 query rows into registers, zeros past seqlen_q"},
      {"dma_k", "start the copy of a K tile into its LDS buffer, zeros past the last visible key"},
      {"dma_v", "start the copy of a V tile"},
      {"wait_tile", "wait for the tiles that are needed next, then for the other waves"},
      {"qk", "S^T = K * Q^T"},
      {"mask", "scores of invisible keys become -inf"},
      {"row_max", "maximum of the tile; decide whether the accumulators must be rescaled"},
      {"rescale", "multiply O by 2^(old maximum - new maximum) of the previous tile, where any row needs it"},
      {"pv_exp", "O^T += V^T * P^T of the previous tile, with this tile's exponentials in between"},
      {"row_sum", "this lane's part of the denominator"},
      {"pack_p", "P to the element type, already in the layout of the next MFMA operand"},
      {"release_v", "wait until all waves have read the V tile that is overwritten next"},
      {"last_pv", "O^T += V^T * P^T of the last tile"},
      {"normalize", "1 / l; 0 for rows without a visible key"},
      {"store_o", "O to the element type, 16 bytes a lane, rows past seqlen_q dropped"},
  };
}

std::vector<std::string> preconditions(const Plan& plan) {
  return {
      "batch, seqlen_q >= 1 and seqlen_kv >= 0; batch and num_query_heads at most 65535",
      "q, k, v, o aligned to 16 bytes; strides multiples of 8 elements, head size contiguous",
      fmt::format("token strides >= {} elements, {} rows of q and o and {} of k and v below 2^31 bytes",
                  plan.spec.head_size, plan.spec.block_m, 2 * plan.spec.block_n),
      "head strides >= 0 and < 2^31 elements; batch strides >= 0",
      "softmax_scale finite and positive",
  };
}

}  // namespace

Expected<Plan> resolve(const Spec& requested, const lowering::TargetId& target) {
  std::vector<Refusal> refusals = check(requested);
  const lowering::TargetFacts* facts = lowering::find_target(target.processor);
  if (target.processor != supported_target || facts == nullptr)
    refusals.push_back(
        {"target", to_string(target), fmt::format("attention-dense is built for {}", supported_target)});
  if (!refusals.empty()) return std::unexpected(Error::refused(std::move(refusals)));

  const Spec spec = canonical(requested);
  const auto head_size = static_cast<unsigned>(spec.head_size);
  const auto block_n = static_cast<unsigned>(spec.block_n);
  const unsigned waves = static_cast<unsigned>(spec.block_m) / rows_per_wave;
  const bool grouped = spec.head_size == 64;
  const auto layout = [&](int group_pad, int row_pad, std::string_view operand) {
    return Layout::make({.head_size = head_size,
                         .block_n = block_n,
                         .pad_elements = static_cast<unsigned>(grouped ? group_pad : row_pad),
                         .dma_width = static_cast<unsigned>(spec.dma_width),
                         .waves = waves},
                        operand);
  };
  const Expected<Layout> k_layout = layout(spec.lds_k_group_pad, spec.lds_k_row_pad, "k");
  if (!k_layout) return std::unexpected(k_layout.error());
  const Expected<Layout> v_layout = layout(spec.lds_v_group_pad, spec.lds_v_row_pad, "v");
  if (!v_layout) return std::unexpected(v_layout.error());

  const unsigned k_dma = k_layout->groups_per_wave();
  const unsigned v_dma = v_layout->groups_per_wave();
  const unsigned d_tiles = head_size / 32;
  const unsigned sub_tiles = block_n / 32;
  const unsigned key_steps = block_n / mfma_k;
  const unsigned scores_per_lane = sub_tiles * 16;
  const unsigned v_base = Plan::buffers * k_layout->tile_bytes();
  const unsigned lds_bytes = v_base + Plan::buffers * v_layout->tile_bytes();

  // LLVM would drop the wish without a word.
  const unsigned workgroups = facts->lds_bytes / lds_bytes;
  const unsigned waves_per_simd = workgroups * waves / facts->simds_per_cu;
  if (static_cast<unsigned>(spec.waves_per_eu) > waves_per_simd)
    return std::unexpected(Error::refused(
        {{"waves_per_eu", value_text(spec.waves_per_eu),
          fmt::format("at most {}: of workgroups with {} waves and {} bytes of LDS, {} fit a compute unit",
                      waves_per_simd, waves, lds_bytes, workgroups)}}));
  Plan plan{
      .spec = spec,
      .target = target,
      .facts = facts,
      .symbol = symbol_of(spec),
      .waves = waves,
      .k_steps = head_size / mfma_k,
      .d_tiles = d_tiles,
      .sub_tiles = sub_tiles,
      .key_steps = key_steps,
      .k_layout = *k_layout,
      .v_layout = *v_layout,
      .k_base = 0,
      .v_base = v_base,
      .lds_bytes = lds_bytes,
      .k_dma = k_dma,
      .v_dma = v_dma,
      // Each count is the number of DMA instructions issued after the ones that are needed: see kernel.cpp.
      .wait_first_k = v_dma + k_dma,
      .wait_loop = v_dma,
      .wait_last = 0,
      .k_reads_ahead = 4,
      .exps_per_mfma = (scores_per_lane + d_tiles * key_steps - 1) / (d_tiles * key_steps),
      .rescale_threshold = 8.0F,
      .attributes = {.workgroup_size = waves * facts->wave_size,
                     .waves_per_eu = static_cast<unsigned>(spec.waves_per_eu),
                     .f32_denormals = ir::DenormalMode::keep,
                     // Row maxima of MFMA results need no quieting of signalling NaNs.
                     .ieee_mode = false},
      .arguments = arguments(),
      .steps = steps(),
      .preconditions = {},
  };
  plan.preconditions = preconditions(plan);
  return plan;
}

std::string request_key(const Plan& plan, std::string_view flavour, std::string_view options,
                        std::string_view compiler) {
  return sha256_hex(fmt::format(
      "attention-dense\n{}symbol={}\ntarget={}\nflavour={}\noptions={}\ncompiler={}\nemitter={}\n",
      spec_text(plan.spec), plan.symbol, to_string(plan.target), flavour, options, compiler,
      emitter_identity()));
}

}  // namespace wavesmith::generator::attention_dense
