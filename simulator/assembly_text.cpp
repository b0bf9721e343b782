// Splitting a line of disassembly and recognising its form; assembly_operand.cpp and assembly_modifier.cpp
// parse the pieces. Syntax: LLVM 22's AMDGPUInstPrinter.
#include "simulator/assembly_text.h"

#include <array>
#include <bit>
#include <utility>

namespace wavesmith::simulator {
namespace {

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || text[at - 1] == ' ' || text[at - 1] == ',';
    const bool ends = end == text.size() || text[end] == ' ' || text[end] == ',';
    if (starts && ends) return true;
  }
  return false;
}

std::size_t count_word(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size()))
    ++count;
  return count;
}

/// Whether an operand before the modifiers is a scalar register ("s2", "s[2:3]", "vcc", "ttmp9").
bool has_scalar_operand(std::string_view rest) {
  return rest.find(", s") != std::string_view::npos || rest.find(", vcc") != std::string_view::npos ||
         rest.find(", ttmp") != std::string_view::npos || rest.find(", m0") != std::string_view::npos ||
         rest.find(", exec") != std::string_view::npos ||
         rest.find(", flat_scratch") != std::string_view::npos;
}

Form scalar_load_form(std::string_view rest) {
  const std::size_t second = rest.find(", ");
  const std::size_t third = second == std::string_view::npos ? second : rest.find(", ", second + 2);
  if (third == std::string_view::npos) return Form::plain;
  const std::string_view last = rest.substr(third + 2);
  if (last.starts_with("0x") || last.starts_with('-') || (last[0] >= '0' && last[0] <= '9')) return Form::imm;
  return last.find("offset:") == std::string_view::npos ? Form::sgpr : Form::sgpr_imm;
}

Form buffer_form(std::string_view rest) {
  const bool offen = has_word(rest, "offen"), idxen = has_word(rest, "idxen"), lds = has_word(rest, "lds");
  if (offen && idxen) return lds ? Form::lds_bothen : Form::bothen;
  if (offen) return lds ? Form::lds_offen : Form::offen;
  if (idxen) return lds ? Form::lds_idxen : Form::idxen;
  return lds ? Form::lds_offset : Form::offset;
}

Form scratch_form(std::string_view rest) {
  switch (count_word(rest, "off") - count_word(rest, "offset")) {
    case 0:
      return Form::svs;
    case 1:
      return has_scalar_operand(rest) || rest.starts_with("s") ? Form::saddr : Form::vaddr;
    default:
      return Form::st;
  }
}

Form returning(Form form) {
  switch (form) {
    case Form::vaddr:
      return Form::vaddr_return;
    case Form::saddr:
      return Form::saddr_return;
    case Form::offset:
      return Form::offset_return;
    case Form::offen:
      return Form::offen_return;
    case Form::idxen:
      return Form::idxen_return;
    case Form::bothen:
      return Form::bothen_return;
    default:
      return form;
  }
}

Form memory_form(std::string_view mnemonic, std::string_view rest) {
  if (rest.find(',') == std::string_view::npos) return Form::plain;  // cache maintenance
  if (mnemonic.starts_with("buffer_")) return buffer_form(rest);
  if (mnemonic.starts_with("scratch_")) return scratch_form(rest);
  if (mnemonic.starts_with("global_")) return has_word(rest, "off") ? Form::vaddr : Form::saddr;
  if (mnemonic.starts_with("flat_")) return Form::vaddr;
  if (mnemonic.starts_with("s_load_") || mnemonic.starts_with("s_buffer_load_") ||
      mnemonic.starts_with("s_store_")) {
    return scalar_load_form(rest);
  }
  return Form::plain;
}

/// Position of the next separator at bracket depth 0, or the end.
std::size_t find_outside(std::string_view text, char separator) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == separator && depth == 0) return i;
  }
  return text.size();
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

constexpr std::array kTypeNames = {
    std::pair{std::string_view("b32"), OperandType::b32},
    std::pair{std::string_view("u32"), OperandType::u32},
    std::pair{std::string_view("i32"), OperandType::i32},
    std::pair{std::string_view("f32"), OperandType::f32},
    std::pair{std::string_view("b64"), OperandType::b64},
    std::pair{std::string_view("u64"), OperandType::u64},
    std::pair{std::string_view("i64"), OperandType::i64},
    std::pair{std::string_view("f64"), OperandType::f64},
    std::pair{std::string_view("v2f32"), OperandType::v2f32},
    std::pair{std::string_view("b16"), OperandType::b16},
    std::pair{std::string_view("f16"), OperandType::f16},
    std::pair{std::string_view("bf16"), OperandType::bf16},
    std::pair{std::string_view("v2f16"), OperandType::v2f16},
    std::pair{std::string_view("v2bf16"), OperandType::v2bf16},
    std::pair{std::string_view("b96"), OperandType::b96},
    std::pair{std::string_view("b128"), OperandType::b128},
    std::pair{std::string_view("b192"), OperandType::b192},
    std::pair{std::string_view("b256"), OperandType::b256},
    std::pair{std::string_view("b512"), OperandType::b512},
    std::pair{std::string_view("b1024"), OperandType::b1024},
    std::pair{std::string_view("mask"), OperandType::mask},
    std::pair{std::string_view("any"), OperandType::any},
    std::pair{std::string_view("skip"), OperandType::skip},
};

}  // namespace

AssemblyLine split_line(std::string_view line) {
  const std::size_t blank = line.find(' ');
  AssemblyLine result;
  result.mnemonic = line.substr(0, blank);
  if (blank != std::string_view::npos) result.rest = trim(line.substr(blank));
  const bool dpp8 = result.rest.find("dpp8:[") != std::string_view::npos;
  const auto strip = [&](std::string_view suffix) {
    if (!result.mnemonic.ends_with(suffix)) return false;
    result.mnemonic.remove_suffix(suffix.size());
    return true;
  };
  if (strip("_e64_dpp")) {
    result.form = dpp8 ? Form::e64_dpp8 : Form::e64_dpp;
  } else if (strip("_dpp")) {
    result.form = dpp8 ? Form::dpp8 : Form::dpp;
  } else if (strip("_sdwa")) {
    result.form = Form::sdwa;
  } else if (strip("_e32")) {
    result.form = Form::e32;
  } else if (strip("_e64")) {
    result.form = Form::e64;
  } else {
    result.form = memory_form(result.mnemonic, result.rest);
    const bool atomic = result.mnemonic.find("_atomic_") != std::string_view::npos;
    if (atomic && (has_word(result.rest, "sc0") || has_word(result.rest, "glc") ||
                   has_word(result.rest, "th:TH_ATOMIC_RETURN"))) {
      result.form = returning(result.form);
    }
  }
  return result;
}

std::optional<AssemblyOperands> split_operands(std::string_view rest, std::size_t count,
                                               bool last_takes_all) {
  AssemblyOperands result;
  for (std::size_t i = 0; i < count; ++i) {
    if (rest.empty()) {
      if (last_takes_all && i + 1 == count) {  // "s_endpgm" prints no operand for 0
        result.operands.push_back(rest);
        return result;
      }
      return std::nullopt;
    }
    const bool last = i + 1 == count;
    if (last && last_takes_all) {
      result.operands.push_back(rest);
      return result;
    }
    const std::size_t end =
        last ? std::min(find_outside(rest, ' '), find_outside(rest, ',')) : find_outside(rest, ',');
    result.operands.push_back(trim(rest.substr(0, end)));
    if (last && end < rest.size() && rest[end] == ',') return std::nullopt;  // more operands than the row has
    rest = end < rest.size() ? trim(rest.substr(end + 1)) : std::string_view{};
  }
  while (!rest.empty()) {
    const std::size_t end = find_outside(rest, ' ');
    result.modifiers.push_back(rest.substr(0, end));
    rest = trim(rest.substr(std::min(end, rest.size())));
  }
  return result;
}

std::optional<OperandTypes> parse_types(std::string_view operands) {
  OperandTypes result;
  while (!(operands = trim(operands)).empty()) {
    const std::size_t end = std::min(operands.find(' '), operands.size());
    const std::string_view word = operands.substr(0, end);
    operands.remove_prefix(end);
    if (word == "=") {
      result.destinations = static_cast<unsigned>(result.types.size());
      continue;
    }
    bool found = false;
    for (const auto& [spelling, type] : kTypeNames) {
      if (spelling != word) continue;
      result.types.push_back(type);
      found = true;
    }
    if (!found) return std::nullopt;
  }
  return result;
}

unsigned width_of(OperandType type, std::uint32_t wave_size) {
  switch (type) {
    case OperandType::b32:
    case OperandType::u32:
    case OperandType::i32:
    case OperandType::f32:
    case OperandType::b16:
    case OperandType::f16:
    case OperandType::bf16:
    case OperandType::v2f16:
    case OperandType::v2bf16:
      return 1;
    case OperandType::b64:
    case OperandType::u64:
    case OperandType::i64:
    case OperandType::f64:
    case OperandType::v2f32:
      return 2;
    case OperandType::b96:
      return 3;
    case OperandType::b128:
      return 4;
    case OperandType::b192:
      return 6;
    case OperandType::b256:
      return 8;
    case OperandType::b512:
      return 16;
    case OperandType::b1024:
      return 32;
    case OperandType::mask:
      return wave_size / 32;
    case OperandType::any:
    case OperandType::skip:
      return 0;
  }
  return 0;
}

std::string_view name(Form form) {
  constexpr std::array names = {
      "plain",        "e32",           "e64",          "dpp",          "e64_dpp",      "dpp8",
      "e64_dpp8",     "sdwa",          "imm",          "sgpr",         "sgpr_imm",     "vaddr",
      "saddr",        "svs",           "st",           "offset",       "offen",        "idxen",
      "bothen",       "lds_offset",    "lds_offen",    "lds_idxen",    "lds_bothen",   "vaddr_return",
      "saddr_return", "offset_return", "offen_return", "idxen_return", "bothen_return"};
  return names[static_cast<std::size_t>(std::countr_zero(static_cast<FormSet>(form)))];
}

std::string_view name(Unit unit) {
  constexpr std::array names = {"salu",      "smem",       "branch", "valu", "trans", "mfma",
                                "vmem_load", "vmem_store", "lds",    "wait", "other"};
  return names[static_cast<std::size_t>(unit)];
}

}  // namespace wavesmith::simulator
