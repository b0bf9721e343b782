// From a description to elements.
#include "tools/verify/fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "simulator/oracle/attention.h"
#include "tools/verify/data.h"

namespace wavesmith::verify {
namespace {

template <class T>
T saturated(double value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(std::clamp(std::nearbyint(value), static_cast<double>(Limits::min()),
                                   static_cast<double>(Limits::max())));
}

template <class T>
void store(std::byte* to, T value) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(to, &value, sizeof value);
}

void store_element(DataType type, std::byte* to, double value) {
  switch (type) {
    case DataType::bf16:
      return store(to, oracle::round_to(oracle::ElementType::bf16, value));
    case DataType::fp16:
      return store(to, oracle::round_to(oracle::ElementType::fp16, value));
    case DataType::f32:
      return store(to, static_cast<float>(value));
    case DataType::i32:
      return store(to, saturated<std::int32_t>(value));
    case DataType::u8:
      return store(to, saturated<std::uint8_t>(value));
  }
}

}  // namespace

void fill(const BufferArgument& buffer, std::span<std::byte> to) {
  if (buffer.init == Init::zero) return;
  const std::size_t step = bytes_of(buffer.type);
  if (buffer.init == Init::nan) {
    // A pair of the 16-bit poison is a NaN as f32 too.
    for (std::size_t at = 0; at + sizeof poison_bits <= to.size(); at += sizeof poison_bits)
      store(to.data() + at, poison_bits);
    return;
  }
  Random random(buffer.seed);
  for (std::uint64_t i = 0; i < buffer.elements; ++i) {
    const double value = buffer.init == Init::normal    ? random.normal()
                         : buffer.init == Init::uniform ? 2 * random.uniform() - 1
                                                        : static_cast<double>(i);
    store_element(buffer.type, to.data() + i * step, value * buffer.scale);
  }
}

}  // namespace wavesmith::verify
