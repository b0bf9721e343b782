// VALU moves, simple integer arithmetic and f32 sums and products: the instructions every kernel has, and the
// pattern for the other VALU groups. Source: the instruction descriptions of AMD's ISA guides.
#include <bit>
#include <cmath>

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr auto copy = [](auto a) { return a; };
constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto subtract_reversed = [](auto a, auto b) { return b - a; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };
constexpr auto fused = [](f32 a, f32 b, f32 c) { return std::fma(a, b, c); };
constexpr auto bit_and = [](u32 a, u32 b) { return a & b; };
constexpr auto bit_or = [](u32 a, u32 b) { return a | b; };
constexpr auto bit_xor = [](u32 a, u32 b) { return a ^ b; };
constexpr auto shift_left_reversed = [](u32 n, u32 a) { return a << (n & 31); };
constexpr auto shift_right_reversed = [](u32 n, u32 a) { return a >> (n & 31); };
constexpr auto shift_right_signed_reversed = [](u32 n, i32 a) { return a >> (n & 31); };
// The count of a 64-bit shift-and-add has three bits.
constexpr auto shift_add64 = [](u64 a, u32 n, u64 c) { return (a << (n & 7)) + c; };
constexpr auto greater = [](auto a, auto b) { return a > b; };
constexpr auto less = [](auto a, auto b) { return a < b; };

/// The value of the lowest active lane, or of lane 0 when none is active.
void read_first_lane(Wave& wave, const Instruction& i) {
  const u64 exec = wave.exec();
  const u32 lane = exec == 0 ? 0 : static_cast<u32>(std::countr_zero(exec));
  LaneBuffer buffer;
  wave.write32(i.operands[0], source32(wave, i, 1, buffer)[lane]);
}

constexpr FormSet kPlain = static_cast<FormSet>(Form::plain);
constexpr FormSet kGfx9Forms = kE32E64 | Form::dpp | Form::sdwa;
constexpr AcceptSet kInteger = accepts(Accepts::sext);

constexpr Row integer2(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kGfx9Forms, "b32 = b32 b32", handlers, Unit::valu, kInteger};
}
constexpr Row single2(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kGfx9Forms, "f32 = f32 f32", handlers, Unit::valu, kFloatModifiers};
}

constexpr Row kRows[] = {
    {"v_mov_b32", kGfx9Forms, "b32 = b32", lanes1<u32, u32, copy>, Unit::valu, kInteger},
    {"v_readfirstlane_b32", kPlain, "b32 = b32", same(read_first_lane), Unit::valu},
    integer2("v_add_u32", lanes2<u32, u32, u32, add>),
    integer2("v_sub_u32", lanes2<u32, u32, u32, subtract>),
    integer2("v_subrev_u32", lanes2<u32, u32, u32, subtract_reversed>),
    integer2("v_and_b32", lanes2<u32, u32, u32, bit_and>),
    integer2("v_or_b32", lanes2<u32, u32, u32, bit_or>),
    integer2("v_xor_b32", lanes2<u32, u32, u32, bit_xor>),
    integer2("v_lshlrev_b32", lanes2<u32, u32, u32, shift_left_reversed>),
    integer2("v_lshrrev_b32", lanes2<u32, u32, u32, shift_right_reversed>),
    integer2("v_ashrrev_i32", lanes2<i32, u32, i32, shift_right_signed_reversed>),
    {"v_lshl_add_u64", kPlain, "u64 = u64 b32 u64", lanes3<u64, u64, u32, u64, shift_add64>, Unit::valu},
    single2("v_add_f32", float2<add>),
    single2("v_sub_f32", float2<subtract>),
    single2("v_subrev_f32", float2<subtract_reversed>),
    single2("v_mul_f32", float2<multiply>),
    {"v_fma_f32", kPlain, "f32 = f32 f32 f32", float3<fused>, Unit::valu, kFloatModifiers},
    {"v_add_f64", kPlain, "f64 = f64 f64", double2<add>, Unit::valu, kFloatModifiers},
    {"v_add_f16", kGfx9Forms, "f16 = f16 f16", half2<add>, Unit::valu, kFloatModifiers},
    {"v_mul_f16", kGfx9Forms, "f16 = f16 f16", half2<multiply>, Unit::valu, kFloatModifiers},
    {"v_cmp_gt_i32", kGfx9Forms, "mask = b32 b32", lane_compare<i32, i32, greater>, Unit::valu, kInteger},
    {"v_cmp_gt_u32", kGfx9Forms, "mask = b32 b32", lane_compare<u32, u32, greater>, Unit::valu, kInteger},
    {"v_cmp_lt_f32", kGfx9Forms, "mask = f32 f32", float_compare<less>, Unit::valu, kFloatInputModifiers},
};

}  // namespace

std::span<const Row> vector_basic() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
