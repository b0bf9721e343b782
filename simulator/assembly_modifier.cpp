// parse_modifier: the words behind the operands, each put into Instruction::modifiers. DPP controls are
// turned back into the 9-bit code of the encoding, of which dpp.cpp has the meaning.
#include <algorithm>
#include <charconv>

#include "simulator/assembly_text.h"

namespace wavesmith::simulator {
namespace {

std::optional<std::int64_t> parse_value(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return negative ? -value : value;
}

/// "[1,0,3,2]": entry i goes to bits [i*width, (i+1)*width).
std::optional<std::uint32_t> parse_list(std::string_view text, unsigned width) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::uint32_t bits = 0;
  unsigned position = 0;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto value = parse_value(text.substr(0, comma));
    if (!value || *value < 0 || *value >= (std::int64_t{1} << width) || position + width > 32)
      return std::nullopt;
    bits |= static_cast<std::uint32_t>(*value) << position;
    position += width;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return bits;
}

struct DppName {
  std::string_view name;
  std::uint16_t ctrl;  ///< code for count 0
};
// "row_shr:3" is 0x110 + 3. The wave shifts and broadcasts have one legal count each, folded into the code
// here.
constexpr DppName kDppCounted[] = {
    {"row_shl", 0x100},      {"row_shr", 0x110},   {"row_ror", 0x120},
    {"row_newbcast", 0x150}, {"row_share", 0x150}, {"row_xmask", 0x160},
};
constexpr DppName kDppFixed[] = {
    {"wave_shl:1", 0x130}, {"wave_rol:1", 0x134},      {"wave_shr:1", 0x138},   {"wave_ror:1", 0x13c},
    {"row_mirror", 0x140}, {"row_half_mirror", 0x141}, {"row_bcast:15", 0x142}, {"row_bcast:31", 0x143},
};

std::optional<std::uint8_t> sdwa_select(std::string_view text) {
  constexpr std::string_view names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
  for (std::uint8_t i = 0; i < 7; ++i) {
    if (names[i] == text) return i;
  }
  return std::nullopt;
}

std::optional<std::uint8_t> sdwa_unused(std::string_view text) {
  constexpr std::string_view names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
  for (std::uint8_t i = 0; i < 3; ++i) {
    if (names[i] == text) return i;
  }
  return std::nullopt;
}

constexpr AcceptSet kNothing = 0;

/// A word without a colon.
std::optional<AcceptSet> parse_flag(std::string_view word, Modifiers& m) {
  if (word == "clamp") return m.clamp = true, accepts(Accepts::clamp);
  if (word == "offen") return m.offen = true, kNothing;  // the form says so too
  if (word == "idxen") return m.idxen = true, kNothing;
  if (word == "lds") return m.lds = true, kNothing;
  if (word == "gds") return m.gds = true, accepts(Accepts::gds);
  if (word == "sc0" || word == "glc") return m.sc0 = m.return_value = true, accepts(Accepts::cache);
  if (word == "sc1" || word == "dlc") return m.sc1 = true, accepts(Accepts::cache);
  if (word == "nt" || word == "slc") return m.nt = true, accepts(Accepts::cache);
  if (word == "tfe" || word == "lwe") return accepts(Accepts::vector_memory_out);
  return std::nullopt;
}

std::optional<AcceptSet> parse_dpp(std::string_view word, Instruction& i) {
  for (const DppName& fixed : kDppFixed) {
    if (fixed.name == word) return i.has_dpp = true, i.modifiers.dpp.ctrl = fixed.ctrl, kNothing;
  }
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view key = word.substr(0, colon), text = word.substr(colon + 1);
  if (key == "quad_perm" || key == "dpp8") {
    const auto list = parse_list(text, key == "dpp8" ? 3 : 2);
    if (!list) return std::nullopt;
    i.has_dpp = true;
    if (key == "dpp8") {
      i.modifiers.dpp.dpp8 = *list;
    } else {
      i.modifiers.dpp.ctrl = static_cast<std::uint16_t>(*list);
    }
    return kNothing;
  }
  for (const DppName& counted : kDppCounted) {
    if (counted.name != key) continue;
    const auto count = parse_value(text);
    if (!count || *count < 0 || *count > 15) return std::nullopt;
    i.has_dpp = true;
    i.modifiers.dpp.ctrl = static_cast<std::uint16_t>(counted.ctrl + *count);
    return kNothing;
  }
  return std::nullopt;
}

/// Outside VOP3P, whose lists are as long as there are sources, the last entry of op_sel is the
/// destination's: bit 3.
std::uint8_t op_sel_bits(const Instruction& i, std::uint8_t bits, std::string_view list) {
  const bool vop3p = (i.row->accepted & static_cast<AcceptSet>(Accepts::op_sel_hi)) != 0;
  const auto last = static_cast<unsigned>(std::count(list.begin(), list.end(), ','));
  if (vop3p || last >= 3) return bits;
  const unsigned destination = bits >> last & 1u;
  return static_cast<std::uint8_t>((bits & ~(1u << last)) | destination << 3);
}

std::optional<AcceptSet> parse_select(std::string_view key, std::string_view text, Instruction& i) {
  Sdwa& sdwa = i.modifiers.sdwa;
  std::uint8_t* field = key == "dst_sel"    ? &sdwa.dst_sel
                        : key == "src0_sel" ? &sdwa.src0_sel
                                            : &sdwa.src1_sel;
  const auto value = key == "dst_unused" ? sdwa_unused(text) : sdwa_select(text);
  if (!value) return std::nullopt;
  (key == "dst_unused" ? sdwa.dst_unused : *field) = *value;
  i.has_sdwa = true;
  return kNothing;
}

}  // namespace

std::optional<AcceptSet> parse_modifier(std::string_view word, Instruction& i) {
  Modifiers& m = i.modifiers;
  if (const auto flag = parse_flag(word, m)) return flag;
  if (const auto dpp = parse_dpp(word, i)) return dpp;
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view key = word.substr(0, colon), text = word.substr(colon + 1);
  if (key == "dst_sel" || key == "src0_sel" || key == "src1_sel" || key == "dst_unused") {
    return parse_select(key, text, i);
  }
  if (key == "th") return m.return_value = text == "TH_ATOMIC_RETURN", accepts(Accepts::cache);
  if (key == "scope") return accepts(Accepts::cache);
  if (key == "op_sel" || key == "op_sel_hi" || key == "neg_lo" || key == "neg_hi") {
    const auto list = parse_list(text, 1);
    if (!list) return std::nullopt;
    const auto bits = static_cast<std::uint8_t>(*list);
    if (key == "op_sel") return m.op_sel = op_sel_bits(i, bits, text), accepts(Accepts::op_sel);
    if (key == "op_sel_hi") return m.op_sel_hi = bits, accepts(Accepts::op_sel_hi);
    (key == "neg_lo" ? m.neg_lo : m.neg_hi) = bits;
    return accepts(Accepts::neg_lo_hi);
  }
  // Printed by name for ds_swizzle, which takes the bits from the first word of the encoding.
  if (key == "offset" && text.starts_with("swizzle(")) return accepts(Accepts::offset);
  if (key == "neg") {  // of f64 matrices, in the place of BLGP
    const auto list = parse_list(text, 1);
    if (!list) return std::nullopt;
    return m.blgp = static_cast<std::uint8_t>(*list), accepts(Accepts::mfma);
  }
  const auto value = parse_value(text);
  if (!value) return std::nullopt;
  const auto byte = static_cast<std::uint8_t>(*value);
  if (key == "offset") return m.offset = static_cast<std::int32_t>(*value), accepts(Accepts::offset);
  if (key == "offset0") return m.offset0 = byte, accepts(Accepts::offset01);
  if (key == "offset1") return m.offset1 = byte, accepts(Accepts::offset01);
  if (key == "row_mask") return m.dpp.row_mask = byte, kNothing;
  if (key == "bank_mask") return m.dpp.bank_mask = byte, kNothing;
  if (key == "bound_ctrl") return m.dpp.bound_ctrl = true, kNothing;  // printed only when the bit is set
  if (key == "fi") return m.dpp.fetch_inactive = *value != 0, kNothing;
  if (key == "cbsz") return m.cbsz = byte, accepts(Accepts::mfma);
  if (key == "abid") return m.abid = byte, accepts(Accepts::mfma);
  if (key == "blgp") return m.blgp = byte, accepts(Accepts::mfma);
  if (key == "bitop3") return m.bitop3 = byte, accepts(Accepts::bitop3);
  if (key == "mul" && (*value == 2 || *value == 4))
    return m.omod = *value == 2 ? 1 : 2, accepts(Accepts::omod);
  if (key == "div" && *value == 2) return m.omod = 3, accepts(Accepts::omod);
  return std::nullopt;
}

}  // namespace wavesmith::simulator
