// SALU arithmetic, comparisons, selects and moves. Source: the instruction descriptions of AMD's ISA guides.
#include "simulator/groups/groups.h"
#include "simulator/groups/scalar.h"

namespace wavesmith::simulator::groups {
namespace {

template <class T>
using Flagged = std::pair<T, bool>;

constexpr auto add_u32 = [](u32 a, u32 b, bool) { return Flagged<u32>{a + b, a + b < a}; };
constexpr auto sub_u32 = [](u32 a, u32 b, bool) { return Flagged<u32>{a - b, b > a}; };
constexpr auto addc_u32 = [](u32 a, u32 b, bool carry) {
  const u64 sum = u64{a} + b + (carry ? 1 : 0);
  return Flagged<u32>{static_cast<u32>(sum), sum >> 32 != 0};
};
constexpr auto subb_u32 = [](u32 a, u32 b, bool borrow) {
  const u64 take = u64{b} + (borrow ? 1 : 0);
  return Flagged<u32>{static_cast<u32>(a - take), take > a};
};
// SCC is signed overflow: the operands' signs say what the result's must be.
constexpr auto add_i32 = [](u32 a, u32 b, bool) {
  const u32 sum = a + b;
  return Flagged<u32>{sum, (~(a ^ b) & (a ^ sum)) >> 31 != 0};
};
constexpr auto sub_i32 = [](u32 a, u32 b, bool) {
  const u32 difference = a - b;
  return Flagged<u32>{difference, ((a ^ b) & (a ^ difference)) >> 31 != 0};
};
// SCC says that the first operand was chosen.
template <class T>
constexpr auto minimum = [](T a, T b, bool) { return Flagged<T>{a < b ? a : b, a < b}; };
template <class T>
constexpr auto maximum = [](T a, T b, bool) { return Flagged<T>{a > b ? a : b, a > b}; };

template <unsigned Shift>
constexpr auto shift_add = [](u32 a, u32 b, bool) {
  const u64 sum = (u64{a} << Shift) + b;
  return Flagged<u32>{static_cast<u32>(sum), sum >> 32 != 0};
};

constexpr auto select32 = [](u32 a, u32 b, bool scc) { return Flagged<u32>{scc ? a : b, scc}; };
constexpr auto select64 = [](u64 a, u64 b, bool scc) { return Flagged<u64>{scc ? a : b, scc}; };

constexpr auto absolute = [](u32 a) { return a >> 31 != 0 ? 0u - a : a; };
constexpr auto absolute_difference = [](i32 a, i32 b) {
  const u32 difference = static_cast<u32>(a) - static_cast<u32>(b);
  return difference >> 31 != 0 ? 0u - difference : difference;
};
constexpr auto multiply = [](u32 a, u32 b) { return a * b; };
constexpr auto multiply_high_u = [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); };
constexpr auto multiply_high_i = [](i32 a, i32 b) {
  return static_cast<u32>(static_cast<u64>(i64{a} * b) >> 32);
};
constexpr auto copy = [](auto a) { return a; };

template <class T>
void move_if_scc(Wave& wave, const Instruction& i) {
  if (wave.scc) write_scalar(wave, i.operands[0], read_scalar<T>(wave, i.operands[1]));
}

void movk(Wave& wave, const Instruction& i) {
  wave.write32(i.operands[0], static_cast<u32>(signed_immediate(i)));
}

void cmovk(Wave& wave, const Instruction& i) {
  if (wave.scc) movk(wave, i);
}

void addk(Wave& wave, const Instruction& i) {
  const auto [sum, overflow] =
      add_i32(wave.read32(i.operands[0]), static_cast<u32>(signed_immediate(i)), false);
  wave.write32(i.operands[0], sum);
  wave.scc = overflow;
}

void mulk(Wave& wave, const Instruction& i) {
  wave.write32(i.operands[0], wave.read32(i.operands[0]) * static_cast<u32>(signed_immediate(i)));
}

constexpr auto equal = [](auto a, auto b) { return a == b; };
constexpr auto unequal = [](auto a, auto b) { return a != b; };
constexpr auto greater = [](auto a, auto b) { return a > b; };
constexpr auto greater_equal = [](auto a, auto b) { return a >= b; };
constexpr auto less = [](auto a, auto b) { return a < b; };
constexpr auto less_equal = [](auto a, auto b) { return a <= b; };

constexpr FormSet kPlain = static_cast<FormSet>(Form::plain);
constexpr std::string_view kTwo = "b32 = b32 b32";
constexpr TraitSet kReadsDestination = traits(Trait::reads_destination);

constexpr Row arithmetic(std::string_view mnemonic, std::string_view operands, Handler handler) {
  return {mnemonic, kPlain, operands, same(handler), Unit::salu};
}

constexpr Row kRows[] = {
    arithmetic("s_add_u32", kTwo, scalar2_flag<u32, add_u32>),
    arithmetic("s_sub_u32", kTwo, scalar2_flag<u32, sub_u32>),
    arithmetic("s_addc_u32", kTwo, scalar2_flag<u32, addc_u32>),
    arithmetic("s_subb_u32", kTwo, scalar2_flag<u32, subb_u32>),
    arithmetic("s_add_i32", kTwo, scalar2_flag<u32, add_i32>),
    arithmetic("s_sub_i32", kTwo, scalar2_flag<u32, sub_i32>),
    arithmetic("s_min_i32", kTwo, scalar2_flag<i32, minimum<i32>>),
    arithmetic("s_min_u32", kTwo, scalar2_flag<u32, minimum<u32>>),
    arithmetic("s_max_i32", kTwo, scalar2_flag<i32, maximum<i32>>),
    arithmetic("s_max_u32", kTwo, scalar2_flag<u32, maximum<u32>>),
    arithmetic("s_lshl1_add_u32", kTwo, scalar2_flag<u32, shift_add<1>>),
    arithmetic("s_lshl2_add_u32", kTwo, scalar2_flag<u32, shift_add<2>>),
    arithmetic("s_lshl3_add_u32", kTwo, scalar2_flag<u32, shift_add<3>>),
    arithmetic("s_lshl4_add_u32", kTwo, scalar2_flag<u32, shift_add<4>>),
    arithmetic("s_cselect_b32", kTwo, scalar2_flag<u32, select32>),
    arithmetic("s_cselect_b64", "b64 = b64 b64", scalar2_flag<u64, select64>),
    arithmetic("s_abs_i32", "b32 = b32", scalar1<u32, u32, Scc::nonzero, absolute>),
    arithmetic("s_absdiff_i32", kTwo, scalar2<u32, i32, i32, Scc::nonzero, absolute_difference>),
    arithmetic("s_mul_i32", kTwo, scalar2<u32, u32, u32, Scc::keep, multiply>),
    arithmetic("s_mul_hi_u32", kTwo, scalar2<u32, u32, u32, Scc::keep, multiply_high_u>),
    arithmetic("s_mul_hi_i32", kTwo, scalar2<u32, i32, i32, Scc::keep, multiply_high_i>),
    arithmetic("s_mov_b32", "b32 = b32", scalar1<u32, u32, Scc::keep, copy>),
    arithmetic("s_mov_b64", "b64 = b64", scalar1<u64, u64, Scc::keep, copy>),
    arithmetic("s_cmov_b32", "b32 = b32", move_if_scc<u32>),
    arithmetic("s_cmov_b64", "b64 = b64", move_if_scc<u64>),
    arithmetic("s_movk_i32", "b32 = skip", movk),
    arithmetic("s_cmovk_i32", "b32 = skip", cmovk),
    {"s_addk_i32", kPlain, "b32 = skip", same(addk), Unit::salu, kNoModifiers, kReadsDestination},
    {"s_mulk_i32", kPlain, "b32 = skip", same(mulk), Unit::salu, kNoModifiers, kReadsDestination},

    arithmetic("s_cmp_eq_i32", "= b32 b32", scalar_compare<i32, i32, equal>),
    arithmetic("s_cmp_lg_i32", "= b32 b32", scalar_compare<i32, i32, unequal>),
    arithmetic("s_cmp_gt_i32", "= b32 b32", scalar_compare<i32, i32, greater>),
    arithmetic("s_cmp_ge_i32", "= b32 b32", scalar_compare<i32, i32, greater_equal>),
    arithmetic("s_cmp_lt_i32", "= b32 b32", scalar_compare<i32, i32, less>),
    arithmetic("s_cmp_le_i32", "= b32 b32", scalar_compare<i32, i32, less_equal>),
    arithmetic("s_cmp_eq_u32", "= b32 b32", scalar_compare<u32, u32, equal>),
    arithmetic("s_cmp_lg_u32", "= b32 b32", scalar_compare<u32, u32, unequal>),
    arithmetic("s_cmp_gt_u32", "= b32 b32", scalar_compare<u32, u32, greater>),
    arithmetic("s_cmp_ge_u32", "= b32 b32", scalar_compare<u32, u32, greater_equal>),
    arithmetic("s_cmp_lt_u32", "= b32 b32", scalar_compare<u32, u32, less>),
    arithmetic("s_cmp_le_u32", "= b32 b32", scalar_compare<u32, u32, less_equal>),
    arithmetic("s_cmp_eq_u64", "= b64 b64", scalar_compare<u64, u64, equal>),
    arithmetic("s_cmp_lg_u64", "= b64 b64", scalar_compare<u64, u64, unequal>),

    arithmetic("s_cmpk_eq_i32", "= b32 skip", scalar_compare_immediate<i32, equal>),
    arithmetic("s_cmpk_lg_i32", "= b32 skip", scalar_compare_immediate<i32, unequal>),
    arithmetic("s_cmpk_gt_i32", "= b32 skip", scalar_compare_immediate<i32, greater>),
    arithmetic("s_cmpk_ge_i32", "= b32 skip", scalar_compare_immediate<i32, greater_equal>),
    arithmetic("s_cmpk_lt_i32", "= b32 skip", scalar_compare_immediate<i32, less>),
    arithmetic("s_cmpk_le_i32", "= b32 skip", scalar_compare_immediate<i32, less_equal>),
    arithmetic("s_cmpk_eq_u32", "= b32 skip", scalar_compare_immediate<u32, equal>),
    arithmetic("s_cmpk_lg_u32", "= b32 skip", scalar_compare_immediate<u32, unequal>),
    arithmetic("s_cmpk_gt_u32", "= b32 skip", scalar_compare_immediate<u32, greater>),
    arithmetic("s_cmpk_ge_u32", "= b32 skip", scalar_compare_immediate<u32, greater_equal>),
    arithmetic("s_cmpk_lt_u32", "= b32 skip", scalar_compare_immediate<u32, less>),
    arithmetic("s_cmpk_le_u32", "= b32 skip", scalar_compare_immediate<u32, less_equal>),
};

}  // namespace

std::span<const Row> scalar_arithmetic() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
