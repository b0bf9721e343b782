// What moves data: Q into registers, K and V tiles into LDS and from there into MFMA operands, O out.
//
// Every descriptor covers exactly the rows that exist: (rows - 1) * stride + one row of bytes, from the first
// row on. The hardware then reads zeros past them and drops stores, so that no lane needs a branch and no NaN
// beyond a tensor's end can meet a zero probability.
#include <array>
#include <bit>
#include <numbers>

#include <fmt/format.h>

#include "generator/attention_dense/kernel_p.h"

namespace wavesmith::generator::attention_dense {

Value KernelEmitter::head_base(std::string_view tensor, Value head, unsigned bytes) const {
  ir::Builder b(*kernel_);
  const Spec& spec = plan_.spec;
  const bool keys = tensor == "k" || tensor == "v";
  const auto stride = [&](std::string_view axis) {
    return argument(fmt::format("{}_stride_{}", tensor, axis));
  };
  Value sequence;
  if (keys ? packed_kv(spec) : packed_q(spec)) {
    sequence = b.zext(keys ? at_.first_kv : at_.first_q, ir::i64);
    // Queries are contiguous in LSE.
    if (tensor != "lse") sequence = sequence * b.zext(stride("token"), ir::i64);
  } else if (!keys || spec.kv == Kv::contiguous) {
    const Value batch = b.zext(at_.batch, ir::i64);
    sequence = batch * stride("batch");
  }
  const Value in_head = b.zext(head, ir::i64) * b.zext(stride("head"), ir::i64);
  const Value elements = sequence.valid() ? sequence + in_head : in_head;
  const Value offset = elements << static_cast<unsigned>(std::countr_zero(bytes));
  return b.ptr_offset(argument(tensor), offset);
}

Value KernelEmitter::rows_bytes(Value rows, Value row_stride, unsigned max_rows) {
  const unsigned row_bytes = plan_.k_layout.row_bytes();
  // Not clamped to zero here: a minimum and a maximum side by side become v_med3_i32, and a descriptor from a
  // vector register costs a loop around each access. No or negative rows make the difference negative, and
  // the descriptor covers nothing.
  return b_.smin(rows, b_.i32(max_rows)) * row_stride - (row_stride - row_bytes);
}

Value KernelEmitter::covering(Value base, Value bytes) {
  return b_.make_buffer_resource(base, b_.smax(bytes, b_.i32(0)));
}

Value KernelEmitter::rows_resource(Value base, Value rows, Value row_stride, unsigned max_rows) {
  return covering(base, rows_bytes(rows, row_stride, max_rows));
}

TileStream KernelEmitter::make_stream(const Layout& layout, unsigned lds_base, std::string_view tensor) {
  const bool paged = plan_.spec.kv == Kv::paged;
  TileStream stream;
  stream.step = tensor == "k" ? "dma_k" : "dma_v";
  stream.layout = &layout;
  stream.lds_base = lds_base;
  stream.instructions = layout.groups_per_wave();
  const Value stride = argument(fmt::format("{}_stride_token", tensor));
  stream.row_stride = stride * element_bytes;
  // A wave finds its own rows in a page; in a contiguous tensor its lanes' offsets do.
  const Value row = layout.dma_row(b_, paged ? b_.i32(0) : at_.wave, at_.lane);
  const Value first = row * stream.row_stride + layout.dma_column_bytes(b_, at_.lane);
  const unsigned offsets = plan_.dma_descriptors ? 1 : stream.instructions;
  for (unsigned i = 0; i < offsets; ++i)
    stream.lane_offsets.push_back(first + stream.row_stride * (i * layout.rows_per_group()));
  stream.lds_offset = layout.dma_offset(b_, at_.wave);
  if (paged)
    stream.tile_stride = argument(fmt::format("{}_stride_page", tensor)) * b_.i64(element_bytes);
  else
    stream.tile_stride = b_.zext(stride, ir::i64) * (element_bytes * layout.geometry().block_n);
  return stream;
}

Value KernelEmitter::next_tile(const TileStream& stream, Value tile_base) {
  return plan_.spec.kv == Kv::paged ? tile_base : b_.ptr_offset(tile_base, stream.tile_stride);
}

Value KernelEmitter::page_of(Value key) {
  return b_.binary(ir::OpKind::ashr, key,
                   b_.i32(std::countr_zero(static_cast<unsigned>(plan_.spec.page_size))));
}

Values KernelEmitter::pages_of_tile(Value index) {
  const ir::Builder::Step step(b_, "load_page");
  const auto block_n = static_cast<unsigned>(plan_.spec.block_n);
  const Value first_row = index * block_n + at_.wave * plan_.rows_per_wave;
  Values pages;
  for (unsigned row = 0; row < plan_.rows_per_wave; row += plan_.rows_per_page_copy) {
    // The tiles that run ahead may lie past the last page, where the table has no entry.
    const Value entry = b_.smin(page_of(first_row + row), at_.last_page);
    pages.push_back(b_.load_constant(b_.ptr_offset(at_.pages, b_.zext(entry, ir::i64) << 2), "page"));
  }
  return pages;
}

void KernelEmitter::start_copy(const TileStream& stream, Value tile_base, const Values& pages, Value index,
                               Value buffer_offset, bool first_tile) {
  const ir::Builder::Step step(b_, stream.step);
  const auto block_n = static_cast<unsigned>(plan_.spec.block_n);
  const unsigned group_rows = stream.layout->rows_per_group();
  const bool paged = !pages.empty();
  // Descriptors cover the rows that exist of a tile, or of a wave's rows in a page.
  const unsigned covered_rows = paged ? plan_.rows_per_page_copy : block_n;
  Value rows = at_.kv_end - index * block_n;
  Value base = tile_base;
  Value first_row;
  if (paged) {
    first_row = index * block_n + at_.wave * plan_.rows_per_wave;
    rows = rows_in_page(first_row, first_tile);
    const Value in_page = first_row & (static_cast<unsigned>(plan_.spec.page_size) - 1);
    base = page_base(stream, tile_base, pages.front(), in_page);
  }
  Value bytes = rows_bytes(rows, stream.row_stride, covered_rows);
  Value resource = covering(base, bytes);
  const Value lds = b_.ptr_offset(b_.lds_address(stream.lds_base), stream.lds_offset + buffer_offset);
  for (unsigned i = 0; i < stream.instructions; ++i) {
    const Value target = i == 0 ? lds : b_.ptr_offset(lds, b_.i32(i * stream.layout->group_bytes()));
    if (plan_.dma_descriptors && i > 0) {
      const unsigned row = i * group_rows;
      if (paged && row % covered_rows == 0) {
        base = page_base(stream, tile_base, pages[row / covered_rows], b_.i32(0));
        bytes = rows_bytes(rows_in_page(first_row + row, first_tile), stream.row_stride, covered_rows);
      } else {
        const Value step_bytes = stream.row_stride * group_rows;
        base = b_.ptr_offset(base, b_.zext(step_bytes, ir::i64));
        bytes = bytes - step_bytes;
      }
      resource = covering(base, bytes);
    }
    b_.buffer_load_lds(resource, stream.lane_offsets[plan_.dma_descriptors ? 0 : i], target,
                       plan_.spec.dma_width, ir::AliasScope::dma_write);
  }
}

Value KernelEmitter::rows_in_page(Value first_row, bool first_tile) {
  const Value rows = at_.kv_end - first_row;
  if (!first_tile || plan_.spec.mask != Mask::window) return rows;
  // A server may have given away pages that lie before the window of every row of the block.
  const Value is_seen = first_row + plan_.rows_per_page_copy > at_.first_seen;
  return b_.select(is_seen, rows, b_.i32(0));
}

Value KernelEmitter::page_base(const TileStream& stream, Value base, Value page, Value row) {
  const Value in_cache = b_.zext(page, ir::i64) * stream.tile_stride;
  return b_.ptr_offset(base, in_cache + b_.zext(row * stream.row_stride, ir::i64));
}

void KernelEmitter::load_q() {
  const ir::Builder::Step step(b_, "load_q");
  const Value row_stride = argument("q_stride_token") * element_bytes;
  const Value head = head_base("q", at_.head);
  const Value base = b_.ptr_offset(head, b_.zext(at_.block_row, ir::i64) * b_.zext(row_stride, ir::i64));
  const Value resource = rows_resource(base, seqlen_q() - at_.block_row, row_stride, plan_.spec.block_m);
  const Value lane_offset = at_.wave_row * row_stride + at_.lane_h * 16;
  for (unsigned k_step = 0; k_step < plan_.k_steps; ++k_step)
    q_.push_back(b_.buffer_load(resource, lane_offset + k_step * 32, element().vector(8)));
}

void KernelEmitter::load_sink() {
  const ir::Builder::Step step(b_, "load_sink");
  constexpr unsigned bytes = 4;
  const Value base = b_.ptr_offset(argument("sinks"), b_.zext(at_.head * bytes, ir::i64));
  const Value sink = b_.buffer_load(b_.make_buffer_resource(base, b_.i32(bytes)), b_.i32(0), ir::f32);
  sink_ = sink * b_.constant_f32(std::numbers::log2e_v<float>);
}

Values KernelEmitter::load_k_fragments(Value buffer_offset) {
  const Layout& layout = plan_.k_layout;
  const Value address = b_.ptr_offset(b_.lds_address(plan_.k_base), k_lane_ + buffer_offset);
  Values fragments;
  for (unsigned sub_tile = 0; sub_tile < plan_.sub_tiles; ++sub_tile) {
    for (unsigned k_step = 0; k_step < plan_.k_steps; ++k_step) {
      const unsigned offset = layout.offset(sub_tile * 32, k_step * 16);
      const Value from = offset == 0 ? address : b_.ptr_offset(address, b_.i32(offset));
      fragments.push_back(b_.lds_load(from, element().vector(8), 16, ir::AliasScope::lds_read));
    }
  }
  return fragments;
}

Value KernelEmitter::v_address(Value buffer_offset) {
  return b_.ptr_offset(b_.lds_address(plan_.v_base), v_lane_ + buffer_offset);
}

Value KernelEmitter::v_fragment(Value address, unsigned d_tile, unsigned key_step) {
  std::array<Value, 2> halves;
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned offset = plan_.v_layout.offset(key_step * 16 + half * 8, d_tile * 32);
    const Value from = offset == 0 ? address : b_.ptr_offset(address, b_.i32(offset));
    halves[half] = b_.lds_read_tr16(from, element().vector(4), ir::AliasScope::lds_read);
  }
  return b_.concat(halves[0], halves[1]);
}

void KernelEmitter::store_o(const State& state, Value reciprocal) {
  const ir::Builder::Step step(b_, "store_o");
  const Value row_stride = argument("o_stride_token") * element_bytes;
  const Value head = head_base("o", at_.head);
  const Value base = b_.ptr_offset(head, b_.zext(at_.block_row, ir::i64) * b_.zext(row_stride, ir::i64));
  const Value resource = rows_resource(base, seqlen_q() - at_.block_row, row_stride, plan_.spec.block_m);
  const Value lane_offset = at_.wave_row * row_stride + at_.lane_h * 16;
  const Value factor = b_.splat(reciprocal, 2);
  for (unsigned d_tile = 0; d_tile < plan_.d_tiles; ++d_tile) {
    // Register i of the accumulator is column i / 4 * 8 + lane_h * 4 + i % 4: four columns a lane and group
    // of eight. Exchanging half waves between two groups gives each lane eight neighbouring columns of one of
    // them.
    for (unsigned pair = 0; pair < 2; ++pair) {
      std::array<std::array<Value, 2>, 2> dwords;  // [group][two columns]
      for (unsigned group = 0; group < 2; ++group)
        for (unsigned i = 0; i < 2; ++i) {
          const Value columns = b_.slice(state.o[d_tile], (pair * 2 + group) * 4 + i * 2, 2);
          dwords[group][i] = b_.bitcast(b_.fptrunc(columns * factor, element().vector(2)), ir::i32);
        }
      const auto [low_0, low_1] = b_.permlane32_swap(dwords[0][0], dwords[1][0]);
      const auto [high_0, high_1] = b_.permlane32_swap(dwords[0][1], dwords[1][1]);
      const std::array row{low_0, high_0, low_1, high_1};
      b_.buffer_store(b_.build(row), resource, lane_offset + (d_tile * 64 + pair * 32));
    }
  }
}

void KernelEmitter::store_lse(Value m, Value sum) {
  const ir::Builder::Step step(b_, "store_lse");
  constexpr unsigned bytes = 4;
  const Value ln_2 = b_.constant_f32(std::numbers::ln2_v<float>);
  // A row without a visible key has sum 0, whose logarithm is -infinity.
  const Value log_sum = b_.log2(sum);
  const Value lse = b_.fma(m, ln_2, log_sum * ln_2);
  const Value head = head_base("lse", at_.head, bytes);
  const Value base = b_.ptr_offset(head, b_.zext(at_.block_row, ir::i64) << 2);
  const auto block_m = static_cast<unsigned>(plan_.spec.block_m);
  const Value rows = b_.smin(seqlen_q() - at_.block_row, b_.i32(block_m));
  const Value resource = b_.make_buffer_resource(base, rows * bytes);
  // Lanes l and l ^ 32 have the same row: the upper one is sent past the descriptor's end, where stores are
  // dropped.
  const Value lane_offset = at_.wave_row * bytes + at_.lane_h * (block_m * bytes);
  b_.buffer_store(lse, resource, lane_offset);
}

}  // namespace wavesmith::generator::attention_dense
