// The transposing DS reads of gfx950 against the tile they stand for: in each group of 16 lanes the memory
// behind the lanes is read as rows of a tile and every lane gets a column.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "memory_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using namespace wavesmith::simulator;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// `count` bits at bit `at` of a byte string, little end first.
u32 bit_field(std::span<const std::byte> bytes, u32 at, u32 count) {
  u32 value = 0;
  for (u32 b = 0; b < count; ++b)
    value |= (std::to_integer<u32>(bytes[(at + b) / 8]) >> ((at + b) % 8) & 1) << b;
  return value;
}

struct Shape {
  std::string mnemonic;
  u32 bits, bytes;
};

/// The tile has 16 columns and as many rows as a lane has elements. Row r lies in the 16 / elements lanes
/// from lane r * 16 / elements on, each with the next few columns.
void check_shape(const Shape& shape, u32 alignment) {
  Random random(31 + shape.bits);
  Snippets snippets("gfx950");
  const u32 elements = shape.bytes * 8 / shape.bits, lanes_of_row = 16 / elements;
  const std::string text = fmt::format("{} {}, v4 offset:{}\ns_waitcnt lgkmcnt(0)", shape.mnemonic,
                                       registers(8, shape.bytes / 4), 16 * alignment);
  for (int round = 0; round < 20; ++round) {
    Input in;
    in.lds = random_bytes(random, 8192);
    const Lanes32 place = lanes([&](u32) { return 16 * alignment + alignment * below(random, 400); });
    in.v(4, lanes([&](u32 l) { return place[l] - 16 * alignment; }));
    const Output out = snippets.run(text, in);
    if (out.fault) FAIL(out.fault->message());
    for (u32 group = 0; group < 64; group += 16) {
      for (u32 column = 0; column < 16; ++column) {
        std::array<std::byte, 12> got{};
        for (u32 d = 0; d < shape.bytes / 4; ++d) std::memcpy(&got[4 * d], &out.v(8 + d)[group + column], 4);
        for (u32 row = 0; row < elements; ++row) {
          const u32 lane = group + row * lanes_of_row + column / elements;
          const auto memory = std::span(in.lds).subspan(place[lane]);
          REQUIRE(bit_field(got, row * shape.bits, shape.bits) ==
                  bit_field(memory, column % elements * shape.bits, shape.bits));
        }
      }
    }
    CHECK(out.counters[0].bytes == 64 * shape.bytes);
  }
}

const Shape kShapes[] = {{"ds_read_b64_tr_b16", 16, 8},
                         {"ds_read_b64_tr_b8", 8, 8},
                         {"ds_read_b64_tr_b4", 4, 8},
                         {"ds_read_b96_tr_b6", 6, 12}};

}  // namespace

TEST_CASE("the transposing reads give each lane a column of the tile its 16 lanes read") {
  for (const Shape& shape : kShapes) {
    INFO(shape.mnemonic);
    check_shape(shape, shape.bytes == 12 ? 16 : 8);
  }
  std::size_t implemented = 0;
  for (const ImplementedForm& form : forms_of("gfx950", "ds_read_"))
    implemented += form.mnemonic.find("_tr_") != std::string::npos ? 1 : 0;
  CHECK(implemented == std::size(kShapes));
  CHECK(forms_of("gfx942", "ds_read_b64_tr").empty());
  CHECK(forms_of("gfx942", "ds_read_b96_tr").empty());
}

TEST_CASE("a row-major bf16 tile of 4 rows and 16 columns comes back as 16 columns of 4") {
  // The layout attention kernels rely on: lane 4 r + c reads four elements of row r; lane l gets column l.
  Snippets snippets("gfx950");
  Input in;
  in.lds_dwords(512, [](u32 d) { return 2 * d | (2 * d + 1) << 16; });  // element i of LDS is i
  in.v(4, lanes([](u32 l) { return 8 * l; }));
  const Output out = snippets.run("ds_read_b64_tr_b16 v[8:9], v4\ns_waitcnt lgkmcnt(0)", in);
  REQUIRE(!out.fault);
  for (u32 l = 0; l < 64; ++l) {
    const u32 tile = l / 16 * 64, column = l % 16;
    CHECK(out.v(8)[l] == ((tile + column) | (tile + 16 + column) << 16));
    CHECK(out.v(9)[l] == ((tile + 32 + column) | (tile + 48 + column) << 16));
  }
}

TEST_CASE("transposing reads demand all lanes, alignment, and LDS that is there") {
  Snippets snippets("gfx950");
  for (const Shape& shape : kShapes) {
    INFO(shape.mnemonic);
    const std::string text =
        fmt::format("{} {}, v4\ns_waitcnt lgkmcnt(0)", shape.mnemonic, registers(8, shape.bytes / 4));
    const auto run = [&](u32 address, u64 exec) {
      Input in;
      in.exec = exec;
      in.lds.resize(1024);
      Lanes32 at{};
      at[20] = address;
      in.v(4, at);
      return snippets.run(text, in);
    };
    CHECK(!run(64, ~u64{0}).fault);
    const auto partial = run(64, ~(u64{1} << 50)).fault;
    REQUIRE(partial);
    CHECK(partial->what.find("every lane active") != std::string::npos);
    CHECK(run(64, 0).fault);
    const u32 strict = shape.bytes == 12 ? 4 : 8;
    const auto misaligned = run(64 + strict / 2, ~u64{0}).fault;
    REQUIRE(misaligned);
    CHECK(misaligned->lane == 20);
    CHECK(misaligned->what ==
          fmt::format("LDS address {} has to be a multiple of {} here", 64 + strict / 2, strict));
    CHECK(!run(1024 - 16, ~u64{0}).fault);
    CHECK(run(1024 - 8 + (shape.bytes == 8 ? 8 : 0), ~u64{0}).fault);
  }
  Input in;
  in.lds.resize(1024);
  in.v(4, lanes([](u32 l) { return 12 * l; }));
  const Output out = snippets.run("ds_read_b96_tr_b6 v[8:10], v4\ns_waitcnt lgkmcnt(0)", in);
  CHECK(!out.fault);
  CHECK(out.warnings.size() == 1);  // dword-aligned, but not to 16 bytes
}
