// Minima, whole numbers and parts of floating values on bit patterns, written from the ISA text; beside the
// arithmetic of vector_soft_float.h.
#pragma once

#include <array>

#include "vector_soft_float.h"

namespace wavesmith::simulator::testing {

/// v_min and v_max: numbers win over NaNs, but in IEEE mode a signalling NaN does not lose. -0 is below +0.
std::uint64_t extreme(std::uint64_t a, std::uint64_t b, FloatFormat f, bool ieee, bool greatest);
/// v_minimum3 and v_maximum3: any NaN gives a NaN.
std::uint64_t propagating_extreme(const std::array<std::uint64_t, 3>& s, FloatFormat f, bool greatest);
std::uint64_t median(const std::array<std::uint64_t, 3>& s, FloatFormat f, bool ieee);
/// The NaN that comes out of an operation: the first source that is one, made quiet; numbers stay.
std::uint64_t settled(std::uint64_t value, const std::array<std::uint64_t, 3>& s, unsigned sources,
                      FloatFormat f);
std::uint64_t flushed_result(std::uint64_t value, const Target& target);

enum class Whole { floor, ceil, trunc, nearest };
std::uint64_t whole(std::uint64_t value, FloatFormat f, Whole way);
/// value - floor(value), below 1.
std::uint64_t fraction(std::uint64_t value, const Target& target);
/// In [0.5, 1) with the sign; what is not finite, and zeros, stay.
std::uint64_t mantissa(std::uint64_t value, FloatFormat f);
/// value = mantissa * 2^exponent; 0 where the mantissa is the value itself.
int exponent(std::uint64_t value, FloatFormat f);

}  // namespace wavesmith::simulator::testing
