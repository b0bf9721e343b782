// Compares element by element.
#include "tools/verify/accuracy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

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
  Judge(const TensorShape& shape, oracle::ElementType type, std::span<const Sample> samples)
      : shape_(shape), type_(type), samples_(samples) {}

  Accuracy judge() {
    measure_reference();
    double square_sum = 0;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      sample_ = samples_.size() == 1 ? "" : fmt::format("run {}: ", i);
      square_sum += judge_sample(samples_[i]);
    }
    if (accuracy_.elements > 0)
      accuracy_.rms_error = std::sqrt(square_sum / static_cast<double>(accuracy_.elements));
    return std::move(accuracy_);
  }

 private:
  void measure_reference() {
    double square_sum = 0;
    std::size_t elements = 0;
    for (const Sample& sample : samples_)
      for (std::size_t i = 0; i < sample.exact.o.size(); ++i, ++elements) {
        const double error = error_of(expected_of(type_, sample.exact.o[i]), sample.rounded.o[i]);
        accuracy_.reference_max = std::max(accuracy_.reference_max, error);
        square_sum += error * error;
      }
    if (elements > 0) accuracy_.reference_rms = std::sqrt(square_sum / static_cast<double>(elements));
  }

  // The sum of squared errors.
  double judge_sample(const Sample& sample) {
    named_.assign(sample.output.size(), false);
    double square_sum = 0;
    const double* exact = sample.exact.o.data();
    for (std::int64_t b = 0; b < shape_.batch; ++b)
      for (std::int64_t t = 0; t < shape_.length(b); ++t)
        for (std::int64_t h = 0; h < shape_.heads; ++h, exact += shape_.head_size)
          square_sum += judge_row(sample, b, t, h, exact);
    for (std::size_t i = 0; i < sample.output.size(); ++i)
      if (!named_[i] && sample.output[i] != poison_bits)
        mismatch(fmt::format("element {} of the buffer of o, which is no output", i),
                 std::numeric_limits<double>::quiet_NaN(), value(sample.output[i]));
    return square_sum;
  }

  double judge_row(const Sample& sample, std::int64_t batch, std::int64_t token, std::int64_t head,
                   const double* exact) {
    const std::int64_t row = shape_.offset(batch, token, head);
    double largest = 0;
    for (std::int64_t d = 0; d < shape_.head_size; ++d) largest = std::max(largest, std::fabs(exact[d]));
    double square_sum = 0;
    for (std::int64_t d = 0; d < shape_.head_size; ++d) {
      const auto index = static_cast<std::size_t>(row + d);
      const double expected = expected_of(type_, exact[d]);
      const double actual = value(sample.output[index]);
      const bool written = sample.output[index] != poison_bits;
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

  void mismatch(std::string_view where, double expected, double actual) {
    ++accuracy_.mismatched;
    if (accuracy_.mismatches.size() < listed_mismatches)
      accuracy_.mismatches.push_back({fmt::format("{}{}", sample_, where), expected, actual});
  }

  const TensorShape& shape_;
  oracle::ElementType type_;
  std::span<const Sample> samples_;
  std::string sample_;       ///< names the run, where there are several
  std::vector<bool> named_;  ///< elements of the run's buffer
  Accuracy accuracy_;
};

}  // namespace

Accuracy judge(const TensorShape& shape, oracle::ElementType type, std::span<const Sample> samples) {
  return Judge(shape, type, samples).judge();
}

}  // namespace wavesmith::verify
