// Handlers of SALU instructions made from plain functions on values. A group's rows name them as, for
// example, same(scalar2<u32, u32, u32, Scc::nonzero, [](u32 a, u32 b) { return a & b; }>).
#pragma once

#include <cstdint>
#include <utility>

#include "simulator/wave.h"

namespace wavesmith::simulator::groups {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

/// What becomes of SCC.
enum class Scc { keep, nonzero };

/// Operands[0] is the destination, the sources follow.
template <class T>
T read_scalar(const Wave& wave, const Operand& operand) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(wave.read64(operand));
  } else {
    return static_cast<T>(wave.read32(operand));
  }
}

template <class T>
void write_scalar(Wave& wave, const Operand& operand, T value) {
  if constexpr (sizeof(T) == 8) {
    wave.write64(operand, static_cast<u64>(value));
  } else {
    wave.write32(operand, static_cast<u32>(value));
  }
}

template <Scc Rule, class D>
void finish_scalar(Wave& wave, const Instruction& i, D result) {
  write_scalar(wave, i.operands[0], result);
  if constexpr (Rule == Scc::nonzero) wave.scc = result != 0;
}

template <class D, class A, Scc Rule, auto F>
void scalar1(Wave& wave, const Instruction& i) {
  finish_scalar<Rule>(wave, i, static_cast<D>(F(read_scalar<A>(wave, i.operands[1]))));
}

template <class D, class A, class B, Scc Rule, auto F>
void scalar2(Wave& wave, const Instruction& i) {
  finish_scalar<Rule>(
      wave, i, static_cast<D>(F(read_scalar<A>(wave, i.operands[1]), read_scalar<B>(wave, i.operands[2]))));
}

/// F(a, b, SCC) returns {result, new SCC}.
template <class T, auto F>
void scalar2_flag(Wave& wave, const Instruction& i) {
  const auto [result, flag] =
      F(read_scalar<T>(wave, i.operands[1]), read_scalar<T>(wave, i.operands[2]), wave.scc);
  write_scalar(wave, i.operands[0], static_cast<T>(result));
  wave.scc = flag;
}

/// SCC = F(a, b); no destination.
template <class A, class B, auto F>
void scalar_compare(Wave& wave, const Instruction& i) {
  wave.scc = F(read_scalar<A>(wave, i.operands[0]), read_scalar<B>(wave, i.operands[1]));
}

/// SCC = F(register, immediate) with the immediate extended as T is.
template <class T, auto F>
void scalar_compare_immediate(Wave& wave, const Instruction& i) {
  T immediate;
  if constexpr (std::is_signed_v<T>) {
    immediate = static_cast<std::int16_t>(i.simm16);
  } else {
    immediate = i.simm16;
  }
  wave.scc = F(read_scalar<T>(wave, i.operands[0]), immediate);
}

inline i32 signed_immediate(const Instruction& i) {
  return static_cast<std::int16_t>(i.simm16);
}

}  // namespace wavesmith::simulator::groups
