// Random numbers and poisoned tensors.
#include "tools/verify/data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace wavesmith::verify {

namespace dense = generator::attention_dense;

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

double Random::uniform() {
  return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::int64_t TensorShape::extent() const {
  if (batch == 0 || heads == 0) return 0;
  const std::int64_t last_head = (heads - 1) * strides.head + head_size;
  if (paged()) {
    if (pages.numbers.empty()) return 0;
    const auto kept = static_cast<std::int64_t>(pages.numbers.size());
    return (kept - 1) * strides.batch + (pages.size - 1) * strides.token + last_head;
  }
  const std::int64_t rows = packed() ? starts.back() + length(batch - 1) : tokens;
  if (rows == 0) return 0;
  return (packed() ? 0 : (batch - 1) * strides.batch) + (rows - 1) * strides.token + last_head;
}

dense::Strides strides_with_gaps(bool heads_outside_tokens, std::int64_t tokens, std::int64_t heads,
                                 std::int64_t head_size, const Gaps& gaps) {
  const std::int64_t rows = tokens + gaps.tokens;
  if (heads_outside_tokens) return {rows * heads * head_size, head_size, rows * head_size};
  const std::int64_t token = heads * head_size + gaps.elements;
  return {rows * token, token, head_size};
}

TensorShape shape_with_gaps(bool heads_outside_tokens, std::int64_t batch, std::int64_t tokens,
                            std::int64_t heads, std::int64_t head_size, std::int64_t spare_tokens) {
  return {batch, tokens, heads, head_size,
          strides_with_gaps(heads_outside_tokens, tokens, heads, head_size,
                            {.tokens = spare_tokens, .elements = gap_after_heads})};
}

namespace {

/// How TensorData::values lie.
dense::Strides value_strides(const TensorShape& shape) {
  return shape.packed() || shape.paged() ? dense::bshd(shape.tokens, shape.heads, shape.head_size)
                                         : shape.strides;
}

std::int64_t place_in(const dense::Strides& strides, std::int64_t b, std::int64_t t, std::int64_t h) {
  return b * strides.batch + t * strides.token + h * strides.head;
}

/// Calls visit(t, h) for every row of a batch element.
template <class Visit>
void for_each_row(const TensorShape& shape, std::int64_t b, Visit&& visit) {
  for (std::int64_t t = 0; t < shape.length(b); ++t)
    for (std::int64_t h = 0; h < shape.heads; ++h) visit(t, h);
}

template <class Draw>
TensorData drawn(const TensorShape& shape, oracle::ElementType type, Draw&& draw) {
  TensorData tensor = poisoned(shape);
  const dense::Strides dense = value_strides(shape);
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for_each_row(shape, b, [&](std::int64_t t, std::int64_t h) {
      std::uint16_t* bits = tensor.bits.data() + shape.offset(b, t, h);
      float* values = tensor.values.data() + place_in(dense, b, t, h);
      for (std::int64_t d = 0; d < shape.head_size; ++d) {
        bits[d] = oracle::round_to(type, draw());
        values[d] = oracle::widen(type, bits[d]);
      }
    });
  return tensor;
}

}  // namespace

oracle::Tensor TensorData::view() const {
  const dense::Strides strides = value_strides(shape);
  return {values, strides.batch, strides.token, strides.head};
}

TensorData poisoned(const TensorShape& shape) {
  const auto size = static_cast<std::size_t>(shape.extent());
  const std::size_t values = shape.packed() || shape.paged()
                                 ? static_cast<std::size_t>(shape.batch * value_strides(shape).batch)
                                 : size;
  return {shape, std::vector<std::uint16_t>(size, poison_bits),
          std::vector<float>(values, std::numeric_limits<float>::quiet_NaN())};
}

void poison_sequence(TensorData& tensor, std::int64_t b) {
  const TensorShape& shape = tensor.shape;
  for_each_row(shape, b, [&](std::int64_t t, std::int64_t h) {
    std::fill_n(tensor.bits.data() + shape.offset(b, t, h), shape.head_size, poison_bits);
    std::fill_n(tensor.values.data() + place_in(value_strides(shape), b, t, h), shape.head_size,
                std::numeric_limits<float>::quiet_NaN());
  });
}

std::vector<std::uint16_t> named_elements(const TensorShape& shape, std::span<const std::uint16_t> bits) {
  std::vector<std::uint16_t> named;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for_each_row(shape, b, [&](std::int64_t t, std::int64_t h) {
      const std::uint16_t* row = bits.data() + shape.offset(b, t, h);
      named.insert(named.end(), row, row + shape.head_size);
    });
  return named;
}

TensorData normal(const TensorShape& shape, oracle::ElementType type, double sigma, Random& random) {
  return drawn(shape, type, [&] { return sigma * random.normal(); });
}

TensorData uniform(const TensorShape& shape, oracle::ElementType type, double limit, Random& random) {
  return drawn(shape, type, [&] { return limit * (2 * random.uniform() - 1); });
}

}  // namespace wavesmith::verify
