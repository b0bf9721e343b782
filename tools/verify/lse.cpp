// Compares element by element.
#include "tools/verify/lse.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace wavesmith::verify {
namespace {

constexpr std::size_t listed_mismatches = 8;

void mismatch(LseAccuracy& accuracy, std::string where, double expected, double actual) {
  ++accuracy.mismatched;
  if (accuracy.mismatches.size() < listed_mismatches)
    accuracy.mismatches.push_back({std::move(where), expected, actual});
}

double value_of(std::uint32_t bits) {
  return static_cast<double>(std::bit_cast<float>(bits));
}

// A NaN stays; std::max would lose it.
void raise(double& largest, double error) {
  if (std::isnan(error) || error > largest) largest = error;
}

double norm(const float* row, std::int64_t size) {
  double sum = 0;
  for (std::int64_t d = 0; d < size; ++d) sum += static_cast<double>(row[d]) * static_cast<double>(row[d]);
  return std::sqrt(sum);
}

void judge_sample(const LseShape& shape, const LseSample& sample, LseAccuracy& accuracy) {
  std::vector<bool> named(sample.output.size(), false);
  std::size_t row = 0;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t q = 0; q < shape.length(b); ++q)
      for (std::int64_t h = 0; h < shape.heads; ++h, ++row) {
        const auto index = static_cast<std::size_t>(shape.offset(b, h, q));
        const double expected = sample.exact.at(row), actual = value_of(sample.output.at(index));
        const double allowed = LseAccuracy::unit * (1 + sample.magnitude.at(row));
        const double error = expected == actual ? 0 : std::fabs(expected - actual);
        named[index] = true;
        ++accuracy.elements;
        // A comparison with NaN is false.
        if (!(error <= allowed))
          mismatch(accuracy,
                   fmt::format("lse[batch {}, head {}, query {}]{}", b, h, q,
                               sample.output[index] == lse_poison_bits ? ", never written" : ""),
                   expected, actual);
        raise(accuracy.max_abs_error, error);
        raise(accuracy.max_share, error / allowed);
        accuracy.tolerance = std::max(accuracy.tolerance, allowed);
      }
  for (std::size_t i = 0; i < sample.output.size(); ++i)
    if (!named[i] && sample.output[i] != lse_poison_bits)
      mismatch(accuracy, fmt::format("element {} of the buffer of lse, which is no output", i),
               std::numeric_limits<double>::quiet_NaN(), value_of(sample.output[i]));
}

}  // namespace

std::int64_t LseShape::extent() const {
  if (batch == 0 || heads == 0) return 0;
  const std::int64_t rows = starts.empty() ? queries : starts.back() + length(batch - 1);
  if (rows == 0) return 0;
  return (starts.empty() ? (batch - 1) * strides.batch : 0) + (heads - 1) * strides.head + rows;
}

LseShape lse_shape_with_gaps(std::int64_t batch, std::int64_t heads, std::int64_t queries) {
  constexpr std::int64_t after_queries = 3, after_heads = 5;
  const std::int64_t head = queries + after_queries;
  return {batch, heads, queries, {.batch = heads * head + after_heads, .head = head}};
}

std::vector<std::uint32_t> named_elements(const LseShape& shape, std::span<const std::uint32_t> bits) {
  std::vector<std::uint32_t> named;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t q = 0; q < shape.length(b); ++q)
      for (std::int64_t h = 0; h < shape.heads; ++h)
        named.push_back(bits[static_cast<std::size_t>(shape.offset(b, h, q))]);
  return named;
}

LseAccuracy judge_lse(const LseShape& shape, std::span<const LseSample> samples) {
  LseAccuracy accuracy;
  for (const LseSample& sample : samples) judge_sample(shape, sample, accuracy);
  return accuracy;
}

std::vector<double> score_bounds(const oracle::Problem& problem) {
  std::vector<double> bounds;
  const std::int64_t ratio = problem.query_heads / problem.kv_heads;
  for (std::size_t b = 0; b < problem.seqlen_q.size(); ++b) {
    const auto batch = static_cast<std::int64_t>(b);
    std::vector<double> longest(static_cast<std::size_t>(problem.kv_heads));
    for (std::int64_t key = 0; key < problem.seqlen_kv[b]; ++key)
      for (std::int64_t head = 0; head < problem.kv_heads; ++head) {
        double& most = longest[static_cast<std::size_t>(head)];
        most = std::max(most, norm(problem.k.row(batch, key, head), problem.head_size));
      }
    for (std::int64_t query = 0; query < problem.seqlen_q[b]; ++query)
      for (std::int64_t head = 0; head < problem.query_heads; ++head)
        bounds.push_back(std::max(
            problem.softmax_scale * norm(problem.q.row(batch, query, head), problem.head_size) *
                longest[static_cast<std::size_t>(head / ratio)],
            problem.sinks.empty() ? 0.0 : std::fabs(double{problem.sinks[static_cast<std::size_t>(head)]})));
  }
  return bounds;
}

}  // namespace wavesmith::verify
