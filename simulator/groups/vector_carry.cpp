// VALU integers beyond 32 bits: sums with a carry mask, 32 x 32 + 64 bit products, 64-bit shifts. A carry
// mask is written for every lane, 0 for inactive ones. Source: the instruction descriptions of the CDNA3 and
// CDNA4 guides.
#include "simulator/groups/groups.h"
#include "simulator/groups/lanes.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

/// F(a, b, carry in) returns the sum in 64 bits: its low half is the result, a bit above it the carry or
/// borrow.
template <auto F, bool CarryIn, u32 Saturated>
struct CarryBody {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<u32> ba, bb;
    const Source<u32> a = source<u32>(wave, i, 2, ba), b = source<u32>(wave, i, 3, bb);
    const u64 carries = CarryIn ? wave.mask(i.operands[4]) : 0;
    alignas(64) std::array<std::uint8_t, kLanes> carry_out;
    Result<u32> d(wave, i);
    for (u32 half = 0; half < 2; ++half) {
      const u32 bits = static_cast<u32>(carries >> (32 * half));
      WAVESMITH_LANES
      for (u32 lane = 0; lane < 32; ++lane) {
        const u32 at = 32 * half + lane;
        const u64 sum = F(a[at], b[at], (bits & kLaneBit[lane]) != 0 ? 1u : 0u);
        const bool carry = sum >> 32 != 0;
        carry_out[at] = carry ? 1 : 0;
        d.set(at, carry && i.modifiers.clamp ? Saturated : static_cast<u32>(sum));
      }
    }
    wave.set_mask(i.operands[1], pack_mask(carry_out) & d.mask());
    d.finish();
  }
};

constexpr auto add = [](u32 a, u32 b, u32 carry) { return u64{a} + b + carry; };
constexpr auto subtract = [](u32 a, u32 b, u32 borrow) { return u64{a} - b - borrow; };
constexpr auto subtract_reversed = [](u32 a, u32 b, u32 borrow) { return u64{b} - a - borrow; };

/// {carry, D.64} = S0 * S1 + S2.64.
template <bool Signed>
struct MultiplyAdd64 {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<u32> ba, bb;
    SourceBuffers<u64> bc;
    const Source<u32> a = source<u32>(wave, i, 2, ba), b = source<u32>(wave, i, 3, bb);
    const Source<u64> c = source<u64>(wave, i, 4, bc);
    alignas(64) std::array<std::uint8_t, kLanes> carry_out;
    Result<u64> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u64 product = Signed
                              ? static_cast<u64>(i64{static_cast<i32>(a[lane])} * static_cast<i32>(b[lane]))
                              : u64{a[lane]} * b[lane];
      const u64 addend = c[lane], sum = product + addend;
      // Bit 64 of the sum of the extended operands.
      const u64 carry = sum < product ? 1 : 0;
      carry_out[lane] =
          static_cast<std::uint8_t>(Signed ? (carry ^ (product >> 63) ^ (addend >> 63)) & 1 : carry);
      d.set(lane, sum);
    }
    wave.set_mask(i.operands[1], pack_mask(carry_out) & d.mask());
    d.finish();
  }
};

constexpr auto shift_left = [](u32 n, u64 a) { return a << (n & 63); };
constexpr auto shift_right = [](u32 n, u64 a) { return a >> (n & 63); };
constexpr auto shift_right_signed = [](u32 n, i64 a) { return a >> (n & 63); };

// The count of a 64-bit shift-and-add has three bits.
constexpr auto shift_add = [](u64 a, u32 n, u64 c) { return (a << (n & 7)) + c; };

constexpr Row sum(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "b32 mask = b32 b32", handlers, Unit::valu, kClampedInteger, 0, kCdna};
}
constexpr Row sum_with_carry(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "b32 mask = b32 b32 mask", handlers, Unit::valu, kClampedInteger, 0, kCdna};
}
constexpr Row multiply_add(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop3, "u64 mask = b32 b32 u64", handlers, Unit::valu, kNoModifiers, 0, kCdna};
}

constexpr Row kRows[] = {
    sum("v_add_co_u32", both<CarryBody<add, false, ~0u>>),
    sum("v_sub_co_u32", both<CarryBody<subtract, false, 0>>),
    sum("v_subrev_co_u32", both<CarryBody<subtract_reversed, false, 0>>),
    sum_with_carry("v_addc_co_u32", both<CarryBody<add, true, ~0u>>),
    sum_with_carry("v_subb_co_u32", both<CarryBody<subtract, true, 0>>),
    sum_with_carry("v_subbrev_co_u32", both<CarryBody<subtract_reversed, true, 0>>),
    multiply_add("v_mad_u64_u32", both<MultiplyAdd64<false>>),
    multiply_add("v_mad_i64_i32", both<MultiplyAdd64<true>>),
    {"v_lshl_add_u64", kVop3, "u64 = u64 b32 u64", lanes3<u64, u64, u32, u64, shift_add>, Unit::valu,
     kNoModifiers, 0, kCdna},
    {"v_lshlrev_b64", kVop3, "u64 = b32 u64", lanes2<u64, u32, u64, shift_left>, Unit::valu, kNoModifiers, 0,
     kCdna},
    {"v_lshrrev_b64", kVop3, "u64 = b32 u64", lanes2<u64, u32, u64, shift_right>, Unit::valu, kNoModifiers, 0,
     kCdna},
    {"v_ashrrev_i64", kVop3, "i64 = b32 i64", lanes2<i64, u32, i64, shift_right_signed>, Unit::valu,
     kNoModifiers, 0, kCdna},
};

}  // namespace

std::span<const Row> vector_carry() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
