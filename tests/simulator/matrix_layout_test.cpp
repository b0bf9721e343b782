// Every matrix instruction multiplies small whole numbers without rounding: layout, blocks, formats and
// scales must be right for a single element to be. The order of the sums cannot matter, so all of them must
// agree.
#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "matrix_reference.h"

namespace {

using namespace wavesmith::simulator::testing;
using wavesmith::simulator::MfmaAccumulation;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr MfmaAccumulation kOrders[] = {MfmaAccumulation::exact, MfmaAccumulation::sequential,
                                        MfmaAccumulation::groups_of_8, MfmaAccumulation::groups_of_16};

/// A reproducible stream of numbers.
class Stream {
 public:
  explicit Stream(u32 seed) : state_(seed * 2 + 1) {}
  u32 next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>(state_ >> 33);
  }
  int between(int low, int high) { return low + static_cast<int>(next() % static_cast<u32>(high - low + 1)); }

 private:
  u64 state_;
};

u64 whole(int value, const std::string& type) {
  const ElementType t = element_type(type);
  if (t.integer) return static_cast<u64>(static_cast<std::int64_t>(value)) & ((u64{1} << t.bits) - 1);
  return rounded(exact_integer(value), {t.format});
}

Product whole_numbers(const MatrixInstruction& m, u32 seed) {
  Product p(m);
  Stream stream(seed);
  const int range = m.a_type == "i8" ? 127 : 2;  // the narrowest formats hold 0, 1 and 2
  p.a.fill([&](ElementIndex) { return whole(stream.between(-range, range), m.a_type); });
  p.b.fill([&](ElementIndex) { return whole(stream.between(-range, range), m.b_type); });
  p.c.fill([&](ElementIndex) { return whole(stream.between(-50, 50), m.c_type); });
  return p;
}

Matrix expected_of(const Product& p) {
  return multiply_matrices(p, element_type(p.instruction.a_type).integer ? integer_sum : exact_sum);
}

void compare(const Matrix& actual, const Matrix& expected, const std::string& what) {
  unsigned wrong = 0;
  Matrix copy = actual;
  copy.fill([&](ElementIndex at) {
    const u64 a = actual.at(at.block, at.row, at.column), e = expected.at(at.block, at.row, at.column);
    if (a != e && ++wrong <= 4) {
      INFO(what << " block " << at.block << " row " << at.row << " column " << at.column);
      CHECK(a == e);
    }
    return a;
  });
  INFO(what);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("matrix layouts: every instruction, in every order of sums, whatever EXEC is") {
  u32 seed = 0;
  for (const char* processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    for (const MatrixInstruction& m : matrix_instructions_of(processor)) {
      if (m.has_formats()) continue;
      const Product p = whole_numbers(m, ++seed);
      const Matrix expected = expected_of(p);
      for (const MfmaAccumulation order : kOrders) {
        Input in;
        in.options.mfma_accumulation = order;
        in.exec = order == MfmaAccumulation::sequential ? 0 : 0x0123456789abcdef;
        compare(run_product(snippets, p, "", in), expected, m.name);
      }
    }
  }
}

TEST_CASE("matrix layouts: every pair of 8, 6 and 4-bit formats") {
  Snippets gfx950("gfx950");
  const std::string formats[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
  u32 seed = 100;
  for (const char* name : {"v_mfma_f32_32x32x64_f8f6f4", "v_mfma_f32_16x16x128_f8f6f4"}) {
    for (unsigned a = 0; a < 5; ++a) {
      for (unsigned b = 0; b < 5; ++b) {
        const Product p = whole_numbers(matrix_instruction(name, formats[a], formats[b]), ++seed);
        Input in;
        in.exec = a == b ? 0 : ~u64{0};
        if (a == 1) in.options.mfma_accumulation = MfmaAccumulation::sequential;
        const std::string suffix = fmt::format("cbsz:{} blgp:{}", a, b);
        compare(run_product(gfx950, p, suffix, in), expected_of(p), fmt::format("{} {}", name, suffix));
      }
    }
  }
}

TEST_CASE("matrix layouts: all values of the 8, 6 and 4-bit formats") {
  // Row 0 of A holds one value for each k, column j of B picks k = j with a 1: D[0][j] is that value.
  Snippets gfx950("gfx950");
  struct Case {
    const char* format;
    unsigned code, bits;
  };
  for (const Case& c :
       {Case{"fp8", 0, 8}, Case{"bf8", 1, 8}, Case{"fp6", 2, 6}, Case{"bf6", 3, 6}, Case{"fp4", 4, 4}}) {
    const MatrixInstruction m = matrix_instruction("v_mfma_f32_32x32x64_f8f6f4", c.format, c.format);
    const FloatFormat format = element_type(c.format).format;
    for (unsigned first = 0; first < 1u << c.bits; first += 32) {
      Product p(m);
      p.a.fill([&](ElementIndex at) {
        return at.row == 0 && at.column < 32 ? (first + at.column) % (1u << c.bits) : 0;
      });
      p.b.fill([&](ElementIndex at) { return at.row == at.column ? whole(1, c.format) : 0; });
      for (unsigned j = 0; j < 32; ++j) {
        // One column alone, so that a NaN or an infinity meets no other.
        Product one = p;
        one.a.fill([&](ElementIndex at) { return at.column == j ? p.a.at(0, at.row, j) : 0; });
        const unsigned code = static_cast<unsigned>(p.a.at(0, 0, j));
        const Matrix d = run_product(gfx950, one, fmt::format("cbsz:{0} blgp:{0}", c.code));
        INFO(c.format << " " << code);
        const bool is_bf8_special = c.code == 1 && (code & 0x7f) >= 0x7c,
                   is_fp8_nan = c.code == 0 && (code & 0x7f) == 0x7f;
        if (is_fp8_nan || (is_bf8_special && (code & 3) != 0)) {
          CHECK(kF32.nan(d.at(0, 0, j)));
        } else if (is_bf8_special) {
          CHECK(d.at(0, 0, j) == ((code & 0x80) != 0 ? 0xff800000 : 0x7f800000));
        } else {
          // A sum that begins with +0 has no negative zero.
          const u64 expected = rounded(exact(code, format), {kF32});
          CHECK(d.at(0, 0, j) == (kF32.zero(expected) ? 0 : expected));
        }
      }
    }
  }
}

TEST_CASE("matrix layouts: a power of two for each 32 factors of a row or column") {
  Snippets gfx950("gfx950");
  const std::string formats[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
  u32 seed = 200;
  for (const auto& [size, depth] : {std::pair{32u, 64u}, {16u, 128u}}) {
    for (unsigned format = 0; format < 5; ++format) {
      MatrixInstruction m = matrix_instruction(fmt::format("v_mfma_f32_{0}x{0}x{1}_f8f6f4", size, depth),
                                               formats[format], formats[4 - format]);
      Product p = whole_numbers(m, ++seed);
      p.instruction.name = fmt::format("v_mfma_scale_f32_{0}x{0}x{1}_f8f6f4", size, depth);
      Stream stream(seed);
      for (unsigned byte_a = 0; byte_a < 4; ++byte_a) {
        const unsigned byte_b = 3 - byte_a;
        Lanes32 scale_a{}, scale_b{};
        for (Lanes32* scales : {&scale_a, &scale_b}) {
          for (u32& word : *scales) {
            word = 0;
            for (unsigned byte = 0; byte < 4; ++byte)
              word |= static_cast<u32>(127 + stream.between(-6, 6)) << (8 * byte);
          }
        }
        Input in;
        in.v(24, scale_a).v(25, scale_b);
        const Matrix d =
            run_product(gfx950, p,
                        fmt::format(", v24, v25 op_sel:[{},{},0] op_sel_hi:[{},{},0] cbsz:{} blgp:{}",
                                    byte_a & 1, byte_b & 1, byte_a >> 1, byte_b >> 1, format, 4 - format),
                        in);
        const FloatFormat fa = element_type(m.a_type).format, fb = element_type(m.b_type).format;
        const Matrix expected = multiply_matrices(p, [&](const Product& q, ElementIndex at) {
          Exact total = exact(q.c.at(0, at.row, at.column), kF32);
          for (unsigned k = 0; k < depth; ++k) {
            const auto power = [&](const Lanes32& scales, unsigned index, unsigned byte) {
              return static_cast<int>(scales[index + size * (k / 32)] >> (8 * byte) & 0xff) - 127;
            };
            const Exact term = product(exact(q.a.at(0, at.row, k), fa), exact(q.b.at(0, k, at.column), fb));
            total =
                sum(total, scaled(term, power(scale_a, at.row, byte_a) + power(scale_b, at.column, byte_b)),
                    false);
          }
          return rounded(total, {kF32});
        });
        compare(d, expected, fmt::format("{} format {} byte {}", p.instruction.name, format, byte_a));
      }
    }
  }
}

TEST_CASE("matrix layouts: a scale of all ones is a NaN") {
  Snippets gfx950("gfx950");
  Product p = whole_numbers(matrix_instruction("v_mfma_f32_16x16x128_f8f6f4", "fp8", "fp8"), 7);
  const Matrix expected = expected_of(p);
  p.instruction.name = "v_mfma_scale_f32_16x16x128_f8f6f4";
  Input in;
  in.v(24, lanes([](u32 l) { return l == 21 ? 0xffu : 127u; })).v(25, 127);  // row 5, k 32 to 63
  const Matrix d = run_product(gfx950, p, ", v24, v25 op_sel_hi:[0,0,0]", in);
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j) {
      INFO(i << " " << j);
      if (i == 5) {
        CHECK(kF32.nan(d.at(0, i, j)));
      } else {
        CHECK(d.at(0, i, j) == expected.at(0, i, j));
      }
    }
  }
}

TEST_CASE("matrix layouts: CBSZ, ABID and BLGP move the lanes of A and B") {
  Snippets gfx950("gfx950");
  u32 seed = 300;
  for (const char* name :
       {"v_mfma_f32_4x4x4_16b_f16", "v_mfma_f32_16x16x4_4b_bf16", "v_mfma_f32_32x32x4_2b_f16",
        "v_mfma_f32_4x4x1_16b_f32", "v_mfma_f32_16x16x1_4b_f32", "v_mfma_f32_32x32x1_2b_f32",
        "v_mfma_i32_4x4x4_16b_i8", "v_mfma_i32_16x16x4_4b_i8", "v_mfma_i32_32x32x4_2b_i8"}) {
    const MatrixInstruction m = matrix_instruction(name);
    const unsigned most = m.blocks == 16 ? 4 : m.blocks == 4 ? 2 : 1;
    const Product p = whole_numbers(m, ++seed);
    for (unsigned cbsz = 0; cbsz <= most; ++cbsz) {
      for (unsigned blgp = 0; blgp < 8; ++blgp) {
        const unsigned abid = cbsz == 0 ? 0 : (blgp * 5 + 1) % (1u << cbsz);
        Product moved = p;
        const auto move = [&](MatrixOperand operand, Matrix& matrix, auto&& from) {
          const Registers old = pack(m, operand, matrix);
          Registers replaced = old;
          for (std::size_t r = 0; r < old.size(); ++r)
            replaced[r] = lanes([&](u32 l) { return old[r][from(l)]; });
          matrix = unpack(m, operand, replaced);
        };
        const u32 size = 64 >> cbsz;
        move(MatrixOperand::a, moved.a, [&](u32 l) { return l % size + size * abid; });
        move(MatrixOperand::b, moved.b, [&](u32 l) -> u32 {
          switch (blgp) {
            case 0:
              return l;
            case 1:
              return l % 32;
            case 2:
              return l % 32 + 32;
            case 3:
              return (l + 16) % 64;
            case 4:
              return l % 16;
            case 5:
              return l % 16 + 16;
            case 6:
              return l % 16 + 32;
            default:
              return l % 16 + 48;
          }
        });
        const std::string suffix = fmt::format("cbsz:{} abid:{} blgp:{}", cbsz, abid, blgp);
        compare(run_product(gfx950, p, suffix), expected_of(moved), fmt::format("{} {}", name, suffix));
      }
    }
  }
}

TEST_CASE("matrix layouts: f64 products with signs") {
  Snippets gfx950("gfx950");
  for (const char* name : {"v_mfma_f64_16x16x4_f64", "v_mfma_f64_4x4x4_4b_f64"}) {
    const Product p = whole_numbers(matrix_instruction(name), 9);
    for (unsigned signs = 0; signs < 8; ++signs) {
      Product q = p;
      const auto flip = [](Matrix& matrix, bool negate) {
        Matrix old = matrix;
        matrix.fill([&](ElementIndex at) {
          return old.at(at.block, at.row, at.column) ^ (negate ? kF64.sign_mask() : 0);
        });
      };
      flip(q.a, (signs & 1) != 0), flip(q.b, (signs & 2) != 0), flip(q.c, (signs & 4) != 0);
      const std::string suffix = fmt::format("neg:[{},{},{}]", signs & 1, signs >> 1 & 1, signs >> 2);
      compare(run_product(gfx950, p, suffix), multiply_matrices(q, sequential_sum),
              fmt::format("{} {}", name, suffix));
    }
  }
}

TEST_CASE("matrix layouts: the rows of a 32x32 result, told one by one") {
  // A[i][0] = i and B[0][j] = 1: a result is its own row. Register r of lanes 0 to 31 is row 8 * (r / 4) + r
  // % 4, of lanes 32 to 63 it is four more.
  constexpr unsigned rows_of_low_lanes[] = {0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27};
  Snippets gfx950("gfx950");
  for (const char* name : {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x16_f16", "v_mfma_f32_32x32x16_bf16"}) {
    const bool deep = std::string(name).find("x16") != std::string::npos;
    const bool bfloat = std::string(name).ends_with("bf16");
    const auto number = [&](u32 v) {
      return static_cast<u32>(rounded(exact_integer(v), {bfloat ? kBf16 : kF16}));
    };
    Input in;
    for (unsigned r = 0; r < 8; ++r) in.v(r, 0);
    in.v(0, lanes([&](u32 l) { return l < 32 ? number(l) : 0; }));  // k = 0 is the low half of the low lanes
    in.v(4, lanes([&](u32 l) { return l < 32 ? number(1) : 0; }));
    const Output out = gfx950.run(deep ? fmt::format("{} v[16:31], v[0:3], v[4:7], 0", name)
                                       : fmt::format("{} v[16:31], v[0:1], v[4:5], 0", name),
                                  in);
    for (unsigned r = 0; r < 16; ++r) {
      for (u32 l = 0; l < 64; ++l) {
        INFO(name << " register " << r << " lane " << l);
        CHECK(out.v(16 + r)[l] == rounded(exact_integer(rows_of_low_lanes[r] + (l < 32 ? 0 : 4)), {kF32}));
      }
    }
  }
}
