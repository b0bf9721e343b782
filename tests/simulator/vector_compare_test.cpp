// Comparisons of all types and conditions, with and without writing EXEC, and the class test.
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u64 = std::uint64_t;
using i64 = std::int64_t;

void both(const std::string& condition_and_type, const std::vector<SourceKind>& sources, bool is_float,
          const Reference& f) {
  for (const bool writes_exec : {false, true}) {
    drive({.mnemonic = (writes_exec ? "v_cmpx_" : "v_cmp_") + condition_and_type,
           .result = ResultKind::mask,
           .sources = sources,
           .reference = f,
           .source_modifiers = is_float,
           .modes = is_float,
           .writes_exec = writes_exec});
  }
}

/// The eight conditions by what they say of less, equal and greater.
void integers_of(const std::string& type, const SourceKind& values, unsigned bits, bool is_signed) {
  const auto order = [=](const LaneInput& in) {
    // Moving the sign bit turns signed order into unsigned order.
    const u64 flip = is_signed ? u64{1} << (bits - 1) : 0;
    const u64 a = in.s[0] ^ flip, b = in.s[1] ^ flip;
    return a < b ? 1u : a == b ? 2u : 4u;
  };
  constexpr std::pair<const char*, unsigned> conditions[] = {{"f", 0},  {"lt", 1}, {"eq", 2}, {"le", 3},
                                                             {"gt", 4}, {"ne", 5}, {"ge", 6}, {"t", 7}};
  for (const auto& [name, accepted] : conditions) {
    both(
        std::string(name) + "_" + type, {values, values}, false,
        [&, accepted = accepted](const LaneInput& in) { return LaneResult(0, (order(in) & accepted) != 0); });
  }
}

/// The sixteen conditions by what they say of less, equal, greater and unordered.
void floats_of(const std::string& type, const SourceKind& values, FloatFormat format) {
  constexpr std::pair<const char*, unsigned> conditions[] = {
      {"f", 0}, {"lt", 1},  {"eq", 2},   {"le", 3},   {"gt", 4},   {"lg", 5},   {"ge", 6},   {"o", 7},
      {"u", 8}, {"nge", 9}, {"nlg", 10}, {"ngt", 11}, {"nle", 12}, {"neq", 13}, {"nlt", 14}, {"tru", 15}};
  for (const auto& [name, accepted] : conditions) {
    both(std::string(name) + "_" + type, {values, values}, true,
         [=, accepted = accepted](const LaneInput& in) {
           const auto order =
               compare(in.mode.source(in.s[0], format), in.mode.source(in.s[1], format), format);
           const unsigned outcome = !order ? 8u : *order < 0 ? 1u : *order == 0 ? 2u : 4u;
           return LaneResult(0, (outcome & accepted) != 0);
         });
  }
}

void classes_of(const std::string& type, const SourceKind& values, FloatFormat f) {
  SourceKind masks = with(Operation::integer32, {0, 0x3ff, 0xfffffc00});
  for (unsigned k = 0; k < 10; ++k) masks.values.push_back(u64{1} << k);
  both("class_" + type, {values, masks}, true, [=](const LaneInput& in) {
    const u64 v = in.s[0];
    const bool negative = f.negative(v);
    unsigned bit = negative ? 3 : 8;
    if (f.nan(v)) bit = f.signalling(v) ? 0 : 1;
    if (f.infinite(v)) bit = negative ? 2 : 9;
    if (f.denormal(v)) bit = negative ? 4 : 7;
    if (f.zero(v)) bit = negative ? 5 : 6;
    return LaneResult(0, (in.s[1] >> bit & 1) != 0);
  });
}

}  // namespace

TEST_CASE("vector comparisons: 16-bit integers") {
  integers_of("i16", shorts(), 16, true);
  integers_of("u16", shorts(), 16, false);
}
TEST_CASE("vector comparisons: 32-bit integers") {
  integers_of("i32", integers(), 32, true);
  integers_of("u32", integers(), 32, false);
}
TEST_CASE("vector comparisons: 64-bit integers") {
  integers_of("i64", integers64(), 64, true);
  integers_of("u64", integers64(), 64, false);
}
TEST_CASE("vector comparisons: f16") {
  floats_of("f16", halves(), kF16);
}
TEST_CASE("vector comparisons: f32") {
  floats_of("f32", singles(), kF32);
}
TEST_CASE("vector comparisons: f64") {
  floats_of("f64", doubles(), kF64);
}
TEST_CASE("vector comparisons: classes") {
  classes_of("f16", halves(), kF16);
  classes_of("f32", singles(), kF32);
  classes_of("f64", doubles(), kF64);
}
