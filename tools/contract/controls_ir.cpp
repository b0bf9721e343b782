// Faults in the kernel IR: what a mistake in the generator would be.
#include <numbers>

#include "tools/contract/faults.h"

namespace wavesmith::contract {
namespace {

using ir::Builder;
using ir::OpKind;
using ir::Value;

constexpr Sign spills{.gate = Gate::resolves, .symptom = Symptom::not_resolved, .kind = "spills"};
constexpr Sign lds{.gate = Gate::resolves, .symptom = Symptom::not_resolved, .kind = "lds"};
constexpr Sign symbol{.gate = Gate::resolves, .symptom = Symptom::not_resolved, .kind = "symbol"};
constexpr Sign arguments{.gate = Gate::resolves, .symptom = Symptom::not_resolved, .kind = "arguments"};

Value plus_16_bytes(Builder& b, Value old) {
  return old.type().is_pointer() ? b.ptr_offset(old, b.i32(16)) : old + 16;
}

/// Results of lane swaps become what went in, as if no lane had been exchanged.
IrFault without_swap(std::string_view step, std::size_t expected) {
  return [=](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto swaps = editor.find(OpKind::permlane32_swap, step, expected);
    if (!swaps) return std::unexpected(swaps.error());
    for (const ir::Op* swap : *swaps)
      for (std::size_t i = 0; i < 2; ++i)
        if (const auto done = editor.replace_uses(swap->results[i], swap->operands[i]); !done) return done;
    return {};
  };
}

/// Comparisons of the mask with another predicate or another key.
IrFault changed_mask(ir::Predicate predicate, std::int64_t key_change) {
  return [=](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto compares = editor.find(OpKind::icmp, "mask");
    if (!compares) return std::unexpected(compares.error());
    for (ir::Op* compare : *compares) {
      compare->attrs = {{ir::Attr::predicate, static_cast<std::int64_t>(predicate)}};
      editor.replace_operand(*compare, 1, [&](Builder& b, Value key) {
        return b.i32(static_cast<std::int32_t>(key.constant_bits()) + key_change);
      });
    }
    return {};
  };
}

/// Products with the rescale factor become the other factor.
Expected<void> drop_rescale(IrEditor& editor, const dense::Plan&) {
  const auto products = editor.find(OpKind::fmul, "rescale");
  if (!products) return std::unexpected(products.error());
  for (const ir::Op* product : *products)
    if (const auto done = editor.replace_uses(product->results[0], product->operands[0]); !done) return done;
  return {};
}

/// The second half of a tile starts from the first half's scores.
Expected<void> keep_accumulator(IrEditor& editor, const dense::Plan& plan) {
  const auto products = editor.find(OpKind::mfma_32x32x16, "qk");
  if (!products) return std::unexpected(products.error());
  const std::size_t half = plan.k_steps;
  for (std::size_t i = half; i < products->size(); i += plan.sub_tiles * plan.k_steps) {
    ir::Op& starts = *(*products)[i];
    if (!starts.operands[2].is_constant()) return not_applicable("no accumulator starts at zero there");
    starts.operands[2] = (*products)[i - 1]->results[0];
  }
  return {};
}

/// The second copy of the first K tile goes where the first one goes.
Expected<void> overlap_copies(IrEditor& editor, const dense::Plan&) {
  const auto copies = editor.find(OpKind::buffer_load_lds, "dma_k");
  if (!copies) return std::unexpected(copies.error());
  if (copies->size() < 2) return not_applicable("there is one copy alone");
  (*copies)[1]->operands[2] = copies->front()->operands[2];
  return {};
}

Value one_f32(Builder& b, Value) {
  return b.constant_f32(1);
}

Value unbounded(Builder& b, Value) {
  return b.i32(0x7fff0000);
}

}  // namespace

std::vector<Control> ir_controls() {
  return {
      {"mask_one_short", "the last visible key is masked", IrFault(changed_mask(ir::Predicate::sgt, 0)),
       wrong_o},
      {"mask_one_over", "the first invisible key, or the one behind the last, is not masked",
       IrFault(changed_mask(ir::Predicate::sge, -1)), wrong_o},
      {"unmasked_tile_too_many", "the loop without mask takes one tile more",
       changed_loops(2, {{0, 1, 1}, {1, 0, 1}}), wrong_o},
      {"tile_missing", "the last tile is not visited", changed_loops(2, {{1, 1, -1}}), wrong_o},
      {"tile_twice", "a tile more is visited than there is", changed_loops(2, {{0, 1, 1}}), wrong_o},
      {"k_read_16_bytes_off", "one LDS read of K is 16 bytes off",
       changed_operand(OpKind::lds_load, "qk", 0, Which::first, plus_16_bytes), wrong_o},
      {"v_read_16_bytes_off", "one transposed LDS read of V is 16 bytes off",
       changed_operand(OpKind::lds_read_tr16, "last_pv", 0, Which::first, plus_16_bytes), wrong_o},
      {"q_load_16_bytes_off", "one load of Q is 16 bytes off",
       changed_operand(OpKind::buffer_load, "load_q", 1, Which::first, plus_16_bytes), wrong_o},
      {"k_copy_16_bytes_off", "one copy of K starts 16 bytes off in global memory",
       changed_operand(OpKind::buffer_load_lds, "dma_k", 1, Which::first, plus_16_bytes), wrong_o},
      {"v_copy_16_bytes_off", "one copy of V arrives 16 bytes off in LDS",
       changed_operand(OpKind::buffer_load_lds, "dma_v", 2, Which::first, plus_16_bytes), wrong_o},
      {"copies_overlap",
       "two copies of a K tile go to the same place in LDS",
       IrFault(overlap_copies),
       {.gate = Gate::values,
        .symptom = Symptom::hazard,
        .kind = "lds_dma_overwritten",
        .mnemonic = "buffer_load_dword",
        .step = "dma_k"}},
      {"store_16_bytes_off", "one store of O is 16 bytes off",
       changed_operand(OpKind::buffer_store, "store_o", 2, Which::last, plus_16_bytes), overwritten},
      {"store_past_end", "the descriptor of O covers memory behind the last row",
       changed_operand(OpKind::make_buffer_resource, "store_o", 1, Which::all, unbounded, 1), overwritten},
      {"lse_store_past_end", "the descriptor of LSE covers memory behind the last row",
       changed_operand(OpKind::make_buffer_resource, "store_lse", 1, Which::all, unbounded, 1), overwritten},
      {"v_tail_not_zero", "the descriptor of V covers memory behind the last key, which may be NaN",
       changed_operand(OpKind::make_buffer_resource, "dma_v", 1, Which::all, unbounded), wrong_o},
      {"scale_without_log2e", "scores are scaled for powers of e, exponentials are powers of two",
       changed_operand(OpKind::fmul, "locate", 1, Which::all, one_f32, 1), wrong_o},
      {"rescale_dropped", "accumulators keep the scale of an older row maximum", IrFault(drop_rescale),
       wrong_o},
      {"sum_not_rescaled", "the row sum keeps the scale of an older row maximum",
       changed_operand(OpKind::fma, "", 1, Which::all, one_f32, 2), wrong_o},
      {"accumulator_kept", "scores of half a tile are added to those of the other half",
       IrFault(keep_accumulator), wrong_o},
      {"wrong_kv_head", "twice as many query heads share a key/value head as should",
       changed_operand(
           OpKind::udiv, "", 1, Which::all,
           [](Builder& b, Value ratio) {
             return b.i32(2 * static_cast<std::int64_t>(ratio.constant_bits()));
           },
           1),
       wrong_o},
      {"row_max_lanes", "the row maximum is not exchanged between the halves of a wave",
       without_swap("row_max", 3), wrong_o},
      {"row_sum_lanes", "the row sum is not exchanged between the halves of a wave",
       without_swap("normalize", 1), wrong_o},
      {"store_lanes", "columns of O are not exchanged between the halves of a wave",
       without_swap("store_o", 0), wrong_o},
      {"lse_in_powers_of_two", "the logarithm that is stored is to base 2",
       changed_operand(OpKind::fmul, "store_lse", 1, Which::all, one_f32, 1), wrong_lse},
      {"batch_dependent_scale",
       "the scale of later batch elements is a few units in the last place larger",
       changed_operand(
           OpKind::fmul, "locate", 0, Which::all,
           [](Builder& b, Value scale) {
             const Value is_later = b.compare(ir::Predicate::ne, b.workgroup_id(2), b.i32(0));
             return b.select(is_later, scale * b.constant_f32(1 + 0x1p-21F), scale);
           },
           1),
       {.gate = Gate::stability, .symptom = Symptom::other_bits, .kind = "alone"}},
      {"registers_spilled",
       "register allocation is asked for more waves than there is room for",
       IrFault([](IrEditor& editor, const dense::Plan&) -> Expected<void> {
         editor.kernel().attributes.waves_per_eu = 8;
         return {};
       }),
       spills,
       {"causal_d64"}},
      {"lds_too_small", "the LDS pool ends 16 bytes early",
       IrFault([](IrEditor& editor, const dense::Plan& plan) -> Expected<void> {
         editor.kernel().set_lds_bytes(plan.lds_bytes - 16);
         return {};
       }),
       lds},
      {"wrong_symbol", "the kernel has another name than the launcher looks for",
       IrFault([](IrEditor& editor, const dense::Plan&) -> Expected<void> {
         editor.kernel().name += "_other";
         return {};
       }),
       symbol},
      {"parameters_swapped", "two kernel arguments stand in another order",
       IrFault([](IrEditor& editor, const dense::Plan&) -> Expected<void> {
         std::swap(editor.kernel().parameters[1], editor.kernel().parameters[2]);
         std::swap(editor.kernel().body().arguments[1], editor.kernel().body().arguments[2]);
         return {};
       }),
       arguments},
  };
}

}  // namespace wavesmith::contract
