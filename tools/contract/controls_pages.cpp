// Faults of keys and values in pages: which page, where in it, how far it reaches, and what the table says.
#include <utility>

#include "tools/contract/faults.h"

namespace wavesmith::contract {
namespace {

using ir::OpKind;
using ir::Value;
using verify::SequenceTables;

/// Numbers of pages in the addresses of a step's copies, in their order.
Expected<std::vector<ir::Op*>> pages_in(const IrEditor& editor, std::string_view step) {
  auto extended = editor.find(OpKind::zext, step);
  if (!extended) return std::unexpected(extended.error());
  std::erase_if(*extended, [](const ir::Op* op) { return op->operands[0].data()->hint != "page"; });
  if (extended->empty()) return not_applicable(fmt::format("no page is in an address of step {}", step));
  return extended;
}

/// Operations of the loops over tiles alone.
bool in_loop(const ir::Op& op) {
  return op.parent->parent != nullptr && op.parent->parent->kind == OpKind::for_;
}

/// The pages that a tile hands to the next are those that it was handed itself.
Expected<void> pages_not_advanced(IrEditor& editor, const dense::Plan&) {
  std::size_t kept = 0;
  const auto loops = editor.find(OpKind::for_, "");
  if (!loops) return std::unexpected(loops.error());
  for (const ir::Op* loop : *loops) {
    const ir::Region& body = *loop->regions.front();
    for (std::size_t i = 1; i < body.arguments.size(); ++i) {
      if (body.arguments[i].data()->hint != "page") continue;
      body.ops.back()->operands[i - 1] = body.arguments[i];
      ++kept;
    }
  }
  if (kept == 0) return not_applicable("no page is handed from tile to tile");
  return {};
}

/// A tile loads the numbers of its successor's pages, not those of the tile after that.
Expected<void> pages_one_tile_late(IrEditor& editor, const dense::Plan& plan) {
  auto starts = editor.find(OpKind::mul, "load_page");
  if (!starts) return std::unexpected(starts.error());
  std::erase_if(*starts, [&](const ir::Op* op) {
    const Value factor = op->operands[1];
    return !in_loop(*op) || !factor.is_constant() ||
           factor.constant_bits() != static_cast<std::uint64_t>(plan.spec.block_n);
  });
  if (starts->size() != 2) return not_applicable("there are not two loops that load pages");
  for (ir::Op* start : *starts) editor.replace_operand(*start, 0, plus_i32(-1));
  return {};
}

/// V of a tile is copied from the pages of the tile behind it.
Expected<void> v_from_next_pages(IrEditor& editor, const dense::Plan&) {
  auto pages = pages_in(editor, "dma_v");
  if (!pages) return std::unexpected(pages.error());
  std::erase_if(*pages, [](const ir::Op* op) { return !in_loop(*op); });
  for (ir::Op* page : *pages) {
    const auto next = std::ranges::find(page->parent->ops, OpKind::load_constant, &ir::Op::kind);
    if (next == page->parent->ops.end()) return not_applicable("no page is loaded in a loop");
    page->operands[0] = (*next)->results[0];
  }
  return {};
}

/// The second page of each pair is the first one.
Expected<void> first_page_twice(IrEditor& editor, const dense::Plan&) {
  const auto pages = pages_in(editor, "dma_k");
  if (!pages) return std::unexpected(pages.error());
  if (pages->size() % 2 != 0) return not_applicable("pages do not come in pairs");
  for (std::size_t i = 1; i < pages->size(); i += 2) (*pages)[i]->operands[0] = (*pages)[i - 1]->operands[0];
  return {};
}

/// Where a page begins is computed in 32 bits.
Expected<void> page_bytes_in_32_bits(IrEditor& editor, const dense::Plan&) {
  const auto pages = pages_in(editor, "dma_k");
  if (!pages) return std::unexpected(pages.error());
  for (const ir::Op* page : *pages)
    for (const ir::Op* product : editor.users(page->results[0], OpKind::mul)) {
      const auto changed = change_uses(
          editor, product->results[0], OpKind::add,
          [](ir::Builder& b, Value old) { return b.zext(b.convert(OpKind::trunc, old, ir::i32), ir::i64); });
      if (!changed) return changed;
    }
  return {};
}

/// Minima of a step with what limits them become what they were taken of, or the limit.
IrFault without_minimum(std::string_view step, std::size_t operand) {
  return [=](IrEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto minima = editor.find(OpKind::smin, step);
    if (!minima) return std::unexpected(minima.error());
    for (const ir::Op* one : *minima)
      if (const auto done = editor.replace_uses(one->results[0], one->operands[operand]); !done) return done;
    return {};
  };
}

TableFault changed_table(const std::function<void(SequenceTables&, std::size_t batch)>& change) {
  return [=](SequenceTables& tables) -> Expected<void> {
    if (tables.block_table.empty()) return not_applicable("the kernel takes no table of pages");
    change(tables, tables.seqlens_kv.size());
    return {};
  };
}

// What has nothing to swap with stays as it is: other launches of the kernel have.

void swap_last_pages(SequenceTables& tables, std::size_t) {
  std::vector<std::int32_t>& pages = tables.block_table;
  if (pages.size() > 1) std::swap(pages[pages.size() - 2], pages.back());
}

void swap_rows(SequenceTables& tables, std::size_t batch) {
  if (batch < 2) return;
  const auto row = static_cast<std::ptrdiff_t>(tables.block_table.size() / batch);
  std::swap_ranges(tables.block_table.begin(), tables.block_table.begin() + row,
                   tables.block_table.end() - row);
}

/// The first wait for scalar loads behind each load of a page's number waits for none.
Expected<void> drop_page_waits(CodeEditor& editor, const dense::Plan&) {
  const auto loads = editor.find("s_load_dword", "load_page");
  if (!loads) return std::unexpected(loads.error());
  const auto waits = [&](const CodeEditor::Instruction& one) {
    return one.mnemonic == "s_waitcnt" && Waitcnt{editor.word(one.address)}.lgkmcnt() != Waitcnt::any_lgkmcnt;
  };
  for (const CodeEditor::Instruction* one : *loads) {
    while (one != nullptr && !waits(*one)) one = editor.next(*one);
    if (one != nullptr)
      editor.set_word(one->address, Waitcnt{editor.word(one->address)}.with_lgkmcnt(Waitcnt::any_lgkmcnt));
  }
  return {};
}

void one_key_more(SequenceTables& tables, std::size_t) {
  ++tables.seqlens_kv.back();
}

}  // namespace

std::vector<Control> page_controls() {
  const std::vector<std::string_view> part_of_a_page{"paged_d64"}, two_pages{"ragged_two_pages_d64"},
      both{"paged_d64", "ragged_two_pages_d64"};
  return {
      {"pages_not_advanced", "all tiles from the third on are copied from the pages of the third",
       IrFault(pages_not_advanced), wrong_o, both},
      {"pages_one_tile_late", "tiles are copied from the pages of the tile before",
       IrFault(pages_one_tile_late), wrong_o, both},
      {"v_from_next_pages", "V is copied from the pages of the tile behind its own",
       IrFault(v_from_next_pages), wrong_o, both},
      {"row_in_page_dropped", "every wave copies a page's first rows",
       changed_operand(OpKind::and_, "dma_k", 0, Which::all, constant_i32(0)), wrong_o, part_of_a_page},
      {"second_page_ignored", "a wave copies its rows of the second page from the first",
       IrFault(first_page_twice), wrong_o, two_pages},
      {"page_bytes_in_32_bits",
       "where a page begins is computed in 32 bits",
       IrFault(page_bytes_in_32_bits),
       {.gate = Gate::stability, .symptom = Symptom::other_bits, .kind = "elsewhere"},
       part_of_a_page},
      {"page_tail_covered",
       "the descriptor of V covers a page's rows past the sequence's end, which may be NaN",
       without_minimum("dma_v", 1), wrong_o, both},
      {"last_page_not_clamped", "numbers of pages are read past a sequence's last one, and so past the table",
       without_minimum("load_page", 0), fault_at("s_load_dword"), both},
      {"page_wait_removed", "numbers of pages are used before they are there", CodeFault(drop_page_waits),
       fault_at("buffer_load_dword"), both},
      {"pages_of_first_batch", "all batch elements have the pages of the first one",
       changed_operand(
           OpKind::mul, "find_sequence", 0, Which::all, [](ir::Builder& b, Value) { return b.i64(0); }, 1),
       wrong_o, both},
      {"page_stride_wrong", "pages of K are taken to be 8 elements further apart",
       plus<std::int64_t>("k_stride_page", 8), wrong_o, both},
      {"table_stride_wrong", "rows of the table are taken to have one entry more",
       plus<std::int32_t>("block_table_stride", 1), fault_at("buffer_load_dword"), part_of_a_page},
      {"pages_swapped", "a sequence's last two pages stand in each other's place in the table",
       changed_table(swap_last_pages), wrong_o, both},
      {"table_rows_swapped", "two batch elements have each other's pages", changed_table(swap_rows), wrong_o,
       both},
      {"one_key_of_pages_more", "a sequence in pages has one key more", changed_table(one_key_more), wrong_o,
       both},
  };
}

}  // namespace wavesmith::contract
