// Handlers of floating VALU instructions from functions on one lane, with what MODE and the modifiers add:
// flushed denormals on sources and results, rounding, omod, clamp. A row names them as, for example,
// float2<[](auto a, auto b) { return a + b; }>. Sources of the facts: CDNA4 guide 3 and 6.
#pragma once

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "simulator/groups/half.h"
#include "simulator/groups/lanes.h"

namespace wavesmith::simulator::groups {

/// A denormal becomes a zero of the same sign.
WAVESMITH_INLINE f32 flush_denormal(f32 value) {
  const u32 bits = std::bit_cast<u32>(value);
  return std::bit_cast<f32>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
WAVESMITH_INLINE f64 flush_denormal(f64 value) {
  const u64 bits = std::bit_cast<u64>(value);
  return std::bit_cast<f64>((bits & (u64{0x7ff} << 52)) == 0 ? bits & (u64{1} << 63) : bits);
}

/// The CPU's rounding direction while MODE asks for another than nearest even. The calls also keep the
/// compiler from moving the loop's loads and stores out of the scope.
class RoundingScope {
 public:
  explicit RoundingScope(unsigned mode) : active_(mode != 0) {
    constexpr int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (active_) std::fesetround(directions[mode]);
  }
  ~RoundingScope() {
    if (active_) std::fesetround(FE_TONEAREST);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool active_;
};

template <class T>
inline constexpr auto kNan = [] {
  if constexpr (sizeof(T) == 4) {
    return std::array<u32, 2>{0x7fc00000u, 0x00400000u};  // from an invalid operation; what makes a NaN quiet
  } else {
    return std::array<u64, 2>{u64{0x7ff8} << 48, u64{1} << 51};
  }
}();

/// Which NaN an operation gives is not specified by the guides and differs between host compilers, which may
/// swap the sources of a sum: it is the first source that is one, made quiet, else the positive NaN without
/// payload.
template <class T, class... Sources>
WAVESMITH_INLINE T settle_nan(T value, Sources... sources) {
  auto nan = kNan<T>[0];
  bool found = false;
  const auto look = [&](T source) WAVESMITH_INLINE_LAMBDA {
    const bool take = source != source && !found;
    nan = take ? std::bit_cast<decltype(nan)>(source) | kNan<T>[1] : nan;
    found = found || take;
  };
  (look(sources), ...);
  return value != value ? std::bit_cast<T>(nan) : value;
}

/// omod, then clamp. omod has no effect in IEEE mode or when result denormals are kept, and makes -0 a +0.
template <class T>
WAVESMITH_INLINE T modify_result(T value, const Modifiers& m, const Mode& mode, bool keeps_denormals) {
  if (m.omod != 0 && !mode.ieee() && !keeps_denormals) {
    value = m.omod == 1 ? value * 2 : m.omod == 2 ? value * 4 : value / 2;
    value = flush_denormal(value) + T{0};
  }
  if (m.clamp) {
    if (value != value) return mode.dx10_clamp() ? T{0} : value;
    value = value < 0 ? T{0} : value > 1 ? T{1} : value;
  }
  return value;
}

/// The same for all lanes of a result, where the instruction asks for it.
template <class T>
WAVESMITH_INLINE void modify_lanes(const Wave& wave, const Instruction& i, Result<T>& d,
                                   bool keeps_denormals) {
  if (i.modifiers.omod == 0 && !i.modifiers.clamp) return;
  const Source<T> result{d.low(), d.high()};
  for (u32 lane = 0; lane < kLanes; ++lane) {
    d.set(lane, modify_result(result[lane], i.modifiers, wave.mode, keeps_denormals));
  }
}

/// The same for f16 results.
WAVESMITH_INLINE void modify_halves(const Wave& wave, const Instruction& i, u32* halves,
                                    bool keeps_denormals) {
  if (i.modifiers.omod == 0 && !i.modifiers.clamp) return;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const f32 value = modify_result(half_to_float(halves[lane]), i.modifiers, wave.mode, keeps_denormals);
    const u32 half = float_to_half(value);
    // omod only acts where denormal results are flushed, and what it halves may be one.
    const bool denormal = (half & 0x7c00u) == 0;
    halves[lane] = denormal && i.modifiers.omod != 0 && !keeps_denormals && !wave.mode.ieee() ? 0 : half;
  }
}

template <class T>
struct FloatMode {
  bool flush_sources, flush_results;
  unsigned round;
  explicit FloatMode(const Mode& mode)
      : flush_sources(sizeof(T) == 4 ? mode.flush_f32_sources() : mode.flush_f16_f64_sources()),
        flush_results(sizeof(T) == 4 ? mode.flush_f32_results() : mode.flush_f16_f64_results()),
        round(sizeof(T) == 4 ? mode.round_f32() : mode.round_f16_f64()) {}
};

/// T = F(T, …) for f32 and f64. Functions that never round, minima and whole numbers, say so with `Rounds`
/// false: some of them are expanded by compilers to code that only works while the CPU rounds to nearest.
template <class T, auto F, unsigned Sources, bool Rounds = true>
struct FloatBody {
  template <bool FlushSources, bool FlushResults>
  static WAVESMITH_INLINE void loop(const Source<T> (&s)[3], Result<T>& d) {
    const auto read = [&](unsigned k, u32 lane) WAVESMITH_INLINE_LAMBDA {
      return FlushSources ? flush_denormal(s[k][lane]) : s[k][lane];
    };
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      T value;
      if constexpr (Sources == 1) {
        value = settle_nan<T>(F(read(0, lane)), read(0, lane));
      } else if constexpr (Sources == 2) {
        value = settle_nan<T>(F(read(0, lane), read(1, lane)), read(0, lane), read(1, lane));
      } else {
        value = settle_nan<T>(F(read(0, lane), read(1, lane), read(2, lane)), read(0, lane), read(1, lane),
                              read(2, lane));
      }
      d.set(lane, FlushResults ? flush_denormal(value) : value);
    }
  }

  /// The operation on sources that are at hand, with what MODE and the modifiers ask for.
  static WAVESMITH_INLINE void apply(Wave& wave, const Instruction& i, const Source<T> (&s)[3]) {
    Result<T> d(wave, i);
    const FloatMode<T> mode(wave.mode);
    {
      const RoundingScope rounding(Rounds ? mode.round : 0);
      if (mode.flush_sources && mode.flush_results) {
        loop<true, true>(s, d);
      } else if (mode.flush_sources) {
        loop<true, false>(s, d);
      } else if (mode.flush_results) {
        loop<false, true>(s, d);
      } else {
        loop<false, false>(s, d);
      }
      modify_lanes(wave, i, d, !mode.flush_results);
    }
    d.finish();
  }

  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<T> buffers[3];
    Source<T> s[3] = {};
    for (unsigned k = 0; k < Sources; ++k) s[k] = source<T>(wave, i, 1 + k, buffers[k]);
    apply(wave, i, s);
  }
};

/// a - floor(a), below 1 also where the difference rounds to it.
template <class T>
struct FractionBody {
  static constexpr auto rest = [](T a, T whole) {
    const T difference = a - whole;
    constexpr T kBelowOne = 1 - std::numeric_limits<T>::epsilon() / 2;
    return difference > kBelowOne ? kBelowOne : difference;
  };
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<T> buffer;
    const Source<T> a = source<T>(wave, i, 1, buffer);
    const bool flush = FloatMode<T>(wave.mode).flush_sources;
    SourceBuffers<T> whole;
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const auto bits = std::bit_cast<std::conditional_t<sizeof(T) == 4, u32, u64>>(
          std::floor(flush ? flush_denormal(a[lane]) : a[lane]));
      whole.half[0].lane[lane] = static_cast<u32>(bits);
      if constexpr (sizeof(T) == 8) whole.half[1].lane[lane] = static_cast<u32>(bits >> 32);
    }
    const Source<T> s[3] = {a, {whole.half[0].lane.data(), whole.half[sizeof(T) / 4 - 1].lane.data()}, {}};
    FloatBody<T, rest, 2>::apply(wave, i, s);
  }
};

/// Mask = F(T, T): comparisons see flushed sources.
template <class T, auto F>
struct FloatCompareBody {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<T> ba, bb;
    const Source<T> a = source<T>(wave, i, 1, ba), b = source<T>(wave, i, 2, bb);
    alignas(64) std::array<std::uint8_t, kLanes> condition;
    if (FloatMode<T>(wave.mode).flush_sources) {
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) {
        condition[lane] = F(flush_denormal(a[lane]), flush_denormal(b[lane])) ? 1 : 0;
      }
    } else {
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) condition[lane] = F(a[lane], b[lane]) ? 1 : 0;
    }
    wave.set_mask(i.operands[0], pack_mask(condition) & write_mask(wave, i));
  }
};

template <auto F>
inline constexpr Handlers float1 = both<FloatBody<f32, F, 1>>;
template <auto F>
inline constexpr Handlers float2 = both<FloatBody<f32, F, 2>>;
template <auto F>
inline constexpr Handlers float3 = both<FloatBody<f32, F, 3>>;
template <auto F>
inline constexpr Handlers whole1 = both<FloatBody<f32, F, 1, false>>;
template <auto F>
inline constexpr Handlers double_whole1 = both<FloatBody<f64, F, 1, false>>;
template <auto F>
inline constexpr Handlers double1 = both<FloatBody<f64, F, 1>>;
template <auto F>
inline constexpr Handlers double2 = both<FloatBody<f64, F, 2>>;
template <auto F>
inline constexpr Handlers double3 = both<FloatBody<f64, F, 3>>;

/// The exponent e of a = mantissa * 2^e with the mantissa in [0.5, 1); 0 for zeros and what is not finite.
template <class F>
struct ExponentOf {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<F> ba;
    const Source<F> a = source<F>(wave, i, 1, ba);
    const bool flush = FloatMode<F>(wave.mode).flush_sources;
    Result<i32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const F value = flush ? flush_denormal(a[lane]) : a[lane];
      int exponent = 0;
      if (std::isfinite(value)) std::frexp(value, &exponent);
      d.set(lane, exponent);
    }
    d.finish();
  }
};

}  // namespace wavesmith::simulator::groups
