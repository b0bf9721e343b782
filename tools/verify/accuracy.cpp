// Compares element by element.
#include "tools/verify/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace wavesmith::verify {
namespace {

constexpr std::size_t listed_mismatches = 8;

double error_of(double expected, double actual) {
  return expected == actual ? 0 : std::fabs(expected - actual);
}

// What overflows the element type has infinity for its right value.
double expected_of(oracle::ElementType type, double exact) {
  constexpr double never_overflows = 65000;
  if (std::fabs(exact) < never_overflows) return exact;
  const auto rounded = static_cast<double>(oracle::widen(type, oracle::round_to(type, exact)));
  return std::isinf(rounded) ? rounded : exact;
}

// std::max loses a NaN.
void raise(double& largest, double error) {
  if (std::isnan(error) || error > largest) largest = error;
}

class Judge {
 public:
  Judge(const TensorShape& shape, oracle::ElementType type, std::span<const std::uint16_t> output)
      : shape_(shape), type_(type), output_(output), named_(output.size()) {}

  Accuracy judge(const oracle::Result& exact, const oracle::Result& rounded) {
    measure_reference(exact, rounded);
    double square_sum = 0;
    const std::int64_t rows = shape_.batch * shape_.tokens * shape_.heads;
    for (std::int64_t row = 0; row < rows; ++row) square_sum += judge_row(exact, row);
    if (accuracy_.elements > 0)
      accuracy_.rms_error = std::sqrt(square_sum / static_cast<double>(accuracy_.elements));
    for (std::size_t i = 0; i < output_.size(); ++i)
      if (!named_[i] && output_[i] != poison_bits)
        mismatch(fmt::format("element {} of the buffer of o, which is no output", i),
                 std::numeric_limits<double>::quiet_NaN(), value(output_[i]));
    return std::move(accuracy_);
  }

 private:
  void measure_reference(const oracle::Result& exact, const oracle::Result& rounded) {
    double square_sum = 0;
    for (std::size_t i = 0; i < exact.o.size(); ++i) {
      const double error = error_of(expected_of(type_, exact.o[i]), rounded.o[i]);
      accuracy_.reference_max = std::max(accuracy_.reference_max, error);
      square_sum += error * error;
    }
    if (!exact.o.empty())
      accuracy_.reference_rms = std::sqrt(square_sum / static_cast<double>(exact.o.size()));
  }

  // The sum of the row's squared errors.
  double judge_row(const oracle::Result& exact, std::int64_t row) {
    const std::int64_t head = row % shape_.heads;
    const std::int64_t token = row / shape_.heads % shape_.tokens;
    const std::int64_t batch = row / shape_.heads / shape_.tokens;
    const double* exact_row = exact.o.data() + row * shape_.head_size;
    double largest = 0;
    for (std::int64_t d = 0; d < shape_.head_size; ++d) largest = std::max(largest, std::fabs(exact_row[d]));
    double square_sum = 0;
    for (std::int64_t d = 0; d < shape_.head_size; ++d) {
      const double expected = expected_of(type_, exact_row[d]);
      const auto index = static_cast<std::size_t>(shape_.offset(batch, token, head) + d);
      const double actual = value(output_[index]);
      const bool written = output_[index] != poison_bits;
      named_[index] = true;
      ++accuracy_.elements;
      const double error = error_of(expected, actual);
      if (!(error <= accuracy_.tolerance()))
        mismatch(fmt::format("o[batch {}, query {}, head {}, column {}]{}", batch, token, head, d,
                             written ? "" : ", never written"),
                 expected, actual);
      raise(accuracy_.max_abs_error, error);
      if (error != 0) raise(accuracy_.max_rel_error, error / largest);
      square_sum += error * error;
    }
    return square_sum;
  }

  double value(std::uint16_t bits) const { return static_cast<double>(oracle::widen(type_, bits)); }

  void mismatch(std::string where, double expected, double actual) {
    ++accuracy_.mismatched;
    if (accuracy_.mismatches.size() < listed_mismatches)
      accuracy_.mismatches.push_back({std::move(where), expected, actual});
  }

  const TensorShape& shape_;
  oracle::ElementType type_;
  std::span<const std::uint16_t> output_;
  std::vector<bool> named_;
  Accuracy accuracy_;
};

}  // namespace

Accuracy judge(const TensorShape& shape, oracle::ElementType type, std::span<const std::uint16_t> output,
               const oracle::Result& exact, const oracle::Result& rounded) {
  return Judge(shape, type, output).judge(exact, rounded);
}

}  // namespace wavesmith::verify
