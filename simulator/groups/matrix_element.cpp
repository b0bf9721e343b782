// Values of the 8-bit floating formats, and the overlap rule of MFMA operands.
#include "simulator/groups/matrix_element.h"

#include <cmath>
#include <limits>

namespace wavesmith::simulator::groups {
namespace {

/// OCP formats have the bias 2^(E-1) - 1; E5M2 has infinities and NaNs like IEEE formats, E4M3 only NaNs, all
/// bits set. FNUZ formats have a bias one higher and a single NaN, minus zero.
ByteValues values_of(int exponent_bits, bool ocp) {
  const int mantissa_bits = 7 - exponent_bits, bias = (1 << (exponent_bits - 1)) - (ocp ? 1 : 0);
  ByteValues values{};
  for (int code = 0; code < 256; ++code) {
    const int exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1);
    const int mantissa = code & ((1 << mantissa_bits) - 1);
    const int significand = exponent == 0 ? mantissa : mantissa + (1 << mantissa_bits);
    f32 value = std::ldexp(static_cast<f32>(significand), std::max(exponent, 1) - bias - mantissa_bits);
    if (ocp && exponent_bits == 5 && exponent == 31) {
      value = mantissa == 0 ? std::numeric_limits<f32>::infinity() : std::numeric_limits<f32>::quiet_NaN();
    }
    if (ocp && exponent_bits == 4 && (code & 0x7f) == 0x7f) value = std::numeric_limits<f32>::quiet_NaN();
    if (!ocp && code == 0x80) value = std::numeric_limits<f32>::quiet_NaN();
    values[static_cast<std::size_t>(code)] = code >= 128 ? -value : value;
  }
  return values;
}

}  // namespace

const ByteValues& byte_values(Element element, const Processor& processor) {
  static const ByteValues ocp_fp8 = values_of(4, true), ocp_bf8 = values_of(5, true);
  static const ByteValues fnuz_fp8 = values_of(4, false), fnuz_bf8 = values_of(5, false);
  const bool ocp = processor.gfx != Gfx::gfx942;
  if (element == Element::fp8) return ocp ? ocp_fp8 : fnuz_fp8;
  return ocp ? ocp_bf8 : fnuz_bf8;
}

bool matrix_overlap(Wave& wave, const Instruction& i) {
  const Operand &d = i.operands[0], &c = i.operands[3];
  if (d.width <= 4 || c.kind != OperandKind::vector || c.reg == d.reg) return false;
  if (c.reg + c.width <= d.reg || d.reg + d.width <= c.reg) return false;
  wave.fail(i, "the destination overlaps source 2 in part; the result is undefined");
  return true;
}

}  // namespace wavesmith::simulator::groups
