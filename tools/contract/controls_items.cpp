// Faults of persistent kernels: in the loop over work items, and between two of them.
#include "tools/contract/faults.h"

namespace wavesmith::contract {
namespace {

constexpr std::size_t item = 0, loops = 3;  // the loop over items and, in it, two over tiles
constexpr std::size_t begin = 0, end = 1, stride = 2;

/// All workgroups begin with the first item.
Expected<void> begin_with_the_first(IrEditor& editor, const dense::Plan&) {
  const auto found = editor.find(ir::OpKind::for_, "", loops);
  if (!found) return std::unexpected(found.error());
  editor.replace_operand(*found->at(item), begin, constant_i32(0));
  return {};
}

}  // namespace

std::vector<Control> item_controls() {
  const std::vector<std::string_view> both{"persistent_d64", "varlen_d64"};
  return {
      {"items_from_the_first", "every workgroup begins with the first item", IrFault(begin_with_the_first),
       stored_twice, both},
      {"last_item_skipped", "the last item is not visited", changed_loops(loops, {{item, end, -1}}),
       unwritten, both},
      {"item_stride_one_more", "a workgroup skips one item more than there are workgroups",
       changed_loops(loops, {{item, stride, 1}}), unwritten, both},
      {"item_stride_one_less", "a workgroup skips one item less, which so is visited twice",
       changed_loops(loops, {{item, stride, -1}}), stored_twice, both},
      {"item_barrier_removed", "the first tiles of an item overwrite what other waves still read of the last",
       removed("s_barrier", "next_item", true, 1),
       hazard("lds_overwritten_while_read", "buffer_load_dword", "dma_v"), both},
      {"workgroup_missing", "one workgroup too few, whose items nobody visits", fewer_workgroups(0),
       unwritten, both},
      {"first_block_off", "all items are decoded as the block of rows behind their own",
       plus<std::int32_t>("order_first_block", 1), unwritten, both},
  };
}

}  // namespace wavesmith::contract
