// Conversions between integers, f16, bf16, f32 and f64. To integers: truncated and saturated, NaN gives 0. To
// floats: rounded by MODE, except where the instruction fixes the rounding. Source: VOP1 and VOP3 in the
// CDNA4 guide.
#include <cmath>
#include <limits>

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/vector_half.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

/// Exact, and +0 for 0 in every direction; in steps that 32-bit vectors can do.
WAVESMITH_INLINE f64 exact(u32 value) {
  return static_cast<f64>(static_cast<i32>(value >> 1)) * 2 + static_cast<f64>(static_cast<i32>(value & 1));
}
WAVESMITH_INLINE f64 exact(i32 value) {
  return static_cast<f64>(value);
}

constexpr auto whole_u32 = [](f64 a) {
  const f64 limited = !(a > 0) ? 0 : a > 4294967295.0 ? 4294967295.0 : a;
  const bool high = limited >= 0x1p31;
  return static_cast<u32>(static_cast<i32>(high ? limited - 0x1p31 : limited)) ^ (high ? 0x80000000u : 0u);
};
constexpr auto whole_i32 = [](f64 a) {
  const f64 limited = a != a ? 0 : a < -0x1p31 ? -0x1p31 : a > 2147483647.0 ? 2147483647.0 : a;
  return static_cast<i32>(limited);
};
constexpr auto floor_i32 = [](f64 a) { return whole_i32(std::floor(a)); };
/// floor(a + 0.5) of the exact sum.
constexpr auto nearest_i32 = [](f64 a) { return whole_i32(std::floor(a + 0.5)); };

/// An integer from F of the source as f64.
template <class D, class A, auto F>
struct ToInteger {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    const Source<A> a = source<A>(wave, i, 1, ba);
    const bool flush = FloatMode<A>(wave.mode).flush_sources;
    Result<D> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      d.set(lane, F(static_cast<f64>(flush ? flush_denormal(a[lane]) : a[lane])));
    }
    d.finish();
  }
};

/// f32 from F of the source, which gives an f64 or f32 that is rounded in MODE's direction for f32.
template <class A, auto F>
struct ToSingle {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    const Source<A> a = source<A>(wave, i, 1, ba);
    const FloatMode<f32> mode(wave.mode);
    Result<f32> d(wave, i);
    {
      const RoundingScope rounding(mode.round);
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, static_cast<f32>(F(a[lane])));
      modify_lanes(wave, i, d, !mode.flush_results);
    }
    d.finish();
  }
};

template <unsigned Byte>
constexpr auto byte_value = [](u32 a) { return static_cast<f32>(static_cast<i32>(a >> (8 * Byte) & 0xffu)); };
constexpr auto unchanged = [](auto a) { return a; };
constexpr auto value_of = [](auto a) { return exact(a); };
/// A signed nibble in sixteenths.
constexpr auto nibble_value = [](u32 a) { return static_cast<f32>(static_cast<i32>(a << 28) >> 28) / 16; };

struct SingleFromHalf {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffer;
    const u32* a = source32(wave, i, 1, buffer);
    const bool flush = wave.mode.flush_f16_f64_sources();
    Result<f32> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const f32 value = half_to_float(flush ? flush_half(a[lane]) : a[lane] & 0xffffu);
      d.set(lane, settle_nan<f32>(value, value));
    }
    modify_lanes(wave, i, d, !wave.mode.flush_f32_results());
    d.finish();
  }
};

struct SingleFromBfloat {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffer;
    const u32* a = source32(wave, i, 1, buffer);
    const FloatMode<f32> mode(wave.mode);
    Result<f32> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const f32 wide = std::bit_cast<f32>(a[lane] << 16);
      const f32 value = settle_nan<f32>(wide, wide);
      d.set(lane, mode.flush_sources || mode.flush_results ? flush_denormal(value) : value);
    }
    modify_lanes(wave, i, d, !mode.flush_results);
    d.finish();
  }
};

/// f64 <-> f32.
struct SingleFromDouble {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f64> ba;
    const Source<f64> a = source<f64>(wave, i, 1, ba);
    const FloatMode<f32> mode(wave.mode);
    const bool flush = wave.mode.flush_f16_f64_sources();
    Result<f32> d(wave, i);
    {
      const RoundingScope rounding(mode.round);
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) {
        const f64 value = flush ? flush_denormal(a[lane]) : a[lane];
        const f32 narrow = static_cast<f32>(value);
        const f32 result = settle_nan<f32>(narrow, narrow);
        d.set(lane, mode.flush_results ? flush_denormal(result) : result);
      }
      modify_lanes(wave, i, d, !mode.flush_results);
    }
    d.finish();
  }
};
template <class A, auto F>
struct ToDouble {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<A> ba;
    const Source<A> a = source<A>(wave, i, 1, ba);
    const bool flush = std::is_same_v<A, f32> && wave.mode.flush_f32_sources();
    Result<f64> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, F(a[lane], flush));
    modify_lanes(wave, i, d, !wave.mode.flush_f16_f64_results());
    d.finish();
  }
};
constexpr auto double_of_integer = [](auto a, bool) { return exact(a); };
constexpr auto double_of_single = [](f32 a, bool flush) {
  const f64 value = static_cast<f64>(flush ? flush_denormal(a) : a);
  return settle_nan<f64>(value, value);
};

WAVESMITH_INLINE bool is_finite(f32 value) {
  return (std::bit_cast<u32>(value) & 0x7f800000u) != 0x7f800000u;
}

/// Two results of F(f32) in one register, source 0 in the low half.
template <auto F>
struct PackHalves {
  /// With what MODE and clamp ask for.
  static u32 convert(f32 value, const Wave& wave, bool clamp) {
    if (wave.mode.flush_f32_sources()) value = flush_denormal(value);
    Modifiers only_clamp;
    only_clamp.clamp = clamp;
    value = modify_result(value, only_clamp, wave.mode, true);
    const u32 bits = F(value);
    const bool denormal = (bits & F.exponent) == 0;
    if (denormal && wave.mode.flush_f16_f64_results()) return bits & 0x8000u;
    return F.limited ? limit_half(bits, is_finite(value), wave.mode.fp16_overflow()) : bits;
  }

  template <bool Wide>
  struct Body {
    static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
      SourceBuffers<f32> ba, bb;
      const Source<f32> a = source<f32>(wave, i, 1, ba), b = source<f32>(wave, i, 2, bb);
      const Mode& mode = wave.mode;
      const bool usual = !mode.flush_f32_sources() && !mode.flush_f16_f64_results() &&
                         !mode.fp16_overflow() && !i.modifiers.clamp;
      alignas(64) u32 low[kLanes], high[kLanes];
      if (usual) {
        F.template convert_lanes<Wide>(a, low);
        F.template convert_lanes<Wide>(b, high);
      } else {
        for (u32 lane = 0; lane < kLanes; ++lane) {
          low[lane] = convert(a[lane], wave, i.modifiers.clamp);
          high[lane] = convert(b[lane], wave, i.modifiers.clamp);
        }
      }
      Result<u32> d(wave, i);
      WAVESMITH_LANES
      for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, low[lane] | high[lane] << 16);
      d.finish();
    }
  };
};
struct NearestHalf {
  u32 exponent = 0x7c00;
  bool limited = true;  ///< MODE.FP16_OVFL applies
  u32 operator()(f32 value) const { return float_to_half(value); }
  template <bool Wide>
  WAVESMITH_INLINE void convert_lanes(const Source<f32>& values, u32* out) const {
    Floats floats;
    for (u32 lane = 0; lane < kLanes; ++lane) floats.lane[lane] = values[lane];
    narrow_to_halves<Wide>(floats, out);
  }
};
struct TruncatedHalf {
  u32 exponent = 0x7c00;
  bool limited = false;
  u32 operator()(f32 value) const { return float_to_half_truncated(value); }
  template <bool>
  WAVESMITH_INLINE void convert_lanes(const Source<f32>& values, u32* out) const {
    for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = float_to_half_truncated(values[lane]);
  }
};
struct NearestBfloat {
  u32 exponent = 0x7f80;
  bool limited = false;
  u32 operator()(f32 value) const { return float_to_bfloat(value); }
  template <bool>
  WAVESMITH_INLINE void convert_lanes(const Source<f32>& values, u32* out) const {
    for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = float_to_bfloat(values[lane]);
  }
};
template <auto F>
constexpr Handlers pack_halves = both_widths<PackHalves<F>::template Body>;

/// f16 from f32 in MODE's direction for f16.
template <bool Wide>
struct HalfFromSingle {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f32> ba;
    const Source<f32> a = source<f32>(wave, i, 1, ba);
    const bool flush_source = wave.mode.flush_f32_sources();
    Floats s[3];
    for (u32 lane = 0; lane < kLanes; ++lane) {
      s[0].lane[lane] = flush_source ? flush_denormal(a[lane]) : a[lane];
    }
    // As an f16 operation without one, but for f16 denormals that are no sources here.
    alignas(64) u32 halves[kLanes];
    apply_to_halves<Wide, unchanged, 1, false>(with_source_denormals(wave.mode), s, halves);
    write_halves<OtherHalf::zero>(wave, i, halves);
  }
};

/// f16 from a 16-bit integer, and back.
template <bool Signed>
struct HalfFromInteger {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffer;
    const u32* a = source32(wave, i, 1, buffer);
    const unsigned round = wave.mode.round_f16_f64();
    const bool limit = wave.mode.fp16_overflow();
    alignas(64) u32 halves[kLanes];
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const i32 value = Signed ? static_cast<i32>(a[lane] << 16) >> 16 : static_cast<i32>(a[lane] & 0xffffu);
      const f32 exact_value = static_cast<f32>(value);
      const u32 bits = round == 0 ? float_to_half(exact_value) : double_to_half(exact_value, round);
      halves[lane] = limit_half(bits, true, limit);
    }
    write_halves<OtherHalf::zero>(wave, i, halves);
  }
};
template <i32 Low, i32 High>
struct IntegerFromHalf {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    LaneBuffer buffer;
    const u32* a = source32(wave, i, 1, buffer);
    Result<u32> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const f32 value = half_to_float(a[lane] & 0xffffu);
      const f32 limited = value != value ? 0.0f : value < Low ? Low : value > High ? High : value;
      d.set(lane, static_cast<u32>(static_cast<i32>(limited)) & 0xffffu);
    }
    d.finish();
  }
};

/// Two saturated integers in one register.
template <class Wide, i32 Low, i32 High>
struct PackIntegers {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<Wide> ba, bb;
    const Source<Wide> a = source<Wide>(wave, i, 1, ba), b = source<Wide>(wave, i, 2, bb);
    const auto narrow = [](Wide value) WAVESMITH_INLINE_LAMBDA {
      const Wide least = static_cast<Wide>(Low), most = static_cast<Wide>(High);
      return static_cast<u32>(value < least ? least : value > most ? most : value) & 0xffffu;
    };
    Result<u32> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) d.set(lane, narrow(a[lane]) | narrow(b[lane]) << 16);
    d.finish();
  }
};

constexpr AcceptSet kResultModifiers = Accepts::clamp | Accepts::omod;
constexpr AcceptSet kIntegerToFloat = kResultModifiers | Accepts::sext;
constexpr AcceptSet kPackModifiers = Accepts::neg | Accepts::abs | Accepts::clamp;

constexpr Row convert(std::string_view mnemonic, std::string_view operands, Handlers handlers,
                      AcceptSet accepted, FormSet forms = kVop12, GfxSet targets = kCdna) {
  return {mnemonic, forms, operands, handlers, Unit::valu, accepted, 0, targets};
}
constexpr Row pack(std::string_view mnemonic, Handlers handlers, GfxSet targets) {
  return {mnemonic, kVop3, "v2f16 = f32 f32", handlers, Unit::valu, kPackModifiers, 0, targets};
}

constexpr Row kRows[] = {
    convert("v_cvt_f32_u32", "f32 = b32", both<ToSingle<u32, value_of>>, kIntegerToFloat),
    convert("v_cvt_f32_i32", "f32 = b32", both<ToSingle<i32, value_of>>, kIntegerToFloat),
    convert("v_cvt_f32_ubyte0", "f32 = b32", both<ToSingle<u32, byte_value<0>>>, kIntegerToFloat),
    convert("v_cvt_f32_ubyte1", "f32 = b32", both<ToSingle<u32, byte_value<1>>>, kIntegerToFloat),
    convert("v_cvt_f32_ubyte2", "f32 = b32", both<ToSingle<u32, byte_value<2>>>, kIntegerToFloat),
    convert("v_cvt_f32_ubyte3", "f32 = b32", both<ToSingle<u32, byte_value<3>>>, kIntegerToFloat),
    convert("v_cvt_off_f32_i4", "f32 = b32", both<ToSingle<u32, nibble_value>>, kIntegerToFloat),
    convert("v_cvt_f32_f16", "f32 = f16", both<SingleFromHalf>, kFloatModifiers),
    convert("v_cvt_f32_bf16", "f32 = bf16", both<SingleFromBfloat>, kFloatModifiers, kVop12, kGfx950Only),
    convert("v_cvt_f32_f64", "f32 = f64", both<SingleFromDouble>, kFloatModifiers, kVop12NoSdwa),
    convert("v_cvt_f64_f32", "f64 = f32", both<ToDouble<f32, double_of_single>>, kFloatModifiers,
            kVop12NoSdwa),
    convert("v_cvt_f64_i32", "f64 = b32", both<ToDouble<i32, double_of_integer>>, kResultModifiers,
            kVop12NoSdwa),
    convert("v_cvt_f64_u32", "f64 = b32", both<ToDouble<u32, double_of_integer>>, kResultModifiers,
            kVop12NoSdwa),
    convert("v_cvt_u32_f32", "b32 = f32", both<ToInteger<u32, f32, whole_u32>>, kFloatInputModifiers),
    convert("v_cvt_i32_f32", "b32 = f32", both<ToInteger<i32, f32, whole_i32>>, kFloatInputModifiers),
    convert("v_cvt_flr_i32_f32", "b32 = f32", both<ToInteger<i32, f32, floor_i32>>, kFloatInputModifiers),
    convert("v_cvt_rpi_i32_f32", "b32 = f32", both<ToInteger<i32, f32, nearest_i32>>, kFloatInputModifiers),
    convert("v_cvt_u32_f64", "b32 = f64", both<ToInteger<u32, f64, whole_u32>>, kFloatInputModifiers,
            kVop12NoSdwa),
    convert("v_cvt_i32_f64", "b32 = f64", both<ToInteger<i32, f64, whole_i32>>, kFloatInputModifiers,
            kVop12NoSdwa),
    convert("v_cvt_f16_f32", "f16 = f32", both_widths<HalfFromSingle>, kFloatModifiers),
    convert("v_cvt_f16_u16", "f16 = b16", both<HalfFromInteger<false>>, kIntegerToFloat),
    convert("v_cvt_f16_i16", "f16 = b16", both<HalfFromInteger<true>>, kIntegerToFloat),
    convert("v_cvt_u16_f16", "b16 = f16", both<IntegerFromHalf<0, 65535>>, kFloatInputModifiers),
    convert("v_cvt_i16_f16", "b16 = f16", both<IntegerFromHalf<-32768, 32767>>, kFloatInputModifiers),
    pack("v_cvt_pk_f16_f32", pack_halves<NearestHalf{}>, kGfx950Only),
    pack("v_cvt_pk_bf16_f32", pack_halves<NearestBfloat{}>, kGfx950Only),
    pack("v_cvt_pkrtz_f16_f32", pack_halves<TruncatedHalf{}>, kCdna),
    {"v_cvt_pk_u16_u32", kVop3, "b32 = b32 b32", both<PackIntegers<u32, 0, 65535>>, Unit::valu, kNoModifiers,
     0, kCdna},
    {"v_cvt_pk_i16_i32", kVop3, "b32 = b32 b32", both<PackIntegers<i32, -32768, 32767>>, Unit::valu,
     kNoModifiers, 0, kCdna},
};

}  // namespace

std::span<const Row> vector_convert() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
