// Spelling of types and constants.
#include "lowering/llvm_spelling.h"

#include <bit>

#include <fmt/format.h>

namespace wavesmith::lowering {
namespace {

using ir::Scalar;

std::string_view scalar_name(ir::Type type) {
  switch (type.scalar) {
    case Scalar::none:
      return "void";
    case Scalar::i1:
      return "i1";
    case Scalar::i16:
      return "i16";
    case Scalar::i32:
      return "i32";
    case Scalar::i64:
      return "i64";
    case Scalar::f16:
      return "half";
    case Scalar::bf16:
      return "bfloat";
    case Scalar::f32:
      return "float";
    case Scalar::ptr:
      switch (type.space) {
        case ir::AddressSpace::none:
          return "ptr";
        case ir::AddressSpace::global:
          return "ptr addrspace(1)";
        case ir::AddressSpace::lds:
          return "ptr addrspace(3)";
        case ir::AddressSpace::buffer_resource:
          return "ptr addrspace(8)";
      }
  }
  return "?";
}

std::string scalar_constant(ir::Type type, std::uint64_t bits) {
  switch (type.scalar) {
    case Scalar::f32:
      // LLVM writes a float as the hexadecimal bits of the double of the same value.
      return fmt::format("0x{:016X}", std::bit_cast<std::uint64_t>(static_cast<double>(
                                          std::bit_cast<float>(static_cast<std::uint32_t>(bits)))));
    case Scalar::f16:
      return fmt::format("0xH{:04X}", bits);
    case Scalar::bf16:
      return fmt::format("0xR{:04X}", bits);
    case Scalar::i1:
      return bits != 0 ? "true" : "false";
    default: {
      const unsigned shift = 64 - ir::scalar_bits(type);
      return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
    }
  }
}

}  // namespace

std::string llvm_type(ir::Type type) {
  return type.is_vector() ? fmt::format("<{} x {}>", type.lanes, scalar_name(type))
                          : std::string(scalar_name(type));
}

std::string mangled_type(ir::Type type) {
  const std::string lanes = type.is_vector() ? fmt::format("v{}", type.lanes) : "";
  if (type.is_pointer()) return fmt::format("{}p{}", lanes, static_cast<unsigned>(type.space));
  return fmt::format("{}{}", lanes, to_string(type.element()));
}

std::string llvm_constant(ir::Type type, std::uint64_t bits) {
  if (!type.is_vector()) return scalar_constant(type, bits);
  if (bits == 0) return "zeroinitializer";
  const std::string element = fmt::format("{} {}", scalar_name(type), scalar_constant(type, bits));
  std::string text = "<";
  for (unsigned lane = 0; lane < type.lanes; ++lane) text += (lane == 0 ? "" : ", ") + element;
  return text + ">";
}

}  // namespace wavesmith::lowering
