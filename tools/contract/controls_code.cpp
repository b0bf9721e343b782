// Faults in the machine code: what a mistake of the compiler, or a wait that the generator forgot, would be.
// Replacements are encoded by hand after the CDNA 3 and 4 guides (SOPP, SOP2, VOP3P-MAI).
#include <algorithm>

#include "tools/contract/faults.h"

namespace wavesmith::contract {
namespace {

using Instruction = CodeEditor::Instruction;

bool before_barrier(const CodeEditor& editor, const Instruction& instruction) {
  const Instruction* next = editor.next(instruction);
  return next != nullptr && next->mnemonic == "s_barrier";
}

/// The waits of step wait_tile that let `count(plan)` copies stay in flight let `other(plan)` do so.
template <class Count, class Other>
CodeFault changed_tile_wait(Count count, Other other, std::size_t expected) {
  return [=](CodeEditor& editor, const dense::Plan& plan) -> Expected<void> {
    const auto waits = editor.find("s_waitcnt", "", expected, [&](const Instruction& one) {
      return Waitcnt{editor.word(one.address)}.vmcnt() == count(plan) && before_barrier(editor, one);
    });
    if (!waits) return std::unexpected(waits.error());
    for (const Instruction* wait : *waits)
      editor.set_word(wait->address, Waitcnt{editor.word(wait->address)}.with_vmcnt(other(plan)));
    return {};
  };
}

unsigned first_wait(const dense::Plan& plan) {
  return plan.wait_first_k;
}
unsigned loop_wait(const dense::Plan& plan) {
  return plan.wait_loop;
}
unsigned last_wait(const dense::Plan& plan) {
  return plan.wait_last;
}
unsigned no_wait(const dense::Plan&) {
  return Waitcnt::any_vmcnt;
}

/// Barriers behind a wait for `count(plan)` copies.
template <class Count>
CodeFault removed_tile_barrier(Count count, std::size_t expected) {
  return [=](CodeEditor& editor, const dense::Plan& plan) -> Expected<void> {
    const auto waits = editor.find("s_waitcnt", "", expected, [&](const Instruction& one) {
      return Waitcnt{editor.word(one.address)}.vmcnt() == count(plan) && before_barrier(editor, one);
    });
    if (!waits) return std::unexpected(waits.error());
    for (const Instruction* wait : *waits) editor.remove(*editor.next(*wait));
    return {};
  };
}

/// The first wait of a step for LDS or scalar loads, and for nothing else, waits for nothing.
CodeFault removed_lgkm_wait(std::string_view step) {
  return [=](CodeEditor& editor, const dense::Plan&) -> Expected<void> {
    const auto waits = editor.find("s_waitcnt", step, 0, [&](const Instruction& one) {
      const Waitcnt wait{editor.word(one.address)};
      return wait.lgkmcnt() != Waitcnt::any_lgkmcnt && wait.vmcnt() == Waitcnt::any_vmcnt;
    });
    if (!waits) return std::unexpected(waits.error());
    const std::uint64_t address = waits->front()->address;
    editor.set_word(address, Waitcnt{editor.word(address)}.with_lgkmcnt(Waitcnt::any_lgkmcnt));
    return {};
  };
}

/// No wait before the first load of Q waits for scalar loads: those of the kernel's arguments.
Expected<void> drop_argument_waits(CodeEditor& editor, const dense::Plan&) {
  const auto loads = editor.find("buffer_load_dwordx4", "load_q");
  if (!loads) return std::unexpected(loads.error());
  const std::uint64_t first_load = loads->front()->address;
  const auto waits = editor.find("s_waitcnt", "", 0, [&](const Instruction& one) {
    const Waitcnt wait{editor.word(one.address)};
    return one.address < first_load && wait.lgkmcnt() != Waitcnt::any_lgkmcnt;
  });
  if (!waits) return std::unexpected(waits.error());
  for (const Instruction* wait : *waits)
    editor.set_word(wait->address, Waitcnt{editor.word(wait->address)}.with_lgkmcnt(Waitcnt::any_lgkmcnt));
  return {};
}

/// Waits of five cycles and more stand between a matrix instruction and what reads its result.
Expected<void> drop_matrix_wait_states(CodeEditor& editor, const dense::Plan&) {
  constexpr std::uint32_t s_nop = 0xbf800000;
  constexpr unsigned long_wait = 5;
  const auto nops = editor.find("s_nop", "", 0, [&](const Instruction& one) {
    return (editor.word(one.address) & 0xffff) >= long_wait;
  });
  if (!nops) return std::unexpected(nops.error());
  for (const Instruction* nop : *nops) editor.set_word(nop->address, s_nop);
  return {};
}

/// VOP3P-MAI: destination in bits 7:0, source 2 in bits 58:50, where 128 is the constant 0 and 256 is v0.
Expected<void> uninitialised_accumulator(CodeEditor& editor, const dense::Plan& plan) {
  constexpr std::uint32_t src2_shift = 18, src2_mask = 0x1ff << src2_shift, zero = 128, v0 = 256;
  const std::string mnemonic =
      plan.spec.dtype == dense::DType::bf16 ? "v_mfma_f32_32x32x16_bf16" : "v_mfma_f32_32x32x16_f16";
  const auto products = editor.find(mnemonic, "qk", 0, [&](const Instruction& one) {
    return (editor.word(one.address + 4) & src2_mask) == zero << src2_shift;
  });
  if (!products) return std::unexpected(products.error());
  const std::uint64_t address = products->front()->address;
  const std::uint32_t destination = editor.word(address) & 0xff;
  editor.set_word(address + 4, (editor.word(address + 4) & ~src2_mask) | (v0 + destination) << src2_shift);
  return {};
}

constexpr std::uint32_t exec_is_15 = 0xbefe018f, exec_is_all_ones = 0xbefe01c1;  // s_mov_b64 exec, …

/// The wait before a product of QK narrows EXEC, the LDS read behind it (two words) widens it again.
Expected<void> narrow_exec_for_product(CodeEditor& editor, const dense::Plan&) {
  const auto waits = editor.find("s_waitcnt", "", 0, [&](const Instruction& one) {
    const Instruction* product = editor.next(one);
    const Instruction* read = product == nullptr ? nullptr : editor.next(*product);
    return read != nullptr && product->mnemonic.starts_with("v_mfma_") && read->mnemonic == "ds_read_b128";
  });
  if (!waits) return std::unexpected(waits.error());
  const Instruction& wait = *waits->front();
  const Instruction& read = *editor.next(*editor.next(wait));
  editor.set_word(wait.address, exec_is_15);
  editor.remove(read);
  editor.set_word(read.address, exec_is_all_ones);
  return {};
}

/// s_setprio 1, which stands before the matrix instructions and reads of PV, narrows EXEC.
Expected<void> narrow_exec_for_transpose(CodeEditor& editor, const dense::Plan&) {
  constexpr std::uint32_t raise_priority = 0xbf8f0001;
  const auto marks = editor.find("s_setprio", "pv_exp", 0, [&](const Instruction& one) {
    return editor.word(one.address) == raise_priority;
  });
  if (!marks) return std::unexpected(marks.error());
  for (const Instruction* mark : *marks) editor.set_word(mark->address, exec_is_15);
  return {};
}

/// The wait before a barrier becomes a branch around the barrier, taken by waves with a row that was
/// rescaled.
Expected<void> divergent_barrier(CodeEditor& editor, const dense::Plan&) {
  constexpr std::uint32_t s_cbranch_vccnz_over_one_word = 0xbf870001;
  const auto waits = editor.find("s_waitcnt", "release_v", 0,
                                 [&](const Instruction& one) { return before_barrier(editor, one); });
  if (!waits) return std::unexpected(waits.error());
  for (const Instruction* wait : *waits) editor.set_word(wait->address, s_cbranch_vccnz_over_one_word);
  return {};
}

/// SOP2: opcode in bits 29:23; s_addc_u32 is 4 and s_add_u32 is 0.
Expected<void> dropped_carry(CodeEditor& editor, const dense::Plan&) {
  const auto sums = editor.find("s_addc_u32", "");
  if (!sums) return std::unexpected(sums.error());
  for (const Instruction* sum : *sums)
    editor.set_word(sum->address, editor.word(sum->address) & ~(std::uint32_t{0x7f} << 23));
  return {};
}

}  // namespace

std::vector<Control> code_controls() {
  const auto one_more = [](auto count) { return [=](const dense::Plan& plan) { return count(plan) + 1; }; };
  return {
      {"first_wait_removed", "the first tile is not waited for",
       CodeFault(changed_tile_wait(first_wait, no_wait, 1)),
       hazard("lds_read_before_dma", "ds_read_b128", "qk")},
      {"loop_wait_removed", "tiles in the loops are not waited for",
       CodeFault(changed_tile_wait(loop_wait, no_wait, 2)),
       hazard("lds_read_before_dma", "ds_read_b128", "qk")},
      {"last_wait_removed", "the last V tile is not waited for",
       CodeFault(changed_tile_wait(last_wait, no_wait, 1)),
       hazard("lds_read_before_dma", "ds_read_b64_tr_b16", "last_pv")},
      {"first_wait_one_more", "the first wait lets one copy more stay in flight than the data allows",
       CodeFault(changed_tile_wait(first_wait, one_more(first_wait), 1)),
       hazard("lds_read_before_dma", "ds_read_b128", "qk")},
      {"loop_wait_one_more", "the waits in the loops let one copy more stay in flight than the data allows",
       CodeFault(changed_tile_wait(loop_wait, one_more(loop_wait), 2)),
       hazard("lds_read_before_dma", "ds_read_b128", "qk")},
      {"last_wait_one_more", "the last wait lets one copy of the last V tile stay in flight",
       CodeFault(changed_tile_wait(
           last_wait, [](const dense::Plan& plan) { return plan.k_dma + plan.v_dma + 1; }, 1)),
       hazard("lds_read_before_dma", "ds_read_b64_tr_b16", "last_pv")},
      {"first_barrier_removed", "other waves' copies of the first tile are not waited for",
       CodeFault(removed_tile_barrier(first_wait, 1)), hazard("lds_read_before_dma", "ds_read_b128", "qk")},
      {"loop_barrier_removed", "other waves' copies in the loops are not waited for",
       CodeFault(removed_tile_barrier(loop_wait, 2)), hazard("lds_read_before_dma", "ds_read_b128", "qk")},
      {"last_barrier_removed", "other waves' copies of the last V tile are not waited for",
       CodeFault(removed_tile_barrier(last_wait, 1)),
       hazard("lds_read_before_dma", "ds_read_b64_tr_b16", "last_pv")},
      {"release_barrier_removed", "a V tile is overwritten while other waves may still read it",
       removed("s_barrier", "release_v", true),
       hazard("lds_overwritten_while_read", "buffer_load_dword", "dma_v")},
      {"barrier_divergent", "only waves without a rescaled row wait at a barrier",
       CodeFault(divergent_barrier), hazard("barrier_mismatch", "s_barrier")},
      {"k_fragment_wait_removed", "a matrix instruction does not wait for the LDS read of its operand",
       removed_lgkm_wait("qk"), hazard("register_read_before_wait", "v_mfma_f32_32x32x16", "qk")},
      {"v_fragment_wait_removed", "the same for V", removed_lgkm_wait("last_pv"),
       hazard("register_read_before_wait", "v_mfma_f32_32x32x16", "last_pv")},
      // What is decoded from them is where Q, K and V lie.
      {"argument_wait_removed", "kernel arguments are used before they are there",
       CodeFault(drop_argument_waits), fault_at("buffer_load")},
      {"matrix_wait_states_removed", "scores are read before the matrix instruction has written them",
       CodeFault(drop_matrix_wait_states), hazard("matrix_wait_states", "v_")},
      {"accumulator_uninitialised", "scores start from what was in the registers",
       CodeFault(uninitialised_accumulator), hazard("uninitialized_register", "v_mfma_f32_32x32x16", "qk")},
      {"exec_narrow_for_product", "a matrix instruction runs with four active lanes",
       CodeFault(narrow_exec_for_product), hazard("matrix_partial_exec", "v_mfma_f32_32x32x16", "qk")},
      {"exec_narrow_for_transpose", "transposed reads of V run with four active lanes",
       CodeFault(narrow_exec_for_transpose), fault_at("ds_read_b64_tr_b16")},
      {"k_copy_removed", "a part of the first K tile is never copied",
       removed("buffer_load_dword", "dma_k", false),
       hazard("uninitialized_lds", "v_mfma_f32_32x32x16", "qk")},
      {"store_removed", "a part of O is never stored", removed("buffer_store_dwordx4", "store_o", false),
       unwritten},
      {"lse_store_removed", "LSE is never stored", removed("buffer_store_dword", "store_lse", true, 1),
       unwritten},
      {"carry_dropped",
       "addresses are added up in 32 bits",
       CodeFault(dropped_carry),
       {.gate = Gate::stability, .symptom = Symptom::fault, .mnemonic = "buffer_load"}},
  };
}

}  // namespace wavesmith::contract
