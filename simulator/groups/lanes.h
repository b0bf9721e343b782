// Handlers of VALU instructions made from functions on one lane. A row names them as, for example,
// lanes2<u32, u32, u32, [](u32 a, u32 b) { return a + b; }>: result type, source types, function. Sources
// that are VGPRs are read in place, everything else goes through lane_source.cpp; the loop over 64 lanes is
// left to the compiler's vectoriser, once for any CPU and once for x86-64-v3.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "simulator/wave.h"

#if defined(__x86_64__)
#define WAVESMITH_WIDE __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")))
#else
#define WAVESMITH_WIDE
#endif
#define WAVESMITH_INLINE inline __attribute__((always_inline))
// Behind a lambda's parameters.
#define WAVESMITH_INLINE_LAMBDA __attribute__((always_inline))
// Lanes are independent: a destination may only be the very same row as a source.
#if defined(__clang__)
#define WAVESMITH_LANES _Pragma("clang loop vectorize(assume_safety) interleave(assume_safety)")
#else
#define WAVESMITH_LANES _Pragma("GCC ivdep")
#endif

namespace wavesmith::simulator::groups {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using f32 = float;
using f64 = double;

struct alignas(64) LaneBuffer {
  std::array<u32, kLanes> lane;
};

//! \name Sources (lane_source.cpp)

/// A 32-bit source that is not a plain VGPR: scalars and constants are broadcast, DPP moves lanes, SDWA
/// selects bytes, then abs and neg act on the sign bit of the operand's type.
const u32* gather_source(Wave& wave, const Instruction& i, unsigned operand, LaneBuffer& buffer);
/// One half of a 64-bit source; abs and neg act on the high one.
const u32* gather_source64(Wave& wave, const Instruction& i, unsigned operand, unsigned half,
                           LaneBuffer& buffer);

/// Lanes that the instruction writes: EXEC, less those that DPP leaves alone.
u64 dpp_write_mask(const Wave& wave, const Instruction& i);
inline u64 write_mask(const Wave& wave, const Instruction& i) {
  return i.has_dpp ? dpp_write_mask(wave, i) : wave.exec();
}

/// Writes `lanes` of a result that went through a buffer, with the SDWA destination select.
void scatter_result(Wave& wave, const Instruction& i, unsigned operand, const LaneBuffer& result, u64 lanes);

inline const u32* source32(Wave& wave, const Instruction& i, unsigned operand, LaneBuffer& buffer) {
  const Operand& op = i.operands[operand];
  return op.direct ? wave.row(op.reg) : gather_source(wave, i, operand, buffer);
}

/// A source of one or two dwords, read as T lane by lane.
template <class T>
struct Source {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  const u32* low;
  const u32* high = nullptr;

  WAVESMITH_INLINE T operator[](u32 lane) const {
    if constexpr (sizeof(T) == 8) {
      return std::bit_cast<T>(low[lane] | u64{high[lane]} << 32);
    } else {
      return std::bit_cast<T>(low[lane]);
    }
  }
};

template <class T>
struct SourceBuffers {
  std::array<LaneBuffer, sizeof(T) / 4> half;
};

template <class T>
Source<T> source(Wave& wave, const Instruction& i, unsigned operand, SourceBuffers<T>& buffers) {
  if constexpr (sizeof(T) == 4) {
    return {source32(wave, i, operand, buffers.half[0])};
  } else {
    const Operand& op = i.operands[operand];
    if (op.direct) return {wave.row(op.reg), wave.row(op.reg + 1u)};
    return {gather_source64(wave, i, operand, 0, buffers.half[0]),
            gather_source64(wave, i, operand, 1, buffers.half[1])};
  }
}

//! \name Results

inline constexpr auto kLaneBit = [] {
  std::array<u32, 32> bits{};
  for (u32 lane = 0; lane < 32; ++lane) bits[lane] = 1u << lane;
  return bits;
}();

/// Where a loop writes: straight into the row when every lane is written and nothing is done to the result
/// afterwards, else into a buffer from which finish() takes the lanes that count. Operand 0 unless said
/// otherwise.
template <class T>
class Result {
 public:
  Result(Wave& wave, const Instruction& i, unsigned operand = 0)
      : wave_(wave), instruction_(i), operand_(operand), mask_(write_mask(wave, i)) {
    const u32 reg = i.operands[operand].reg;
    direct_ = mask_ == wave.full_exec && i.plain_output;
    low_ = direct_ ? wave.row(reg) : buffer_[0].lane.data();
    if constexpr (sizeof(T) == 8) high_ = direct_ ? wave.row(reg + 1u) : buffer_[1].lane.data();
  }

  WAVESMITH_INLINE void set(u32 lane, T value) {
    if constexpr (sizeof(T) == 8) {
      const u64 bits = std::bit_cast<u64>(value);
      low_[lane] = static_cast<u32>(bits);
      high_[lane] = static_cast<u32>(bits >> 32);
    } else {
      low_[lane] = std::bit_cast<u32>(value);
    }
  }
  u32* low() { return low_; }
  u32* high() { return high_; }
  u64 mask() const { return mask_; }

  WAVESMITH_INLINE void finish() {
    if (direct_) return;
    const Operand& op = instruction_.operands[operand_];
    if (instruction_.has_sdwa && sizeof(T) == 4) {
      scatter_result(wave_, instruction_, operand_, buffer_[0], mask_);
      return;
    }
    merge(wave_.row(op.reg), buffer_[0]);
    if constexpr (sizeof(T) == 8) merge(wave_.row(op.reg + 1u), buffer_[1]);
  }

 private:
  WAVESMITH_INLINE void merge(u32* row, const LaneBuffer& values) const {
    // Testing each lane's bit in place, instead of shifting it down, is what 32-bit vectors can do.
    for (u32 half = 0; half < 2; ++half) {
      const u32 bits = static_cast<u32>(mask_ >> (32 * half));
      u32* to = row + 32 * half;
      const u32* from = values.lane.data() + 32 * half;
      WAVESMITH_LANES
      for (u32 lane = 0; lane < 32; ++lane) to[lane] = (bits & kLaneBit[lane]) != 0 ? from[lane] : to[lane];
    }
  }

  Wave& wave_;
  const Instruction& instruction_;
  unsigned operand_;
  u64 mask_;
  bool direct_;
  u32* low_ = nullptr;
  u32* high_ = nullptr;
  std::array<LaneBuffer, sizeof(T) / 4> buffer_;
};

/// Bit `lane` of the result is set where condition[lane] is 1 and the instruction writes that lane.
WAVESMITH_INLINE u64 pack_mask(const std::array<std::uint8_t, kLanes>& condition) {
  u64 mask = 0;
  for (u32 group = 0; group < kLanes / 8; ++group) {
    u64 bytes;
    std::memcpy(&bytes, condition.data() + 8 * group, sizeof bytes);
    // Moves the low bit of byte k to bit 56 + k; the partial products do not meet.
    mask |= (bytes * 0x0102040810204080u >> 56) << (8 * group);
  }
  return mask;
}

//! \name Handlers from bodies

/// A body is a struct with `static void run(Wave&, const Instruction&)`, always inlined, so that it is
/// compiled twice.
template <class Body>
void plain_handler(Wave& wave, const Instruction& i) {
  Body::run(wave, i);
}
template <class Body>
WAVESMITH_WIDE void wide_handler(Wave& wave, const Instruction& i) {
  Body::run(wave, i);
}
template <class Body>
inline constexpr Handlers both = {plain_handler<Body>, wide_handler<Body>};
/// The same for bodies that are written twice.
template <template <bool Wide> class Body>
inline constexpr Handlers both_widths = {plain_handler<Body<false>>, wide_handler<Body<true>>};

//! \name Integer and bit operations: no MODE

template <class D, class A, auto F>
struct Unary {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    const Source<A> a = source<A>(wave, i, 1, ba);
    Result<D> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, F(a[lane]));
    d.finish();
  }
};

template <class D, class A, class B, auto F>
struct Binary {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    SourceBuffers<B> bb;
    const Source<A> a = source<A>(wave, i, 1, ba);
    const Source<B> b = source<B>(wave, i, 2, bb);
    Result<D> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, F(a[lane], b[lane]));
    d.finish();
  }
};

template <class D, class A, class B, class C, auto F>
struct Ternary {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    SourceBuffers<B> bb;
    SourceBuffers<C> bc;
    const Source<A> a = source<A>(wave, i, 1, ba);
    const Source<B> b = source<B>(wave, i, 2, bb);
    const Source<C> c = source<C>(wave, i, 3, bc);
    Result<D> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, F(a[lane], b[lane], c[lane]));
    d.finish();
  }
};

/// Operand 0 is a lane mask; lanes that are not written get 0.
template <class A, class B, auto F>
struct Compare {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    SourceBuffers<B> bb;
    const Source<A> a = source<A>(wave, i, 1, ba);
    const Source<B> b = source<B>(wave, i, 2, bb);
    alignas(64) std::array<std::uint8_t, kLanes> condition;
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) condition[lane] = F(a[lane], b[lane]) ? 1 : 0;
    wave.set_mask(i.operands[0], pack_mask(condition) & write_mask(wave, i));
  }
};

/// lanes2<result, source 0, source 1, function of one lane>, and so on.
template <class D, class A, auto F>
inline constexpr Handlers lanes1 = both<Unary<D, A, F>>;
template <class D, class A, class B, auto F>
inline constexpr Handlers lanes2 = both<Binary<D, A, B, F>>;
template <class D, class A, class B, class C, auto F>
inline constexpr Handlers lanes3 = both<Ternary<D, A, B, C, F>>;
template <class A, class B, auto F>
inline constexpr Handlers lane_compare = both<Compare<A, B, F>>;

}  // namespace wavesmith::simulator::groups
