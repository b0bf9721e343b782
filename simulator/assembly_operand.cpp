// parse_operand: registers, special registers, constants and the modifiers around them.
// Values of inline constants: CDNA4 guide 3.6; literals in 64-bit operands: the same, and isa tables of LLVM.
#include <charconv>

#include "simulator/assembly_text.h"
#include "simulator/wave.h"

namespace wavesmith::simulator {
namespace {

/// Removes `open` and `close` around the text and says whether they were there.
bool unwrap(std::string_view& text, std::string_view open, std::string_view close) {
  if (!text.starts_with(open) || !text.ends_with(close) || text.size() < open.size() + close.size())
    return false;
  text.remove_prefix(open.size());
  text.remove_suffix(close.size());
  return true;
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct RegisterRange {
  std::uint32_t first = 0, width = 0;
};
/// "12", "[12:15]" or "[12]" behind a register letter.
std::optional<RegisterRange> parse_range(std::string_view text) {
  if (!unwrap(text, "[", "]")) {
    const auto first = parse_number(text);
    if (!first) return std::nullopt;
    return RegisterRange{*first, 1};
  }
  const std::size_t colon = text.find(':');
  const auto first = parse_number(text.substr(0, colon));
  if (!first) return std::nullopt;
  if (colon == std::string_view::npos) return RegisterRange{*first, 1};
  const auto last = parse_number(text.substr(colon + 1));
  if (!last || *last < *first) return std::nullopt;
  return RegisterRange{*first, *last - *first + 1};
}

struct NamedScalar {
  std::string_view name;
  std::uint16_t reg;
  std::uint8_t width;
};
constexpr NamedScalar kNamedScalars[] = {
    {"vcc_lo", kVcc, 1},
    {"vcc_hi", kVcc + 1, 1},
    {"vcc", kVcc, 2},
    {"exec_lo", kExec, 1},
    {"exec_hi", kExec + 1, 1},
    {"exec", kExec, 2},
    {"m0", kM0, 1},
    {"flat_scratch_lo", kFlatScratch, 1},
    {"flat_scratch_hi", kFlatScratch + 1, 1},
    {"flat_scratch", kFlatScratch, 2},
    {"xnack_mask_lo", kXnackMask, 1},
    {"xnack_mask_hi", kXnackMask + 1, 1},
    {"xnack_mask", kXnackMask, 2},
};

struct NamedSpecial {
  std::string_view name;
  SpecialRegister reg;
};
constexpr NamedSpecial kNamedSpecials[] = {
    {"src_scc", SpecialRegister::scc},     {"scc", SpecialRegister::scc},
    {"src_vccz", SpecialRegister::vccz},   {"vccz", SpecialRegister::vccz},
    {"src_execz", SpecialRegister::execz}, {"execz", SpecialRegister::execz},
};

struct NamedAperture {
  std::string_view name;
  std::uint64_t value;
};
// Read as 32 bits these give the low half, zero: what LLVM documents of the hardware. The limits end a 4 GiB
// aperture.
constexpr NamedAperture kApertures[] = {
    {"src_shared_base", kSharedAperture},
    {"src_shared_limit", kSharedAperture | 0xffffffffu},
    {"src_private_base", kPrivateAperture},
    {"src_private_limit", kPrivateAperture | 0xffffffffu},
};

struct InlineFloat {
  std::string_view text;
  std::uint16_t f16, bf16;
  std::uint32_t f32;
  std::uint64_t f64;
};
constexpr InlineFloat kInlineFloats[] = {
    {"0.5", 0x3800, 0x3f00, 0x3f000000, 0x3fe0000000000000},
    {"1.0", 0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000},
    {"2.0", 0x4000, 0x4000, 0x40000000, 0x4000000000000000},
    {"4.0", 0x4400, 0x4080, 0x40800000, 0x4010000000000000},
    {"0.15915494", 0x3118, 0x3e22, 0x3e22f983, 0x3fc45f306dc9c882},  // 1/(2 pi), as printed for f16 and f32
    {"0.15915494309189532", 0x3118, 0x3e22, 0x3e22f983, 0x3fc45f306dc9c882},  // and for f64
};

/// The bits of a floating inline constant in an operand of this type; 16-bit integer operands have none.
std::optional<std::uint64_t> inline_float(std::string_view text, OperandType type) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  for (const InlineFloat& constant : kInlineFloats) {
    if (constant.text != text) continue;
    const std::uint64_t sign = negative ? 1 : 0;
    switch (type) {
      case OperandType::f16:
      case OperandType::v2f16:
        return constant.f16 | sign << 15;
      case OperandType::bf16:
      case OperandType::v2bf16:
        return constant.bf16 | sign << 15;
      case OperandType::b64:
      case OperandType::u64:
      case OperandType::i64:
      case OperandType::f64:
        return constant.f64 | sign << 63;
      case OperandType::b16:
      case OperandType::skip:
      case OperandType::mask:
        return std::nullopt;
      default:
        return constant.f32 | sign << 31;
    }
  }
  return std::nullopt;
}

/// A decimal inline integer, or a 32-bit literal in hexadecimal.
std::optional<std::uint64_t> integer_constant(std::string_view text, OperandType type) {
  const bool wide = width_of(type, 64) >= 2;
  const bool negative = text.starts_with("-0x");  // only offsets print like this
  if (negative) text.remove_prefix(1);
  if (text.starts_with("0x")) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (negative) return static_cast<std::uint32_t>(0 - value);
    if (type == OperandType::f64) return value <= 0xffffffffu ? value << 32 : value;
    if (type == OperandType::i64 && value <= 0xffffffffu) {
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
    }
    return value;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return wide ? static_cast<std::uint64_t>(value) : static_cast<std::uint32_t>(value);
}

std::optional<Operand> parse_register(std::string_view text, const OperandContext& context) {
  Operand operand;
  for (const NamedScalar& named : kNamedScalars) {
    if (named.name != text) continue;
    operand.kind = OperandKind::scalar;
    operand.reg = named.reg;
    operand.width = named.width;
    return operand;
  }
  if (text.ends_with(".l")) {
    text.remove_suffix(2);
  } else if (text.ends_with(".h")) {
    text.remove_suffix(2);
    operand.high_half = true;
  }
  const auto finish = [&](std::string_view digits, OperandKind kind, std::uint32_t base,
                          std::uint32_t limit) -> std::optional<Operand> {
    const auto range = parse_range(digits);
    if (!range || range->first + range->width > limit) return std::nullopt;
    operand.kind = kind;
    operand.reg = static_cast<std::uint16_t>(base + range->first);
    operand.width = static_cast<std::uint8_t>(range->width);
    return operand;
  };
  if (text.starts_with("ttmp")) return finish(text.substr(4), OperandKind::scalar, kTtmp, 16);
  if (text.starts_with('v')) return finish(text.substr(1), OperandKind::vector, 0, 256);
  if (text.starts_with('s'))
    return finish(text.substr(1), OperandKind::scalar, 0, context.processor->is_cdna() ? 102 : 106);
  if (text.starts_with('a')) {
    operand.accumulator = true;
    return finish(text.substr(1), OperandKind::vector, 0, 256);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Operand> parse_operand(std::string_view text, OperandType type, const OperandContext& context) {
  if (type == OperandType::skip) {
    Operand operand;
    operand.type = type;
    return operand;
  }
  if (text.empty()) return std::nullopt;
  bool neg = false, abs = false, sext = false;
  const bool number = text[0] == '-' && text.size() > 1 && text[1] >= '0' && text[1] <= '9';
  if (unwrap(text, "neg(", ")")) {
    neg = true;
  } else if (text[0] == '-' && !number) {
    neg = true;
    text.remove_prefix(1);
  }
  if (unwrap(text, "|", "|") || unwrap(text, "abs(", ")")) abs = true;
  if (unwrap(text, "sext(", ")")) sext = true;
  // A literal whose value would fit an inline constant is marked; its bits mean the same.
  if (!unwrap(text, "lit(", ")")) unwrap(text, "lit64(", ")");
  if (text.empty()) return std::nullopt;

  Operand operand;
  const char first = text[0];
  if (text == "off") {
    operand.kind = OperandKind::off;
  } else if (text == "null") {
    operand.kind = context.destination ? OperandKind::scalar : OperandKind::constant;
    operand.reg = kDiscard;
    operand.width = static_cast<std::uint8_t>(width_of(type, context.wave_size));
  } else if ((first >= '0' && first <= '9') || first == '-') {
    const auto value =
        text.find('.') != std::string_view::npos ? inline_float(text, type) : integer_constant(text, type);
    if (!value) return std::nullopt;
    operand.kind = OperandKind::constant;
    operand.value = *value;
    operand.width = static_cast<std::uint8_t>(width_of(type, context.wave_size));
  } else if (const auto reg = parse_register(text, context)) {
    operand = *reg;
  } else {
    bool found = false;
    for (const NamedSpecial& named : kNamedSpecials) {
      if (named.name != text) continue;
      operand.kind = OperandKind::special;
      operand.reg = static_cast<std::uint16_t>(named.reg);
      found = true;
    }
    for (const NamedAperture& named : kApertures) {
      if (named.name != text) continue;
      operand.kind = OperandKind::constant;
      operand.value = named.value;
      found = true;
    }
    if (!found) return std::nullopt;
    operand.width = static_cast<std::uint8_t>(width_of(type, context.wave_size));
  }
  operand.type = type;
  operand.neg = neg;
  operand.abs = abs;
  operand.sext = sext;
  return operand;
}

}  // namespace wavesmith::simulator
