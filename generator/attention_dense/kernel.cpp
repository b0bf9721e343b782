// The algorithm: online softmax over KV tiles, PV one tile behind QK.
//
// DMA runs ahead: in iteration j the copies of K(j + 1) start at the top, when all waves have finished QK(j -
// 1) and its buffer is free, and those of V(j + 1) at the end, when all waves have read V(j - 1). In the
// order of issue:
//
//   K(0) V(0) K(1) | QK(0) | V(1) | K(2)  QK(1) PV(0)  V(2) | K(3)  QK(2) PV(1)  V(3) | …
//
// so at the top of iteration j everything but the newest V, V(j), must have arrived: vmcnt = DMA instructions
// of one V tile. There are two buffers of each operand.
#include <array>
#include <bit>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "generator/attention_dense/kernel_p.h"
#include "generator/attention_dense/order.h"

namespace wavesmith::generator::attention_dense {

KernelEmitter::KernelEmitter(const Plan& plan)
    : plan_(plan), kernel_(std::make_unique<ir::Kernel>(plan.symbol, plan.attributes)), b_(*kernel_) {
  kernel_->set_lds_bytes(plan.lds_bytes);
}

std::unique_ptr<ir::Kernel> KernelEmitter::build() {
  declare_arguments();
  locate();
  const Value first = b_.workgroup_id(0);
  if (plan_.spec.persistent) {
    b_.for_loop(first, argument("work_items"), argument("workgroups"), "item", {},
                [&](Value item, std::span<const Value>) {
                  {
                    // The barrier does not wait for this wave's LDS reads of the item before.
                    const ir::Builder::Step step(b_, "next_item");
                    b_.wait_lgkmcnt(0);
                    b_.barrier();
                  }
                  item_zero_ = item >> 31;
                  // LLVM would keep where each copy of the first tiles goes to, a register each.
                  k_.lds_offset = k_.lds_offset + item_zero_;
                  v_.lds_offset = v_.lds_offset + item_zero_;
                  work_item(item);
                  return Values{};
                });
  } else {
    work_item(first + b_.workgroup_id(1) * argument("grid_x") + b_.workgroup_id(2) * argument("grid_xy"));
  }
  return std::move(kernel_);
}

void KernelEmitter::work_item(Value item) {
  decode(item);
  find_sequence();
  if (!reads_seqlen_q(plan_.spec)) return attend();
  // Every sequence has work items for as many blocks as the longest one.
  b_.if_then(at_.block_row < at_.seqlen_q, {}, [&] {
    attend();
    return Values{};
  });
}

void KernelEmitter::attend() {
  if (plan_.spec.mask == Mask::window)
    find_window_tiles();
  else
    find_tiles();
  load_q();
  if (plan_.spec.sinks) load_sink();
  State state = first_tile();
  if (plan_.spec.mask == Mask::window) {
    const Value second = at_.start_tile + 1;
    const Value full_begin = b_.smin(b_.smax(at_.full_begin, second), at_.tiles);
    const Value full_end = b_.smax(at_.full_tiles, full_begin);
    state = tile_loop(state, second, full_begin, true);
    state = tile_loop(state, full_begin, full_end, false);
    state = tile_loop(state, full_end, at_.tiles, true);
  } else {
    const Value one = b_.i32(1);
    state = tile_loop(state, one, at_.full_tiles, false);
    state = tile_loop(state, b_.smax(at_.full_tiles, one), at_.tiles, true);
  }
  last_pv(state);
  const Value sum = row_sum(state.l);
  const Value reciprocal = reciprocal_of_sum(sum);
  store_o(state, reciprocal);
  if (plan_.spec.lse) store_lse(state.m, sum);
}

void KernelEmitter::declare_arguments() {
  for (const Argument& argument : plan_.arguments)
    b_.parameter(argument.type, argument.name, argument.meaning, argument.align, argument.writeonly);
}

Value KernelEmitter::argument(std::string_view name) const {
  for (std::size_t i = 0; i < plan_.arguments.size(); ++i)
    if (plan_.arguments[i].name == name) {
      const Value parameter = kernel_->parameters[i].value;
      // Of a pointer that nothing uses LLVM says in the metadata that it is only read.
      const bool again = item_zero_.valid() && !plan_.arguments[i].writeonly;
      return again ? ir::Builder(*kernel_).load_argument(parameter, item_zero_) : parameter;
    }
  return {};
}

void KernelEmitter::locate() {
  const ir::Builder::Step step(b_, "locate");
  const Value tid = b_.workitem_id();
  at_.lane = tid & 63;
  at_.lane_m = tid & 31;
  at_.lane_h = at_.lane >> 5;
  at_.wave = b_.readfirstlane(tid >> 6, "wave");
  at_.wave_row = at_.wave * 32 + at_.lane_m;
  score_scale_ = argument("softmax_scale") * b_.constant_f32(std::numbers::log2e_v<float>);

  k_ = make_stream(plan_.k_layout, plan_.k_base, "k");
  v_ = make_stream(plan_.v_layout, plan_.v_base, "v");
  k_lane_ = plan_.k_layout.row_offset(b_, at_.lane_m) + at_.lane_h * 16;
  const Value v_row = at_.lane_h * 4 + ((at_.lane >> 2) & 3);
  const Value v_column = ((at_.lane >> 4) & 1) * 32 + (at_.lane & 3) * 8;
  v_lane_ = plan_.v_layout.row_offset(b_, v_row) + v_column;
}

void KernelEmitter::decode(Value item) {
  // Division by multiplication: the radices are known to the host alone.
  const ir::Builder::Step step(b_, "decode");
  const auto number = [&](std::string_view name, unsigned i) {
    return argument(fmt::format("{}_{}", name, i));
  };
  const Value shifts = argument("order_shifts");
  Value place = item * number("order_place", 0);
  Value block = argument("order_first_block") + item * number("order_block", 0);
  for (unsigned i = 1; i < digits_of(plan_.spec); ++i) {
    const Value product = b_.zext(item, ir::i64) * b_.zext(number("order_magic", i), ir::i64);
    const Value shift = (shifts >> (shift_bits * (i - 1))) & ((1U << shift_bits) - 1);
    const Value shifted = b_.binary(ir::OpKind::lshr, product, b_.zext(shift, ir::i64));
    const Value quotient = b_.convert(ir::OpKind::trunc, shifted, ir::i32);
    place = place + quotient * number("order_place", i);
    block = block + quotient * number("order_block", i);
  }
  at_.batch = place & ((1U << head_shift) - 1);
  at_.head = place >> head_shift;
  if (plan_.spec.persistent) {
    const Value interleaved =
        b_.compare(ir::Predicate::ne, at_.head & argument("order_interleave"), b_.i32(0));
    const Value fold_from = b_.select(interleaved, b_.i32(0), argument("order_fold_from"));
    block = b_.select(block >= fold_from, argument("order_fold_sum") - block, block);
  }
  at_.block_row = block * static_cast<unsigned>(plan_.spec.block_m);
}

Value KernelEmitter::tiles_of(Value keys) {
  return b_.binary(ir::OpKind::ashr, keys,
                   b_.i32(std::countr_zero(static_cast<unsigned>(plan_.spec.block_n))));
}

void KernelEmitter::find_sequence() {
  const Spec& spec = plan_.spec;
  if (!reads_seqlen_kv(spec)) return;
  const ir::Builder::Step step(b_, "find_sequence");
  const auto entry = [&](std::string_view table, unsigned further) {
    const Value bytes = b_.zext(at_.batch + further, ir::i64) << 2;
    return b_.load_constant(b_.ptr_offset(argument(table), bytes), table);
  };
  if (spec.sequences == Sequences::varlen) {
    at_.first_q = entry("cu_seqlens_q", 0);
    at_.seqlen_q = entry("cu_seqlens_q", 1) - at_.first_q;
  } else if (spec.sequences == Sequences::ragged) {
    at_.seqlen_q = entry("seqlens_q", 0);
  }
  if (packed_kv(spec)) {
    at_.first_kv = entry("cu_seqlens_kv", 0);
    at_.seqlen_kv = entry("cu_seqlens_kv", 1) - at_.first_kv;
  } else {
    at_.seqlen_kv = entry("seqlens_kv", 0);
  }
  if (spec.kv == Kv::contiguous) return;
  const Value entries = b_.zext(at_.batch, ir::i64) * b_.zext(argument("block_table_stride"), ir::i64);
  at_.pages = b_.ptr_offset(argument("block_table"), entries << 2);
  // Shifted before the next minimum is taken: side by side, minimum and maximum become v_med3_i32.
  at_.last_page = page_of(b_.smax(at_.seqlen_kv, b_.i32(1)) - 1);
}

Value KernelEmitter::seqlen_q() const {
  return at_.seqlen_q.valid() ? at_.seqlen_q : argument("seqlen_q");
}

Value KernelEmitter::seqlen_kv() const {
  return at_.seqlen_kv.valid() ? at_.seqlen_kv : argument("seqlen_kv");
}

void KernelEmitter::find_tiles() {
  const ir::Builder::Step step(b_, "locate");
  const auto block_m = static_cast<unsigned>(plan_.spec.block_m);
  const auto block_n = static_cast<unsigned>(plan_.spec.block_n);
  const Value queries = seqlen_q();
  const Value keys = seqlen_kv();
  if (plan_.spec.mask == Mask::causal_top_left) {
    // Rows past the keys' end see all of them, unlike bottom-right rows, whose diagonal ends there.
    at_.last_key = b_.smin(at_.block_row + at_.wave_row, keys - 1);
    // Two minima side by side would become v_min3_i32, which has no scalar form.
    const Value visible_tiles = tiles_of(b_.smin(at_.block_row + block_m, queries) + (block_n - 1));
    at_.full_tiles = tiles_of(b_.smin(at_.block_row + 1, keys));
    at_.tiles = b_.smax(b_.smin(visible_tiles, tiles_of(keys + (block_n - 1))), b_.i32(1));
  } else if (plan_.spec.mask == Mask::causal) {
    const Value diagonal = keys - queries;
    at_.last_key = at_.block_row + at_.wave_row + diagonal;
    const Value last_row_keys = b_.smin(at_.block_row + block_m, queries) + diagonal;
    at_.full_tiles = b_.smax(tiles_of(at_.block_row + diagonal + 1), b_.i32(0));
    at_.tiles = b_.smax(tiles_of(last_row_keys + (block_n - 1)), b_.i32(1));
  } else {
    at_.last_key = keys - 1;
    at_.full_tiles = tiles_of(keys);
    at_.tiles = b_.smax(tiles_of(keys + (block_n - 1)), b_.i32(1));
  }
  at_.kv_end = b_.smin(keys, at_.tiles * block_n);
}

void KernelEmitter::find_window_tiles() {
  // Key j is visible to query i when i + diagonal - left <= j <= i + diagonal + right. Rows past seqlen_q see
  // whatever they see: nobody stores them.
  const ir::Builder::Step step(b_, "locate");
  const auto block_m = static_cast<unsigned>(plan_.spec.block_m);
  const auto block_n = static_cast<unsigned>(plan_.spec.block_n);
  const Value queries = seqlen_q();
  const Value keys = seqlen_kv();
  const Value left = argument("window_left");
  const Value right = argument("window_right");
  const Value diagonal = keys - queries;
  const Value key = at_.block_row + at_.wave_row + diagonal;
  at_.first_key = key - left;
  at_.last_key = b_.smin(key + right, keys - 1);
  const Value first_row = at_.block_row + diagonal;
  const Value last_row = b_.smin(at_.block_row + block_m, queries) + diagonal - 1;
  const Value visible_end = b_.smin(last_row + right + 1, keys);
  at_.tiles = b_.smax(tiles_of(visible_end + (block_n - 1)), b_.i32(1));
  at_.first_seen = first_row - left;
  at_.start_tile = b_.smin(b_.smax(tiles_of(at_.first_seen), b_.i32(0)), at_.tiles - 1);
  at_.full_begin = tiles_of(last_row - left + (block_n - 1));
  at_.full_tiles = b_.smin(tiles_of(b_.smin(first_row + right + 1, keys)), at_.tiles);
  at_.kv_end = b_.smin(keys, at_.tiles * block_n);
}

State KernelEmitter::first_tile() {
  const Value zero = b_.i32(0);
  const bool window = plan_.spec.mask == Mask::window;
  const Value start = window ? at_.start_tile : zero;
  const Value kv_head = b_.udiv(at_.head, b_.i32(gqa_ratio(plan_.spec)));
  Value k_base = head_base("k", kv_head);
  Value v_base = head_base("v", kv_head);
  const bool paged = plan_.spec.kv == Kv::paged;
  if (window && !paged) {
    k_base = b_.ptr_offset(k_base, b_.zext(start, ir::i64) * k_.tile_stride);
    v_base = b_.ptr_offset(v_base, b_.zext(start, ir::i64) * v_.tile_stride);
  }
  State state;
  Values pages, second_pages;
  if (paged) {
    pages = pages_of_tile(start);
    second_pages = pages_of_tile(start + 1);
    state.pages = pages_of_tile(start + 2);
  }
  start_copy(k_, k_base, pages, start, zero, true);
  start_copy(v_, v_base, pages, start, zero, true);
  state.k_next = next_tile(k_, k_base);
  state.v_next = next_tile(v_, v_base);
  const Value second = window ? start + 1 : b_.i32(1);
  start_copy(k_, state.k_next, second_pages, second, b_.i32(plan_.k_layout.tile_bytes()));
  state.k_next = next_tile(k_, state.k_next);
  {
    const ir::Builder::Step step(b_, "wait_tile");
    b_.wait_vmcnt(plan_.wait_first_k);
    b_.barrier();
  }
  const Values scores = qk(zero);
  const Values pairs = score_pairs(scores, start, true);
  {
    // -infinity would turn a row without a visible key into NaN: -inf - -inf. The lowest float keeps P at 0.
    const ir::Builder::Step step(b_, "row_max");
    const Value floor = b_.constant_f32(std::numeric_limits<float>::lowest());
    state.m = b_.fmax(row_maximum(pairs) * score_scale_, plan_.spec.sinks ? b_.fmax(sink_, floor) : floor);
  }
  Values exponentials;
  {
    const ir::Builder::Step step(b_, "pv_exp");
    const Values arguments = exponents(pairs, state.m);
    for (unsigned i = 0; i < plan_.sub_tiles * 16; ++i) exponentials.push_back(exponential(arguments, i));
  }
  const Values exponential_pairs = pairs_of(exponentials);
  state.l = sum_of(exponential_pairs);
  if (plan_.spec.sinks) {
    // One of the two lanes that share a row has the sink in its part of the denominator.
    const ir::Builder::Step step(b_, "row_sum");
    const Value is_first = b_.compare(ir::Predicate::eq, at_.lane_h, zero);
    state.l = state.l + b_.select(is_first, b_.exp2(sink_ - state.m), b_.constant_f32(0));
  }
  state.p = pack(exponential_pairs);
  state.alpha = b_.constant_f32(1);
  state.o.assign(plan_.d_tiles, b_.constant_f32(0, 16));
  start_copy(v_, state.v_next, second_pages, second, b_.i32(plan_.v_layout.tile_bytes()));
  state.v_next = next_tile(v_, state.v_next);
  state.k_buffer = b_.i32(plan_.k_layout.tile_bytes());
  state.v_buffer = b_.i32(plan_.v_layout.tile_bytes());
  return state;
}

State KernelEmitter::tile_loop(const State& state, Value first, Value end, bool masked) {
  std::vector<ir::Carried> carried{{"m", state.m}, {"l", state.l}, {"alpha", state.alpha}};
  for (const Value& o : state.o) carried.push_back({"o", o});
  for (const Value& p : state.p) carried.push_back({"p", p});
  carried.push_back({"k_next", state.k_next});
  carried.push_back({"v_next", state.v_next});
  carried.push_back({"k_buffer", state.k_buffer});
  carried.push_back({"v_buffer", state.v_buffer});
  for (const Value& page : state.pages) carried.push_back({"page", page});

  const auto unpack = [&](std::span<const Value> values) {
    const auto o = values.subspan(3, plan_.d_tiles);
    const auto p = values.subspan(3 + plan_.d_tiles, plan_.key_steps);
    const auto rest = values.subspan(3 + plan_.d_tiles + plan_.key_steps);
    const auto pages = rest.subspan(4);
    return State{.m = values[0],
                 .l = values[1],
                 .alpha = values[2],
                 .o = {o.begin(), o.end()},
                 .p = {p.begin(), p.end()},
                 .k_next = rest[0],
                 .v_next = rest[1],
                 .pages = {pages.begin(), pages.end()},
                 .k_buffer = rest[2],
                 .v_buffer = rest[3]};
  };
  const Values results =
      b_.for_loop(first, end, b_.i32(1), "tile", carried, [&](Value index, std::span<const Value> values) {
        const State next = tile(unpack(values), index, masked);
        Values flat{next.m, next.l, next.alpha};
        flat.insert(flat.end(), next.o.begin(), next.o.end());
        flat.insert(flat.end(), next.p.begin(), next.p.end());
        flat.insert(flat.end(), {next.k_next, next.v_next, next.k_buffer, next.v_buffer});
        flat.insert(flat.end(), next.pages.begin(), next.pages.end());
        return flat;
      });
  return unpack(results);
}

State KernelEmitter::tile(const State& state, Value index, bool masked) {
  State next;
  // K(j + 1) is copied into one of the other buffers at once; the other one has V(j - 1) until PV has read
  // it.
  next.k_buffer = other_buffer(plan_.k_layout, state.k_buffer);
  next.v_buffer = other_buffer(plan_.v_layout, state.v_buffer);
  {
    const ir::Builder::Step step(b_, "wait_tile");
    b_.wait_vmcnt(plan_.wait_loop);
    b_.barrier();
  }
  start_copy(k_, state.k_next, state.pages, index + 1, next.k_buffer);
  next.k_next = next_tile(k_, state.k_next);

  const Values scores = qk(state.k_buffer);
  const Values pairs = score_pairs(scores, index, masked);
  {
    const ir::Builder::Step step(b_, "row_max");
    const Value tile_m = row_maximum(pairs) * score_scale_;
    next.m = b_.fmax(state.m, tile_m);
    if (plan_.spec.lazy_rescale) {
      const Value grew = b_.any_lane(tile_m > state.m + b_.constant_f32(plan_.rescale_threshold));
      next.m = b_.select(grew, next.m, state.m);
    }
    next.alpha = b_.exp2(state.m - next.m);
  }
  next.o = rescaled(state);

  // PV of the previous tile with this tile's exponentials in between, so that the matrix and the
  // transcendental units work at the same time. Key steps run outside, so that each P operand dies early.
  Values exponentials;
  {
    const ir::Builder::Step step(b_, "pv_exp");
    const Values arguments = exponents(pairs, next.m);
    const Value address = v_address(next.v_buffer);
    const unsigned total = plan_.sub_tiles * 16;
    const unsigned steps = plan_.key_steps * plan_.d_tiles;
    Values fragments;
    // The V fragment of one step: two transposed reads.
    const auto read = [&] {
      const auto next_step = static_cast<unsigned>(fragments.size());
      fragments.push_back(v_fragment(address, next_step % plan_.d_tiles, next_step / plan_.d_tiles));
    };
    // The first one stands outside the schedule that follows, with the instructions that make its address:
    // the pattern would count them as exponents.
    read();
    b_.sched_barrier(0);
    b_.set_priority(1);
    for (unsigned mfma = 0; mfma < steps; ++mfma) {
      Value& o = next.o[mfma % plan_.d_tiles];
      o = b_.mfma_32x32x16(fragments[mfma], state.p[mfma / plan_.d_tiles], o);
      b_.sched_group_barrier(ir::sched::mfma, 1, 0);
      for (unsigned i = 0; i < plan_.exps_per_mfma && exponentials.size() < total; ++i)
        exponentials.push_back(exponential(arguments, static_cast<unsigned>(exponentials.size())));
      // Two exponents come from one packed FMA.
      b_.sched_group_barrier(ir::sched::valu, plan_.exps_per_mfma / 2, 0);
      // The next step's reads stand before this step's exponentials, which hide their latency.
      if (fragments.size() < steps) {
        read();
        b_.sched_group_barrier(ir::sched::lds_read, 2, 0);
      }
      b_.sched_group_barrier(ir::sched::transcendental, plan_.exps_per_mfma, 0);
    }
    b_.set_priority(0);
  }
  const Values exponential_pairs = pairs_of(exponentials);
  next.l = b_.fma(state.l, next.alpha, sum_of(exponential_pairs));
  next.p = pack(exponential_pairs);
  // Scalar loads and LDS reads count on one counter and arrive in any order: among the reads of a tile this
  // load would make each wait one for all of them.
  if (!state.pages.empty()) next.pages = pages_of_tile(index + 2);
  {
    // The barrier does not wait for this wave's LDS reads: they may still be in flight when another wave's
    // DMA overwrites the buffer.
    const ir::Builder::Step step(b_, "release_v");
    b_.wait_lgkmcnt(0);
    b_.barrier();
  }
  start_copy(v_, state.v_next, state.pages, index + 1, next.v_buffer);
  next.v_next = next_tile(v_, state.v_next);
  return next;
}

Value KernelEmitter::other_buffer(const Layout& layout, Value buffer) {
  // Carried from tile to tile and not computed from its index: where the tiles of K and V have equal sizes,
  // LLVM would share the product, and a pad of K would change how many instructions the loop has. Not a
  // subtraction: LLVM would add its constant to the offsets of the reads, and at head size 128 they would
  // exceed the 16 bits that an LDS instruction has for them.
  return b_.binary(ir::OpKind::xor_, buffer, b_.i32(layout.tile_bytes()));
}

Values KernelEmitter::rescaled(const State& state) {
  // Stands before the PV that adds to O, not after it: LLVM sinks what only the code after a branch uses past
  // that branch, and would take the exponentials out from between the matrix instructions.
  const ir::Builder::Step step(b_, "rescale");
  const Value changed = b_.any_lane(state.alpha < b_.constant_f32(1));
  return b_.if_then(changed, state.o, [&] {
    const Value factor = b_.splat(state.alpha, 16);
    Values scaled;
    for (const Value& o : state.o) scaled.push_back(o * factor);
    return scaled;
  });
}

void KernelEmitter::last_pv(State& state) {
  state.o = rescaled(state);
  {
    const ir::Builder::Step step(b_, "wait_tile");
    b_.wait_vmcnt(plan_.wait_last);
    b_.barrier();
  }
  const ir::Builder::Step step(b_, "last_pv");
  const Value address = v_address(other_buffer(plan_.v_layout, state.v_buffer));
  for (unsigned key_step = 0; key_step < plan_.key_steps; ++key_step) {
    for (unsigned d_tile = 0; d_tile < plan_.d_tiles; ++d_tile) {
      const Value fragment = v_fragment(address, d_tile, key_step);
      state.o[d_tile] = b_.mfma_32x32x16(fragment, state.p[key_step], state.o[d_tile]);
    }
  }
}

}  // namespace wavesmith::generator::attention_dense
