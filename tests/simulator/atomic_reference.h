// What each atomic computes, written from the ISA guides' words with arithmetic of its own: integers in 128
// bits, sums of floating point exact and then rounded by search.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

namespace wavesmith::simulator::testing {

/// An operation by name and type, e.g. ("add", "u32"), ("cmpst", "f64"), ("pk_add", "bf16").
struct AtomicCase {
  std::string_view operation, type;
  unsigned bytes() const { return type.ends_with("64") ? 8 : 4; }
  bool two_values() const {
    return operation == "cmpst" || operation == "cmpswap" || operation == "mskor" || operation == "wrap";
  }
};

/// The new value in memory. `first` and `second` are data values in the order of the instruction's operands
/// or registers. `flush`: denormal inputs and results of additions count as zero.
std::uint64_t atomic_result(AtomicCase atomic, std::uint64_t memory, std::uint64_t first,
                            std::uint64_t second, bool flush);

/// A value worth trying: limits, neighbours of limits, NaN, infinities, denormals, signed zeros, or random
/// bits.
std::uint64_t edge_value(std::mt19937_64& random, AtomicCase atomic);

/// Whether two values are the same result: NaNs of a floating-point type equal each other.
bool same_result(AtomicCase atomic, std::uint64_t a, std::uint64_t b);

}  // namespace wavesmith::simulator::testing
