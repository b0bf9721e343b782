// What a kernel computed, without the places where it lies: equal for layouts that hold the same tensors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "tests/verify/kernels.h"

namespace wavesmith::test {

/// Each run takes seconds under the sanitizers: tests leave some out there.
#ifdef WAVESMITH_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

struct Bits {
  std::vector<std::uint16_t> o;
  std::vector<std::uint32_t> lse;
  friend bool operator==(const Bits&, const Bits&) = default;
};

/// Checks that the run is right, without a fault or a hazard.
inline Bits bits_of(const Kernel& kernel, const verify::AttentionCase& shape) {
  verify::AttentionRun result = run(kernel, shape);
  INFO(kernel.plan.symbol << (result.report.fault ? ": " + result.report.fault->message() : ""));
  INFO((result.accuracy.mismatches.empty() ? "" : result.accuracy.mismatches.front().where));
  CHECK_FALSE(result.report.fault);
  CHECK((result.report.hazards && result.report.hazards->empty()));
  CHECK(result.accuracy.ok());
  CHECK((!result.lse || result.lse->ok()));
  CHECK(result.ok());
  return {std::move(result.named_output), std::move(result.named_lse)};
}

}  // namespace wavesmith::test
