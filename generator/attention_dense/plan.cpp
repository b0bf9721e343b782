// resolve(): from a spec to a Plan.
#include "generator/attention_dense/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "generator/attention_dense/order.h"
#include "generator/attention_dense/resources.h"
#include "generator/identity.h"

namespace wavesmith::generator::attention_dense {
namespace {

constexpr unsigned mfma_k = 16;  // K steps of v_mfma_f32_32x32x16
constexpr std::string_view supported_target = "gfx950";
// Eight for K and eight for V are what the registers have room for at head size 128 and 64 keys a tile.
constexpr unsigned most_dma_offsets = 8;
constexpr unsigned tensor_align = 16, f32_align = 4, i32_align = 4;  // bytes

std::string symbol_of(const Spec& spec) {
  return fmt::format("wavesmith_attention_dense_d{}_q{}_kv{}_{}_{}_bm{}_bn{}_{}", spec.head_size,
                     spec.num_query_heads, spec.num_kv_heads, value_text(spec.dtype), value_text(spec.mask),
                     spec.block_m, spec.block_n, sha256_hex(non_default_text(spec)).substr(0, 8));
}

std::vector<Argument> arguments(const Spec& spec) {
  const bool ragged = spec.sequences == Sequences::ragged, paged = spec.kv == Kv::paged;
  std::vector<Argument> all;
  const auto add = [&](bool wanted, const Argument& argument) {
    if (wanted) all.push_back(argument);
  };
  add(true, {"q", ir::global_ptr, "queries", tensor_align});
  add(true, {"k", ir::global_ptr, "keys", tensor_align});
  add(true, {"v", ir::global_ptr, "values", tensor_align});
  add(spec.sinks, {"sinks", ir::global_ptr, "a logit for each query head, f32", f32_align});
  add(true, {"o", ir::global_ptr, "output", tensor_align, true});
  add(spec.lse, {"lse", ir::global_ptr, "logarithm of each row's denominator, f32", f32_align, true});
  add(packed_q(spec),
      {"cu_seqlens_q", ir::global_ptr, "first query of each sequence, and their total, i32", i32_align});
  add(packed_kv(spec),
      {"cu_seqlens_kv", ir::global_ptr, "first key of each sequence, and their total, i32", i32_align});
  add(ragged, {"seqlens_q", ir::global_ptr, "queries of each batch element, i32", i32_align});
  add(reads_seqlen_kv(spec) && !packed_kv(spec),
      {"seqlens_kv", ir::global_ptr, "keys of each batch element, i32", i32_align});
  add(paged, {"block_table", ir::global_ptr, "pages of each batch element, i32", i32_align});
  const std::string_view batch = "elements from one batch to the next",
                         page = "elements from one page to the next";
  add(!packed_q(spec), {"q_stride_batch", ir::i64, batch});
  add(!paged && !packed_kv(spec), {"k_stride_batch", ir::i64, "elements"});
  add(!paged && !packed_kv(spec), {"v_stride_batch", ir::i64, "elements"});
  add(paged, {"k_stride_page", ir::i64, page});
  add(paged, {"v_stride_page", ir::i64, "elements"});
  add(!packed_q(spec), {"o_stride_batch", ir::i64, "elements"});
  add(spec.lse && !packed_q(spec), {"lse_stride_batch", ir::i64, "elements"});
  add(true, {"q_stride_token", ir::i32, "elements from one token to the next"});
  add(true, {"k_stride_token", ir::i32, "elements"});
  add(true, {"v_stride_token", ir::i32, "elements"});
  add(true, {"o_stride_token", ir::i32, "elements"});
  add(true, {"q_stride_head", ir::i32, "elements from one head to the next"});
  add(true, {"k_stride_head", ir::i32, "elements"});
  add(true, {"v_stride_head", ir::i32, "elements"});
  add(true, {"o_stride_head", ir::i32, "elements"});
  add(spec.lse, {"lse_stride_head", ir::i32, "elements; queries are contiguous"});
  add(paged,
      {"block_table_stride", ir::i32, "entries of the block table from one batch element to the next"});
  add(!reads_seqlen_q(spec), {"seqlen_q", ir::i32, "queries of each batch"});
  add(!reads_seqlen_kv(spec), {"seqlen_kv", ir::i32, "keys of each batch"});
  add(spec.mask == Mask::window, {"window_left", ir::i32, "keys before a query's own place that it sees"});
  add(spec.mask == Mask::window, {"window_right", ir::i32, "keys behind it that it sees"});
  add(true, {"softmax_scale", ir::f32, "factor of the scores before softmax"});
  const std::vector<Argument> order = order_arguments(spec);
  all.insert(all.end(), order.begin(), order.end());
  return all;
}

std::vector<Step> steps(const Spec& spec) {
  std::vector<Step> all{
      {"locate",
       "position in the workgroup; base addresses; which tiles are visible, and which need no mask"},
      {"load_q", "this wave's 32 query rows into registers, zeros past seqlen_q"},
      {"dma_k", "start the copy of a K tile into its LDS buffer, zeros past the last visible key"},
      {"dma_v", "start the copy of a V tile"},
      {"wait_tile", "wait for the tiles that are needed next, then for the other waves"},
      {"qk", "S^T = K * Q^T"},
      {"mask", "scores of invisible keys become -inf"},
      {"row_max", spec.lazy_rescale ? "maximum of the tile; decide whether the accumulators must be rescaled"
                                    : "maximum of all tiles so far"},
      {"rescale",
       spec.lazy_rescale
           ? "multiply O by 2^(old maximum - new maximum) of the previous tile, where any row needs it"
           : "multiply O by 2^(old maximum - new maximum) of the previous tile"},
      {"pv_exp", "O^T += V^T * P^T of the previous tile, with this tile's exponentials in between"},
      {"row_sum", "this lane's part of the denominator"},
      {"pack_p", "P to the element type, already in the layout of the next MFMA operand"},
      {"release_v", "wait until all waves have read the V tile that is overwritten next"},
      {"last_pv", "O^T += V^T * P^T of the last tile"},
      {"normalize", "1 / l; 0 for rows without a visible key"},
      {"store_o", "O to the element type, 16 bytes a lane, rows past seqlen_q dropped"},
  };
  all.insert(all.begin() + 1, {"decode", "batch, query head and block of rows of a work item"});
  if (spec.persistent)
    all.insert(all.begin() + 1,
               {"next_item", "wait until all waves have read the last tiles of the work item before"});
  if (reads_seqlen_kv(spec))
    all.insert(std::ranges::find(all, "load_q", &Step::name),
               {"find_sequence", "lengths and first tokens of the work item's batch element, from memory"});
  if (spec.kv == Kv::paged)
    all.insert(std::ranges::find(all, "dma_k", &Step::name),
               {"load_page", "which pages this wave's rows of the next tiles lie in, by scalar loads"});
  if (spec.sinks)
    all.insert(std::ranges::find(all, "dma_k", &Step::name),
               {"load_sink", "the query head's sink, which begins the row maximum and the denominator"});
  if (spec.lse)
    all.push_back({"store_lse", "natural logarithm of the denominator; -inf for rows without a visible key"});
  return all;
}

std::vector<std::string> preconditions(const Plan& plan) {
  const Spec& spec = plan.spec;
  std::vector<std::string> all{
      "batch, seqlen_q >= 1 and seqlen_kv >= 0; batch and num_query_heads at most 65535",
      "q, k, v, o aligned to 16 bytes; strides multiples of 8 elements, head size contiguous",
      fmt::format("token strides >= {} elements, {} rows of q and o and {} of k and v below 2^31 bytes",
                  spec.head_size, spec.block_m, most_key_rows(spec)),
      "head strides >= 0 and < 2^31 elements; batch strides >= 0",
      "softmax_scale finite and positive",
      "work items (batch * num_query_heads * blocks of block_m rows) below 2^31",
  };
  if (spec.sequences == Sequences::varlen)
    all.emplace_back(
        "cu_seqlens begin at 0 and do not fall, no sequence is longer than seqlen_q and seqlen_kv; batch "
        "strides "
        "of packed tensors are 0");
  if (reads_seqlen_kv(spec) && !packed_kv(spec))
    all.emplace_back("lengths in memory 0 to seqlen_q and seqlen_kv");
  if (spec.kv == Kv::paged)
    all.emplace_back(
        "block_table_stride >= 1 and enough pages for seqlen_kv; the pages of every key lie in the cache, "
        "with mask "
        "window of those that some row of a block of rows sees");
  if (reads_seqlen_kv(spec)) all.emplace_back("buffers of lengths and pages aligned to 4 bytes");
  if (packed_q(spec) && spec.lse) all.emplace_back("the head stride of lse given");
  all.emplace_back(
      "finite values in V, of invisible keys too: their probability is 0, and 0 times infinity is NaN");
  if (plan.spec.lse)
    all.emplace_back("lse aligned to 4 bytes; its head stride >= 0 and < 2^31, its batch stride >= 0");
  if (plan.spec.sinks) all.emplace_back("sinks aligned to 4 bytes, finite");
  if (plan.spec.mask == Mask::window)
    all.emplace_back(
        "window_left, window_right >= 0, or -1 for no bound; seqlen_q + seqlen_kv at most 2^31 - 4097");
  if (plan.spec.persistent) {
    all.push_back(fmt::format("num_persistent 1 to {}; work items at most 2^31 - 1 less so many",
                              most_workgroups(plan.attributes.workgroup_size)));
    all.emplace_back(
        "gqa_pair: even blocks and an even group, num_persistent = blocks * num_kv_heads * batch; "
        "gqa_pair_2phase: even blocks, num_persistent = half of the work items");
    all.emplace_back("interleave with persist_decode qb_major, a causal mask and more than one block");
  }
  return all;
}

// Resources are those of a kernel whose fields are valid one by one.
bool is_sound(const std::vector<Refusal>& refusals) {
  constexpr std::array<std::string_view, 8> geometry{"head_size",       "block_m",       "block_n",
                                                     "lds_k_group_pad", "lds_k_row_pad", "lds_v_group_pad",
                                                     "lds_v_row_pad",   "dma_width"};
  return std::ranges::none_of(refusals, [&](const Refusal& refusal) {
    return std::ranges::find(geometry, refusal.field) != geometry.end();
  });
}

}  // namespace

unsigned most_key_rows(const Spec& spec) {
  const auto tiles = static_cast<unsigned>(2 * spec.block_n);
  return spec.kv == Kv::paged ? std::max(tiles, static_cast<unsigned>(spec.page_size)) : tiles;
}

unsigned digits_of(const Spec& spec) {
  return spec.persistent ? most_digits : grid_digits;
}

std::vector<Argument> order_arguments(const Spec& spec) {
  // Names live as long as the program: Argument only points to them.
  static constexpr std::array<std::string_view, most_digits - 1> magic{
      "order_magic_1", "order_magic_2", "order_magic_3", "order_magic_4", "order_magic_5"};
  static constexpr std::array<std::string_view, most_digits> place{
      "order_place_0", "order_place_1", "order_place_2", "order_place_3", "order_place_4", "order_place_5"};
  static constexpr std::array<std::string_view, most_digits> block{
      "order_block_0", "order_block_1", "order_block_2", "order_block_3", "order_block_4", "order_block_5"};
  std::vector<Argument> all;
  const auto add = [&](std::string_view name, std::string_view meaning) {
    all.push_back({name, ir::i32, meaning});
  };
  if (spec.persistent) {
    add("work_items", "blocks of rows of all heads and batches");
    add("workgroups", "of the grid; a workgroup's next work item is so many further");
  } else {
    add("grid_x", "workgroups of the grid along x");
    add("grid_xy", "workgroups of the grid along x and y");
  }
  const unsigned digits = digits_of(spec);
  for (unsigned i = 1; i < digits; ++i) add(magic.at(i - 1), "factor that divides a work item");
  add("order_shifts", "shifts after those factors, 6 bits each");
  for (unsigned i = 0; i < digits; ++i)
    add(place.at(i), "batch + 2^16 * query head for each step of a quotient");
  for (unsigned i = 0; i < digits; ++i) add(block.at(i), "blocks for each step of a quotient");
  add("order_first_block", "block of work item 0");
  if (spec.persistent) {
    add("order_fold_from", "blocks from here on come in falling order");
    add("order_fold_sum", "a block of those and its place in the order, added up");
    add("order_interleave", "1: all blocks of odd query heads come in falling order");
  }
  return all;
}

std::vector<Refusal> refusals_of(const Spec& requested, const lowering::TargetId& target,
                                 std::vector<Refusal> known) {
  std::vector<Refusal> refusals = std::move(known);
  for (Refusal& refusal : check(requested))
    if (std::ranges::find(refusals, refusal.field, &Refusal::field) == refusals.end())
      refusals.push_back(std::move(refusal));
  const lowering::TargetFacts* facts = lowering::find_target(target.processor);
  if (target.processor != supported_target || facts == nullptr)
    refusals.push_back(
        {"target", to_string(target), fmt::format("attention-dense is built for {}", supported_target)});
  else if (is_sound(refusals))
    check_resources(canonical(requested), *facts, refusals);
  return refusals;
}

Expected<Plan> resolve(const Spec& requested, const lowering::TargetId& target) {
  if (std::vector<Refusal> refusals = refusals_of(requested, target); !refusals.empty())
    return std::unexpected(Error::refused(std::move(refusals)));
  const lowering::TargetFacts* facts = lowering::find_target(target.processor);
  const Spec spec = canonical(requested);
  const Expected<TileLayouts> layouts = tile_layouts(spec);
  if (!layouts) return std::unexpected(layouts.error());

  const auto head_size = static_cast<unsigned>(spec.head_size);
  const auto block_n = static_cast<unsigned>(spec.block_n);
  const unsigned waves = waves_of(spec);
  const unsigned k_dma = layouts->k.groups_per_wave();
  const unsigned v_dma = layouts->v.groups_per_wave();
  const unsigned d_tiles = head_size / 32;
  const unsigned sub_tiles = block_n / 32;
  const unsigned key_steps = block_n / mfma_k;
  const unsigned scores_per_lane = sub_tiles * 16;
  const unsigned rows_per_wave = block_n / waves;
  const unsigned rows_per_page_copy = std::min(rows_per_wave, static_cast<unsigned>(spec.page_size));
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
      .k_layout = layouts->k,
      .v_layout = layouts->v,
      .k_base = 0,
      .v_base = tile_buffers * layouts->k.tile_bytes(),
      .lds_bytes = layouts->lds_bytes(),
      .k_dma = k_dma,
      .v_dma = v_dma,
      .dma_descriptors = k_dma > most_dma_offsets || rows_per_page_copy < rows_per_wave,
      .rows_per_wave = rows_per_wave,
      .rows_per_page_copy = rows_per_page_copy,
      // Each count is the number of DMA instructions issued after the ones that are needed: see kernel.cpp.
      // A counter that is full at fewer only makes the wait stricter.
      .wait_first_k = std::min(v_dma + k_dma, facts->vmcnt.max()),
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
      .arguments = arguments(spec),
      .steps = steps(spec),
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
