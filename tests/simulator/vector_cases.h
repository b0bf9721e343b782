// Drives one VALU instruction through every form it is implemented in and compares each lane with a reference
// function: all registers, a scalar and a constant as source 0, source 0 as destination, EXEC masks, source
// modifiers, clamp and omod, DPP and SDWA, and the modes a float depends on. What modifiers, DPP and SDWA do
// to sources and results is told here once more, from the ISA text; the reference only sees the values an
// operation works on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "snippet.h"
#include "vector_soft_float.h"

namespace wavesmith::simulator::testing {

/// What a source is, for its width, its values and the place of its sign.
enum class Operation { integer32, integer64, integer16, pair, half, bfloat, single, double_, mask };

struct SourceKind {
  Operation kind;
  std::vector<std::uint64_t> values;  ///< edge values; a mask has none
};
/// Sources with the values that tell most instructions apart.
SourceKind integers();
SourceKind integers64();
SourceKind shorts();  ///< 16 bits with something in the high half
SourceKind pairs();   ///< two f16 of all kinds
SourceKind counts();  ///< small numbers, and what lies beyond a shift count
SourceKind halves();  ///< f16 with something in the high half
SourceKind bfloats();
SourceKind singles();
SourceKind doubles();
SourceKind mask();
SourceKind with(Operation kind, std::vector<std::uint64_t> values);

/// MODE as the guides define it.
struct TestMode {
  std::uint32_t bits = 0xf0;
  bool bit(unsigned n) const { return (bits >> n & 1) != 0; }
  Rounding rounding(FloatFormat f) const {
    return static_cast<Rounding>(f.bits() == 32 ? bits & 3 : bits >> 2 & 3);
  }
  bool flush_source(FloatFormat f) const { return !bit(f.bits() == 32 ? 4 : 6); }
  bool flush_result(FloatFormat f) const { return !bit(f.bits() == 32 ? 5 : 7); }
  bool dx10_clamp() const { return bit(8); }
  bool ieee() const { return bit(9); }
  bool fp16_overflow() const { return bit(23); }
  std::uint64_t source(std::uint64_t value, FloatFormat f) const {
    return flush_source(f) ? f.flushed(value) : value;
  }
  Target target(FloatFormat f) const {
    return {f, rounding(f), flush_result(f), f.exponent_bits == 5 && fp16_overflow()};
  }
};

/// What the reference sees of one lane. A 16-bit source is cut to 16 bits; a mask is 0 or 1.
struct LaneInput {
  std::array<std::uint64_t, 4> s{};
  std::uint64_t old = 0;  ///< of the destination
  std::uint32_t lane = 0;
  TestMode mode;
};
struct LaneResult {
  LaneResult(std::uint64_t v = 0, bool f = false) : value(v), flag(f) {}
  std::uint64_t value;
  bool flag;  ///< carry, or the result of a comparison
};
using Reference = std::function<LaneResult(const LaneInput&)>;

enum class ResultKind {
  dword,
  qword,
  half,            ///< a dword with an f16 in its low half: clamp and omod work on that
  single,          ///< a dword with an f32
  double_,         ///< a qword with an f64
  mask,            ///< of a comparison
  dword_and_mask,  ///< with a carry
  qword_and_mask,
};

struct VectorCase {
  std::string mnemonic = {};
  ResultKind result = ResultKind::dword;
  std::vector<SourceKind> sources = {};
  Reference reference = {};
  bool reads_old = false;  ///< the old destination is an input: it gets the values of the last source kind
  bool source_modifiers = false;  ///< neg and abs
  bool result_modifiers = false;  ///< clamp and omod
  bool integer_clamp = false;     ///< clamp saturates: the reference is `saturated`
  Reference saturated = {};
  bool modes = false;        ///< run in every MODE that changes floats
  bool close = false;        ///< f32 results may differ by one unit in the last place (f16 and f64 too)
  bool writes_exec = false;  ///< v_cmpx
  bool sdwa_result = true;   ///< SDWA places the result; else it only selects sources
  bool sdwa_sext = true;     ///< sext() of integer sources in SDWA
  std::string processor = "gfx950";
  bool only_gfx950 = false;  ///< means something else on gfx942
};

/// Runs everything, for gfx942 too where that has the instruction; fails the current test case where a lane
/// differs. At least one form must be implemented.
void drive(const VectorCase& c);

/// Lanes that DPP moves: where lane i reads, told from the ISA text; -1 where there is nothing.
int dpp_source(const std::string& control, int lane);

/// EXEC patterns: all, some, none.
std::span<const std::uint64_t> vector_exec_patterns();

}  // namespace wavesmith::simulator::testing
