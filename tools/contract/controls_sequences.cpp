// Faults of sequences of different lengths: where each begins and ends, and what the tables say of it.
#include <utility>

#include "tools/contract/faults.h"

namespace wavesmith::contract {
namespace {

using ir::OpKind;
using verify::SequenceTables;
using Table = std::vector<std::int32_t> SequenceTables::*;

// The loads of find_sequence, in their order: first query and the one behind the last, then the same of keys.
constexpr std::size_t first_query = 0, first_key = 2, entries = 4;
// Who adds the first query: the addresses of Q, O, LSE; the first key: those of K, V.
constexpr std::size_t to_q = 0, to_o = 1, to_lse = 2, to_k = 0, to_v = 1;

/// One tensor is read or written as if its first sequence were this one.
IrFault first_token_dropped(std::size_t entry, std::size_t tensor) {
  return [=](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto loads = editor.find(OpKind::load_constant, "find_sequence", entries);
    if (!loads) return std::unexpected(loads.error());
    const std::vector<ir::Op*> users = editor.users(loads->at(entry)->results[0], OpKind::zext);
    if (users.size() <= tensor) return not_applicable("the first token is not added there");
    editor.replace_operand(*users[tensor], 0, constant_i32(0));
    return {};
  };
}

/// The condition under which a block has rows at all.
IrFault changed_early_leave(
    const std::function<void(const IrEditor&, ir::Op& branch, const dense::Plan&)>& change) {
  return [=](IrEditor& editor, const dense::Plan& plan) -> Expected<void> {
    const auto branches = editor.find(OpKind::if_, "", 1);
    if (!branches) return std::unexpected(branches.error());
    change(editor, *branches->front(), plan);
    return {};
  };
}

void never_leave(const IrEditor& editor, ir::Op& branch, const dense::Plan&) {
  editor.replace_operand(
      branch, 0, [](ir::Builder& b, ir::Value) { return b.compare(ir::Predicate::eq, b.i32(0), b.i32(0)); });
}

void leave_one_block_early(const IrEditor& editor, ir::Op& branch, const dense::Plan& plan) {
  editor.replace_operand(*branch.operands[0].producer(), 0, plus_i32(plan.spec.block_m));
}

/// One entry of a table, counted from its end, is `by` more. A table with fewer stays as it is.
TableFault changed_entry(Table table, std::size_t from_end, std::int32_t by) {
  return [=](SequenceTables& tables) -> Expected<void> {
    std::vector<std::int32_t>& numbers = tables.*table;
    if (numbers.empty()) return not_applicable("the kernel takes no such table");
    if (from_end < numbers.size()) numbers[numbers.size() - 1 - from_end] += by;
    return {};
  };
}

TableFault swapped_tables(Table one, Table other) {
  return [=](SequenceTables& tables) -> Expected<void> {
    if ((tables.*one).empty() || (tables.*other).empty())
      return not_applicable("the kernel takes no such tables");
    std::swap(tables.*one, tables.*other);
    return {};
  };
}

}  // namespace

std::vector<Control> sequence_controls() {
  const std::vector<std::string_view> varlen{"varlen_d64"}, ragged{"ragged_two_pages_d64"},
      both{"varlen_d64", "ragged_two_pages_d64"};
  return {
      {"early_leave_dropped", "blocks past a sequence's end are not left", changed_early_leave(never_leave),
       overwritten, both},
      {"early_leave_one_block", "the last block of a sequence is left as well",
       changed_early_leave(leave_one_block_early), unwritten, both},
      {"first_token_of_q_dropped", "Q is read from the first sequence on",
       first_token_dropped(first_query, to_q), wrong_o, varlen},
      {"first_token_of_k_dropped", "K is read from the first sequence on, V from its own",
       first_token_dropped(first_key, to_k), wrong_o, varlen},
      {"first_token_of_v_dropped", "V is read from the first sequence on, K from its own",
       first_token_dropped(first_key, to_v), wrong_o, varlen},
      {"first_token_of_o_dropped", "all sequences store O where the first one does",
       first_token_dropped(first_query, to_o), stored_twice, varlen},
      {"first_token_of_lse_dropped", "all sequences store LSE where the first one does",
       first_token_dropped(first_query, to_lse), hazard("global_race", "buffer_store", "store_lse"), varlen},
      {"cu_seqlens_q_entry_off", "one sequence ends, and the next one begins, one query late",
       changed_entry(&SequenceTables::cu_seqlens_q, 1, 1), wrong_o, varlen},
      {"cu_seqlens_kv_entry_off", "one sequence ends, and the next one begins, one key late",
       changed_entry(&SequenceTables::cu_seqlens_kv, 1, 1), wrong_o, varlen},
      {"cu_seqlens_q_total_off", "the last sequence has one query more",
       changed_entry(&SequenceTables::cu_seqlens_q, 0, 1), overwritten, varlen},
      {"cu_seqlens_swapped", "lengths of queries and of keys are passed in each other's place",
       swapped_tables(&SequenceTables::cu_seqlens_q, &SequenceTables::cu_seqlens_kv), fault_at("buffer_"),
       varlen},
      {"seqlens_q_entry_off", "one sequence has one query more",
       changed_entry(&SequenceTables::seqlens_q, 0, 1), overwritten, ragged},
      {"seqlens_swapped", "the same of sequences with room for the longest",
       swapped_tables(&SequenceTables::seqlens_q, &SequenceTables::seqlens_kv), overwritten, ragged},
  };
}

}  // namespace wavesmith::contract
