// Conversions with the 8-bit formats: OCP E4M3 and E5M2 on gfx950, the FNUZ formats on gfx942. Also rounding
// by random bits, which these instructions introduced. Source: the instruction descriptions of the CDNA3 and
// CDNA4 guides.
#include <cmath>
#include <limits>

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/matrix_element.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

/// How one format rounds: its significand has `digits` bits with the leading one, which has at least the
/// weight 2^least; `most` is the largest finite number, in units of which overflow is decided.
struct ByteFormat {
  int digits, least;
  f32 most;
  u32 most_code, nan_code, infinity_code;  ///< infinity_code is nan_code where the format has none
  bool negative_zero;
};
ByteFormat format_of(Element element, const Processor& processor) {
  const bool ocp = processor.gfx != Gfx::gfx942;
  if (element == Element::fp8) {
    return ocp ? ByteFormat{4, -6, 448.0f, 0x7e, 0x7f, 0x7f, true}
               : ByteFormat{4, -7, 240.0f, 0x7f, 0x80, 0x80, false};
  }
  return ocp ? ByteFormat{3, -14, 57344.0f, 0x7b, 0x7e, 0x7c, true}
             : ByteFormat{3, -15, 57344.0f, 0x7f, 0x80, 0x80, false};
}

/// Rounded to nearest even. What is too large becomes infinite, or a NaN where there is no infinity; with
/// MODE.FP16_OVFL it is the largest number instead, and so are infinities of formats without one.
u32 to_byte(f32 value, const ByteFormat& format, bool limit) {
  const u32 sign = std::signbit(value) ? 0x80u : 0u;
  const bool fnuz = !format.negative_zero;
  if (value != value) return fnuz ? format.nan_code : sign | format.nan_code;
  const f32 size = std::fabs(value);
  const auto too_large = [&](bool limited) {
    if (limited) return sign | format.most_code;
    return fnuz ? format.nan_code : sign | format.infinity_code;
  };
  if (std::isinf(value)) return too_large(limit && format.infinity_code == format.nan_code);
  int exponent = format.least;
  if (size != 0) exponent = std::max(std::ilogb(size), format.least);
  const int unit = exponent - format.digits + 1;
  const f64 rounded = std::ldexp(std::nearbyint(std::ldexp(static_cast<f64>(size), -unit)), unit);
  if (rounded > static_cast<f64>(format.most)) return too_large(limit);
  if (rounded == 0) return fnuz ? 0u : sign;
  // The code counts units: in the subnormal range from 0, then `2^(digits-1)` of them for each exponent.
  const int top = std::max(std::ilogb(rounded), format.least);
  const auto units = static_cast<u32>(std::ldexp(rounded, format.digits - 1 - top));
  return sign | (static_cast<u32>(top - format.least) * (1u << (format.digits - 1)) + units);
}

/// f32 from the byte that SDWA chose, or the low one.
template <Element E>
struct FromByte {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffer;
    const u32* a = source32(wave, i, 1, buffer);
    const ByteValues& values = byte_values(E, *wave.processor);
    Result<f32> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, values[a[lane] & 0xffu]);
    modify_lanes(wave, i, d, !wave.mode.flush_f32_results());
    d.finish();
  }
};
template <Element E>
struct PairFromBytes {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffer;
    const u32* a = source32(wave, i, 1, buffer);
    const ByteValues& values = byte_values(E, *wave.processor);
    Result<u64> d(wave, i);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const u32 low = std::bit_cast<u32>(values[a[lane] & 0xffu]);
      const u32 high = std::bit_cast<u32>(values[a[lane] >> 8 & 0xffu]);
      d.set(lane, low | u64{high} << 32);
    }
    d.finish();
  }
};

/// Bits [shift, shift + bits) of the destination replaced.
void insert_lanes(Wave& wave, const Instruction& i, const u32* values, unsigned shift, unsigned bits) {
  u32* row = wave.row(i.operands[0].reg);
  const u32 mask = ((1u << bits) - 1) << shift;
  for_each_lane(write_mask(wave, i),
                [&](u32 lane) { row[lane] = (row[lane] & ~mask) | (values[lane] << shift & mask); });
}

/// Two bytes into the half that op_sel[3] says.
template <Element E>
struct PairToBytes {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f32> ba, bb;
    const Source<f32> a = source<f32>(wave, i, 1, ba), b = source<f32>(wave, i, 2, bb);
    const ByteFormat format = format_of(E, *wave.processor);
    const bool limit = wave.mode.fp16_overflow(), flush = wave.mode.flush_f32_sources();
    const auto convert = [&](f32 value) {
      return to_byte(flush ? flush_denormal(value) : value, format, limit);
    };
    std::array<u32, kLanes> pairs;
    for (u32 lane = 0; lane < kLanes; ++lane) pairs[lane] = convert(a[lane]) | convert(b[lane]) << 8;
    insert_lanes(wave, i, pairs.data(), (i.modifiers.op_sel & 8) != 0 ? 16 : 0, 16);
  }
};

/// One byte, its position in op_sel[3:2]. Bits of S1 are added below the last digit that stays, the sum is
/// cut off.
template <Element E>
struct RandomToByte {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f32> ba;
    SourceBuffers<u32> bb;
    const Source<f32> a = source<f32>(wave, i, 1, ba);
    const Source<u32> random = source<u32>(wave, i, 2, bb);
    const ByteFormat format = format_of(E, *wave.processor);
    const bool limit = wave.mode.fp16_overflow();
    std::array<u32, kLanes> bytes;
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const f32 value = a[lane], size = std::fabs(value);
      if (!std::isfinite(value) || size == 0) {
        bytes[lane] = to_byte(value, format, limit);
        continue;
      }
      const int unit = std::max(std::ilogb(size), format.least) - format.digits + 1;
      const f64 sum =
          std::ldexp(static_cast<f64>(size), -unit) + std::ldexp(static_cast<f64>(random[lane]), -32);
      const f64 cut = std::ldexp(std::floor(sum), unit);
      const f32 result =
          cut > static_cast<f64>(format.most) ? std::numeric_limits<f32>::max() : static_cast<f32>(cut);
      bytes[lane] = to_byte(std::copysign(result, value), format, limit);
    }
    insert_lanes(wave, i, bytes.data(), 8 * (i.modifiers.op_sel >> 2 & 3u), 8);
  }
};

/// A step of the generator these roundings draw from: a shift register with feedback.
constexpr auto next_random = [](u32 a) { return a << 1 ^ ((0u - (a >> 31)) & 197u); };

constexpr AcceptSet kIntegerToFloat = Accepts::clamp | Accepts::omod;
constexpr AcceptSet kToByte = Accepts::neg | Accepts::abs | Accepts::op_sel;
constexpr TraitSet kUpdates = traits(Trait::reads_destination);

constexpr Row from_byte(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "f32 = b32", handlers, Unit::valu, kIntegerToFloat, 0, kCdna};
}
constexpr Row pair_from_bytes(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "v2f32 = b32", handlers, Unit::valu, kNoModifiers, 0, kCdna};
}
constexpr Row to_bytes(std::string_view mnemonic, std::string_view operands, Handlers handlers) {
  return {mnemonic, kVop3, operands, handlers, Unit::valu, kToByte, kUpdates, kCdna};
}

constexpr Row kRows[] = {
    from_byte("v_cvt_f32_fp8", both<FromByte<Element::fp8>>),
    from_byte("v_cvt_f32_bf8", both<FromByte<Element::bf8>>),
    pair_from_bytes("v_cvt_pk_f32_fp8", both<PairFromBytes<Element::fp8>>),
    pair_from_bytes("v_cvt_pk_f32_bf8", both<PairFromBytes<Element::bf8>>),
    to_bytes("v_cvt_pk_fp8_f32", "b32 = f32 f32", both<PairToBytes<Element::fp8>>),
    to_bytes("v_cvt_pk_bf8_f32", "b32 = f32 f32", both<PairToBytes<Element::bf8>>),
    to_bytes("v_cvt_sr_fp8_f32", "b32 = f32 b32", both<RandomToByte<Element::fp8>>),
    to_bytes("v_cvt_sr_bf8_f32", "b32 = f32 b32", both<RandomToByte<Element::bf8>>),
    {"v_prng_b32", kVop12, "b32 = b32", lanes1<u32, u32, next_random>, Unit::valu, kIntegerModifiers, 0,
     kGfx950Only},
};

}  // namespace

std::span<const Row> vector_fp8() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
