// Spelling of types.
#include "ir_builder/type.h"

#include <fmt/format.h>

namespace wavesmith::ir {
namespace {

std::string scalar_name(Type type) {
  switch (type.scalar) {
    case Scalar::none:
      return "none";
    case Scalar::i1:
      return "i1";
    case Scalar::i16:
      return "i16";
    case Scalar::i32:
      return "i32";
    case Scalar::i64:
      return "i64";
    case Scalar::f16:
      return "f16";
    case Scalar::bf16:
      return "bf16";
    case Scalar::f32:
      return "f32";
    case Scalar::ptr:
      switch (type.space) {
        case AddressSpace::none:
          return "ptr<none>";
        case AddressSpace::global:
          return "ptr<global>";
        case AddressSpace::lds:
          return "ptr<lds>";
        case AddressSpace::buffer_resource:
          return "ptr<buffer_resource>";
      }
  }
  return "?";
}

}  // namespace

std::string to_string(Type type) {
  return type.is_vector() ? fmt::format("vec<{} x {}>", type.lanes, scalar_name(type)) : scalar_name(type);
}

}  // namespace wavesmith::ir
