// Rows are independent; threads take them in turn.
#include "simulator/oracle/attention.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>

namespace wavesmith::oracle {
namespace {

struct Row {
  std::int64_t batch, query, head, index;  ///< index: of the row and head in the outputs
};

// Calls work(row) for every query row and head.
template <class Work>
void for_each_row(const Problem& problem, unsigned threads, Work work) {
  const std::vector<std::int64_t> starts = problem.row_starts();
  const std::int64_t total = starts.back() * problem.query_heads;
  std::atomic<std::int64_t> next{0};
  const auto run = [&] {
    for (std::int64_t i = next++; i < total; i = next++) {
      const std::int64_t token = i / problem.query_heads;
      const auto batch = std::upper_bound(starts.begin(), starts.end(), token) - starts.begin() - 1;
      work(Row{batch, token - starts[static_cast<std::size_t>(batch)], i % problem.query_heads, i});
    }
  };
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(run);
  run();
}

struct KeyRange {
  std::int64_t first, end;
};

KeyRange visible_keys(const Problem& problem, const Row& row) {
  const auto batch = static_cast<std::size_t>(row.batch);
  const std::int64_t keys = problem.seqlen_kv[batch];
  const std::int64_t diagonal = row.query + (problem.top_left ? 0 : keys - problem.seqlen_q[batch]);
  // Compared by differences: a width may be any number of keys.
  const std::int64_t first =
      problem.window_left < 0 || problem.window_left >= diagonal ? 0 : diagonal - problem.window_left;
  const std::int64_t end = problem.window_right < 0 || problem.window_right >= keys - 1 - diagonal
                               ? keys
                               : diagonal + problem.window_right + 1;
  return {first, std::max(first, end)};
}

// Sums that do not wait for one another, in a fixed order.
double dot(const float* a, const float* b, std::int64_t size) {
  constexpr std::int64_t lanes = 8;
  std::array<double, lanes> sums{};
  std::int64_t d = 0;
  for (; d + lanes <= size; d += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      sums[static_cast<std::size_t>(lane)] +=
          static_cast<double>(a[d + lane]) * static_cast<double>(b[d + lane]);
  double sum = 0;
  for (const double one : sums) sum += one;
  for (; d < size; ++d) sum += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return sum;
}

double score(const Problem& problem, const Row& row, std::int64_t key) {
  const std::int64_t kv_head = row.head / (problem.query_heads / problem.kv_heads);
  return dot(problem.q.row(row.batch, row.query, row.head), problem.k.row(row.batch, key, kv_head),
             problem.head_size);
}

const float* value_row(const Problem& problem, const Row& row, std::int64_t key) {
  return problem.v.row(row.batch, key, row.head / (problem.query_heads / problem.kv_heads));
}

// Exponent field of a double less its bias: below every other format's least exponent for its denormals.
int exponent_of(double magnitude) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
}
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

Result empty_result(const Problem& problem) {
  const auto rows = static_cast<std::size_t>(problem.row_starts().back() * problem.query_heads);
  return {std::vector<double>(rows * static_cast<std::size_t>(problem.head_size)), std::vector<double>(rows)};
}

}  // namespace

std::vector<std::int64_t> Problem::row_starts() const {
  std::vector<std::int64_t> starts{0};
  for (std::int64_t length : seqlen_q) starts.push_back(starts.back() + length);
  return starts;
}

std::uint16_t round_to(ElementType type, double value) {
  const int mantissa = type == ElementType::bf16 ? 7 : 10;
  const int min_exponent = type == ElementType::bf16 ? -126 : -14;
  const int max_exponent = type == ElementType::bf16 ? 127 : 15;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const auto infinity = static_cast<std::uint16_t>((2 * max_exponent + 1) << mantissa);
  if (std::isnan(value)) return static_cast<std::uint16_t>(infinity | 1U << (mantissa - 1));
  if (value == 0) return sign;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity;
  // In units of the last place of the value's binade; denormals share the lowest binade's. nearbyint rounds
  // to even.
  const int exponent = std::max(exponent_of(magnitude), min_exponent);
  const double units = std::nearbyint(magnitude * power_of_two(mantissa - exponent));
  const auto rounded = static_cast<std::uint32_t>(units);
  // A normal value has its leading bit at `mantissa`; adding it carries into the exponent field as it should.
  const std::uint32_t bits = rounded + (static_cast<std::uint32_t>(exponent - min_exponent) << mantissa);
  return sign | static_cast<std::uint16_t>(std::min<std::uint32_t>(bits, infinity));
}

float widen(ElementType type, std::uint16_t bits) {
  if (type == ElementType::bf16) return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31)
    return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * static_cast<float>(mantissa) * 0x1p-24F;
  return sign * static_cast<float>((1024 + mantissa) * power_of_two(exponent - 25));
}

Result attention(const Problem& problem, unsigned threads) {
  Result result = empty_result(problem);
  for_each_row(problem, threads, [&](const Row& row) {
    const auto [first, end] = visible_keys(problem, row);
    std::vector<double> weights;
    double maximum = -std::numeric_limits<double>::infinity();
    if (!problem.sinks.empty())
      maximum = static_cast<double>(problem.sinks[static_cast<std::size_t>(row.head)]);
    for (std::int64_t key = first; key < end; ++key) {
      weights.push_back(score(problem, row, key) * problem.softmax_scale);
      // A NaN score must not be lost in the comparison.
      maximum = std::isnan(weights.back()) ? weights.back() : std::max(maximum, weights.back());
    }
    const auto index = static_cast<std::size_t>(row.index);
    if (weights.empty() && problem.sinks.empty()) {
      result.lse[index] = -std::numeric_limits<double>::infinity();
      return;
    }
    double denominator = 0;
    if (!problem.sinks.empty())
      denominator =
          std::exp(static_cast<double>(problem.sinks[static_cast<std::size_t>(row.head)]) - maximum);
    for (double& weight : weights) {
      weight = std::exp(weight - maximum);
      denominator += weight;
    }
    result.lse[index] = maximum + std::log(denominator);
    double* o = result.o.data() + row.index * problem.head_size;
    for (std::int64_t key = first; key < end; ++key) {
      const float* v = value_row(problem, row, key);
      const double weight = weights[static_cast<std::size_t>(key - first)] / denominator;
      for (std::int64_t d = 0; d < problem.head_size; ++d) o[d] += weight * static_cast<double>(v[d]);
    }
  });
  return result;
}

Result attention_rounded(const Problem& problem, ElementType type, unsigned threads) {
  Result result = empty_result(problem);
  for_each_row(problem, threads, [&](const Row& row) {
    const auto [first, end] = visible_keys(problem, row);
    std::vector<float> weights;
    float maximum = -std::numeric_limits<float>::infinity();
    if (!problem.sinks.empty()) maximum = problem.sinks[static_cast<std::size_t>(row.head)];
    for (std::int64_t key = first; key < end; ++key) {
      weights.push_back(static_cast<float>(score(problem, row, key)) *
                        static_cast<float>(problem.softmax_scale));
      maximum = std::max(maximum, weights.back());
    }
    const auto index = static_cast<std::size_t>(row.index);
    if (weights.empty() && problem.sinks.empty()) {
      result.lse[index] = -std::numeric_limits<double>::infinity();
      return;
    }
    float denominator = 0;
    if (!problem.sinks.empty())
      denominator = std::exp(problem.sinks[static_cast<std::size_t>(row.head)] - maximum);
    for (float& weight : weights) {
      weight = std::exp(weight - maximum);
      denominator += weight;
    }
    for (float& weight : weights)
      weight = widen(type, round_to(type, static_cast<double>(weight / denominator)));
    result.lse[index] = static_cast<double>(maximum + std::log(denominator));
    std::vector<double> sums(static_cast<std::size_t>(problem.head_size));
    for (std::int64_t key = first; key < end; ++key) {
      const float* v = value_row(problem, row, key);
      const double weight = static_cast<double>(weights[static_cast<std::size_t>(key - first)]);
      for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += weight * static_cast<double>(v[d]);
    }
    double* o = result.o.data() + row.index * problem.head_size;
    for (std::size_t d = 0; d < sums.size(); ++d)
      o[d] =
          static_cast<double>(widen(type, round_to(type, static_cast<double>(static_cast<float>(sums[d])))));
  });
  return result;
}

}  // namespace wavesmith::oracle
