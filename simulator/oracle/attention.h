// Attention in double precision: the judge of every attention kernel. It shares no code with the generator or
// the executor. attention() is the exact result; attention_rounded() is what a perfect kernel of the element
// type could give, and so the measure of what error is acceptable.
//
// Conventions: key j is visible to query i when i + shift - left <= j <= i + shift + right, where shift is
// seqlen_kv - seqlen_q for bottom-right alignment and 0 for top-left, and a width of -1 is unlimited. Causal
// is right = 0. Query head h uses key/value head h / (query heads / key/value heads). A row without a visible
// key gives O = 0 and LSE = -infinity; with a sink, LSE = sink.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace wavesmith::oracle {

enum class ElementType : std::uint8_t { bf16, fp16 };

/// Nearest value of the element type, ties to even; overflow to infinity.
[[nodiscard]] std::uint16_t round_to(ElementType type, double value);
[[nodiscard]] float widen(ElementType type, std::uint16_t bits);

/// A tensor of one batch element after another; strides in elements, the head size contiguous.
struct Tensor {
  std::span<const float> data;
  std::int64_t batch = 0, token = 0, head = 0;

  [[nodiscard]] const float* row(std::int64_t b, std::int64_t t, std::int64_t h) const {
    return data.data() + b * batch + t * token + h * head;
  }
};

struct Problem {
  std::int64_t query_heads = 0, kv_heads = 0, head_size = 0;
  std::vector<std::int64_t> seqlen_q, seqlen_kv;  ///< of each batch element
  Tensor q, k, v;
  double softmax_scale = 0;
  bool top_left = false;
  std::int64_t window_left = -1, window_right = -1;
  std::span<const float> sinks;  ///< a natural-log logit for each query head, or empty

  /// Offset of the first query row of each batch element in the outputs, and their total as the last entry.
  [[nodiscard]] std::vector<std::int64_t> row_starts() const;
};

/// Outputs in the order [query row, query head, column] and [query row, query head], batch elements one after
/// another.
struct Result {
  std::vector<double> o;
  std::vector<double> lse;  ///< natural log
};

/// `threads`: 0 for all cores.
[[nodiscard]] Result attention(const Problem& problem, unsigned threads = 0);

/// The same with softmax in fp32, and its probabilities and O rounded once to the element type.
[[nodiscard]] Result attention_rounded(const Problem& problem, ElementType type, unsigned threads = 0);

}  // namespace wavesmith::oracle
