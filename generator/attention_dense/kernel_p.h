// Private: the emission of one attention_dense kernel. kernel.cpp has the algorithm, tile_io.cpp what moves
// data, softmax.cpp what happens between the two matrix products. Values are named as in
// docs/attention_dense.md.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "generator/attention_dense/plan.h"
#include "ir_builder/builder.h"

namespace wavesmith::generator::attention_dense {

using ir::Value;
using Values = std::vector<Value>;

/// Where a workgroup, its waves and lanes stand.
struct Position {
  Value lane;       ///< 0 to 63
  Value lane_m;     ///< lane % 32: this lane's query row in the wave, or row of an MFMA operand
  Value lane_h;     ///< lane / 32
  Value wave;       ///< in the workgroup; uniform
  Value batch;      ///< of the work item; uniform
  Value head;       ///< query head of the work item; uniform
  Value block_row;  ///< first query row of the work item; uniform
  Value seqlen_q;   ///< of the item's sequence, where it is in memory; uniform
  Value seqlen_kv;  ///< the same
  Value first_q;    ///< first token of the item's sequence; packed sequences alone; uniform
  Value first_kv;   ///< the same of keys
  Value pages;      ///< address of the batch element's row of the block table; paged keys alone; uniform
  Value last_page;  ///< entry of that row with the sequence's last key, 0 where it has none; uniform
  Value wave_row;   ///< row of this lane in the block: wave * 32 + lane_m
  Value first_key;  ///< the first key that this lane's query sees; may be negative; windows alone
  Value last_key;   ///< the last key that this lane's query sees; may be negative
  Value
      first_seen;  ///< the first key that some row of the block sees; may be negative; windows alone; uniform
  Value start_tile;  ///< KV tile to begin with; windows alone, else tile 0; uniform
  Value full_begin;  ///< of the KV tiles that every row of the block sees completely; windows alone; uniform
  Value full_tiles;  ///< end of the KV tiles that every row of the block sees completely; uniform
  Value tiles;       ///< end of the KV tiles to visit, at least one; uniform
  Value kv_end;      ///< keys to fetch: none past the last tile to visit; uniform
};

/// One operand's stream of tiles from global memory.
struct TileStream {
  std::string_view step;  ///< of the Plan, that copies a tile
  const Layout* layout = nullptr;
  unsigned lds_base = 0;      ///< bytes; buffer 0
  unsigned instructions = 0;  ///< DMA instructions of a wave and tile
  Value row_stride;           ///< bytes; uniform
  Values lane_offsets;  ///< byte offset of this lane from the tile's first row, for each DMA instruction
  Value lds_offset;     ///< bytes from the buffer's start for the wave's first instruction; uniform
  Value tile_stride;    ///< bytes from one tile to the next, with paged keys from page to page; i64; uniform
};

/// What one KV tile hands to the next.
struct State {
  Value m;       ///< running row maximum of score * scale * log2(e), per lane
  Value l;       ///< this lane's part of the denominator
  Value alpha;   ///< 2^(previous m - m): what brings O, which lags a tile behind, to the scale of m
  Values o;      ///< O^T accumulators, one for each 32 columns
  Values p;      ///< P of the tile, one MFMA operand for each 16 keys
  Value k_next;  ///< first key row of the next K tile to fetch; with paged keys of page 0
  Value v_next;
  Values pages;    ///< with this wave's rows of that tile; paged keys alone; uniform
  Value k_buffer;  ///< byte offset of the buffer that holds the next tile's K; uniform
  Value v_buffer;
};

class KernelEmitter {
 public:
  explicit KernelEmitter(const Plan& plan);

  [[nodiscard]] std::unique_ptr<ir::Kernel> build();

 private:
  // kernel.cpp
  void declare_arguments();
  void locate();
  void work_item(Value item);
  void attend();
  void decode(Value item);
  void find_sequence();
  [[nodiscard]] Value seqlen_q() const;
  [[nodiscard]] Value seqlen_kv() const;
  [[nodiscard]] Value tiles_of(Value keys);  ///< keys / block_n, rounded down
  void find_tiles();
  void find_window_tiles();
  State first_tile();
  State tile_loop(const State& state, Value first, Value end, bool masked);
  State tile(const State& state, Value index, bool masked);
  [[nodiscard]] Value other_buffer(const Layout& layout, Value buffer);
  [[nodiscard]] Values rescaled(const State& state);
  void last_pv(State& state);

  // tile_io.cpp
  [[nodiscard]] Value head_base(std::string_view tensor, Value head, unsigned bytes = element_bytes) const;
  [[nodiscard]] Value rows_bytes(Value rows, Value row_stride, unsigned max_rows);
  [[nodiscard]] Value covering(Value base, Value bytes);
  [[nodiscard]] Value rows_resource(Value base, Value rows, Value row_stride, unsigned max_rows);
  [[nodiscard]] TileStream make_stream(const Layout& layout, unsigned lds_base, std::string_view tensor);
  [[nodiscard]] Value next_tile(const TileStream& stream, Value tile_base);
  [[nodiscard]] Value page_of(Value key);  ///< key / page_size, rounded down
  [[nodiscard]] Values pages_of_tile(Value index);
  void start_copy(const TileStream& stream, Value tile_base, const Values& pages, Value index,
                  Value buffer_offset, bool first_tile = false);
  [[nodiscard]] Value rows_in_page(Value first_row, bool first_tile);
  [[nodiscard]] Value page_base(const TileStream& stream, Value base, Value page, Value row);
  void load_q();
  void load_sink();
  [[nodiscard]] Values load_k_fragments(Value buffer_offset);
  [[nodiscard]] Value v_fragment(Value address, unsigned d_tile, unsigned key_step);
  [[nodiscard]] Value v_address(Value buffer_offset);
  void store_o(const State& state, Value reciprocal);
  void store_lse(Value m, Value sum);

  // softmax.cpp
  [[nodiscard]] Values qk(Value buffer_offset);
  [[nodiscard]] Values score_pairs(const Values& scores, Value index, bool masked);
  [[nodiscard]] Value row_maximum(const Values& pairs);
  [[nodiscard]] Value other_half_max(Value value);
  [[nodiscard]] Values exponents(const Values& pairs, Value m);
  [[nodiscard]] Value exponential(const Values& exponents, unsigned score);
  [[nodiscard]] Value sum_of(Values exponential_pairs);
  [[nodiscard]] Values pack(const Values& exponential_pairs);
  [[nodiscard]] Values pairs_of(const Values& scalars);
  [[nodiscard]] Value row_sum(Value l);
  [[nodiscard]] Value reciprocal_of_sum(Value sum);

  [[nodiscard]] Value argument(std::string_view name) const;
  [[nodiscard]] ir::Type element() const { return plan_.spec.dtype == DType::bf16 ? ir::bf16 : ir::f16; }

  const Plan& plan_;
  std::unique_ptr<ir::Kernel> kernel_;
  ir::Builder b_;
  Position at_{};
  /// Zero, made anew for each work item; before there are items, nothing. With it, arguments are read where
  /// they are used: held in registers over the tiles, they would be more than the scalar registers there are.
  Value item_zero_;
  Value score_scale_;  ///< softmax_scale * log2(e): exponentials are powers of two
  TileStream k_{}, v_{};
  Value sink_;             ///< the query head's sink * log2(e); for a spec with sinks
  Values q_;               ///< this wave's query rows, one MFMA operand for each 16 columns
  Value k_lane_, v_lane_;  ///< this lane's byte offset in a K or V buffer
};

}  // namespace wavesmith::generator::attention_dense
