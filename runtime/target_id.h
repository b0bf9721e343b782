// Target ids in LLVM's syntax ("gfx942:sramecc+:xnack-") and the table of processors that code objects may
// name. parse_target_id() turns text into a TargetId; TargetId::text() turns it back. The table itself is in
// processors.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "wavesmith/error.h"

namespace wavesmith::runtime {

/// Processors that share an encoding of the kernel descriptor and of the registers.
enum class Family : std::uint8_t {
  gfx9,    ///< Vega and gfx908: separate vector and accumulation files
  gfx90a,  ///< gfx90a, gfx94x, gfx950: one file of 512 registers holds vector and accumulation registers
  gfx10,   ///< RDNA 1 and 2
  gfx11,   ///< RDNA 3 and 3.5
  gfx12,   ///< RDNA 4 (gfx120x)
};

/// One processor that a code object can be made for.
struct Processor {
  std::string_view name;     ///< "gfx950"
  std::uint8_t elf_machine;  ///< e_flags[7:0]
  Family family;
  bool has_xnack;    ///< the processor has an XNACK setting
  bool has_sramecc;  ///< the processor has an SRAMECC setting
  bool generic;      ///< stands for several processors; e_flags[31:24] then hold a version
};

/// All processors, ordered by name.
[[nodiscard]] std::span<const Processor> processors();
/// The processor of that name, or null.
[[nodiscard]] const Processor* find_processor(std::string_view name);
/// The processor of that e_flags[7:0], or null.
[[nodiscard]] const Processor* find_processor_by_machine(std::uint32_t elf_machine);

/// What code requires of an XNACK or SRAMECC setting; the order is that of the two e_flags bits.
enum class FeatureSetting : std::uint8_t {
  unsupported = 0,  ///< the processor has no such setting
  any = 1,          ///< the code runs with either setting; nothing in the target id's text
  off = 2,          ///< "-"
  on = 3,           ///< "+"
};

/// A processor and what the code requires of its settings.
struct TargetId {
  const Processor* processor = nullptr;  ///< never null in a value that parse_target_id or a reader returned
  FeatureSetting sramecc = FeatureSetting::unsupported;
  FeatureSetting xnack = FeatureSetting::unsupported;

  /// Processor, then features in alphabetical order, those that are `any` left out.
  [[nodiscard]] std::string text() const;
  /// The settings as an LLVM feature string: "+sramecc,-xnack", empty when both are `any`.
  [[nodiscard]] std::string llvm_features() const;

  friend bool operator==(const TargetId&, const TargetId&) = default;
};

/// Parses "gfx942", "gfx942:xnack-", "gfx942:sramecc+:xnack-". An unknown processor, an unknown or repeated
/// feature, features out of alphabetical order and features that the processor does not have are refused
/// (field "target").
[[nodiscard]] Expected<TargetId> parse_target_id(std::string_view text);

/// Whether code for `code` runs on a device of target `device`: the same processor, and no setting that one
/// has on and the other off.
[[nodiscard]] bool runs_on(const TargetId& code, const TargetId& device);

}  // namespace wavesmith::runtime
