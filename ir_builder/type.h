// Types of the kernel IR: scalars, fixed vectors of scalars, and pointers into one of AMDGPU's address
// spaces. A Type is a small value; see function.h for the values that carry it.
#pragma once

#include <cstdint>
#include <string>

namespace wavesmith::ir {

enum class Scalar : std::uint8_t { none, i1, i16, i32, i64, f16, bf16, f32, ptr };

/// AMDGPU address spaces, with LLVM's numbers (AMDGPUUsage, "Address Spaces").
enum class AddressSpace : std::uint8_t {
  none = 0,
  global = 1,           ///< device memory, 64-bit addresses
  lds = 3,              ///< the workgroup's local data share, 32-bit addresses
  buffer_resource = 8,  ///< a 128-bit buffer descriptor
};

struct Type {
  Scalar scalar = Scalar::none;
  AddressSpace space = AddressSpace::none;  ///< only for pointers
  std::uint16_t lanes = 1;                  ///< 1 for a scalar, else the vector's length

  [[nodiscard]] constexpr bool is_vector() const { return lanes > 1; }
  [[nodiscard]] constexpr bool is_pointer() const { return scalar == Scalar::ptr; }
  [[nodiscard]] constexpr bool is_float() const {
    return scalar == Scalar::f16 || scalar == Scalar::bf16 || scalar == Scalar::f32;
  }
  [[nodiscard]] constexpr bool is_integer() const {
    return scalar == Scalar::i1 || scalar == Scalar::i16 || scalar == Scalar::i32 || scalar == Scalar::i64;
  }
  [[nodiscard]] constexpr Type element() const { return {scalar, space, 1}; }
  [[nodiscard]] constexpr Type vector(unsigned length) const {
    return {scalar, space, static_cast<std::uint16_t>(length)};
  }

  friend constexpr bool operator==(const Type&, const Type&) = default;
};

inline constexpr Type none{};
inline constexpr Type i1{Scalar::i1};
inline constexpr Type i16{Scalar::i16};
inline constexpr Type i32{Scalar::i32};
inline constexpr Type i64{Scalar::i64};
inline constexpr Type f16{Scalar::f16};
inline constexpr Type bf16{Scalar::bf16};
inline constexpr Type f32{Scalar::f32};
inline constexpr Type global_ptr{Scalar::ptr, AddressSpace::global};
inline constexpr Type lds_ptr{Scalar::ptr, AddressSpace::lds};
inline constexpr Type buffer_resource{Scalar::ptr, AddressSpace::buffer_resource};

/// Bits of one scalar as a register or memory holds it (an i1 counts as 1, a pointer by its address space).
[[nodiscard]] constexpr unsigned scalar_bits(Type type) {
  switch (type.scalar) {
    case Scalar::none:
      return 0;
    case Scalar::i1:
      return 1;
    case Scalar::i16:
    case Scalar::f16:
    case Scalar::bf16:
      return 16;
    case Scalar::i32:
    case Scalar::f32:
      return 32;
    case Scalar::i64:
      return 64;
    case Scalar::ptr:
      return type.space == AddressSpace::buffer_resource ? 128 : type.space == AddressSpace::lds ? 32 : 64;
  }
  return 0;
}

/// Bits of the whole type, all lanes of a vector together.
[[nodiscard]] constexpr unsigned total_bits(Type type) {
  return scalar_bits(type) * type.lanes;
}

/// "i32", "vec<8 x bf16>", "ptr<lds>": the spelling of the printer and of error messages.
[[nodiscard]] std::string to_string(Type type);

}  // namespace wavesmith::ir
