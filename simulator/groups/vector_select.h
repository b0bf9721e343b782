// Minima, maxima and medians of floating values for all three formats. In IEEE mode a signalling NaN makes
// the result a NaN, otherwise numbers win over NaNs. Source: v_min, v_max, v_med3, v_minimum3 and v_maximum3
// in the CDNA4 guide.
#pragma once

#include "simulator/groups/float_lanes.h"

namespace wavesmith::simulator::groups {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, u32, u64>;

template <class T>
WAVESMITH_INLINE bool is_signalling(T value) {
  return value != value && (std::bit_cast<BitsOf<T>>(value) & kNan<T>[1]) == 0;
}

/// The lower (higher) of two numbers; -0 is below +0.
template <class T>
WAVESMITH_INLINE T lower_number(T a, T b) {
  const T of_equals =
      std::bit_cast<T>(static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(a) | std::bit_cast<BitsOf<T>>(b)));
  return a < b ? a : b < a ? b : of_equals;
}
template <class T>
WAVESMITH_INLINE T higher_number(T a, T b) {
  const T of_equals =
      std::bit_cast<T>(static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(a) & std::bit_cast<BitsOf<T>>(b)));
  return a > b ? a : b > a ? b : of_equals;
}

/// v_min and v_max of a value pair. The callers' settle_nan chooses the NaN.
template <bool Ieee, class T>
WAVESMITH_INLINE T minimum(T a, T b) {
  const T value = a != a ? b : b != b ? a : lower_number(a, b);
  return Ieee && (is_signalling(a) || is_signalling(b)) ? std::bit_cast<T>(kNan<T>[0]) : value;
}
template <bool Ieee, class T>
WAVESMITH_INLINE T maximum(T a, T b) {
  const T value = a != a ? b : b != b ? a : higher_number(a, b);
  return Ieee && (is_signalling(a) || is_signalling(b)) ? std::bit_cast<T>(kNan<T>[0]) : value;
}

// The first argument of these is std::true_type in IEEE mode.
inline constexpr auto minimum2 = [](auto ieee, auto a, auto b) { return minimum<ieee.value>(a, b); };
inline constexpr auto maximum2 = [](auto ieee, auto a, auto b) { return maximum<ieee.value>(a, b); };
inline constexpr auto minimum3 = [](auto ieee, auto a, auto b, auto c) {
  return minimum<ieee.value>(minimum<ieee.value>(a, b), c);
};
inline constexpr auto maximum3 = [](auto ieee, auto a, auto b, auto c) {
  return maximum<ieee.value>(maximum<ieee.value>(a, b), c);
};
/// The middle one of three numbers, v_min3 as soon as one is a NaN. Of the sources that equal the maximum the
/// first is left out.
inline constexpr auto median3 = [](auto ieee, auto a, auto b, auto c) {
  const bool number = a == a && b == b && c == c;
  const auto top = maximum<false>(maximum<false>(a, b), c);
  const auto middle = top == a   ? maximum<false>(b, c)
                      : top == b ? maximum<false>(a, c)
                                 : maximum<false>(a, b);
  return number ? middle : minimum3(ieee, a, b, c);
};

/// v_minimum3 and v_maximum3: any NaN gives a NaN.
inline constexpr auto lower3 = [](auto a, auto b, auto c) {
  using T = decltype(a);
  return a != a || b != b || c != c ? std::bit_cast<T>(kNan<T>[0]) : lower_number(lower_number(a, b), c);
};
inline constexpr auto higher3 = [](auto a, auto b, auto c) {
  using T = decltype(a);
  return a != a || b != b || c != c ? std::bit_cast<T>(kNan<T>[0]) : higher_number(higher_number(a, b), c);
};

template <auto F, bool Ieee>
inline constexpr auto in_ieee_mode =
    [](auto... sources) { return F(std::bool_constant<Ieee>{}, sources...); };

/// One of the functions above, as MODE.IEEE says.
template <class T, auto F, unsigned Sources>
struct ByIeeeMode {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    if (wave.mode.ieee()) {
      FloatBody<T, in_ieee_mode<F, true>, Sources, false>::run(wave, i);
    } else {
      FloatBody<T, in_ieee_mode<F, false>, Sources, false>::run(wave, i);
    }
  }
};

}  // namespace wavesmith::simulator::groups
