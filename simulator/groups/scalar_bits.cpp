// SALU logic, shifts, bit fields and counts, and the instructions that combine a value with EXEC.
// Source: the instruction descriptions of AMD's ISA guides.
#include <bit>

#include "simulator/groups/groups.h"
#include "simulator/groups/scalar.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr auto bit_and = [](auto a, auto b) { return a & b; };
constexpr auto bit_or = [](auto a, auto b) { return a | b; };
constexpr auto bit_xor = [](auto a, auto b) { return a ^ b; };
constexpr auto and_not = [](auto a, auto b) { return a & ~b; };
constexpr auto or_not = [](auto a, auto b) { return a | ~b; };
constexpr auto not_and = [](auto a, auto b) { return ~(a & b); };
constexpr auto not_or = [](auto a, auto b) { return ~(a | b); };
constexpr auto not_xor = [](auto a, auto b) { return ~(a ^ b); };
constexpr auto not_first_and = [](auto a, auto b) { return ~a & b; };
constexpr auto not_first_or = [](auto a, auto b) { return ~a | b; };
constexpr auto invert = [](auto a) { return ~a; };

// Counts use as many low bits as the width needs.
constexpr auto shift_left32 = [](u32 a, u32 n) { return a << (n & 31); };
constexpr auto shift_left64 = [](u64 a, u32 n) { return a << (n & 63); };
constexpr auto shift_right32 = [](u32 a, u32 n) { return a >> (n & 31); };
constexpr auto shift_right64 = [](u64 a, u32 n) { return a >> (n & 63); };
constexpr auto shift_right_signed32 = [](i32 a, u32 n) { return a >> (n & 31); };
constexpr auto shift_right_signed64 = [](i64 a, u32 n) { return a >> (n & 63); };

// Field: offset in the low bits, width in [22:16]; it ends at the top of the value.
template <class T>
constexpr T extract(T value, u32 field) {
  constexpr u32 bits = sizeof(T) * 8;
  const u32 offset = field & (bits - 1);
  const u32 width = (field >> 16) & 0x7f;
  if (width == 0) return 0;
  const u32 kept = width < bits - offset ? width : bits - offset;
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(value) << (bits - offset - kept)) >> (bits - kept);
}
constexpr auto field32 = [](u32 a, u32 f) { return extract<u32>(a, f); };
constexpr auto field64 = [](u64 a, u32 f) { return extract<u64>(a, f); };
constexpr auto field_signed32 = [](i32 a, u32 f) { return extract<i32>(a, f); };
constexpr auto field_signed64 = [](i64 a, u32 f) { return extract<i64>(a, f); };
constexpr auto field_mask32 = [](u32 width, u32 offset) {
  return ((1u << (width & 31)) - 1) << (offset & 31);
};
constexpr auto field_mask64 = [](u32 width, u32 offset) {
  return ((u64{1} << (width & 63)) - 1) << (offset & 63);
};

template <class T>
constexpr T reverse(T value) {
  T result = 0;
  for (unsigned bit = 0; bit < sizeof(T) * 8; ++bit) {
    result = static_cast<T>(result << 1 | (value & 1));
    value = static_cast<T>(value >> 1);
  }
  return result;
}
constexpr auto reverse_bits = [](auto a) { return reverse(a); };
constexpr auto count_ones = [](auto a) { return static_cast<u32>(std::popcount(a)); };
constexpr auto count_zeros = [](auto a) {
  return static_cast<u32>(std::popcount(static_cast<decltype(a)>(~a)));
};
constexpr auto first_one = [](auto a) { return a == 0 ? ~0u : static_cast<u32>(std::countr_zero(a)); };
constexpr auto first_zero = [](auto a) {
  return static_cast<decltype(a)>(~a) == 0 ? ~0u : static_cast<u32>(std::countr_one(a));
};
constexpr auto first_bit_high = [](auto a) { return a == 0 ? ~0u : static_cast<u32>(std::countl_zero(a)); };
// Position, from the top, of the first bit that differs from the sign; -1 when all are alike.
constexpr auto first_bit_signed = [](auto a) {
  using U = std::make_unsigned_t<decltype(a)>;
  const auto folded = static_cast<U>(a < 0 ? ~a : a);
  return folded == 0 ? ~0u : static_cast<u32>(std::countl_zero(folded));
};

// Groups of four lanes, for whole-quad mode: any lane of a quad sets all of it, or one bit.
template <class T>
constexpr T whole_quads(T value) {
  constexpr T lowest = static_cast<T>(0x1111111111111111ull);
  const T any = static_cast<T>((value | value >> 1 | value >> 2 | value >> 3) & lowest);
  return static_cast<T>(any * 15);
}
template <class T>
constexpr T quad_mask(T value) {
  T result = 0;
  for (unsigned quad = 0; quad < sizeof(T) * 2; ++quad) {
    if ((value >> (4 * quad) & 15) != 0) result |= static_cast<T>(T{1} << quad);
  }
  return result;
}
constexpr auto wqm = [](auto a) { return whole_quads(a); };
constexpr auto quadmask = [](auto a) { return quad_mask(a); };

constexpr auto sign_extend8 = [](u32 a) { return static_cast<i32>(static_cast<std::int8_t>(a)); };
constexpr auto sign_extend16 = [](u32 a) { return static_cast<i32>(static_cast<std::int16_t>(a)); };
constexpr auto pack_ll = [](u32 a, u32 b) { return (a & 0xffff) | b << 16; };
constexpr auto pack_lh = [](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); };
constexpr auto pack_hh = [](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); };
constexpr auto replicate = [](u32 a) {
  u64 result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) result |= u64{(a >> bit & 1) * 3} << (2 * bit);
  return result;
};

constexpr auto bit_is_0_32 = [](u32 a, u32 n) { return (a >> (n & 31) & 1) == 0; };
constexpr auto bit_is_1_32 = [](u32 a, u32 n) { return (a >> (n & 31) & 1) != 0; };
constexpr auto bit_is_0_64 = [](u64 a, u32 n) { return (a >> (n & 63) & 1) == 0; };
constexpr auto bit_is_1_64 = [](u64 a, u32 n) { return (a >> (n & 63) & 1) != 0; };

template <class T, bool Value>
void set_bit(Wave& wave, const Instruction& i) {
  const T bit = static_cast<T>(T{1} << (wave.read32(i.operands[1]) & (sizeof(T) * 8 - 1)));
  const T old = read_scalar<T>(wave, i.operands[0]);
  write_scalar(wave, i.operands[0], static_cast<T>(Value ? old | bit : old & ~bit));
}

/// D = old EXEC, EXEC = F(S0, EXEC), SCC = EXEC != 0. The 32-bit forms are those of wave32.
template <class T, auto F>
void save_exec(Wave& wave, const Instruction& i) {
  const T source = read_scalar<T>(wave, i.operands[1]);
  const Operand exec{.kind = OperandKind::scalar, .reg = kExec};
  const T old = read_scalar<T>(wave, exec);
  const T result = static_cast<T>(F(source, old));
  write_scalar(wave, i.operands[0], old);
  write_scalar(wave, exec, result);
  wave.scc = result != 0;
}

/// EXEC = F(S0, EXEC), D = EXEC, SCC = EXEC != 0.
template <class T, auto F>
void write_exec(Wave& wave, const Instruction& i) {
  const T source = read_scalar<T>(wave, i.operands[1]);
  const Operand exec{.kind = OperandKind::scalar, .reg = kExec};
  const T result = static_cast<T>(F(source, read_scalar<T>(wave, exec)));
  write_scalar(wave, exec, result);
  write_scalar(wave, i.operands[0], result);
  wave.scc = result != 0;
}

constexpr FormSet kPlain = static_cast<FormSet>(Form::plain);

constexpr Row bits(std::string_view mnemonic, std::string_view operands, Handler handler, TraitSet with = 0,
                   GfxSet targets = kEveryTarget) {
  return {mnemonic, kPlain, operands, same(handler), Unit::salu, kNoModifiers, with, targets};
}

template <auto F>
constexpr Handler logic32 = scalar2<u32, u32, u32, Scc::nonzero, F>;
template <auto F>
constexpr Handler logic64 = scalar2<u64, u64, u64, Scc::nonzero, F>;

constexpr std::string_view kTwo32 = "b32 = b32 b32", kTwo64 = "b64 = b64 b64", kShift64 = "b64 = b64 b32";
constexpr std::string_view kOne32 = "b32 = b32", kOne64 = "b64 = b64", kNarrow = "b32 = b64";
constexpr TraitSet kReadsDestination = traits(Trait::reads_destination);

constexpr Row kRows[] = {
    bits("s_and_b32", kTwo32, logic32<bit_and>),
    bits("s_and_b64", kTwo64, logic64<bit_and>),
    bits("s_or_b32", kTwo32, logic32<bit_or>),
    bits("s_or_b64", kTwo64, logic64<bit_or>),
    bits("s_xor_b32", kTwo32, logic32<bit_xor>),
    bits("s_xor_b64", kTwo64, logic64<bit_xor>),
    bits("s_andn2_b32", kTwo32, logic32<and_not>),
    bits("s_andn2_b64", kTwo64, logic64<and_not>),
    bits("s_orn2_b32", kTwo32, logic32<or_not>),
    bits("s_orn2_b64", kTwo64, logic64<or_not>),
    bits("s_nand_b32", kTwo32, logic32<not_and>),
    bits("s_nand_b64", kTwo64, logic64<not_and>),
    bits("s_nor_b32", kTwo32, logic32<not_or>),
    bits("s_nor_b64", kTwo64, logic64<not_or>),
    bits("s_xnor_b32", kTwo32, logic32<not_xor>),
    bits("s_xnor_b64", kTwo64, logic64<not_xor>),
    bits("s_not_b32", kOne32, scalar1<u32, u32, Scc::nonzero, invert>),
    bits("s_not_b64", kOne64, scalar1<u64, u64, Scc::nonzero, invert>),
    bits("s_lshl_b32", kTwo32, scalar2<u32, u32, u32, Scc::nonzero, shift_left32>),
    bits("s_lshl_b64", kShift64, scalar2<u64, u64, u32, Scc::nonzero, shift_left64>),
    bits("s_lshr_b32", kTwo32, scalar2<u32, u32, u32, Scc::nonzero, shift_right32>),
    bits("s_lshr_b64", kShift64, scalar2<u64, u64, u32, Scc::nonzero, shift_right64>),
    bits("s_ashr_i32", kTwo32, scalar2<u32, i32, u32, Scc::nonzero, shift_right_signed32>),
    bits("s_ashr_i64", "i64 = i64 b32", scalar2<u64, i64, u32, Scc::nonzero, shift_right_signed64>),
    bits("s_bfe_u32", kTwo32, scalar2<u32, u32, u32, Scc::nonzero, field32>),
    bits("s_bfe_i32", kTwo32, scalar2<u32, i32, u32, Scc::nonzero, field_signed32>),
    bits("s_bfe_u64", kShift64, scalar2<u64, u64, u32, Scc::nonzero, field64>),
    bits("s_bfe_i64", "i64 = i64 b32", scalar2<u64, i64, u32, Scc::nonzero, field_signed64>),
    bits("s_bfm_b32", kTwo32, scalar2<u32, u32, u32, Scc::keep, field_mask32>),
    bits("s_bfm_b64", "b64 = b32 b32", scalar2<u64, u32, u32, Scc::keep, field_mask64>),

    bits("s_brev_b32", kOne32, scalar1<u32, u32, Scc::keep, reverse_bits>),
    bits("s_brev_b64", kOne64, scalar1<u64, u64, Scc::keep, reverse_bits>),
    bits("s_bcnt0_i32_b32", kOne32, scalar1<u32, u32, Scc::nonzero, count_zeros>),
    bits("s_bcnt0_i32_b64", kNarrow, scalar1<u32, u64, Scc::nonzero, count_zeros>),
    bits("s_bcnt1_i32_b32", kOne32, scalar1<u32, u32, Scc::nonzero, count_ones>),
    bits("s_bcnt1_i32_b64", kNarrow, scalar1<u32, u64, Scc::nonzero, count_ones>),
    bits("s_ff0_i32_b32", kOne32, scalar1<u32, u32, Scc::keep, first_zero>),
    bits("s_ff0_i32_b64", kNarrow, scalar1<u32, u64, Scc::keep, first_zero>),
    bits("s_ff1_i32_b32", kOne32, scalar1<u32, u32, Scc::keep, first_one>),
    bits("s_ff1_i32_b64", kNarrow, scalar1<u32, u64, Scc::keep, first_one>),
    bits("s_flbit_i32_b32", kOne32, scalar1<u32, u32, Scc::keep, first_bit_high>),
    bits("s_flbit_i32_b64", kNarrow, scalar1<u32, u64, Scc::keep, first_bit_high>),
    bits("s_flbit_i32", kOne32, scalar1<u32, i32, Scc::keep, first_bit_signed>),
    bits("s_flbit_i32_i64", "b32 = i64", scalar1<u32, i64, Scc::keep, first_bit_signed>),
    bits("s_wqm_b32", kOne32, scalar1<u32, u32, Scc::nonzero, wqm>),
    bits("s_wqm_b64", kOne64, scalar1<u64, u64, Scc::nonzero, wqm>),
    bits("s_quadmask_b32", kOne32, scalar1<u32, u32, Scc::nonzero, quadmask>),
    bits("s_quadmask_b64", kOne64, scalar1<u64, u64, Scc::nonzero, quadmask>),
    bits("s_sext_i32_i8", kOne32, scalar1<u32, u32, Scc::keep, sign_extend8>),
    bits("s_sext_i32_i16", kOne32, scalar1<u32, u32, Scc::keep, sign_extend16>),
    bits("s_pack_ll_b32_b16", kTwo32, scalar2<u32, u32, u32, Scc::keep, pack_ll>),
    bits("s_pack_lh_b32_b16", kTwo32, scalar2<u32, u32, u32, Scc::keep, pack_lh>),
    bits("s_pack_hh_b32_b16", kTwo32, scalar2<u32, u32, u32, Scc::keep, pack_hh>),
    bits("s_bitreplicate_b64_b32", "b64 = b32", scalar1<u64, u32, Scc::keep, replicate>),
    bits("s_bitset0_b32", kOne32, set_bit<u32, false>, kReadsDestination),
    bits("s_bitset0_b64", "b64 = b32", set_bit<u64, false>, kReadsDestination),
    bits("s_bitset1_b32", kOne32, set_bit<u32, true>, kReadsDestination),
    bits("s_bitset1_b64", "b64 = b32", set_bit<u64, true>, kReadsDestination),
    bits("s_bitcmp0_b32", "= b32 b32", scalar_compare<u32, u32, bit_is_0_32>),
    bits("s_bitcmp0_b64", "= b64 b32", scalar_compare<u64, u32, bit_is_0_64>),
    bits("s_bitcmp1_b32", "= b32 b32", scalar_compare<u32, u32, bit_is_1_32>),
    bits("s_bitcmp1_b64", "= b64 b32", scalar_compare<u64, u32, bit_is_1_64>),

    bits("s_and_saveexec_b64", kOne64, save_exec<u64, bit_and>),
    bits("s_or_saveexec_b64", kOne64, save_exec<u64, bit_or>),
    bits("s_xor_saveexec_b64", kOne64, save_exec<u64, bit_xor>),
    bits("s_andn2_saveexec_b64", kOne64, save_exec<u64, and_not>),
    bits("s_orn2_saveexec_b64", kOne64, save_exec<u64, or_not>),
    bits("s_nand_saveexec_b64", kOne64, save_exec<u64, not_and>),
    bits("s_nor_saveexec_b64", kOne64, save_exec<u64, not_or>),
    bits("s_xnor_saveexec_b64", kOne64, save_exec<u64, not_xor>),
    bits("s_andn1_saveexec_b64", kOne64, save_exec<u64, not_first_and>),
    bits("s_orn1_saveexec_b64", kOne64, save_exec<u64, not_first_or>),
    bits("s_andn1_wrexec_b64", kOne64, write_exec<u64, not_first_and>),
    bits("s_andn2_wrexec_b64", kOne64, write_exec<u64, and_not>),

    // EXEC of wave32, under the names of gfx10 and of gfx11.
    bits("s_and_saveexec_b32", kOne32, save_exec<u32, bit_and>, 0, kRdna),
    bits("s_or_saveexec_b32", kOne32, save_exec<u32, bit_or>, 0, kRdna),
    bits("s_xor_saveexec_b32", kOne32, save_exec<u32, bit_xor>, 0, kRdna),
    bits("s_nand_saveexec_b32", kOne32, save_exec<u32, not_and>, 0, kRdna),
    bits("s_nor_saveexec_b32", kOne32, save_exec<u32, not_or>, 0, kRdna),
    bits("s_xnor_saveexec_b32", kOne32, save_exec<u32, not_xor>, 0, kRdna),
    bits("s_andn2_saveexec_b32", kOne32, save_exec<u32, and_not>, 0, kGfx10),
    bits("s_and_not1_saveexec_b32", kOne32, save_exec<u32, and_not>, 0, kGfx11Up),
    bits("s_and_not1_saveexec_b64", kOne64, save_exec<u64, and_not>, 0, kGfx11Up),
    bits("s_orn2_saveexec_b32", kOne32, save_exec<u32, or_not>, 0, kGfx10),
    bits("s_or_not1_saveexec_b32", kOne32, save_exec<u32, or_not>, 0, kGfx11Up),
    bits("s_or_not1_saveexec_b64", kOne64, save_exec<u64, or_not>, 0, kGfx11Up),
    bits("s_andn1_saveexec_b32", kOne32, save_exec<u32, not_first_and>, 0, kGfx10),
    bits("s_and_not0_saveexec_b32", kOne32, save_exec<u32, not_first_and>, 0, kGfx11Up),
    bits("s_and_not0_saveexec_b64", kOne64, save_exec<u64, not_first_and>, 0, kGfx11Up),
    bits("s_orn1_saveexec_b32", kOne32, save_exec<u32, not_first_or>, 0, kGfx10),
    bits("s_or_not0_saveexec_b32", kOne32, save_exec<u32, not_first_or>, 0, kGfx11Up),
    bits("s_or_not0_saveexec_b64", kOne64, save_exec<u64, not_first_or>, 0, kGfx11Up),

    // gfx11's names of s_andn2, s_orn2, s_ff1 and s_flbit.
    bits("s_and_not1_b32", kTwo32, logic32<and_not>, 0, kGfx11Up),
    bits("s_and_not1_b64", kTwo64, logic64<and_not>, 0, kGfx11Up),
    bits("s_or_not1_b32", kTwo32, logic32<or_not>, 0, kGfx11Up),
    bits("s_or_not1_b64", kTwo64, logic64<or_not>, 0, kGfx11Up),
    bits("s_ctz_i32_b32", kOne32, scalar1<u32, u32, Scc::keep, first_one>, 0, kGfx11Up),
    bits("s_ctz_i32_b64", kNarrow, scalar1<u32, u64, Scc::keep, first_one>, 0, kGfx11Up),
    bits("s_clz_i32_u32", kOne32, scalar1<u32, u32, Scc::keep, first_bit_high>, 0, kGfx11Up),
    bits("s_clz_i32_u64", kNarrow, scalar1<u32, u64, Scc::keep, first_bit_high>, 0, kGfx11Up),
};

}  // namespace

std::span<const Row> scalar_bits() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
