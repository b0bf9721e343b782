// Matrix instructions for tests: where their matrices lie comes from mfma_layouts.txt, the products are made
// here on bit patterns. Nothing is shared with the executor.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "snippet.h"
#include "vector_soft_float.h"

namespace wavesmith::simulator::testing {

/// A line of mfma_layouts.txt.
struct MatrixInstruction {
  std::string name;
  unsigned rows, columns, depth, blocks;
  std::string a_type, b_type, c_type;
  std::string a_lane, a_item, b_lane, b_item, c_lane, c_item;  ///< formulas in b, i, j, k

  bool has_formats() const { return a_type.ends_with("bit"); }  ///< f8f6f4: CBSZ and BLGP say the types
};
const std::vector<MatrixInstruction>& matrix_instructions();
/// Those that a processor implements; for gfx942 "fp8" and "bf8" become its formats, "fp8fnuz" and "bf8fnuz".
std::vector<MatrixInstruction> matrix_instructions_of(const std::string& processor);
/// The line of a name; its types replaced by `a` and `b` for f8f6f4.
MatrixInstruction matrix_instruction(const std::string& name, const std::string& a = "",
                                     const std::string& b = "");

/// What an element type is: its bits and, but for integers, its format.
struct ElementType {
  unsigned bits;
  FloatFormat format;
  bool integer;
};
ElementType element_type(const std::string& name);

/// Registers of an operand.
using Registers = std::vector<Lanes32>;

struct ElementIndex {
  unsigned block, row, column;
};
/// A matrix by element; `row` and `column` are its own, so that k is the column of A and the row of B.
class Matrix {
 public:
  Matrix(unsigned blocks, unsigned rows, unsigned columns)
      : blocks_(blocks), rows_(rows), columns_(columns), values_(blocks * rows * columns) {}
  unsigned blocks() const { return blocks_; }
  unsigned rows() const { return rows_; }
  unsigned columns() const { return columns_; }
  std::uint64_t& at(unsigned b, unsigned row, unsigned column) {
    return values_[(b * rows_ + row) * columns_ + column];
  }
  std::uint64_t at(unsigned b, unsigned row, unsigned column) const {
    return values_[(b * rows_ + row) * columns_ + column];
  }
  void fill(const std::function<std::uint64_t(ElementIndex)>& f);

 private:
  unsigned blocks_, rows_, columns_;
  std::vector<std::uint64_t> values_;
};

/// The three matrices of an instruction.
struct Product {
  explicit Product(const MatrixInstruction& instruction);
  MatrixInstruction instruction;
  Matrix a, b, c;
};

enum class MatrixOperand { a, b, c };
/// Elements to the registers and lanes they lie in, and back.
Registers pack(const MatrixInstruction& instruction, MatrixOperand operand, const Matrix& matrix);
Matrix unpack(const MatrixInstruction& instruction, MatrixOperand operand, const Registers& registers);

/// v[first:last], or v3 for one.
std::string register_range(char file, unsigned first, std::size_t count);

/// Runs `D = A * B + C` with A in v[0..], B in v[8..], C in v[32..] and D in v[64..]; `suffix` follows the
/// operands. Returns D.
Matrix run_product(Snippets& snippets, const Product& product, const std::string& suffix, Input input = {});

//! \name Results

/// By one rule for each element of D.
using Sum = std::function<std::uint64_t(const Product&, ElementIndex)>;
Matrix multiply_matrices(const Product& product, const Sum& sum);

/// Integers that wrap.
std::uint64_t integer_sum(const Product& product, ElementIndex at);
/// Exact products and sum, rounded once to nearest even; all must be finite.
std::uint64_t exact_sum(const Product& product, ElementIndex at);
/// One fused multiply-add for each k; f64 in its own format.
std::uint64_t sequential_sum(const Product& product, ElementIndex at);
/// Groups of `size` products, cut off as measured on gfx942; all must be finite. 8-bit factors: even and odd
/// k apart.
std::uint64_t grouped_sum(const Product& product, ElementIndex at, unsigned size);

}  // namespace wavesmith::simulator::testing
