// Random numbers and poisoned tensors.
#include "tools/verify/data.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace wavesmith::verify {

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
  if (batch == 0 || tokens == 0 || heads == 0) return 0;
  return offset(batch - 1, tokens - 1, heads - 1) + head_size;
}

TensorShape shape_with_gaps(bool heads_outside_tokens, std::int64_t batch, std::int64_t tokens,
                            std::int64_t heads, std::int64_t head_size, std::int64_t spare_tokens) {
  TensorShape shape{batch, tokens, heads, head_size, {}};
  const std::int64_t rows = tokens + spare_tokens;
  if (heads_outside_tokens) {
    shape.strides = {rows * heads * head_size, head_size, rows * head_size};
  } else {
    const std::int64_t token = heads * head_size + 16;
    shape.strides = {rows * token, token, head_size};
  }
  return shape;
}

TensorData poisoned(const TensorShape& shape) {
  const auto size = static_cast<std::size_t>(shape.extent());
  return {shape, std::vector<std::uint16_t>(size, poison_bits),
          std::vector<float>(size, std::numeric_limits<float>::quiet_NaN())};
}

namespace {

template <class Draw>
TensorData drawn(const TensorShape& shape, oracle::ElementType type, Draw&& draw) {
  TensorData tensor = poisoned(shape);
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t t = 0; t < shape.tokens; ++t)
      for (std::int64_t h = 0; h < shape.heads; ++h)
        for (std::int64_t d = 0; d < shape.head_size; ++d) {
          const auto index = static_cast<std::size_t>(shape.offset(b, t, h) + d);
          tensor.bits[index] = oracle::round_to(type, draw());
          tensor.values[index] = oracle::widen(type, tensor.bits[index]);
        }
  return tensor;
}

}  // namespace

TensorData normal(const TensorShape& shape, oracle::ElementType type, double sigma, Random& random) {
  return drawn(shape, type, [&] { return sigma * random.normal(); });
}

TensorData uniform(const TensorShape& shape, oracle::ElementType type, double limit, Random& random) {
  return drawn(shape, type, [&] { return limit * (2 * random.uniform() - 1); });
}

}  // namespace wavesmith::verify
