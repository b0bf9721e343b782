// What atomics compute: from the value in memory and one or two data values to the new value in memory. All
// on 64 bits, of which an operation uses its low ones. Sources: pseudo-code of the CDNA guides for DS and
// FLAT.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "simulator/groups/half.h"
#include "simulator/groups/vector_memory.h"

namespace wavesmith::simulator::groups {

/// Which denormals additions treat as zero. LDS goes by MODE, the cache by its own rule.
struct Denormals {
  bool flush_f32_sources = false, flush_f32_results = false;
  bool flush_f16_f64_sources = false, flush_f16_f64_results = false;
};
/// Global memory, buffers and scratch: f32 additions flush, others do not (CDNA4 guide 10.3.1; LLVM holds
/// that they do not flush on gfx942 either).
inline constexpr Denormals kCacheDenormals = {true, true, false, false};

inline Denormals mode_denormals(Mode mode) {
  return {mode.flush_f32_sources(), mode.flush_f32_results(), mode.flush_f16_f64_sources(),
          mode.flush_f16_f64_results()};
}

/// `second` is the second data value: of two registers (DS), or the upper half of the data (cmpswap).
using AtomicFunction = u64 (*)(u64 memory, u64 data, u64 second, Denormals denormals);

struct AtomicOperation {
  AtomicFunction apply = nullptr;
  u32 bytes = 4;
  unsigned values = 1;  ///< data values
};

/// Reads a value of type T out of the low bits, and back.
template <class T>
T value_of(u64 bits) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(bits);
  } else {
    return std::bit_cast<T>(static_cast<u32>(bits));
  }
}
template <class T>
u64 bits_of(T value) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<u64>(value);
  } else {
    return std::bit_cast<u32>(value);
  }
}

/// An operation from a function (memory, data, second) -> new on values of type T.
template <class T, auto F>
constexpr AtomicOperation atomic_of(unsigned values = 1) {
  return {[](u64 memory, u64 data, u64 second, Denormals) {
            return bits_of<T>(F(value_of<T>(memory), value_of<T>(data), value_of<T>(second)));
          },
          sizeof(T), values};
}

//! \name Functions for atomic_of()

template <class T>
constexpr auto kAdd = [](T m, T d, T) { return static_cast<T>(m + d); };
template <class T>
constexpr auto kSub = [](T m, T d, T) { return static_cast<T>(m - d); };
template <class T>
constexpr auto kReverseSub = [](T m, T d, T) { return static_cast<T>(d - m); };
template <class T>
constexpr auto kIncrement = [](T m, T d, T) { return m >= d ? T{0} : static_cast<T>(m + 1); };
template <class T>
constexpr auto kDecrement = [](T m, T d, T) { return m == 0 || m > d ? d : static_cast<T>(m - 1); };
/// Also for floating point: a comparison with a NaN is false and leaves memory alone.
template <class T>
constexpr auto kMin = [](T m, T d, T) { return d < m ? d : m; };
template <class T>
constexpr auto kMax = [](T m, T d, T) { return d > m ? d : m; };
template <class T>
constexpr auto kAnd = [](T m, T d, T) { return static_cast<T>(m & d); };
template <class T>
constexpr auto kOr = [](T m, T d, T) { return static_cast<T>(m | d); };
template <class T>
constexpr auto kXor = [](T m, T d, T) { return static_cast<T>(m ^ d); };
template <class T>
constexpr auto kSwap = [](T, T d, T) { return d; };
/// Global memory: the new value, then the one to compare with.
template <class T>
constexpr auto kCompareSwap = [](T m, T d, T s) { return m == s ? d : m; };
/// DS on gfx9 and gfx10: the value to compare with, then the new one.
template <class T>
constexpr auto kCompareStore = [](T m, T d, T s) { return m == d ? s : m; };
template <class T>
constexpr auto kMaskedOr = [](T m, T d, T s) { return static_cast<T>((m & ~d) | s); };
template <class T>
constexpr auto kWrap = [](T m, T d, T s) { return static_cast<T>(m >= d ? m - d : m + s); };

//! \name Floating-point additions, rounded to nearest even

template <class T>
T flushed(T value, bool flush) {
  return flush && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}

inline u64 add_f32(u64 memory, u64 data, u64, Denormals d) {
  const float sum = flushed(value_of<float>(memory), d.flush_f32_sources) +
                    flushed(value_of<float>(data), d.flush_f32_sources);
  return bits_of(flushed(sum, d.flush_f32_results));
}

inline u64 add_f64(u64 memory, u64 data, u64, Denormals d) {
  const double sum = flushed(value_of<double>(memory), d.flush_f16_f64_sources) +
                     flushed(value_of<double>(data), d.flush_f16_f64_sources);
  return bits_of(flushed(sum, d.flush_f16_f64_results));
}

inline u32 flushed_half(u32 half, bool flush) {
  return flush && (half & 0x7c00) == 0 ? half & 0x8000 : half;
}

/// f32 holds the sum of two f16 with bits to spare, so that rounding twice is rounding once.
inline u64 add_packed_f16(u64 memory, u64 data, u64, Denormals d) {
  const auto add = [d](u32 a, u32 b) {
    const float sum = half_to_float(flushed_half(a & 0xffff, d.flush_f16_f64_sources)) +
                      half_to_float(flushed_half(b & 0xffff, d.flush_f16_f64_sources));
    return flushed_half(float_to_half(sum), d.flush_f16_f64_results);
  };
  const u32 m = static_cast<u32>(memory), v = static_cast<u32>(data);
  return add(m, v) | add(m >> 16, v >> 16) << 16;
}

/// Nearest even; a NaN stays one.
inline u32 float_to_bfloat(float value) {
  const u32 bits = std::bit_cast<u32>(value);
  if (std::isnan(value)) return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

inline u64 add_packed_bf16(u64 memory, u64 data, u64, Denormals) {
  const auto add = [](u32 a, u32 b) {
    return float_to_bfloat(std::bit_cast<float>(a << 16) + std::bit_cast<float>(b << 16));
  };
  const u32 m = static_cast<u32>(memory), v = static_cast<u32>(data);
  return add(m, v) | add(m >> 16, v >> 16) << 16;
}

//! \name Running one

/// Applies an operation for the lanes one after the other, in rising order. `host` gives a lane's memory, or
/// null after a fault. The old value goes to the destination if the operation has one.
template <class Host>
void run_atomic(Wave& wave, PendingOp& op, const AtomicOperation& operation, u64 lanes, Host&& host,
                auto&& denormals) {
  const unsigned dwords = operation.bytes / 4;
  u32* rows = op.destination_dwords != 0 ? destination_rows(wave, op) : nullptr;
  const auto data_value = [&](unsigned value, u32 lane) {
    const u64 low = op.data[value * dwords][lane];
    return dwords == 1 ? low : low | u64{op.data[value * dwords + 1][lane]} << 32;
  };
  for_each_lane(lanes, [&](u32 lane) {
    std::byte* at = host(lane);
    if (at == nullptr) return;
    u64 old = 0;
    std::memcpy(&old, at, operation.bytes);
    const u64 second = operation.values == 2 ? data_value(1, lane) : 0;
    const u64 updated = operation.apply(old, data_value(0, lane), second, denormals(lane));
    std::memcpy(at, &updated, operation.bytes);
    for (unsigned d = 0; rows != nullptr && d < dwords; ++d)
      rows[d * kLanes + lane] = static_cast<u32>(old >> (32 * d));
  });
}

}  // namespace wavesmith::simulator::groups
