// Operands of matrix instructions: accumulation registers, constants, results in the place of sources, and
// what must not reach a product.
#include <algorithm>
#include <cstring>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "assembler.h"
#include "matrix_reference.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Whole numbers that differ everywhere.
Product counted(const std::string& name) {
  Product p(matrix_instruction(name));
  const FloatFormat f = element_type(p.instruction.a_type).format;
  p.a.fill([&](ElementIndex at) {
    return rounded(exact_integer(static_cast<int>((at.row * 3 + at.column) % 7) - 3), {f});
  });
  p.b.fill([&](ElementIndex at) {
    return rounded(exact_integer(static_cast<int>((at.row * 5 + at.column * 2) % 9) - 4), {f});
  });
  p.c.fill([&](ElementIndex at) {
    return rounded(exact_integer(static_cast<int>(at.row * 32 + at.column) - 500), {kF32});
  });
  return p;
}

void place(Input& in, unsigned first, const Registers& registers) {
  for (unsigned r = 0; r < registers.size(); ++r) in.v(first + r, registers[r]);
}

/// Whether the results are in the registers that begin at `first`.
bool holds(const std::vector<Lanes32>& file, unsigned first, const Registers& expected) {
  return std::equal(expected.begin(), expected.end(), file.begin() + first);
}

}  // namespace

TEST_CASE("matrix operands: the result may be C itself, and may reuse the registers of A and B") {
  Snippets gfx950("gfx950");
  for (const char* name : {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x16_bf16", "v_mfma_f32_16x16x32_f16"}) {
    const Product p = counted(name);
    const MatrixInstruction& m = p.instruction;
    const Registers a = pack(m, MatrixOperand::a, p.a), b = pack(m, MatrixOperand::b, p.b),
                    c = pack(m, MatrixOperand::c, p.c);
    const Registers expected = pack(m, MatrixOperand::c, multiply_matrices(p, exact_sum));
    struct Case {
      unsigned a, b, c, d;
    };
    for (const Case& at : {Case{0, 4, 16, 16}, Case{16, 4, 32, 16}, Case{0, 20, 32, 16}, Case{18, 22, 40, 16},
                           Case{12, 36, 40, 8}}) {
      Input in;
      place(in, at.a, a), place(in, at.b, b), place(in, at.c, c);
      const Output out =
          gfx950.run(fmt::format("{} {}, {}, {}, {}", name, register_range('v', at.d, c.size()),
                                 register_range('v', at.a, a.size()), register_range('v', at.b, b.size()),
                                 register_range('v', at.c, c.size())),
                     in);
      INFO(name << " A at " << at.a << " B at " << at.b << " D at " << at.d);
      CHECK(holds(out.vgprs, at.d, expected));
    }
  }
}

TEST_CASE("matrix operands: a partial overlap of C and the result is a fault") {
  // The assembler refuses it, so the field of source 2 is changed in the machine code.
  Snippets gfx950("gfx950");
  const auto bytes = assemble("v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[16:31]", "gfx950");
  REQUIRE(bytes);
  u32 words[2];
  REQUIRE(bytes->size() >= sizeof words);
  std::memcpy(words, bytes->data(), sizeof words);
  CHECK((words[1] >> 18 & 0x1ff) == 256 + 16);
  for (const int shift : {-4, 4, 12}) {
    const u32 moved = words[1] + (static_cast<u32>(shift) << 18);
    const Output out = gfx950.run(fmt::format(".long {:#x}, {:#x}", words[0], moved), Input{});
    INFO(shift);
    REQUIRE(out.fault);
    CHECK(out.fault->message().find("overlaps") != std::string::npos);
  }
  const Output apart =
      gfx950.run(fmt::format(".long {:#x}, {:#x}", words[0], words[1] + (16u << 18)), Input{});
  CHECK(!apart.fault);
}

TEST_CASE("matrix operands: accumulation registers and constants") {
  Snippets gfx950("gfx950");
  Product p = counted("v_mfma_f32_16x16x32_bf16");
  const MatrixInstruction& m = p.instruction;
  const Registers a = pack(m, MatrixOperand::a, p.a), b = pack(m, MatrixOperand::b, p.b),
                  c = pack(m, MatrixOperand::c, p.c);
  Input in;
  place(in, 4, b);
  for (unsigned r = 0; r < 4; ++r) in.a(r, a[r]).a(8 + r, c[r]);
  const Output out = gfx950.run("v_mfma_f32_16x16x32_bf16 a[12:15], a[0:3], v[4:7], a[8:11]", in);
  CHECK(holds(out.agprs, 12, pack(m, MatrixOperand::c, multiply_matrices(p, exact_sum))));
  for (const auto& [text, bits] :
       {std::pair{"0", 0u}, {"1.0", 0x3f800000u}, {"-4.0", 0xc0800000u}, {"0.5", 0x3f000000u}}) {
    p.c.fill([&, value = bits](ElementIndex) { return value; });
    const Output constant =
        gfx950.run(fmt::format("v_mfma_f32_16x16x32_bf16 v[12:15], a[0:3], v[4:7], {}", text), in);
    INFO(text);
    CHECK(holds(constant.vgprs, 12, pack(m, MatrixOperand::c, multiply_matrices(p, exact_sum))));
  }
}

TEST_CASE("matrix operands: constants of f64 and integer results") {
  Snippets gfx950("gfx950");
  Input in;
  for (unsigned r = 0; r < 4; ++r) in.v(r, 0);  // zeros: the result is C
  const auto doubles_of = [&](const std::string& text) {
    return gfx950.run("v_mfma_f64_16x16x4_f64 v[8:15], v[0:1], v[2:3], " + text, in).v64(10, 7);
  };
  CHECK(doubles_of("0") == 0);
  CHECK(doubles_of("1.0") == 0x3ff0000000000000);
  CHECK(doubles_of("-0.5") == 0xbfe0000000000000);
  CHECK(doubles_of("4.0") == 0x4010000000000000);
  CHECK(gfx950.run("v_mfma_f64_4x4x4_4b_f64 v[8:9], v[0:1], v[2:3], 2.0", in).v64(8, 9) ==
        0x4000000000000000);
  CHECK(gfx950.run("v_mfma_i32_16x16x32_i8 v[8:11], v[0:1], v[2:3], -5", in).v(9)[3] == 0xfffffffb);
}

TEST_CASE("matrix operands: NaN behind the range of a buffer never enters a product") {
  // A tile of 32 x 16 bf16 of which 20 rows exist; memory behind num_records is NaN. Loads beyond it give
  // zeros, so the rows that do not exist are C, and no 0 * NaN arises when the tile is B.
  Snippets gfx950("gfx950");
  auto memory = gfx950.allocate(2048);
  for (unsigned d = 0; d < 512; ++d)
    memory.set_dword(d, d < 160 ? 0x40003f80 : 0x7fc07fc0);  // {1, 2}, then NaN
  Input in;
  in.s64(4, memory.address).s(6, 640).s(7, 0x00020000);
  in.v(8, lanes([](u32 l) { return l % 32 * 32 + l / 32 * 16; }));
  for (unsigned r = 0; r < 4; ++r) in.v(r, 0x3f803f80);
  const std::string load = "buffer_load_dwordx4 v[4:7], v8, s[4:7], 0 offen\ns_waitcnt vmcnt(0)\n";
  const Output rows = gfx950.run(load + "v_mfma_f32_32x32x16_bf16 v[16:31], v[4:7], v[0:3], 1.0", in);
  const Output columns = gfx950.run(load + "v_mfma_f32_32x32x16_bf16 v[16:31], v[0:3], v[4:7], 1.0", in);
  for (unsigned r = 0; r < 16; ++r) {
    for (u32 l = 0; l < 64; ++l) {
      const unsigned row = 8 * (r / 4) + 4 * (l / 32) + r % 4, column = l % 32;
      INFO(row << " " << column);
      CHECK(rows.v(16 + r)[l] == (row < 20 ? 0x41c80000 : 0x3f800000));  // 8 * 1 + 8 * 2 + 1
      CHECK(columns.v(16 + r)[l] == (column < 20 ? 0x41c80000 : 0x3f800000));
    }
  }
}

TEST_CASE("matrix operands: formats that do not fit their registers are refused") {
  Snippets gfx950("gfx950");
  CHECK(!gfx950.try_run("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:11], v[16:23], v[0:3] cbsz:0 blgp:0",
                        Input{}));
  CHECK(
      !gfx950.try_run("v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[8:11], v12", Input{}));  // not implemented
}
