// Elements of the matrices A and B as f32, which holds every format exactly: a list of items for each lane
// becomes [item][lane]. matrix_element.cpp has the tables of the 8-bit formats.
#pragma once

#include <array>

#include "simulator/groups/half.h"
#include "simulator/groups/matrix_shape.h"

namespace wavesmith::simulator::groups {

enum class Element {
  half,    ///< f16
  bfloat,  ///< bf16
  single,  ///< f32
  fp8,     ///< E4M3; OCP on gfx950, FNUZ on gfx942
  bf8,     ///< E5M2; the same
};

template <unsigned Items>
struct alignas(64) Factors {
  f32 item[Items][kLanes];
};

/// Values of the 256 patterns.
using ByteValues = std::array<f32, 256>;
const ByteValues& byte_values(Element element, const Processor& processor);

/// Exponent of the format's smallest normal number.
inline int least_exponent(Element element, const Processor& processor) {
  const bool ocp = processor.gfx != Gfx::gfx942;
  switch (element) {
    case Element::half:
      return -14;
    case Element::fp8:
      return ocp ? -6 : -7;
    case Element::bf8:
      return ocp ? -14 : -15;
    default:
      return -126;
  }
}

template <Element E, unsigned Items>
WAVESMITH_INLINE void unpack(const Wave& wave, const MatrixSource& source, Factors<Items>& out) {
  if constexpr (E == Element::single) {
    const bool flush = wave.mode.flush_f32_sources();
    for (unsigned item = 0; item < Items; ++item) {
      const u32* row = source.rows + item * source.stride;
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const u32 bits = row[lane];
        out.item[item][lane] =
            std::bit_cast<f32>(flush && (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
      }
    }
  } else if constexpr (E == Element::half || E == Element::bfloat) {
    for (unsigned pair = 0; pair < Items / 2; ++pair) {
      const u32* row = source.rows + pair * source.stride;
      f32 *low = out.item[2 * pair], *high = out.item[2 * pair + 1];
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const u32 bits = row[lane];
        if constexpr (E == Element::half) {
          low[lane] = half_to_float(bits & 0xffffu);
          high[lane] = half_to_float(bits >> 16);
        } else {
          low[lane] = std::bit_cast<f32>(bits << 16);
          high[lane] = std::bit_cast<f32>(bits & 0xffff0000u);
        }
      }
    }
  } else {
    const ByteValues& values = byte_values(E, *wave.processor);
    for (unsigned item = 0; item < Items; ++item) {
      const u32* row = source.rows + item / 4 * source.stride;
      for (u32 lane = 0; lane < kLanes; ++lane)
        out.item[item][lane] = values[row[lane] >> (8 * (item % 4)) & 255];
    }
  }
}

/// Replaces the value of each lane by that of from(lane).
template <unsigned Items, class F>
void move_lanes(Factors<Items>& factors, F&& from) {
  for (unsigned item = 0; item < Items; ++item) {
    std::array<f32, kLanes> old;
    std::copy_n(factors.item[item], kLanes, old.begin());
    for (u32 lane = 0; lane < kLanes; ++lane) factors.item[item][lane] = old[from(lane)];
  }
}

}  // namespace wavesmith::simulator::groups
