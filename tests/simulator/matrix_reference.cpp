// Layout formulas and packing behind matrix_reference.h; matrix_sums.cpp has the sums.
#include "matrix_reference.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

namespace wavesmith::simulator::testing {
namespace {

/// Evaluates + * / % and parentheses over one-letter variables.
class Formula {
 public:
  Formula(std::string_view text, const std::array<unsigned, 4>& bijk) : text_(text), bijk_(bijk) {}
  unsigned value() {
    const unsigned result = sum();
    if (position_ != text_.size()) throw std::runtime_error(fmt::format("formula {}", text_));
    return result;
  }

 private:
  bool take(char c) {
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  unsigned sum() {
    unsigned result = product();
    while (take('+')) result += product();
    return result;
  }
  unsigned product() {
    unsigned result = atom();
    while (true) {
      if (take('*')) {
        result *= atom();
      } else if (take('/')) {
        result /= atom();
      } else if (take('%')) {
        result %= atom();
      } else {
        return result;
      }
    }
  }
  unsigned atom() {
    if (take('(')) {
      const unsigned result = sum();
      if (!take(')')) throw std::runtime_error(fmt::format("formula {}", text_));
      return result;
    }
    const std::size_t variable = std::string_view("bijk").find(text_.at(position_));
    if (variable != std::string_view::npos) {
      ++position_;
      return bijk_[variable];
    }
    unsigned number = 0;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9')
      number = number * 10 + static_cast<unsigned>(text_[position_++] - '0');
    return number;
  }

  std::string_view text_;
  std::array<unsigned, 4> bijk_;
  std::size_t position_ = 0;
};

std::vector<MatrixInstruction> read_layouts() {
  std::ifstream file(WAVESMITH_TEST_MFMA_LAYOUTS);
  std::vector<MatrixInstruction> result;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    MatrixInstruction m{};
    words >> m.name >> m.rows >> m.columns >> m.depth >> m.blocks >> m.a_type >> m.b_type >> m.c_type >>
        m.a_lane >> m.a_item >> m.b_lane >> m.b_item >> m.c_lane >> m.c_item;
    if (!words) throw std::runtime_error(fmt::format("mfma_layouts.txt: {}", line));
    result.push_back(m);
  }
  if (result.empty()) throw std::runtime_error("mfma_layouts.txt cannot be read");
  return result;
}

struct Place {
  unsigned lane, first_bit;
};
/// Where an element of the operand lies.
Place place_of(const MatrixInstruction& m, MatrixOperand operand, ElementIndex at) {
  const bool is_a = operand == MatrixOperand::a, is_b = operand == MatrixOperand::b;
  const std::array<unsigned, 4> bijk{at.block, is_b ? 0 : at.row, is_a ? 0 : at.column,
                                     is_a   ? at.column
                                     : is_b ? at.row
                                            : 0};
  const std::string &lane = is_a   ? m.a_lane
                            : is_b ? m.b_lane
                                   : m.c_lane,
                    &item = is_a   ? m.a_item
                            : is_b ? m.b_item
                                   : m.c_item;
  const unsigned bits = element_type(is_a ? m.a_type : is_b ? m.b_type : m.c_type).bits;
  return {Formula(lane, bijk).value(), Formula(item, bijk).value() * bits};
}

unsigned bits_of(const MatrixInstruction& m, MatrixOperand operand) {
  return element_type(operand == MatrixOperand::a   ? m.a_type
                      : operand == MatrixOperand::b ? m.b_type
                                                    : m.c_type)
      .bits;
}

Matrix empty_matrix(const MatrixInstruction& m, MatrixOperand operand) {
  if (operand == MatrixOperand::a) return {m.blocks, m.rows, m.depth};
  if (operand == MatrixOperand::b) return {m.blocks, m.depth, m.columns};
  return {m.blocks, m.rows, m.columns};
}

}  // namespace

const std::vector<MatrixInstruction>& matrix_instructions() {
  static const std::vector<MatrixInstruction> all = read_layouts();
  return all;
}

std::vector<MatrixInstruction> matrix_instructions_of(const std::string& processor) {
  const std::vector<ImplementedForm> known = implemented_forms(processor);
  std::vector<MatrixInstruction> result;
  for (MatrixInstruction m : matrix_instructions()) {
    if (std::ranges::find(known, m.name, &ImplementedForm::mnemonic) == known.end()) continue;
    if (processor == "gfx942")
      for (std::string* type : {&m.a_type, &m.b_type})
        if (*type == "fp8" || *type == "bf8") *type += "fnuz";
    result.push_back(m);
  }
  return result;
}

MatrixInstruction matrix_instruction(const std::string& name, const std::string& a, const std::string& b) {
  const auto with_bits = [&](const std::string& type) {
    const auto found = std::ranges::find_if(matrix_instructions(), [&](const MatrixInstruction& m) {
      return m.name == name && (!m.has_formats() || (element_type(type).bits == 8) == (m.a_type == "8bit"));
    });
    if (found == matrix_instructions().end()) throw std::runtime_error(name);
    return *found;
  };
  MatrixInstruction result = with_bits(a);
  if (result.has_formats()) {
    const MatrixInstruction other = with_bits(b);
    result.a_type = a, result.b_type = b;
    result.b_lane = other.b_lane, result.b_item = other.b_item;
  }
  return result;
}

ElementType element_type(const std::string& name) {
  if (name == "f16") return {16, kF16, false};
  if (name == "bf16") return {16, kBf16, false};
  if (name == "f32") return {32, kF32, false};
  if (name == "f64") return {64, kF64, false};
  if (name == "fp8") return {8, {4, 3}, false};
  if (name == "bf8") return {8, {5, 2}, false};
  if (name == "fp8fnuz") return {8, {4, 3, true}, false};
  if (name == "bf8fnuz") return {8, {5, 2, true}, false};
  if (name == "fp6") return {6, {2, 3}, false};
  if (name == "bf6") return {6, {3, 2}, false};
  if (name == "fp4") return {4, {2, 1}, false};
  if (name == "i8") return {8, {}, true};
  if (name == "i32") return {32, {}, true};
  throw std::runtime_error(fmt::format("element type {}", name));
}

void Matrix::fill(const std::function<std::uint64_t(ElementIndex)>& f) {
  for (unsigned b = 0; b < blocks_; ++b) {
    for (unsigned row = 0; row < rows_; ++row) {
      for (unsigned column = 0; column < columns_; ++column) at(b, row, column) = f({b, row, column});
    }
  }
}

Product::Product(const MatrixInstruction& m)
    : instruction(m),
      a(empty_matrix(m, MatrixOperand::a)),
      b(empty_matrix(m, MatrixOperand::b)),
      c(empty_matrix(m, MatrixOperand::c)) {}

Registers pack(const MatrixInstruction& m, MatrixOperand operand, const Matrix& matrix) {
  const unsigned bits = bits_of(m, operand);
  Registers registers(matrix.blocks() * matrix.rows() * matrix.columns() * bits / (64 * 32));
  const auto put = [&](unsigned lane, unsigned bit, std::uint64_t value) {
    registers.at(bit / 32)[lane] |= static_cast<std::uint32_t>(value << (bit % 32));
  };
  for (unsigned b = 0; b < matrix.blocks(); ++b) {
    for (unsigned row = 0; row < matrix.rows(); ++row) {
      for (unsigned column = 0; column < matrix.columns(); ++column) {
        const Place at = place_of(m, operand, {b, row, column});
        const std::uint64_t value = matrix.at(b, row, column);
        put(at.lane, at.first_bit, value);
        const unsigned below = 32 - at.first_bit % 32;  // bits of the first register
        if (bits > below) put(at.lane, at.first_bit + below, value >> below);
      }
    }
  }
  return registers;
}

Matrix unpack(const MatrixInstruction& m, MatrixOperand operand, const Registers& registers) {
  Matrix matrix = empty_matrix(m, operand);
  const unsigned bits = bits_of(m, operand);
  matrix.fill([&](ElementIndex index) {
    const Place at = place_of(m, operand, index);
    std::uint64_t value = registers.at(at.first_bit / 32)[at.lane];
    if (at.first_bit % 32 + bits > 32)
      value |= std::uint64_t{registers.at(at.first_bit / 32 + 1)[at.lane]} << 32;
    value >>= at.first_bit % 32;
    return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
  });
  return matrix;
}

std::string register_range(char file, unsigned first, std::size_t count) {
  return count == 1 ? fmt::format("{}{}", file, first)
                    : fmt::format("{}[{}:{}]", file, first, first + count - 1);
}

Matrix run_product(Snippets& snippets, const Product& product, const std::string& suffix, Input input) {
  const MatrixInstruction& m = product.instruction;
  const Registers a = pack(m, MatrixOperand::a, product.a), b = pack(m, MatrixOperand::b, product.b),
                  c = pack(m, MatrixOperand::c, product.c);
  const auto place = [&](unsigned first, const Registers& registers) {
    for (unsigned r = 0; r < registers.size(); ++r) input.v(first + r, registers[r]);
  };
  place(0, a), place(8, b), place(32, c);
  const Output out =
      snippets.run(fmt::format("{} {}, {}, {}, {} {}", m.name, register_range('v', 64, c.size()),
                               register_range('v', 0, a.size()), register_range('v', 8, b.size()),
                               register_range('v', 32, c.size()), suffix),
                   input);
  return unpack(m, MatrixOperand::c,
                Registers(out.vgprs.begin() + 64, out.vgprs.begin() + 64 + static_cast<long>(c.size())));
}

Matrix multiply_matrices(const Product& product, const Sum& sum) {
  Matrix d = product.c;
  d.fill([&](ElementIndex at) { return sum(product, at); });
  return d;
}

}  // namespace wavesmith::simulator::testing
