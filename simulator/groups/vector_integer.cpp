// 32-bit integer VALU instructions: products, three-operand sums, bit fields, counts, minima and maxima.
// Source: the instruction descriptions of the CDNA3 and CDNA4 guides.
#include <algorithm>
#include <bit>
#include <limits>

#include "simulator/groups/groups.h"
#include "simulator/groups/lanes.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr i32 signed24(u32 a) {
  return static_cast<i32>(a << 8) >> 8;
}
constexpr u32 unsigned24(u32 a) {
  return a & 0xffffffu;
}

constexpr auto multiply = [](u32 a, u32 b) { return a * b; };
constexpr auto multiply_high = [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); };
constexpr auto multiply_high_signed = [](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); };
constexpr auto multiply24 = [](u32 a, u32 b) { return unsigned24(a) * unsigned24(b); };
constexpr auto multiply_high24 = [](u32 a, u32 b) {
  return static_cast<u32>(u64{unsigned24(a)} * unsigned24(b) >> 32);
};
constexpr auto multiply_signed24 = [](u32 a, u32 b) {
  return static_cast<u32>(signed24(a)) * static_cast<u32>(signed24(b));
};
constexpr auto multiply_high_signed24 = [](u32 a, u32 b) {
  return static_cast<u32>(i64{signed24(a)} * signed24(b) >> 32);
};

constexpr auto add3 = [](u32 a, u32 b, u32 c) { return a + b + c; };
constexpr auto shift_add = [](u32 a, u32 n, u32 c) { return (a << (n & 31)) + c; };
constexpr auto add_shift = [](u32 a, u32 b, u32 n) { return (a + b) << (n & 31); };
constexpr auto shift_or = [](u32 a, u32 n, u32 c) { return a << (n & 31) | c; };
constexpr auto and_or = [](u32 a, u32 b, u32 c) { return (a & b) | c; };
constexpr auto or3 = [](u32 a, u32 b, u32 c) { return a | b | c; };
constexpr auto xor_add = [](u32 a, u32 b, u32 c) { return (a ^ b) + c; };

constexpr auto shift_left_reversed = [](u32 n, u32 a) { return a << (n & 31); };
constexpr auto shift_right_reversed = [](u32 n, u32 a) { return a >> (n & 31); };
constexpr auto shift_right_signed_reversed = [](u32 n, i32 a) { return a >> (n & 31); };

constexpr auto bit_and = [](u32 a, u32 b) { return a & b; };
constexpr auto bit_or = [](u32 a, u32 b) { return a | b; };
constexpr auto bit_xor = [](u32 a, u32 b) { return a ^ b; };
constexpr auto bit_not = [](u32 a) { return ~a; };
constexpr auto bit_xnor = [](u32 a, u32 b) { return ~(a ^ b); };
constexpr auto bit_insert = [](u32 mask, u32 a, u32 b) { return (mask & a) | (~mask & b); };
constexpr auto bit_mask = [](u32 width, u32 offset) { return ((1u << (width & 31)) - 1) << (offset & 31); };
constexpr auto bit_extract = [](u32 a, u32 offset, u32 width) {
  return a >> (offset & 31) & ((1u << (width & 31)) - 1);
};
constexpr auto bit_extract_signed = [](i32 a, u32 offset, u32 width) {
  const u32 unused = 31 & (0u - width);  // 32 - width; a width of 0 gives 0 below
  const u32 shifted = static_cast<u32>(a >> (offset & 31));
  return (width & 31) == 0 ? 0 : static_cast<i32>(shifted << unused) >> unused;
};
constexpr auto align_bit = [](u32 high, u32 low, u32 n) {
  return static_cast<u32>((u64{high} << 32 | low) >> (n & 31));
};
constexpr auto align_byte = [](u32 high, u32 low, u32 n) {
  return static_cast<u32>((u64{high} << 32 | low) >> (8 * (n & 3)));
};

constexpr u32 reverse(u32 a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
  return a >> 16 | a << 16;
}
constexpr auto bit_reverse = [](u32 a) { return reverse(a); };
constexpr auto bit_count_add = [](u32 a, u32 b) { return static_cast<u32>(std::popcount(a)) + b; };
constexpr auto first_low = [](u32 a) { return a == 0 ? ~0u : static_cast<u32>(std::countr_zero(a)); };
constexpr auto first_high = [](u32 a) { return a == 0 ? ~0u : static_cast<u32>(std::countl_zero(a)); };
constexpr auto first_high_signed = [](u32 a) {
  const u32 differs = a ^ (0u - (a >> 31));  // leading ones become leading zeros
  return differs == 0 ? ~0u : static_cast<u32>(std::countl_zero(differs));
};

constexpr auto least = [](auto a, auto b) { return a < b ? a : b; };
constexpr auto greatest = [](auto a, auto b) { return a < b ? b : a; };
constexpr auto least3 = [](auto a, auto b, auto c) { return least(least(a, b), c); };
constexpr auto greatest3 = [](auto a, auto b, auto c) { return greatest(greatest(a, b), c); };
constexpr auto median3 = [](auto a, auto b, auto c) {
  return greatest(least(a, b), least(greatest(a, b), c));
};

/// F computes without overflow in 64 bits; the result wraps to D, or saturates under clamp.
template <class D, class A, class B, auto F>
struct Saturating2 {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    SourceBuffers<B> bb;
    const Source<A> a = source<A>(wave, i, 1, ba);
    const Source<B> b = source<B>(wave, i, 2, bb);
    Result<D> d(wave, i);
    if (!i.modifiers.clamp) {
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, static_cast<D>(F(i64{a[lane]}, i64{b[lane]})));
    } else {
      using Limits = std::numeric_limits<D>;
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const i64 value = F(i64{a[lane]}, i64{b[lane]});
        d.set(lane, static_cast<D>(std::clamp<i64>(value, Limits::min(), Limits::max())));
      }
    }
    d.finish();
  }
};
template <class D, class A, class B, class C, auto F>
struct Saturating3 {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    SourceBuffers<B> bb;
    SourceBuffers<C> bc;
    const Source<A> a = source<A>(wave, i, 1, ba);
    const Source<B> b = source<B>(wave, i, 2, bb);
    const Source<C> c = source<C>(wave, i, 3, bc);
    Result<D> d(wave, i);
    using Limits = std::numeric_limits<D>;
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const i64 value = F(a[lane], b[lane], c[lane]);
      d.set(lane,
            static_cast<D>(i.modifiers.clamp ? std::clamp<i64>(value, Limits::min(), Limits::max()) : value));
    }
    d.finish();
  }
};

constexpr auto add = [](i64 a, i64 b) { return a + b; };
constexpr auto subtract = [](i64 a, i64 b) { return a - b; };
constexpr auto subtract_reversed = [](i64 a, i64 b) { return b - a; };
constexpr auto multiply_add24 = [](u32 a, u32 b, u32 c) {
  return static_cast<i64>(u64{unsigned24(a)} * unsigned24(b) + c);
};
constexpr auto multiply_add_signed24 = [](u32 a, u32 b, i32 c) { return i64{signed24(a)} * signed24(b) + c; };

/// The number of set bits of source 0 below the lane's own position, plus source 1.
template <bool High>
struct CountBelow {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<u32> ba, bb;
    const Source<u32> a = source<u32>(wave, i, 1, ba), b = source<u32>(wave, i, 2, bb);
    Result<u32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u64 below = (u64{1} << lane) - 1;
      const u32 mask = static_cast<u32>(High ? below >> 32 : below);
      d.set(lane, bit_count_add(a[lane] & mask, b[lane]));
    }
    d.finish();
  }
};

/// Any function of three bits: bit s0*4 + s1*2 + s2 of the truth table.
struct TruthTable {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<u32> ba, bb, bc;
    const Source<u32> a = source<u32>(wave, i, 1, ba), b = source<u32>(wave, i, 2, bb),
                      c = source<u32>(wave, i, 3, bc);
    Result<u32> d(wave, i);
    u32 term[8];
    for (u32 t = 0; t < 8; ++t) term[t] = 0u - (i.modifiers.bitop3 >> t & 1u);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u32 x = a[lane], y = b[lane], z = c[lane];
      const u32 low = (~z & term[0]) | (z & term[1]), second = (~z & term[2]) | (z & term[3]);
      const u32 third = (~z & term[4]) | (z & term[5]), high = (~z & term[6]) | (z & term[7]);
      d.set(lane, (~x & ((~y & low) | (y & second))) | (x & ((~y & third) | (y & high))));
    }
    d.finish();
  }
};

constexpr Row unary(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "b32 = b32", handlers, Unit::valu, kIntegerModifiers, 0, kCdna};
}
constexpr Row binary(std::string_view mnemonic, Handlers handlers, AcceptSet accepted = kIntegerModifiers) {
  return {mnemonic, kVop12, "b32 = b32 b32", handlers, Unit::valu, accepted, 0, kCdna};
}
constexpr Row plain2(std::string_view mnemonic, Handlers handlers, AcceptSet accepted = kNoModifiers) {
  return {mnemonic, kVop3, "b32 = b32 b32", handlers, Unit::valu, accepted, 0, kCdna};
}
constexpr Row plain3(std::string_view mnemonic, Handlers handlers, AcceptSet accepted = kNoModifiers) {
  return {mnemonic, kVop3, "b32 = b32 b32 b32", handlers, Unit::valu, accepted, 0, kCdna};
}
constexpr AcceptSet kClamp = accepts(Accepts::clamp);

constexpr Row kRows[] = {
    binary("v_add_u32", both<Saturating2<u32, u32, u32, add>>, kClampedInteger),
    binary("v_sub_u32", both<Saturating2<u32, u32, u32, subtract>>, kClampedInteger),
    binary("v_subrev_u32", both<Saturating2<u32, u32, u32, subtract_reversed>>, kClampedInteger),
    binary("v_and_b32", lanes2<u32, u32, u32, bit_and>),
    binary("v_or_b32", lanes2<u32, u32, u32, bit_or>),
    binary("v_xor_b32", lanes2<u32, u32, u32, bit_xor>),
    binary("v_lshlrev_b32", lanes2<u32, u32, u32, shift_left_reversed>),
    binary("v_lshrrev_b32", lanes2<u32, u32, u32, shift_right_reversed>),
    binary("v_ashrrev_i32", lanes2<i32, u32, i32, shift_right_signed_reversed>),
    plain2("v_mul_lo_u32", lanes2<u32, u32, u32, multiply>),
    plain2("v_mul_hi_u32", lanes2<u32, u32, u32, multiply_high>),
    plain2("v_mul_hi_i32", lanes2<i32, i32, i32, multiply_high_signed>),
    binary("v_mul_u32_u24", lanes2<u32, u32, u32, multiply24>),
    binary("v_mul_hi_u32_u24", lanes2<u32, u32, u32, multiply_high24>),
    binary("v_mul_i32_i24", lanes2<u32, u32, u32, multiply_signed24>),
    binary("v_mul_hi_i32_i24", lanes2<u32, u32, u32, multiply_high_signed24>),
    plain3("v_mad_u32_u24", both<Saturating3<u32, u32, u32, u32, multiply_add24>>, kClamp),
    plain3("v_mad_i32_i24", both<Saturating3<i32, u32, u32, i32, multiply_add_signed24>>, kClamp),
    plain2("v_add_i32", both<Saturating2<i32, i32, i32, add>>, kClamp),
    plain2("v_sub_i32", both<Saturating2<i32, i32, i32, subtract>>, kClamp),
    plain3("v_add3_u32", lanes3<u32, u32, u32, u32, add3>),
    plain3("v_lshl_add_u32", lanes3<u32, u32, u32, u32, shift_add>),
    plain3("v_add_lshl_u32", lanes3<u32, u32, u32, u32, add_shift>),
    plain3("v_lshl_or_b32", lanes3<u32, u32, u32, u32, shift_or>),
    plain3("v_and_or_b32", lanes3<u32, u32, u32, u32, and_or>),
    plain3("v_or3_b32", lanes3<u32, u32, u32, u32, or3>),
    plain3("v_xad_u32", lanes3<u32, u32, u32, u32, xor_add>),
    unary("v_not_b32", lanes1<u32, u32, bit_not>),
    binary("v_xnor_b32", lanes2<u32, u32, u32, bit_xnor>),
    plain3("v_bfi_b32", lanes3<u32, u32, u32, u32, bit_insert>),
    plain2("v_bfm_b32", lanes2<u32, u32, u32, bit_mask>),
    plain3("v_bfe_u32", lanes3<u32, u32, u32, u32, bit_extract>),
    plain3("v_bfe_i32", lanes3<i32, i32, u32, u32, bit_extract_signed>),
    plain3("v_alignbit_b32", lanes3<u32, u32, u32, u32, align_bit>),
    plain3("v_alignbyte_b32", lanes3<u32, u32, u32, u32, align_byte>),
    {"v_bitop3_b32", kVop3, "b32 = b32 b32 b32", both<TruthTable>, Unit::valu, accepts(Accepts::bitop3), 0,
     kGfx950Only},
    unary("v_bfrev_b32", lanes1<u32, u32, bit_reverse>),
    plain2("v_bcnt_u32_b32", lanes2<u32, u32, u32, bit_count_add>),
    plain2("v_mbcnt_lo_u32_b32", both<CountBelow<false>>),
    plain2("v_mbcnt_hi_u32_b32", both<CountBelow<true>>),
    unary("v_ffbl_b32", lanes1<u32, u32, first_low>),
    unary("v_ffbh_u32", lanes1<u32, u32, first_high>),
    unary("v_ffbh_i32", lanes1<u32, u32, first_high_signed>),
    binary("v_min_i32", lanes2<i32, i32, i32, least>),
    binary("v_max_i32", lanes2<i32, i32, i32, greatest>),
    binary("v_min_u32", lanes2<u32, u32, u32, least>),
    binary("v_max_u32", lanes2<u32, u32, u32, greatest>),
    plain3("v_min3_i32", lanes3<i32, i32, i32, i32, least3>),
    plain3("v_max3_i32", lanes3<i32, i32, i32, i32, greatest3>),
    plain3("v_med3_i32", lanes3<i32, i32, i32, i32, median3>),
    plain3("v_min3_u32", lanes3<u32, u32, u32, u32, least3>),
    plain3("v_max3_u32", lanes3<u32, u32, u32, u32, greatest3>),
    plain3("v_med3_u32", lanes3<u32, u32, u32, u32, median3>),
};

}  // namespace

std::span<const Row> vector_integer() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
