// How a matrix instruction adds up and rounds, in each of the orders that Options names, and what it does
// with denormals, infinities and NaNs.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "matrix_reference.h"

namespace {

using namespace wavesmith::simulator::testing;
using wavesmith::simulator::MfmaAccumulation;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Patterns with exponents `spread` around 1, at random; now and then a zero and, where asked for, a
/// denormal.
class Patterns {
 public:
  Patterns(u32 seed, int spread, bool denormals)
      : state_(seed * 2 + 1), spread_(spread), denormals_(denormals) {}
  u64 next(const std::string& type) {
    const FloatFormat f = element_type(type).format;
    const u64 sign = draw(2) == 0 ? 0 : f.sign_mask(),
              mantissa = (u64{draw(1u << 26)} << 26 | draw(1u << 26)) & f.mantissa_mask();
    const u32 kind = draw(16);
    if (kind == 0) return f.fnuz ? 0 : sign;
    if (kind == 1 && denormals_) return mantissa == 0 ? 0 : sign | mantissa;
    const int exponent = f.bias() + static_cast<int>(draw(static_cast<u32>(2 * spread_ + 1))) - spread_;
    const int highest = (1 << f.exponent_bits) - (f.fnuz ? 1 : 2);
    return sign | static_cast<u64>(std::clamp(exponent, 1, highest)) << f.mantissa_bits | mantissa;
  }

 private:
  u32 draw(u32 below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>(state_ >> 33) % below;
  }
  u64 state_;
  int spread_;
  bool denormals_;
};

Product any_numbers(const MatrixInstruction& m, u32 seed, int spread, bool denormals) {
  Product p(m);
  Patterns patterns(seed, spread, denormals);
  p.a.fill([&](ElementIndex) { return patterns.next(m.a_type); });
  p.b.fill([&](ElementIndex) { return patterns.next(m.b_type); });
  p.c.fill([&](ElementIndex) { return patterns.next(m.c_type); });
  return p;
}

/// D by the executor in an order of sums, and by `sum`.
void compare(Snippets& snippets, const Product& p, MfmaAccumulation order, const Sum& sum,
             const std::string& suffix = "") {
  Input in;
  in.options.mfma_accumulation = order;
  in.mode = 0xff;  // rounds to zero where MODE is looked at: these instructions do not
  const Matrix actual = run_product(snippets, p, suffix, in);
  unsigned wrong = 0;
  multiply_matrices(p, [&](const Product& q, ElementIndex at) {
    const u64 expected = sum(q, at), found = actual.at(at.block, at.row, at.column);
    if (expected != found && ++wrong <= 4) {
      INFO(p.instruction.name << " order " << static_cast<int>(order) << " block " << at.block << " row "
                              << at.row << " column " << at.column);
      CHECK(found == expected);
    }
    return found;
  });
  INFO(p.instruction.name << " order " << static_cast<int>(order));
  CHECK(wrong == 0);
}

bool short_factors(const MatrixInstruction& m) {
  return m.a_type == "f16" || m.a_type == "bf16";
}
bool byte_factors(const MatrixInstruction& m) {
  return m.a_type.starts_with("fp8") || m.a_type.starts_with("bf8");
}

/// 1 in every place of A and B, of which the caller changes some.
Product ones(const std::string& name) {
  Product p(matrix_instruction(name));
  const MatrixInstruction& m = p.instruction;
  p.a.fill([&](ElementIndex) { return rounded(exact_integer(1), {element_type(m.a_type).format}); });
  p.b.fill([&](ElementIndex) { return rounded(exact_integer(1), {element_type(m.b_type).format}); });
  return p;
}

}  // namespace

TEST_CASE("matrix sums: exact products are added exactly and rounded once") {
  u32 seed = 0;
  for (const char* processor : {"gfx942", "gfx950"}) {
    Snippets snippets(processor);
    for (const MatrixInstruction& m : matrix_instructions_of(processor)) {
      if (!short_factors(m) && !byte_factors(m)) continue;
      // Within 2^-4 to 2^4 f64 holds every sum of products.
      compare(snippets, any_numbers(m, ++seed, 4, false), MfmaAccumulation::exact, exact_sum);
    }
  }
  Snippets gfx950("gfx950");
  const std::string formats[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
  for (const char* name : {"v_mfma_f32_32x32x64_f8f6f4", "v_mfma_f32_16x16x128_f8f6f4"}) {
    for (unsigned f = 0; f < 5; ++f) {
      compare(gfx950, any_numbers(matrix_instruction(name, formats[f], formats[4 - f]), ++seed, 4, false),
              MfmaAccumulation::exact, exact_sum, fmt::format("cbsz:{} blgp:{}", f, 4 - f));
    }
  }
}

TEST_CASE("matrix sums: one fused multiply-add after the other") {
  u32 seed = 50;
  for (const char* processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    for (const MatrixInstruction& m : matrix_instructions_of(processor)) {
      if (element_type(m.has_formats() ? "fp8" : m.a_type).integer || m.has_formats()) continue;
      compare(snippets, any_numbers(m, ++seed, 9, true), MfmaAccumulation::sequential, sequential_sum);
    }
  }
}

TEST_CASE("matrix sums: f32 and f64 factors are fused in sequence whatever the option says") {
  Snippets gfx950("gfx950");
  u32 seed = 100;
  for (const MatrixInstruction& m : matrix_instructions()) {
    if (m.a_type != "f32" && m.a_type != "f64") continue;
    for (const MfmaAccumulation order : {MfmaAccumulation::exact, MfmaAccumulation::groups_of_8}) {
      compare(gfx950, any_numbers(m, ++seed, 20, true), order, sequential_sum);
    }
  }
}

TEST_CASE("matrix sums: groups of 8 and of 16, cut off as measured") {
  u32 seed = 150;
  for (const char* processor : {"gfx950", "gfx942"}) {
    Snippets snippets(processor);
    for (const MatrixInstruction& m : matrix_instructions_of(processor)) {
      if (!short_factors(m) && !byte_factors(m)) continue;
      for (const unsigned size : {8u, 16u}) {
        const auto order = size == 8 ? MfmaAccumulation::groups_of_8 : MfmaAccumulation::groups_of_16;
        for (const int spread : {3, 14}) {
          compare(snippets, any_numbers(m, ++seed, spread, true), order,
                  [=](const Product& p, ElementIndex at) { return grouped_sum(p, at, size); });
        }
      }
    }
  }
}

TEST_CASE("matrix sums: f16 and bf16 denormals are factors like any other, whatever MODE says") {
  Snippets gfx950("gfx950");
  for (const MatrixInstruction& m : matrix_instructions()) {
    if (!short_factors(m)) continue;
    const FloatFormat f = element_type(m.a_type).format;
    Product p(m);
    p.a.fill([&](ElementIndex at) { return at.column == 0 ? at.row + 1 : 0; });  // denormals
    p.b.fill([&](ElementIndex at) {
      return at.row == 0 ? u64{static_cast<u64>(f.bias())} << f.mantissa_bits : 0;
    });  // 1
    for (const auto order :
         {MfmaAccumulation::exact, MfmaAccumulation::sequential, MfmaAccumulation::groups_of_8}) {
      Input in;
      in.mode = 0;
      in.options.mfma_accumulation = order;
      const Matrix d = run_product(gfx950, p, "", in);
      for (unsigned i = 0; i < m.rows; ++i) {
        INFO(m.name << " row " << i);
        // i + 1 steps of 2^-24 or 2^-133: normal or denormal in f32.
        CHECK(d.at(0, i, 1) == rounded(exact(i + 1, f), {kF32}));
      }
    }
  }
}

TEST_CASE("matrix sums: f32 factors and sums are flushed where MODE says") {
  Snippets gfx950("gfx950");
  for (const char* name : {"v_mfma_f32_32x32x2_f32", "v_mfma_f32_16x16x4_f32", "v_mfma_f32_4x4x1_16b_f32"}) {
    Product p = ones(name);
    p.a.fill([](ElementIndex at) { return at.column == 0 ? 0x00000100 : 0; });  // a denormal
    Input in;
    for (const auto& [mode, expected] :
         {std::pair{0xf0u, 0x00000100u}, {0xe0u, 0u}, {0xd0u, 0u}, {0xc0u, 0u}}) {
      in.mode = mode;
      INFO(name << std::hex << " mode " << mode);
      CHECK(run_product(gfx950, p, "", in).at(0, 3, 2) == expected);
    }
    // A denormal C is a source too.
    Product q(p.instruction);
    q.c.fill([](ElementIndex) { return 0x80000001; });
    in.mode = 0xe0;
    CHECK(kF32.zero(run_product(gfx950, q, "", in).at(0, 1, 1)));
    in.mode = 0xf0;
    CHECK(run_product(gfx950, q, "", in).at(0, 1, 1) == 0x80000001);
  }
}

TEST_CASE("matrix sums: a NaN or an infinity touches its own row and column only") {
  Snippets gfx950("gfx950");
  for (const MatrixInstruction& m : matrix_instructions()) {
    if (m.c_type != "f32" || m.a_type == "fp8" || m.a_type == "bf8" || m.has_formats()) continue;
    const FloatFormat f = element_type(m.a_type).format;
    for (const auto order : {MfmaAccumulation::exact, MfmaAccumulation::sequential,
                             MfmaAccumulation::groups_of_8, MfmaAccumulation::groups_of_16}) {
      Product p = ones(m.name);
      const unsigned row = m.rows - 1, column = 1, k = m.depth - 1, block = m.blocks - 1;
      p.a.at(block, row, k) = f.default_nan();
      p.b.at(block, 0, column) = f.infinity();
      Input in;
      in.options.mfma_accumulation = order;
      const Matrix d = run_product(gfx950, p, "", in);
      const u64 depth = rounded(exact_integer(m.depth), {kF32});
      unsigned wrong = 0;
      Matrix copy = d;
      copy.fill([&](ElementIndex at) {
        const u64 value = d.at(at.block, at.row, at.column);
        const bool in_row = at.block == block && at.row == row,
                   in_column = at.block == block && at.column == column;
        const bool right = in_row ? kF32.nan(value) : in_column ? value == kF32.infinity() : value == depth;
        if (!right) ++wrong;
        return value;
      });
      INFO(m.name << " order " << static_cast<int>(order));
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("matrix sums: a zero beside a NaN or an infinity is no shield, and opposite infinities are a NaN") {
  Snippets gfx950("gfx950");
  for (const char* name : {"v_mfma_f32_32x32x16_bf16", "v_mfma_f32_16x16x32_f16", "v_mfma_f32_16x16x4_f32"}) {
    const FloatFormat f = element_type(matrix_instruction(name).a_type).format;
    for (const auto order :
         {MfmaAccumulation::exact, MfmaAccumulation::sequential, MfmaAccumulation::groups_of_8}) {
      Product p = ones(name);
      p.a.at(0, 2, 0) = 0, p.b.at(0, 0, 3) = f.default_nan();                          // 0 * NaN
      p.a.at(0, 4, 1) = 0, p.b.at(0, 1, 5) = f.infinity();                             // 0 * inf
      p.b.at(0, 0, 7) = f.infinity(), p.b.at(0, 2, 7) = f.infinity() | f.sign_mask();  // inf - inf
      p.c.at(0, 8, 9) = kF32.infinity(), p.b.at(0, 3, 9) = f.infinity() | f.sign_mask();
      p.c.at(0, 10, 11) = kF32.infinity();
      Input in;
      in.options.mfma_accumulation = order;
      const Matrix d = run_product(gfx950, p, "", in);
      INFO(name << " order " << static_cast<int>(order));
      CHECK(kF32.nan(d.at(0, 2, 3)));
      CHECK(kF32.nan(d.at(0, 4, 5)));
      CHECK(d.at(0, 0, 5) == kF32.infinity());
      CHECK(kF32.nan(d.at(0, 0, 7)));
      CHECK(kF32.nan(d.at(0, 8, 9)));
      CHECK(d.at(0, 0, 9) == (kF32.infinity() | kF32.sign_mask()));
      CHECK(d.at(0, 10, 11) == kF32.infinity());
    }
  }
}

TEST_CASE("matrix sums: every code of gfx942's 8-bit formats, of which only minus zero is a NaN") {
  // FNUZ: bias 8 (fp8) and 16 (bf8), no infinity. Row 0 of A holds codes, column j of B picks k = j with a 1.
  Snippets gfx942("gfx942");
  for (const MatrixInstruction& m : matrix_instructions_of("gfx942")) {
    if (m.rows != 16 || !byte_factors(m)) continue;
    const bool fp8 = m.a_type == "fp8fnuz";
    const int bias = fp8 ? 8 : 16, mantissa_bits = fp8 ? 3 : 2;
    for (unsigned first = 0; first < 256; first += 16) {
      Product p(m);
      p.a.fill([&](ElementIndex at) { return at.row == 0 && at.column < 16 ? first + at.column : 0; });
      p.b.fill([&](ElementIndex at) {
        return at.row == at.column ? rounded(exact_integer(1), {element_type(m.b_type).format}) : 0;
      });
      // A NaN would meet every column of its row: it has a product of its own.
      const bool has_nan = first == 0x80;
      if (has_nan) p.a.at(0, 0, 0) = 0;
      for (const auto order : {MfmaAccumulation::exact, MfmaAccumulation::groups_of_8}) {
        Input in;
        in.options.mfma_accumulation = order;
        const Matrix d = run_product(gfx942, p, "", in);
        for (unsigned j = has_nan ? 1 : 0; j < 16; ++j) {
          const unsigned code = first + j, field = code >> mantissa_bits & (fp8 ? 15u : 31u);
          const unsigned mantissa = code & ((1u << mantissa_bits) - 1);
          const unsigned significand = field == 0 ? mantissa : mantissa + (1u << mantissa_bits);
          const int power = static_cast<int>(std::max(field, 1u)) - bias - mantissa_bits;
          const Exact value{code >= 128, significand, power};
          INFO(m.name << " code " << code << " order " << static_cast<int>(order));
          CHECK(d.at(0, 0, j) == (significand == 0 ? 0 : rounded(value, {kF32})));
        }
        if (!has_nan) continue;
        Product q = p;
        q.a.at(0, 0, 0) = 0x80;
        const Matrix nans = run_product(gfx942, q, "", in);
        for (unsigned j = 0; j < 16; ++j) CHECK(kF32.nan(nans.at(0, 0, j)));
        CHECK(nans.at(0, 1, 0) == 0);
      }
    }
  }
}

TEST_CASE("matrix sums: products and sums beyond f32 are infinite") {
  Snippets gfx950("gfx950");
  Product p = ones("v_mfma_f32_32x32x16_bf16");
  p.a.fill([](ElementIndex at) { return at.row < 2 ? 0x7f00 : 0x3f80; });  // 2^127
  p.b.fill([](ElementIndex at) { return at.column == 1 ? 0x4000 : at.row == 0 ? 0x3f80 : 0; });
  p.c.fill([](ElementIndex at) { return at.row == 1 ? 0x7f000000 : 0; });
  for (const auto order : {MfmaAccumulation::exact, MfmaAccumulation::sequential,
                           MfmaAccumulation::groups_of_8, MfmaAccumulation::groups_of_16}) {
    Input in;
    in.options.mfma_accumulation = order;
    const Matrix d = run_product(gfx950, p, "", in);
    INFO("order " << static_cast<int>(order));
    CHECK(d.at(0, 0, 0) == 0x7f000000);
    CHECK(d.at(0, 1, 0) == kF32.infinity());  // 2^127 twice
    CHECK(d.at(0, 0, 1) == kF32.infinity());  // products of 2^128
    CHECK(d.at(0, 2, 0) == 0x3f800000);
  }
}
