// The LDS layouts on the host: offsets against a formula of its own, splits that do not divide, and the bank
// tables of the published layouts, on the layout type itself (specs reach only some of them).
#include "generator/attention_dense/layout.h"

#include <map>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "generator/lds_banks.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

Layout layout(unsigned head_size, unsigned pad, unsigned block_n = 64, unsigned dma_width = 4,
              unsigned waves = 8) {
  const auto result = Layout::make({.head_size = head_size,
                                    .block_n = block_n,
                                    .pad_elements = pad,
                                    .dma_width = dma_width,
                                    .waves = waves},
                                   "k");
  REQUIRE(result);
  return *result;
}

TEST_CASE("layout: head size 64 packs two rows between pads, head size 128 one") {
  for (unsigned pad : {0U, 8U, 16U, 24U, 32U, 64U}) {
    const Layout small = layout(64, pad), large = layout(128, pad);
    // Element shapes [block_n / 2, 2 * 64 + pad] and [block_n, 128 + pad], two bytes each.
    CHECK(small.tile_bytes() == 32 * (2 * 64 + pad) * 2);
    CHECK(large.tile_bytes() == 64 * (128 + pad) * 2);
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned column = 0; column < 64; ++column) {
        CHECK(small.offset(row, column) == ((row / 2) * (2 * 64 + pad) + (row % 2) * 64 + column) * 2);
        CHECK(large.offset(row, column) == (row * (128 + pad) + column) * 2);
        CHECK(large.offset(row, column + 64) == large.offset(row, column) + 128);
      }
  }
}

TEST_CASE("layout: 16-byte reads of K and 8-byte reads of V stay aligned and inside the tile") {
  for (unsigned head_size : {64U, 128U})
    for (unsigned pad = 0; pad <= 64; pad += 8) {
      const Layout l = layout(head_size, pad);
      for (unsigned sub_tile = 0; sub_tile < 2; ++sub_tile)
        for (unsigned k_step = 0; k_step < head_size / 16; ++k_step)
          for (unsigned address : k_read_addresses(l, sub_tile, k_step)) {
            CHECK(address % 16 == 0);
            CHECK(address + 16 <= l.tile_bytes());
          }
      for (unsigned d_tile = 0; d_tile < head_size / 32; ++d_tile)
        for (unsigned key_step = 0; key_step < 4; ++key_step)
          for (unsigned half = 0; half < 2; ++half)
            for (unsigned address : v_read_addresses(l, d_tile, key_step, half)) {
              CHECK(address % 8 == 0);
              CHECK(address + 8 <= l.tile_bytes());
            }
    }
}

// (row, column) of each element that a list of reads of `elements` neighbours covers.
using Elements = std::multiset<std::pair<unsigned, unsigned>>;
Elements covered(const Layout& l, const std::vector<LaneAddresses>& reads, unsigned elements) {
  std::map<unsigned, std::pair<unsigned, unsigned>> at;
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < l.geometry().head_size; ++column)
      at[l.offset(row, column)] = {row, column};
  Elements found;
  for (const LaneAddresses& lanes : reads)
    for (unsigned address : lanes)
      for (unsigned e = 0; e < elements; ++e) found.insert(at.at(address + e * 2));
  return found;
}

TEST_CASE("layout: the reads of a tile cover each element exactly once") {
  for (unsigned head_size : {64U, 128U})
    for (unsigned pad : {0U, 8U, 32U}) {
      const Layout l = layout(head_size, pad);
      Elements all;
      for (unsigned row = 0; row < 64; ++row)
        for (unsigned column = 0; column < head_size; ++column) all.insert({row, column});
      std::vector<LaneAddresses> k, v;
      for (unsigned sub_tile = 0; sub_tile < 2; ++sub_tile)
        for (unsigned k_step = 0; k_step < head_size / 16; ++k_step)
          k.push_back(k_read_addresses(l, sub_tile, k_step));
      for (unsigned d_tile = 0; d_tile < head_size / 32; ++d_tile)
        for (unsigned key_step = 0; key_step < 4; ++key_step)
          for (unsigned half = 0; half < 2; ++half) v.push_back(v_read_addresses(l, d_tile, key_step, half));
      CHECK(covered(l, k, 8) == all);
      CHECK(covered(l, v, 4) == all);
    }
}

struct Banks {
  unsigned banks, lanes, cycles, conflicts;
  friend bool operator==(const Banks&, const Banks&) = default;
};

Banks k_banks(unsigned head_size, unsigned pad, unsigned sub_tile = 0, unsigned k_step = 0) {
  const BankConflicts c =
      analyse(gfx950_read_b128(), k_read_addresses(layout(head_size, pad), sub_tile, k_step));
  return {c.banks_used, c.lanes_per_bank, c.cycles, c.conflict_cycles};
}

TEST_CASE("layout: the published bank tables of the K read") {
  // Published: banks used and lanes on each, for a whole wave. Cycles by the phases of the hardware.
  CHECK(k_banks(128, 0) == Banks{8, 32, 64, 60});
  CHECK(k_banks(128, 8) == Banks{64, 4, 4, 0});
  CHECK(k_banks(64, 0) == Banks{16, 16, 32, 28});
  CHECK(k_banks(64, 8) == Banks{64, 4, 4, 0});
  CHECK(k_banks(64, 16) == Banks{64, 4, 8, 4});
  CHECK(k_banks(64, 24) == Banks{64, 4, 4, 0});
  CHECK(k_banks(64, 32) == Banks{32, 8, 16, 12});
  // Every read of a tile is like the first.
  for (unsigned head_size : {64U, 128U})
    for (unsigned pad : {0U, 8U, 16U, 24U, 32U})
      for (unsigned sub_tile : {0U, 1U})
        for (unsigned k_step = 0; k_step < head_size / 16; ++k_step)
          CHECK(k_banks(head_size, pad, sub_tile, k_step) == k_banks(head_size, pad));
}

TEST_CASE("layout: the V read is free of conflicts at the pad of the published layout") {
  const auto conflicts = [](unsigned head_size, unsigned pad) {
    return analyse(gfx950_read_tr_b64(), v_read_addresses(layout(head_size, pad), 0, 0, 0)).conflict_cycles;
  };
  // Two phases: busiest banks of 4 / 4 / 2 / 2 / 1 dwords each at head size 128, 2 and 1 at head size 64.
  CHECK(conflicts(128, 0) == 6);
  CHECK(conflicts(128, 8) == 6);
  CHECK(conflicts(128, 16) == 2);
  CHECK(conflicts(128, 24) == 2);
  CHECK(conflicts(128, 32) == 0);
  CHECK(conflicts(64, 0) == 2);
  CHECK(conflicts(64, 32) == 0);
}

TEST_CASE("layout: phases take every lane once, and one lane alone has no conflict") {
  for (const LdsPhases* table : {&gfx950_read_b128(), &gfx950_read_tr_b64()}) {
    std::uint64_t seen = 0;
    for (std::uint64_t phase : table->phases) {
      CHECK((seen & phase) == 0);
      seen |= phase;
    }
    CHECK(seen == ~std::uint64_t{0});
    // All lanes at one address: a broadcast, whatever its width.
    CHECK(analyse(*table, LaneAddresses{}).conflict_cycles == 0);
    // All lanes on one bank: each phase takes its lanes one after the other.
    LaneAddresses column{};
    for (unsigned lane = 0; lane < 64; ++lane) column[lane] = lane * 256;
    CHECK(analyse(*table, column).conflict_cycles == 64 - table->phases.size());
  }
}

std::string refusal(Layout::Geometry geometry) {
  const auto result = Layout::make(geometry, "v");
  return result ? "" : result.error().message;
}

TEST_CASE("layout: a split that does not divide is refused") {
  using Catch::Matchers::ContainsSubstring;
  const Layout::Geometry good{.head_size = 64, .block_n = 64, .pad_elements = 8, .dma_width = 4, .waves = 8};
  CHECK(refusal(good).empty());
  const auto with = [&](auto member, unsigned value) {
    Layout::Geometry geometry = good;
    geometry.*member = value;
    return refusal(geometry);
  };
  // 256 bytes of an instruction are no whole number of rows of 192 or 512 bytes.
  CHECK_THAT(with(&Layout::Geometry::head_size, 96), ContainsSubstring("head_size 96 at dma_width 4"));
  CHECK_THAT(with(&Layout::Geometry::head_size, 256),
             ContainsSubstring("256 bytes that one DMA instruction writes"));
  CHECK_THAT(with(&Layout::Geometry::head_size, 0), ContainsSubstring("head_size 0"));
  CHECK_THAT(with(&Layout::Geometry::head_size, 1), ContainsSubstring("head_size 1"));
  // Two rows to a group.
  CHECK_THAT(with(&Layout::Geometry::block_n, 63), ContainsSubstring("a multiple of the 2 rows"));
  // Nine groups for eight waves.
  CHECK_THAT(with(&Layout::Geometry::block_n, 18), ContainsSubstring("9 DMA groups for 8 waves"));
  CHECK_THAT(with(&Layout::Geometry::waves, 0), ContainsSubstring("waves"));
  CHECK_THAT(with(&Layout::Geometry::waves, 5), ContainsSubstring("32 DMA groups for 5 waves"));
  CHECK_THAT(with(&Layout::Geometry::pad_elements, 4), ContainsSubstring("a multiple of 8 elements"));
  // 16 bytes a lane fill eight rows of head size 64: four groups for eight waves with 32 keys.
  CHECK_THAT(refusal({.head_size = 64, .block_n = 32, .pad_elements = 8, .dma_width = 16, .waves = 8}),
             ContainsSubstring("4 DMA groups for 8 waves"));
  CHECK(refusal({.head_size = 128, .block_n = 32, .pad_elements = 8, .dma_width = 16, .waves = 8}).empty());
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
