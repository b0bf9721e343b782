// How one operand's tile (block_n rows of head_size 16-bit elements) lies in LDS, and which DMA instruction
// of which wave writes which part. The DMA and the readers ask the same Layout, so they cannot disagree.
//
// One LDS-DMA instruction writes wave_size * dma_width bytes in lane order from a uniform base, so a pad can
// only stand between the groups of rows that one instruction fills. At 4 bytes a lane a group is one row of
// head size 128, or two rows of head size 64:
//
//   head size 64    |row 0 |row 1 |pad|row 2 |row 3 |pad| …      [buffers, block_n / 2, 2 * 64 + pad]
//   head size 128   |row 0        |pad|row 1        |pad| …      [buffers, block_n, 128 + pad]
#pragma once

#include <array>
#include <string>

#include "wavesmith/error.h"

#include "ir_builder/builder.h"

namespace wavesmith::generator::attention_dense {

inline constexpr unsigned element_bytes = 2;
inline constexpr unsigned lanes_of_wave = 64;

class Layout {
 public:
  struct Geometry {
    unsigned head_size;     ///< elements of a row
    unsigned block_n;       ///< rows of a tile
    unsigned pad_elements;  ///< after each group
    unsigned dma_width;     ///< bytes a lane
    unsigned waves;         ///< that share the loading of a tile
  };

  /// Refuses a split that does not divide evenly: a row that is not a whole part of what an instruction
  /// writes, groups that do not fill the tile, or waves that cannot share the groups equally. `operand` ("k"
  /// or "v") is for messages.
  [[nodiscard]] static Expected<Layout> make(const Geometry& geometry, std::string_view operand);

  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  [[nodiscard]] unsigned row_bytes() const { return geometry_.head_size * element_bytes; }
  [[nodiscard]] unsigned rows_per_group() const { return lanes_of_wave / lanes_per_row(); }
  [[nodiscard]] unsigned lanes_per_row() const { return row_bytes() / geometry_.dma_width; }
  [[nodiscard]] unsigned groups() const { return geometry_.block_n / rows_per_group(); }
  [[nodiscard]] unsigned groups_per_wave() const { return groups() / geometry_.waves; }
  [[nodiscard]] unsigned group_bytes() const {
    return rows_per_group() * row_bytes() + geometry_.pad_elements * element_bytes;
  }
  [[nodiscard]] unsigned tile_bytes() const { return groups() * group_bytes(); }

  /// Byte offset of element (row, column) from the tile's start.
  [[nodiscard]] unsigned offset(unsigned row, unsigned column) const {
    return row / rows_per_group() * group_bytes() + row % rows_per_group() * row_bytes() +
           column * element_bytes;
  }

  /// \name The same, on device values
  /// @{
  /// Byte offset (i32) of row `row`, column 0; rows are counted from a multiple of rows_per_group().
  [[nodiscard]] ir::Value row_offset(ir::Builder& b, ir::Value row) const;
  /// Row of the tile that lane `lane` of wave `wave` fetches with its first instruction; instruction i
  /// fetches i * rows_per_group() rows further on. Both i32.
  [[nodiscard]] ir::Value dma_row(ir::Builder& b, ir::Value wave, ir::Value lane) const;
  /// Byte offset (i32) in the row that lane `lane` fetches.
  [[nodiscard]] ir::Value dma_column_bytes(ir::Builder& b, ir::Value lane) const;
  /// Byte offset (i32, uniform) in the tile at which wave `wave` writes with its first instruction;
  /// instruction i writes i * group_bytes() further on.
  [[nodiscard]] ir::Value dma_offset(ir::Builder& b, ir::Value wave) const;
  /// @}

  [[nodiscard]] std::string text() const;

 private:
  explicit Layout(const Geometry& geometry) : geometry_(geometry) {}

  Geometry geometry_;
};

/// Byte addresses of one access in lane order, relative to the tile's start.
using LaneAddresses = std::array<unsigned, lanes_of_wave>;

/// ds_read_b128 of K for QK: lane l reads row sub_tile * 32 + l % 32, columns k_step * 16 + (l / 32) * 8 to
/// + 7.
[[nodiscard]] LaneAddresses k_read_addresses(const Layout& layout, unsigned sub_tile, unsigned k_step);
/// ds_read_b64_tr_b16 of V for PV: lane l reads row key_step * 16 + half * 8 + (l / 32) * 4 + l / 4 % 4,
/// columns d_tile * 32 + l / 16 % 2 * 16 + l % 4 * 4 to + 3.
[[nodiscard]] LaneAddresses v_read_addresses(const Layout& layout, unsigned d_tile, unsigned key_step,
                                             unsigned half);

}  // namespace wavesmith::generator::attention_dense
