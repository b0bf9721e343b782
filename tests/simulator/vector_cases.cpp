// The runs behind vector_cases.h: building the text of each form, choosing values, and checking lanes.
#include "vector_cases.h"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

namespace wavesmith::simulator::testing {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned kSourceRegister[] = {0, 2, 4}, kDestination = 8, kScalar = 2, kMaskOut = 20, kMaskIn = 22;
constexpr u32 kLanes = 64;
constexpr u32 kOldLow = 0x12345678, kOldHigh = 0x9abcdef0;

bool wide(Operation kind) {
  return kind == Operation::integer64 || kind == Operation::double_;
}
bool wide(ResultKind kind) {
  return kind == ResultKind::qword || kind == ResultKind::double_ || kind == ResultKind::qword_and_mask;
}
bool has_mask(ResultKind kind) {
  return kind == ResultKind::mask || kind == ResultKind::dword_and_mask || kind == ResultKind::qword_and_mask;
}
bool is_float(Operation kind) {
  return kind == Operation::half || kind == Operation::bfloat || kind == Operation::single ||
         kind == Operation::double_;
}
FloatFormat format_of(Operation kind) {
  return kind == Operation::half      ? kF16
         : kind == Operation::bfloat  ? kBf16
         : kind == Operation::double_ ? kF64
                                      : kF32;
}
u64 cut(u64 value, Operation kind) {
  if (kind == Operation::half || kind == Operation::bfloat || kind == Operation::integer16)
    return value & 0xffff;
  return wide(kind) ? value : value & 0xffffffff;
}

std::string vector_register(unsigned first, bool two) {
  return two ? fmt::format("v[{}:{}]", first, first + 1) : fmt::format("v{}", first);
}

/// One way to write the instruction, and what it means.
struct Variant {
  std::string suffix = {};  ///< "_e32", "_e64", "_dpp", "_sdwa" or nothing
  std::string first = {};   ///< source 0 as text; empty: its register
  bool in_place = false;    ///< the destination is source 0's register
  std::array<bool, 3> neg{}, abs{}, sext{};
  bool clamp = false;
  int omod = 0;              ///< 1: times 2, 2: times 4, 3: divided by 2
  std::string control = {};  ///< DPP
  bool bound = false;
  u32 row_mask = 0xf, bank_mask = 0xf;
  std::array<int, 2> select{6, 6};  ///< SDWA
  int select_to = 6, unused = 0;
};

class Driver {
 public:
  explicit Driver(const VectorCase& c) : c_(c), snippets_(c.processor) {}

  void run() {
    unsigned forms = 0;
    for (const ImplementedForm& form : implemented_forms(c_.processor)) {
      if (form.mnemonic != c_.mnemonic) continue;
      ++forms;
      if (form.form == "e32") thirty_two_bits({.suffix = "_e32"});
      if (form.form == "e64") sixty_four_bits({.suffix = "_e64"});
      if (form.form == "plain") sixty_four_bits({});
      if (form.form == "dpp") moved_lanes();
      if (form.form == "sdwa") selected_bytes();
    }
    INFO(c_.mnemonic);
    CHECK(forms != 0);
  }

 private:
  bool has_vector_sources() const { return c_.sources[0].kind != Operation::mask; }

  void thirty_two_bits(Variant v) {
    if (c_.modes) {
      for (const u32 mode : kModes) check_values(v, mode);
    } else {
      check_values(v, 0xf0);
    }
    check_masks(v);
    with_other_first_sources(v);
    v.first.clear();
    if (!has_mask(c_.result) || c_.result != ResultKind::mask) {
      if (wide(c_.result) == wide(c_.sources[0].kind) && !c_.reads_old) {
        v.in_place = true;
        check_values(v, 0xf0);
      }
    }
  }

  void with_other_first_sources(Variant v) {
    const Operation kind = c_.sources[0].kind;
    // One scalar operand on gfx9: a mask is already one.
    const bool has_scalar =
        std::ranges::any_of(c_.sources, [](const SourceKind& s) { return s.kind == Operation::mask; });
    v.first = wide(kind) ? fmt::format("s[{}:{}]", kScalar, kScalar + 1) : fmt::format("s{}", kScalar);
    if (!has_scalar) check_values(v, 0xf0);
    v.first = is_float(kind) ? "-4.0" : "-5";
    check_values(v, 0xf0);
  }

  void sixty_four_bits(Variant v) {
    thirty_two_bits(v);
    for (unsigned k = 0; k < c_.sources.size() && c_.source_modifiers; ++k) {
      if (!is_float(c_.sources[k].kind)) continue;
      for (const auto& [neg, abs] : {std::pair{true, false}, {false, true}, {true, true}}) {
        Variant changed = v;
        changed.neg[k] = neg, changed.abs[k] = abs;
        check_values(changed, 0xf0);
      }
    }
    if (c_.integer_clamp) v.clamp = true, check_values(v, 0xf0);
    if (!c_.result_modifiers) return;
    v.clamp = true;
    for (const u32 mode : {0xf0u, 0x1f0u, 0x000u}) check_values(v, mode);
    v.clamp = false;
    for (const int omod : {1, 2, 3}) {
      v.omod = omod;
      for (const u32 mode : {0xf0u, 0x00u, 0x200u}) check_values(v, mode);
    }
  }

  void moved_lanes() {
    const bool only_newbcast =
        std::ranges::any_of(c_.sources, [](const SourceKind& s) { return wide(s.kind); }) || wide(c_.result);
    Variant v{.suffix = "_dpp"};
    const auto run = [&](const std::string& control, bool bound, u32 rows, u32 banks) {
      v.control = control, v.bound = bound, v.row_mask = rows, v.bank_mask = banks;
      check_values(v, 0xf0, 128);
      for (const u64 exec : {u64{0x0123456789abcdef}, ~u64{0} << 1, u64{0}}) check_one(v, 0xf0, exec, 0);
    };
    run("row_newbcast:5", false, 0xf, 0xf);
    if (only_newbcast) return;
    run("row_shr:1", false, 0xf, 0xf);
    run("row_shl:3", true, 0xf, 0xf);
    run("quad_perm:[1,2,3,0]", false, 0xa, 0xf);
    run("row_ror:4", false, 0xf, 0x5);
    if (c_.result == ResultKind::dword || c_.result == ResultKind::single) {
      v.in_place = !c_.reads_old;
      run("row_mirror", false, 0xf, 0xf);
      v.in_place = false;
    }
    if (c_.source_modifiers && is_float(c_.sources[0].kind)) {
      v.neg[0] = v.abs[0] = true;
      run("row_bcast:15", true, 0xf, 0xf);
    }
  }

  void selected_bytes() {
    Variant v{.suffix = "_sdwa"};
    const bool comparison = c_.result == ResultKind::mask || !c_.sdwa_result;
    check_values(v, 0xf0, 256);
    v.select = {4, 5};
    check_values(v, 0xf0, 256);
    v.select = {1, 6};
    if (!comparison) v.select_to = 5, v.unused = 2;
    check_values(v, 0xf0, 128);
    v.select = {5, 0};
    if (!comparison) v.select_to = 4, v.unused = 1;
    check_values(v, 0xf0, 128);
    if (!comparison) v.select_to = 2, v.unused = 0;
    check_values(v, 0xf0, 128);
    for (const u64 exec : {u64{0x0123456789abcdef}, u64{0}}) check_one(v, 0xf0, exec, 64);
    if (c_.source_modifiers && is_float(c_.sources[0].kind)) {
      v.neg[0] = true, v.abs[0] = true;
      v.select = {6, 4};
      check_values(v, 0xf0, 128);
    } else if (!is_float(c_.sources[0].kind) && c_.sdwa_sext) {
      v.sext[0] = true;
      v.select = {3, 5};
      check_values(v, 0xf0, 128);
    }
  }

  void check_masks(const Variant& v) {
    for (const u64 exec : vector_exec_patterns()) check_one(v, 0xf0, exec, 0);
  }

  /// Every combination of values, or many when there are too many.
  void check_values(const Variant& v, u32 mode, u64 most = 2048) {
    u64 combinations = 1;
    for (const SourceKind& s : c_.sources) combinations *= std::max<u64>(s.values.size(), 1);
    if (c_.reads_old) combinations *= c_.sources.back().values.size();
    for (u64 first = 0; first < std::min(combinations, most); first += kLanes)
      check_one(v, mode, ~u64{0}, first);
  }

  u64 value_of(const SourceKind& s, u64& index) {
    if (s.values.empty()) return 0;
    const u64 value = s.values[index % s.values.size()];
    index /= s.values.size();
    return value;
  }

  std::string text_of(const Variant& v) const {
    const bool vcc_only = v.suffix == "_e32" || v.suffix == "_dpp" || v.suffix == "_sdwa";
    const std::string mask_out = vcc_only ? "vcc" : fmt::format("s[{}:{}]", kMaskOut, kMaskOut + 1);
    const std::string mask_in = vcc_only ? "vcc" : fmt::format("s[{}:{}]", kMaskIn, kMaskIn + 1);
    std::string text = c_.mnemonic + v.suffix + " ";
    if (c_.result == ResultKind::mask) {
      text += mask_out;
    } else {
      text += vector_register(v.in_place ? kSourceRegister[0] : kDestination, wide(c_.result));
      if (has_mask(c_.result)) text += ", " + mask_out;
    }
    for (unsigned k = 0; k < c_.sources.size(); ++k) {
      const Operation kind = c_.sources[k].kind;
      std::string source =
          kind == Operation::mask ? mask_in : vector_register(kSourceRegister[k], wide(kind));
      if (k == 0 && !v.first.empty()) source = v.first;
      if (v.abs[std::min(k, 2u)]) source = "|" + source + "|";
      if (v.neg[std::min(k, 2u)]) source = "-" + source;
      if (v.sext[std::min(k, 2u)]) source = "sext(" + source + ")";
      text += ", " + source;
    }
    if (v.suffix == "_dpp") {
      text += fmt::format(" {} row_mask:{:#x} bank_mask:{:#x}", v.control, v.row_mask, v.bank_mask);
      if (v.bound) text += " bound_ctrl:1";
    }
    if (v.clamp) text += " clamp";
    if (v.omod != 0) text += v.omod == 1 ? " mul:2" : v.omod == 2 ? " mul:4" : " div:2";
    if (v.suffix == "_sdwa") {
      constexpr const char* names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
      constexpr const char* unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
      if (c_.result != ResultKind::mask && c_.sdwa_result) {
        text += fmt::format(" dst_sel:{} dst_unused:{}", names[v.select_to], unused[v.unused]);
      }
      text += fmt::format(" src0_sel:{}", names[v.select[0]]);
      const bool two = c_.sources.size() > 1 && c_.sources[1].kind != Operation::mask;
      if (two) text += fmt::format(" src1_sel:{}", names[v.select[1]]);
    }
    return text;
  }

  /// The value an inline constant has in a source.
  static u64 constant(const std::string& text, Operation kind) {
    if (text == "-5") {
      return kind == Operation::integer64 ? ~u64{4} : cut(0xfffffffb, kind);
    }
    switch (kind) {  // -4.0
      case Operation::half:
        return 0xc400;
      case Operation::bfloat:
        return 0xc080;
      case Operation::double_:
        return 0xc010000000000000;
      default:
        return 0xc0800000;
    }
  }

  static u64 selected(u64 value, int select, bool sext) {
    if (select == 6) return value;
    const unsigned bits = select < 4 ? 8 : 16;
    const unsigned shift =
        select < 4 ? 8 * static_cast<unsigned>(select) : 16 * static_cast<unsigned>(select - 4);
    const u64 field = value >> shift & ((u64{1} << bits) - 1);
    const bool negative = (field >> (bits - 1) & 1) != 0;
    return sext && negative ? (field | ~((u64{1} << bits) - 1)) & 0xffffffff : field;
  }

  u64 modified_source(u64 value, unsigned k, const Variant& v) const {
    const Operation kind = c_.sources[k].kind;
    if (v.suffix == "_sdwa" && k < 2) value = selected(value, v.select[k], v.sext[k]);
    value = cut(value, kind);
    if (!is_float(kind)) return value;
    const u64 sign = format_of(kind).sign_mask();
    if (v.abs[k]) value &= ~sign;
    if (v.neg[k]) value ^= sign;
    return value;
  }

  /// omod and clamp on a result of the format.
  static u64 modified_result(u64 value, FloatFormat f, const Variant& v, const TestMode& mode) {
    if (v.omod != 0 && !mode.ieee() && mode.flush_result(f) && !f.nan(value)) {
      const int power = v.omod == 3 ? -1 : v.omod;
      if (!f.infinite(value)) value = rounded(scaled(exact(value, f), power), {f, mode.rounding(f), true});
      if (f.zero(value)) value = 0;
    }
    if (v.clamp) {
      if (f.nan(value)) return mode.dx10_clamp() ? 0 : value;
      const u64 one = static_cast<u64>(f.bias()) << f.mantissa_bits;
      if (f.negative(value) && !f.zero(value)) return 0;
      if (!f.negative(value) && value > one) return one;
    }
    return value;
  }

  void check_one(const Variant& v, u32 mode, u64 exec, u64 first) {
    // Values of each lane.
    std::array<std::array<u64, kLanes>, 4> values{};
    std::array<u64, kLanes> old{};
    u64 mask_in = 0;
    const u64 scalar_index = first / kLanes;
    for (u32 lane = 0; lane < kLanes; ++lane) {
      u64 index = (first + lane) * 2654435761u;  // spreads over the combinations when there are many
      u64 combinations = 1;
      for (const SourceKind& s : c_.sources) combinations *= std::max<u64>(s.values.size(), 1);
      if (combinations <= 2048 && !c_.reads_old) index = first + lane;
      for (unsigned k = 0; k < c_.sources.size(); ++k) values[k][lane] = value_of(c_.sources[k], index);
      old[lane] = c_.reads_old ? value_of(c_.sources.back(), index) : kOldLow | u64{kOldHigh} << 32;
      if ((lane * 7 + first / kLanes) % 3 == 0) mask_in |= u64{1} << lane;
    }
    Input in;
    in.mode = mode;
    in.exec = exec;
    in.vcc = mask_in;
    in.s64(kMaskIn, mask_in);
    const auto scalar = c_.sources[0].values.empty()
                            ? u64{0}
                            : c_.sources[0].values[scalar_index % c_.sources[0].values.size()];
    in.s64(kScalar, scalar);
    in.v64(kDestination, old);
    for (unsigned k = 0; k < c_.sources.size(); ++k) {
      if (c_.sources[k].kind != Operation::mask) in.v64(kSourceRegister[k], values[k]);
    }
    const std::string text = text_of(v);
    const Output out = snippets_.run(text, in);
    check_lanes(v, mode, exec, text, values, old, mask_in, scalar, out);
  }

  void check_lanes(const Variant& v, u32 mode, u64 exec, const std::string& text,
                   const std::array<std::array<u64, kLanes>, 4>& values, const std::array<u64, kLanes>& old,
                   u64 mask_in, u64 scalar, const Output& out) {
    const bool vcc_only = v.suffix == "_e32" || v.suffix == "_dpp" || v.suffix == "_sdwa";
    u64 expected_mask = 0;
    for (u32 lane = 0; lane < kLanes; ++lane) {
      LaneInput input;
      input.lane = lane;
      input.mode = {mode};
      bool written = (exec >> lane & 1) != 0;
      for (unsigned k = 0; k < c_.sources.size(); ++k) {
        const Operation kind = c_.sources[k].kind;
        if (kind == Operation::mask) {
          input.s[k] = mask_in >> lane & 1;
          continue;
        }
        u64 value = values[k][lane];
        if (k == 0 && !v.first.empty()) value = v.first[0] == 's' ? scalar : constant(v.first, kind);
        if (k == 0 && v.suffix == "_dpp") {
          const int from = dpp_source(v.control, static_cast<int>(lane));
          const bool valid = from >= 0 && (exec >> from & 1) != 0;
          value = valid ? values[0][static_cast<u32>(from)] : 0;
          const bool enabled =
              (v.row_mask >> (lane / 16) & 1) != 0 && (v.bank_mask >> (lane % 16 / 4) & 1) != 0;
          written = written && enabled && (valid || v.bound);
        }
        input.s[k] = modified_source(value, k, v);
      }
      const u64 before = v.in_place ? values[0][lane] : old[lane];
      input.old = wide(c_.result) ? before : before & 0xffffffff;
      const LaneResult result = v.clamp && c_.saturated ? c_.saturated(input) : c_.reference(input);
      if (written && result.flag) expected_mask |= u64{1} << lane;
      if (c_.result == ResultKind::mask) continue;
      u64 expected = input.old;
      if (written) expected = final_value(result.value, input.old, v, mode);
      const unsigned reg = v.in_place ? kSourceRegister[0] : kDestination;
      const u64 actual = wide(c_.result) ? out.v64(reg, lane) : out.v(reg)[lane];
      if (matches(actual, expected, written)) continue;
      if (++failures_ > 8) continue;  // one wrong function fails in every lane
      INFO(text << " mode " << std::hex << mode << " exec " << exec << " lane " << std::dec << lane
                << std::hex << " sources " << input.s[0] << ", " << input.s[1] << ", " << input.s[2]
                << " old " << input.old);
      INFO("expected " << std::hex << expected << " actual " << actual);
      CHECK(actual == expected);
    }
    if (!has_mask(c_.result)) return;
    const u64 actual_mask = vcc_only ? out.vcc : out.s64(kMaskOut);
    INFO(text << std::hex << " exec " << exec << " expected " << expected_mask << " actual " << actual_mask);
    CHECK(actual_mask == expected_mask);
    if (c_.writes_exec) CHECK(out.exec == expected_mask);
  }

  u64 final_value(u64 value, u64 old, const Variant& v, u32 mode) const {
    if (c_.result == ResultKind::single) value = modified_result(value, kF32, v, {mode});
    if (c_.result == ResultKind::double_) value = modified_result(value, kF64, v, {mode});
    if (c_.result == ResultKind::half) {
      value = modified_result(value & 0xffff, kF16, v, {mode}) | (value & 0xffff0000);
    }
    if (v.suffix != "_sdwa" || v.select_to == 6) return value;
    const unsigned bits = v.select_to < 4 ? 8 : 16;
    const unsigned shift = v.select_to < 4 ? 8 * static_cast<unsigned>(v.select_to)
                                           : 16 * static_cast<unsigned>(v.select_to - 4);
    const u64 field_mask = ((u64{1} << bits) - 1) << shift, field = value << shift & field_mask;
    if (v.unused == 2) return (old & ~field_mask & 0xffffffff) | field;
    const bool negative = (value >> (bits - 1) & 1) != 0;
    const u64 above = 0xffffffff & ~((u64{1} << (shift + bits)) - 1);
    return v.unused == 1 && negative ? field | above : field;
  }

  bool matches(u64 actual, u64 expected, bool written) const {
    if (actual == expected) return true;
    if (!c_.close || !written) return false;
    const u64 distance = actual > expected ? actual - expected : expected - actual;
    return distance <= 1;
  }

  // Rounding nearest, up, down, to zero; denormals of sources, results, all flushed; IEEE and DX10_CLAMP;
  // overflow.
  static constexpr u32 kModes[] = {0xf0, 0xf5, 0xfa, 0xff, 0xa0, 0x50, 0x00, 0x3f0, 0x8000f0};

  const VectorCase& c_;
  Snippets snippets_;
  unsigned failures_ = 0;
};

}  // namespace

void drive(const VectorCase& c) {
  Driver(c).run();
  // gfx942 has most of these instructions with the same meaning.
  if (c.processor != "gfx950" || c.only_gfx950) return;
  const auto known = implemented_forms("gfx942");
  if (std::ranges::find(known, c.mnemonic, &ImplementedForm::mnemonic) == known.end()) return;
  VectorCase older = c;
  older.processor = "gfx942";
  Driver(older).run();
}

std::span<const std::uint64_t> vector_exec_patterns() {
  static constexpr u64 patterns[] = {0, 1, u64{1} << 63, 0xffffffff, 0xaaaaaaaaaaaaaaaa, 0x0123456789abcdef};
  return patterns;
}

int dpp_source(const std::string& control, int lane) {
  const std::size_t colon = control.find(':');
  const std::string name = control.substr(0, colon);
  const int row = lane / 16 * 16, column = lane % 16;
  if (name == "quad_perm")
    return lane / 4 * 4 + (control[colon + 2 + 2 * static_cast<std::size_t>(lane % 4)] - '0');
  if (name == "row_mirror") return row + 15 - column;
  if (name == "row_half_mirror") return lane / 8 * 8 + 7 - lane % 8;
  const int n = colon == std::string::npos ? 0 : std::stoi(control.substr(colon + 1));
  if (name == "row_shl") return column + n < 16 ? lane + n : -1;
  if (name == "row_shr") return column - n >= 0 ? lane - n : -1;
  if (name == "row_ror") return row + (column + 16 - n) % 16;
  if (name == "wave_shl") return lane == 63 ? -1 : lane + 1;
  if (name == "wave_shr") return lane - 1;
  if (name == "wave_rol") return (lane + 1) % 64;
  if (name == "wave_ror") return (lane + 63) % 64;
  if (name == "row_bcast") return n == 15 ? row - 1 : lane < 32 ? -1 : 31;
  if (name == "row_newbcast") return row + n;
  return -1;
}

SourceKind with(Operation kind, std::vector<std::uint64_t> values) {
  return {kind, std::move(values)};
}

}  // namespace wavesmith::simulator::testing
