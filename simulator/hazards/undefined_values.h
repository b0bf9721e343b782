// The values that undefined state of a shadow execution starts with (shadow.h): ordinary numbers as f32, f16
// and bf16, all different, from which one can tell where they came from. undefined_value() makes them,
// place_of() reads them back.
#pragma once

#include <cstdint>
#include <optional>

namespace wavesmith::simulator {

enum class UndefinedState : std::uint8_t { vector_register, scalar_register, lds, scratch };

struct UndefinedPlace {
  UndefinedState state{};
  std::uint32_t index = 0;  ///< row * 64 + lane, scalar register, or dword of LDS or of the wave's scratch
};

/// Distinct for distinct places as long as the index is below 2^24.
[[nodiscard]] std::uint32_t undefined_value(UndefinedState state, std::uint32_t index);

/// The place whose value that is; nullopt where it is the value of none.
[[nodiscard]] std::optional<UndefinedPlace> place_of(std::uint32_t value);

}  // namespace wavesmith::simulator
