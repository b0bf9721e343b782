// Layout: checks, offsets on the host and on the device.
#include "generator/attention_dense/layout.h"

#include <bit>

#include <fmt/format.h>

namespace wavesmith::generator::attention_dense {

Expected<Layout> Layout::make(const Geometry& g, std::string_view operand) {
  const auto refuse = [&](std::string value, std::string allowed) {
    return std::unexpected(
        Error::refused({{fmt::format("lds layout of {}", operand), std::move(value), std::move(allowed)}}));
  };
  const unsigned instruction_bytes = lanes_of_wave * g.dma_width;
  const unsigned row = g.head_size * element_bytes;
  if (row == 0 || instruction_bytes % row != 0 || row % g.dma_width != 0)
    return refuse(fmt::format("head_size {} at dma_width {}", g.head_size, g.dma_width),
                  fmt::format("a row must be a whole part of the {} bytes that one DMA instruction writes",
                              instruction_bytes));
  const Layout layout(g);
  if (g.block_n % layout.rows_per_group() != 0)
    return refuse(fmt::format("block_n {}", g.block_n),
                  fmt::format("a multiple of the {} rows of a DMA group", layout.rows_per_group()));
  if (g.waves == 0 || layout.groups() % g.waves != 0)
    return refuse(fmt::format("{} DMA groups for {} waves", layout.groups(), g.waves),
                  "the waves of a workgroup must share the groups of a tile equally");
  // ds_read_b128 addresses must stay multiples of 16 bytes.
  if (g.pad_elements * element_bytes % 16 != 0)
    return refuse(fmt::format("pad {}", g.pad_elements),
                  "a multiple of 8 elements, to keep 16-byte reads aligned");
  return layout;
}

ir::Value Layout::row_offset(ir::Builder& b, ir::Value row) const {
  if (rows_per_group() == 1) return row * group_bytes();
  const auto shift = static_cast<unsigned>(std::countr_zero(rows_per_group()));
  const ir::Value group = row >> shift;
  const ir::Value in_group = row & (rows_per_group() - 1);
  return b.binary(ir::OpKind::add, group * group_bytes(), in_group * row_bytes(), "row_offset");
}

ir::Value Layout::dma_row(ir::Builder& b, ir::Value wave, ir::Value lane) const {
  const ir::Value first = wave * (groups_per_wave() * rows_per_group());
  if (rows_per_group() == 1) return first;
  const auto shift = static_cast<unsigned>(std::countr_zero(lanes_per_row()));
  return b.binary(ir::OpKind::add, first, lane >> shift, "dma_row");
}

ir::Value Layout::dma_column_bytes(ir::Builder& b, ir::Value lane) const {
  const ir::Value in_row = rows_per_group() == 1 ? lane : lane & (lanes_per_row() - 1);
  return b.binary(ir::OpKind::mul, in_row, b.i32(geometry_.dma_width), "dma_column");
}

ir::Value Layout::dma_offset(ir::Builder& b, ir::Value wave) const {
  return b.binary(ir::OpKind::mul, wave, b.i32(groups_per_wave() * group_bytes()), "dma_offset");
}

std::string Layout::text() const {
  return fmt::format("{} groups of {} rows x {} elements, pad {} elements; {} bytes a group, {} a tile",
                     groups(), rows_per_group(), geometry_.head_size, geometry_.pad_elements, group_bytes(),
                     tile_bytes());
}

LaneAddresses k_read_addresses(const Layout& layout, unsigned sub_tile, unsigned k_step) {
  LaneAddresses addresses{};
  for (unsigned lane = 0; lane < lanes_of_wave; ++lane)
    addresses[lane] = layout.offset(sub_tile * 32 + lane % 32, k_step * 16 + lane / 32 * 8);
  return addresses;
}

LaneAddresses v_read_addresses(const Layout& layout, unsigned d_tile, unsigned key_step, unsigned half) {
  LaneAddresses addresses{};
  for (unsigned lane = 0; lane < lanes_of_wave; ++lane)
    addresses[lane] = layout.offset(key_step * 16 + half * 8 + lane / 32 * 4 + lane / 4 % 4,
                                    d_tile * 32 + lane / 16 % 2 * 16 + lane % 4 * 4);
  return addresses;
}

}  // namespace wavesmith::generator::attention_dense
