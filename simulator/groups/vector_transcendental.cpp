// Reciprocals, roots, exponentials and logarithms. The hardware is within 1 ulp and its exact
// bits are unknown: results here are the exact ones rounded to nearest even, whatever MODE.round says. f32
// denormals are flushed on source and result (CDNA4 guide, VOP1).
#include <cmath>

#include "simulator/groups/float_lanes.h"
#include "simulator/groups/groups.h"
#include "simulator/groups/vector_elementary.h"
#include "simulator/groups/vector_rows.h"

namespace wavesmith::simulator::groups {
namespace {

/// f32 = F(f64), rounded.
template <auto F>
struct SingleBody {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f32> ba;
    const Source<f32> a = source<f32>(wave, i, 1, ba);
    Result<f32> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const f32 x = flush_denormal(a[lane]);
      d.set(lane, flush_denormal(settle_nan<f32>(static_cast<f32>(F(static_cast<f64>(x))), x)));
    }
    modify_lanes(wave, i, d, !wave.mode.flush_f32_results());
    d.finish();
  }
};

/// f64 = F(f64); MODE decides on denormals.
template <auto F>
struct DoubleBody {
  static WAVESMITH_INLINE void run(Wave& wave, const Instruction& i) {
    SourceBuffers<f64> ba;
    const Source<f64> a = source<f64>(wave, i, 1, ba);
    const FloatMode<f64> mode(wave.mode);
    Result<f64> d(wave, i);
    WAVESMITH_LANES
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const f64 x = mode.flush_sources ? flush_denormal(a[lane]) : a[lane];
      const f64 value = settle_nan<f64>(F(x), x);
      d.set(lane, mode.flush_results ? flush_denormal(value) : value);
    }
    modify_lanes(wave, i, d, !mode.flush_results);
    d.finish();
  }
};

constexpr auto reciprocal = [](f64 x) { return 1.0 / x; };
constexpr auto root = [](f64 x) { return std::sqrt(x); };
constexpr auto reciprocal_root = [](f64 x) { return 1.0 / std::sqrt(x); };
constexpr auto exponential = [](f64 x) { return exp2_of_single(x); };
constexpr auto logarithm = [](f64 x) { return log2_of_single(x); };

constexpr Row single(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12, "f32 = f32", handlers, Unit::trans, kFloatModifiers, 0, kCdna};
}
constexpr Row wide(std::string_view mnemonic, Handlers handlers) {
  return {mnemonic, kVop12NoSdwa, "f64 = f64", handlers, Unit::trans, kFloatModifiers, 0, kCdna};
}

constexpr Row kRows[] = {
    single("v_rcp_f32", both<SingleBody<reciprocal>>),
    single("v_rcp_iflag_f32", both<SingleBody<reciprocal>>),
    single("v_rsq_f32", both<SingleBody<reciprocal_root>>),
    single("v_sqrt_f32", both<SingleBody<root>>),
    single("v_exp_f32", both<SingleBody<exponential>>),
    single("v_log_f32", both<SingleBody<logarithm>>),
    wide("v_rcp_f64", both<DoubleBody<reciprocal>>),
    wide("v_rsq_f64", both<DoubleBody<reciprocal_root>>),
    wide("v_sqrt_f64", both<DoubleBody<root>>),
};

}  // namespace

std::span<const Row> vector_transcendental() {
  return kRows;
}

}  // namespace wavesmith::simulator::groups
