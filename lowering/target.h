// Facts about a GPU target that generation and lowering need, one row a target, each with its source.
// Registers and occupancy are the runtime's business (runtime/occupancy_limits.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "wavesmith/error.h"

namespace wavesmith::lowering {

/// Where one counter stands in the immediate of s_waitcnt. A counter may be split into a low and a high part.
struct WaitField {
  unsigned low_shift, low_bits;
  unsigned high_shift = 0, high_bits = 0;

  [[nodiscard]] constexpr unsigned max() const { return (1U << (low_bits + high_bits)) - 1; }
  /// The field's bits for `count`, clamped to what the counter can hold: waiting for fewer is never needed.
  [[nodiscard]] constexpr std::uint32_t encode(unsigned count) const {
    const unsigned value = count < max() ? count : max();
    return (value & ((1U << low_bits) - 1)) << low_shift | (value >> low_bits) << high_shift;
  }
};

struct TargetFacts {
  std::string_view processor;  ///< LLVM's name, e.g. "gfx950"
  unsigned wave_size;          ///< lanes
  unsigned lds_bytes;          ///< a workgroup's limit
  unsigned simds_per_cu;
  WaitField vmcnt, expcnt, lgkmcnt;
  std::uint32_t buffer_word3;  ///< last dword of a raw buffer descriptor
  bool mfma_32x32x16;          ///< 16-bit MFMA with 16 K steps
  bool lds_transpose_read;     ///< ds_read_b64_tr_b16
  bool permlane32_swap;
  std::span<const unsigned> lds_dma_bytes;  ///< bytes a lane that LDS DMA can move
};

/// The row for a processor, or nothing where the project does not know it.
[[nodiscard]] const TargetFacts* find_target(std::string_view processor);
[[nodiscard]] std::span<const TargetFacts> all_targets();

/// The s_waitcnt immediate; an absent counter is not waited for.
[[nodiscard]] std::uint32_t encode_waitcnt(const TargetFacts& target, std::optional<unsigned> vmcnt,
                                           std::optional<unsigned> lgkmcnt);

/// A feature that a target id may fix; "any" leaves the code object loadable in either mode.
enum class Feature : std::uint8_t { any, off, on };

/// LLVM's target id: a processor and its switchable features ("gfx950:sramecc+:xnack-").
struct TargetId {
  std::string processor;
  Feature sramecc = Feature::any;
  Feature xnack = Feature::any;

  friend bool operator==(const TargetId&, const TargetId&) = default;
};

/// Refuses unknown or repeated features; the processor is not looked up here.
[[nodiscard]] Expected<TargetId> parse_target_id(std::string_view text);
/// Canonical spelling: processor, then features in alphabetical order, "any" left out.
[[nodiscard]] std::string to_string(const TargetId& id);

}  // namespace wavesmith::lowering
