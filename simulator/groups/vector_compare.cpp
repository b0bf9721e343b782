// v_cmp and v_cmpx for all types, and v_cmp_class. v_cmp writes every bit of the mask, 0 for inactive lanes;
// v_cmpx of gfx9 writes EXEC too. Source: VOPC in the CDNA3 and CDNA4 guides.
#include <algorithm>
#include <array>
#include <string_view>

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

constexpr auto never = [](auto, auto) { return false; };
constexpr auto always = [](auto, auto) { return true; };
constexpr auto less = [](auto a, auto b) { return a < b; };
constexpr auto equal = [](auto a, auto b) { return a == b; };
constexpr auto less_equal = [](auto a, auto b) { return a <= b; };
constexpr auto greater = [](auto a, auto b) { return a > b; };
constexpr auto different = [](auto a, auto b) { return a != b; };
constexpr auto less_greater = [](auto a, auto b) { return a < b || a > b; };
constexpr auto greater_equal = [](auto a, auto b) { return a >= b; };
constexpr auto ordered = [](auto a, auto b) { return a == a && b == b; };
constexpr auto unordered = [](auto a, auto b) { return a != a || b != b; };
constexpr auto not_greater_equal = [](auto a, auto b) { return !(a >= b); };
constexpr auto not_less_greater = [](auto a, auto b) { return !(a < b || a > b); };
constexpr auto not_greater = [](auto a, auto b) { return !(a > b); };
constexpr auto not_less_equal = [](auto a, auto b) { return !(a <= b); };
constexpr auto not_less = [](auto a, auto b) { return !(a < b); };

/// One of the classes of v_cmp_class: the bit that source 1 must have. Denormals count as such in every mode.
template <unsigned Bits, unsigned Mantissa>
constexpr u32 class_of(u64 value) {
  const u64 mantissa_mask = (u64{1} << Mantissa) - 1, quiet = u64{1} << (Mantissa - 1);
  const u64 exponent_mask = ((u64{1} << (Bits - 1 - Mantissa)) - 1) << Mantissa;
  const bool negative = (value >> (Bits - 1) & 1) != 0;
  const u64 exponent = value & exponent_mask, mantissa = value & mantissa_mask;
  if (exponent == exponent_mask) {
    if (mantissa != 0) return (mantissa & quiet) != 0 ? 1 : 0;
    return negative ? 2 : 9;
  }
  if (exponent != 0) return negative ? 3 : 8;
  if (mantissa != 0) return negative ? 4 : 7;
  return negative ? 5 : 6;
}
constexpr auto class_f16 = [](u32 a, u32 b) { return (b >> class_of<16, 10>(a) & 1) != 0; };
constexpr auto class_f32 = [](u32 a, u32 b) { return (b >> class_of<32, 23>(a) & 1) != 0; };
constexpr auto class_f64 = [](u64 a, u32 b) { return (b >> class_of<64, 52>(a) & 1) != 0; };

template <auto F>
constexpr auto of_signed16 =
    [](u32 a, u32 b) { return F(static_cast<i32>(a << 16), static_cast<i32>(b << 16)); };
template <auto F>
constexpr auto of_unsigned16 = [](u32 a, u32 b) { return F(a << 16, b << 16); };

/// Comparison of f16 values as f32, after flushing what MODE says.
template <auto F>
struct HalfCompare {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer ba, bb;
    const u32 *a = source32(wave, i, 1, ba), *b = source32(wave, i, 2, bb);
    const bool flush = wave.mode.flush_f16_f64_sources();
    const auto read = [&](u32 bits) WAVESMITH_INLINE_LAMBDA {
      bits &= 0xffffu;
      return half_to_float(flush && (bits & 0x7c00u) == 0 ? bits & 0x8000u : bits);
    };
    alignas(64) std::array<std::uint8_t, kLanes> condition;
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) condition[lane] = F(read(a[lane]), read(b[lane])) ? 1 : 0;
    wave.set_mask(i.operands[0], pack_mask(condition) & write_mask(wave, i));
  }
};

/// v_cmpx: what Body wrote becomes EXEC.
template <class Body>
struct AndExec {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    Body::run(wave, i);
    wave.set_scalar64(kExec, wave.mask(i.operands[0]));
  }
};

//! \name Rows: every condition for every type

template <std::size_t Size>
struct Text {
  char characters[Size];
  constexpr Text(const char (&text)[Size]) { std::copy_n(text, Size, characters); }
};

/// "v_cmp_lt_i32" and the like, with static storage.
template <Text Prefix, Text Condition, Text Type>
constexpr auto kMnemonic = [] {
  constexpr std::size_t sizes[] = {sizeof Prefix.characters, sizeof Condition.characters,
                                   sizeof Type.characters};
  std::array<char, sizes[0] + sizes[1] + sizes[2] - 3> name{};
  auto* end = std::copy_n(Prefix.characters, sizes[0] - 1, name.data());
  end = std::copy_n(Condition.characters, sizes[1] - 1, end);
  std::copy_n(Type.characters, sizes[2] - 1, end);
  return name;
}();
template <Text Prefix, Text Condition, Text Type>
constexpr std::string_view mnemonic() {
  return {kMnemonic<Prefix, Condition, Type>.data(), kMnemonic<Prefix, Condition, Type>.size()};
}

template <Text Suffix, template <auto> class Operation>
struct Kind {
  std::string_view operands;
  FormSet forms;
  AcceptSet accepted;

  /// v_cmp and v_cmpx.
  template <Text Condition, auto F>
  constexpr std::array<Row, 2> rows() const {
    using Body = Operation<F>;
    return {Row{mnemonic<"v_cmp_", Condition, Suffix>(), forms, operands, both<Body>, Unit::valu, accepted, 0,
                kCdna},
            Row{mnemonic<"v_cmpx_", Condition, Suffix>(), forms, operands, both<AndExec<Body>>, Unit::valu,
                accepted, 0, kCdna}};
  }
};

template <std::size_t... Sizes>
constexpr auto joined(const std::array<Row, Sizes>&... parts) {
  std::array<Row, (Sizes + ...)> all{};
  auto* end = all.data();
  ((end = std::copy(parts.begin(), parts.end(), end)), ...);
  return all;
}

template <class K>
constexpr auto integer_rows(const K& kind) {
  return joined(kind.template rows<"f", never>(), kind.template rows<"lt", less>(),
                kind.template rows<"eq", equal>(), kind.template rows<"le", less_equal>(),
                kind.template rows<"gt", greater>(), kind.template rows<"ne", different>(),
                kind.template rows<"ge", greater_equal>(), kind.template rows<"t", always>());
}
template <class K>
constexpr auto float_rows(const K& kind) {
  return joined(kind.template rows<"f", never>(), kind.template rows<"lt", less>(),
                kind.template rows<"eq", equal>(), kind.template rows<"le", less_equal>(),
                kind.template rows<"gt", greater>(), kind.template rows<"lg", less_greater>(),
                kind.template rows<"ge", greater_equal>(), kind.template rows<"o", ordered>(),
                kind.template rows<"u", unordered>(), kind.template rows<"nge", not_greater_equal>(),
                kind.template rows<"nlg", not_less_greater>(), kind.template rows<"ngt", not_greater>(),
                kind.template rows<"nle", not_less_equal>(), kind.template rows<"neq", different>(),
                kind.template rows<"nlt", not_less>(), kind.template rows<"tru", always>());
}

template <auto F>
using CompareI16 = Compare<u32, u32, of_signed16<F>>;
template <auto F>
using CompareU16 = Compare<u32, u32, of_unsigned16<F>>;
template <auto F>
using CompareI32 = Compare<i32, i32, F>;
template <auto F>
using CompareU32 = Compare<u32, u32, F>;
template <auto F>
using CompareI64 = Compare<i64, i64, F>;
template <auto F>
using CompareU64 = Compare<u64, u64, F>;
template <auto F>
using CompareF32 = FloatCompareBody<f32, F>;
template <auto F>
using CompareF64 = FloatCompareBody<f64, F>;
template <auto F>
using ClassF64 = Compare<u64, u32, F>;

constexpr auto kRows = joined(
    integer_rows(Kind<"_i16", CompareI16>{"mask = b16 b16", kVopc, kIntegerModifiers}),
    integer_rows(Kind<"_u16", CompareU16>{"mask = b16 b16", kVopc, kIntegerModifiers}),
    integer_rows(Kind<"_i32", CompareI32>{"mask = b32 b32", kVopc, kIntegerModifiers}),
    integer_rows(Kind<"_u32", CompareU32>{"mask = b32 b32", kVopc, kIntegerModifiers}),
    integer_rows(Kind<"_i64", CompareI64>{"mask = i64 i64", kVopcNoSdwa, kNoModifiers}),
    integer_rows(Kind<"_u64", CompareU64>{"mask = u64 u64", kVopcNoSdwa, kNoModifiers}),
    float_rows(Kind<"_f16", HalfCompare>{"mask = f16 f16", kVopc, kFloatInputModifiers}),
    float_rows(Kind<"_f32", CompareF32>{"mask = f32 f32", kVopc, kFloatInputModifiers}),
    float_rows(Kind<"_f64", CompareF64>{"mask = f64 f64", kVopcNoSdwa, kFloatInputModifiers}),
    Kind<"_f16", CompareU32>{"mask = f16 b32", kVopc, kFloatInputModifiers}.rows<"class", class_f16>(),
    Kind<"_f32", CompareU32>{"mask = f32 b32", kVopc, kFloatInputModifiers}.rows<"class", class_f32>(),
    Kind<"_f64", ClassF64>{"mask = f64 b32", kVopcNoSdwa, kFloatInputModifiers}.rows<"class", class_f64>());

}  // namespace

std::span<const Row> vector_compare() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
