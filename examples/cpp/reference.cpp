// reference(): row by row, straight from the definition.
#include "reference.hpp"

#include <algorithm>
#include <cmath>

#include "wavesmith.hpp"

namespace example {
namespace {

double dot(const std::uint16_t* a, const std::uint16_t* b, int size) {
  double sum = 0;
  for (int d = 0; d < size; ++d)
    sum += static_cast<double>(from_bf16(a[d])) * static_cast<double>(from_bf16(b[d]));
  return sum;
}

/// A row of the tensor [token, head, head size].
const std::uint16_t* row_of(const std::uint16_t* tensor, int token, int head, int heads, int head_size) {
  return tensor + (static_cast<std::ptrdiff_t>(token) * heads + head) * head_size;
}

}  // namespace

AttentionResult reference(const Attention& a) {
  AttentionResult result;
  result.o.assign(static_cast<std::size_t>(a.queries) * a.query_heads * a.head_size, 0.0);
  result.lse.assign(static_cast<std::size_t>(a.queries) * a.query_heads, 0.0);
  const double scale = 1 / std::sqrt(static_cast<double>(a.head_size));
  std::vector<double> scores(static_cast<std::size_t>(a.keys));
  for (int head = 0; head < a.query_heads; ++head)
    for (int query = 0; query < a.queries; ++query) {
      const int kv_head = head / (a.query_heads / a.kv_heads);
      const long long diagonal = static_cast<long long>(query) + a.keys - a.queries;
      const long long first = std::max(0LL, diagonal - a.window_left);
      const long long last = std::min<long long>(a.keys - 1, diagonal + a.window_right);
      double most = -std::numeric_limits<double>::infinity(), sum = 0;
      for (long long key = first; key <= last; ++key) {
        scores[static_cast<std::size_t>(key)] =
            scale * dot(row_of(a.q, query, head, a.query_heads, a.head_size),
                        row_of(a.k, static_cast<int>(key), kv_head, a.kv_heads, a.head_size), a.head_size);
        most = std::max(most, scores[static_cast<std::size_t>(key)]);
      }
      double* const o =
          result.o.data() + (static_cast<std::ptrdiff_t>(query) * a.query_heads + head) * a.head_size;
      for (long long key = first; key <= last; ++key) {
        const double weight = std::exp(scores[static_cast<std::size_t>(key)] - most);
        const std::uint16_t* v = row_of(a.v, static_cast<int>(key), kv_head, a.kv_heads, a.head_size);
        sum += weight;
        for (int d = 0; d < a.head_size; ++d) o[d] += weight * static_cast<double>(from_bf16(v[d]));
      }
      // A row that sees nothing is 0, and the logarithm of its empty sum is minus infinity.
      if (sum > 0)
        for (int d = 0; d < a.head_size; ++d) o[d] /= sum;
      result.lse[static_cast<std::size_t>(head) * a.queries + query] = most + std::log(sum);
    }
  return result;
}

}  // namespace example
