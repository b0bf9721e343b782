// Faults of windows, which end on both sides, and of sinks.
#include "tools/contract/faults.h"

namespace wavesmith::contract {
namespace {

using ir::Builder;
using ir::OpKind;
using ir::Value;

// Tiles that end at the window's left, whole ones, tiles that end at its right.
constexpr std::size_t left_loop = 0, full_loop = 1, right_loop = 2, loops = 3;
constexpr std::size_t begin = 0, end = 1;
// Places in keys become numbers of tiles, in this order.
constexpr std::size_t start_tile = 1, tile_numbers = 4;

/// One of the numbers of tiles is `by` more.
IrFault changed_tile(std::size_t number, OpKind user, std::int64_t by) {
  return [=](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto tiles = editor.find(OpKind::ashr, "locate", tile_numbers);
    if (!tiles) return std::unexpected(tiles.error());
    return change_uses(editor, tiles->at(number)->results[0], user, plus_i32(by));
  };
}

Expected<void> mask_one_key_less(IrEditor& editor, const dense::Plan&) {
  const auto compares = editor.find(OpKind::icmp, "mask");
  if (!compares) return std::unexpected(compares.error());
  for (ir::Op* compare : *compares)
    compare->attrs = {{ir::Attr::predicate, static_cast<std::int64_t>(ir::Predicate::ult)}};
  return {};
}

/// The row maximum starts from the lowest float and not from the sink.
Expected<void> sink_not_in_maximum(IrEditor& editor, const dense::Plan&) {
  const auto sinks = editor.find(OpKind::fmul, "load_sink", 1);
  if (!sinks) return std::unexpected(sinks.error());
  const std::vector<ir::Op*> starts = editor.users(sinks->front()->results[0], OpKind::fmax);
  if (starts.size() != 1) return not_applicable("the sink is not in one maximum");
  return editor.replace_uses(starts.front()->results[0], starts.front()->operands[1]);
}

/// Which of the two lanes that share a row has the sink in its part of the denominator: the operand of the
/// selection becomes the other.
IrFault sink_in_sum(std::size_t operand) {
  return [=](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto selects = editor.find(OpKind::select, "row_sum", 1);
    if (!selects) return std::unexpected(selects.error());
    ir::Op& select = *selects->front();
    select.operands[operand] = select.operands[3 - operand];
    return {};
  };
}

}  // namespace

std::vector<Control> window_controls() {
  const std::vector<std::string_view> kernel{"window_sinks_d64"};
  constexpr std::int64_t next_sink = 4;
  return {
      {"window_left_one_short", "the first visible key of each row is masked",
       plus<std::int32_t>("window_left", -1), wrong_o, kernel},
      {"window_left_one_over", "the key before the first visible one of each row is not masked",
       plus<std::int32_t>("window_left", 1), wrong_o, kernel},
      {"window_right_one_short", "the last visible key of each row is masked",
       plus<std::int32_t>("window_right", -1), wrong_o, kernel},
      {"window_right_one_over", "the key behind the last visible one of each row is not masked",
       plus<std::int32_t>("window_right", 1), wrong_o, kernel},
      {"window_mask_one_short", "the mask takes the distance of the window's ends for the number of its keys",
       IrFault(mask_one_key_less), wrong_o, kernel},
      {"window_mask_one_over", "the mask takes the number of the window's keys for the distance of its ends",
       changed_operand(OpKind::icmp, "mask", 1, Which::all, plus_i32(1)), wrong_o, kernel},
      {"window_starts_late", "the first tile of the window is not visited",
       changed_tile(start_tile, OpKind::smax, 1), wrong_o, kernel},
      {"window_full_one_early", "the last tile that ends at the window's left is taken to be whole",
       changed_loops(loops, {{left_loop, end, -1}, {full_loop, begin, -1}}), wrong_o, kernel},
      {"window_full_one_late", "the first tile that ends at the window's right is taken to be whole",
       changed_loops(loops, {{full_loop, end, 1}, {right_loop, begin, 1}}), wrong_o, kernel},
      {"window_tile_missing", "the last tile that ends at the window's left is not visited",
       changed_loops(loops, {{left_loop, end, -1}}), wrong_o, kernel},
      {"window_tile_twice", "the first tile that ends at the window's right is visited twice",
       changed_loops(loops, {{full_loop, end, 1}}), wrong_o, kernel},
      {"sink_in_both_halves", "both lanes that share a row add the sink to the denominator", sink_in_sum(2),
       wrong_o, kernel},
      {"sink_not_in_sum", "the sink is missing from the denominator", sink_in_sum(1), wrong_o, kernel},
      {"sink_not_in_maximum", "the sink is missing from the row maximum", IrFault(sink_not_in_maximum),
       wrong_lse, kernel},
      {"sink_of_next_head", "a query head takes the sink of the next one",
       changed_operand(OpKind::zext, "load_sink", 0, Which::all, plus_i32(next_sink), 1), wrong_o, kernel},
      {"sink_without_log2e", "the sink joins powers of two as a power of e",
       changed_operand(
           OpKind::fmul, "load_sink", 1, Which::all, [](Builder& b, Value) { return b.constant_f32(1); }, 1),
       wrong_o, kernel},
  };
}

}  // namespace wavesmith::contract
