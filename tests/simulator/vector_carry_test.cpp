// Sums with carries, 64-bit sums, products and shifts.
#include <functional>

#include <catch2/catch_test_macros.hpp>

#include "vector_cases.h"

namespace {

using namespace wavesmith::simulator::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// 33-bit a + b + c: value and carry.
LaneResult add_with(u64 a, u64 b, u64 c) {
  const u64 total = a + b + c;
  return {total & 0xffffffff, total > 0xffffffff};
}
LaneResult subtract_with(u64 a, u64 b, u64 borrow) {
  return {(a - b - borrow) & 0xffffffff, a < b + borrow};
}

void carry(const std::string& mnemonic, bool takes_carry, bool subtracts,
           const std::function<LaneResult(u64, u64, u64)>& f) {
  VectorCase c{
      .mnemonic = mnemonic, .result = ResultKind::dword_and_mask, .sources = {integers(), integers()}};
  if (takes_carry) c.sources.push_back(mask());
  c.reference = [&](const LaneInput& in) { return f(in.s[0], in.s[1], in.s[2]); };
  // Saturated, with the carry as without clamp.
  c.saturated = [&, subtracts](const LaneInput& in) {
    LaneResult r = f(in.s[0], in.s[1], in.s[2]);
    if (r.flag) r.value = subtracts ? 0 : 0xffffffff;
    return r;
  };
  c.integer_clamp = true;
  drive(c);
}

}  // namespace

TEST_CASE("vector carries: sums and differences with a carry mask") {
  const auto reversed = [](u64 a, u64 b, u64 c) { return subtract_with(b, a, c); };
  carry("v_add_co_u32", false, false, add_with);
  carry("v_sub_co_u32", false, true, subtract_with);
  carry("v_subrev_co_u32", false, true, reversed);
  carry("v_addc_co_u32", true, false, add_with);
  carry("v_subb_co_u32", true, true, subtract_with);
  carry("v_subbrev_co_u32", true, true, reversed);
}

TEST_CASE("vector carries: products of 32 bits on a 64-bit sum") {
  VectorCase c{.mnemonic = "v_mad_u64_u32",
               .result = ResultKind::qword_and_mask,
               .sources = {integers(), integers(), integers64()}};
  c.reference = [](const LaneInput& in) {
    const Wide total = Wide{in.s[0]} * in.s[1] + in.s[2];
    return LaneResult(static_cast<u64>(total), (total >> 64) != 0);
  };
  drive(c);
  c.mnemonic = "v_mad_i64_i32";
  c.reference = [](const LaneInput& in) {
    // Bit 64 of the sum of sign-extended operands.
    const auto extend = [](u64 v, unsigned bits) {
      const bool negative = (v >> (bits - 1) & 1) != 0;
      return negative ? Wide{v} - (Wide{1} << bits) : Wide{v};
    };
    const Wide total = extend(in.s[0], 32) * extend(in.s[1], 32) + extend(in.s[2], 64);
    return LaneResult(static_cast<u64>(total), (total >> 64 & 1) != 0);
  };
  drive(c);
}

TEST_CASE("vector carries: 64-bit shifts and sums") {
  const auto shift = [](const std::string& mnemonic, const std::function<u64(u64, u64)>& f) {
    drive({.mnemonic = mnemonic,
           .result = ResultKind::qword,
           .sources = {counts(), integers64()},
           .reference = [&](const LaneInput& in) { return LaneResult(f(in.s[0] % 64, in.s[1])); }});
  };
  shift("v_lshlrev_b64", [](u64 n, u64 a) { return static_cast<u64>(Wide{a} << n); });
  shift("v_lshrrev_b64", [](u64 n, u64 a) { return static_cast<u64>(Wide{a} >> n); });
  shift("v_ashrrev_i64", [](u64 n, u64 a) {
    const Wide extended = (a >> 63) != 0 ? Wide{a} | ~Wide{0} << 64 : Wide{a};
    return static_cast<u64>(extended >> n);
  });
  drive({.mnemonic = "v_lshl_add_u64",
         .result = ResultKind::qword,
         .sources = {integers64(), counts(), integers64()},
         .reference = [](const LaneInput& in) {
           return LaneResult(static_cast<u64>((Wide{in.s[0]} << in.s[1] % 8) + in.s[2]));
         }});
}
