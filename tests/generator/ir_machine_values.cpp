// The machine's arithmetic: integers, floats, vectors, lane exchange, matrix instructions. Layouts of lanes
// and registers: CDNA4 ISA §7.1 (MFMA), §12 (v_permlane32_swap).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/generator/ir_machine.h"

namespace wavesmith::test {
namespace {

using ir::OpKind;
using ir::Predicate;
using ir::Scalar;

std::uint64_t mask_of(ir::Type type) {
  const unsigned bits = ir::scalar_bits(type);
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::int64_t as_signed(ir::Type type, std::uint64_t bits) {
  const unsigned shift = 64 - ir::scalar_bits(type);
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

float f32_of(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}
std::uint64_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// A number beats a NaN (v_max_f32).
float number_max(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a > b ? a : b;
}

float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

std::uint64_t float_op(OpKind kind, float a, float b, float c) {
  switch (kind) {
    case OpKind::fadd:
      return bits_of(a + b);
    case OpKind::fsub:
      return bits_of(a - b);
    case OpKind::fmul:
      return bits_of(a * b);
    case OpKind::fma:
      return bits_of(std::fma(a, b, c));
    case OpKind::fneg:
      return bits_of(-a);
    case OpKind::fmax:
      return bits_of(number_max(a, b));
    // The transcendental unit flushes denormals on both sides, whatever the mode.
    case OpKind::exp2:
      return bits_of(flushed(std::exp2(flushed(a))));
    case OpKind::log2:
      return bits_of(flushed(std::log2(flushed(a))));
    case OpKind::rcp:
      return bits_of(flushed(1 / flushed(a)));
    default:
      throw std::logic_error("no float operation");
  }
}

bool compare(Predicate predicate, ir::Type type, std::uint64_t a, std::uint64_t b) {
  const std::int64_t sa = type.is_float() ? 0 : as_signed(type, a),
                     sb = type.is_float() ? 0 : as_signed(type, b);
  const float fa = type.is_float() ? to_float(type, a) : 0, fb = type.is_float() ? to_float(type, b) : 0;
  switch (predicate) {
    case Predicate::eq:
      return a == b;
    case Predicate::ne:
      return a != b;
    case Predicate::slt:
      return sa < sb;
    case Predicate::sle:
      return sa <= sb;
    case Predicate::sgt:
      return sa > sb;
    case Predicate::sge:
      return sa >= sb;
    case Predicate::ult:
      return a < b;
    case Predicate::ule:
      return a <= b;
    case Predicate::ugt:
      return a > b;
    case Predicate::uge:
      return a >= b;
    case Predicate::oeq:
      return fa == fb;
    case Predicate::olt:
      return fa < fb;
    case Predicate::ole:
      return fa <= fb;
    case Predicate::ogt:
      return fa > fb;
    case Predicate::oge:
      return fa >= fb;
  }
  return false;
}

}  // namespace

unsigned elements_of(ir::Type type) {
  return type == ir::buffer_resource ? 2 : type.lanes;
}

std::uint64_t integer_binary(OpKind kind, ir::Type type, std::uint64_t a, std::uint64_t b) {
  const std::int64_t sa = as_signed(type, a), sb = as_signed(type, b);
  const auto wrap = [&](std::uint64_t value) { return value & mask_of(type); };
  const auto shift_count = [&] {
    if (b >= ir::scalar_bits(type)) throw std::runtime_error("shift by at least the width: poison");
    return static_cast<unsigned>(b);
  };
  switch (kind) {
    case OpKind::add:
      return wrap(a + b);
    case OpKind::sub:
      return wrap(a - b);
    case OpKind::mul:
      return wrap(a * b);
    case OpKind::udiv:
      return a / b;
    case OpKind::urem:
      return a % b;
    case OpKind::and_:
      return a & b;
    case OpKind::or_:
      return a | b;
    case OpKind::xor_:
      return a ^ b;
    case OpKind::shl:
      return wrap(a << shift_count());
    case OpKind::lshr:
      return a >> shift_count();
    case OpKind::ashr:
      return wrap(static_cast<std::uint64_t>(sa >> shift_count()));
    case OpKind::smin:
      return sa < sb ? a : b;
    case OpKind::smax:
      return sa > sb ? a : b;
    case OpKind::umin:
      return a < b ? a : b;
    case OpKind::umax:
      return a > b ? a : b;
    default:
      throw std::logic_error("no integer operation");
  }
}

float to_float(ir::Type type, std::uint64_t bits) {
  if (type.scalar == Scalar::f32) return f32_of(bits);
  if (type.scalar == Scalar::bf16) return f32_of(bits << 16);
  const auto sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<float>(bits & 1023);
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

std::uint64_t from_float(ir::Type type, float value) {
  if (type.scalar == Scalar::f32) return bits_of(value);
  const bool half = type.scalar == Scalar::f16;
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | (half ? 0x7e00 : 0x7fc0);
  if (std::isinf(value)) return sign | (half ? 0x7c00 : 0x7f80);
  // The spacing of the format's numbers at this magnitude; halves round to even, as nearbyint does.
  const int lowest = half ? -24 : -133, fraction_bits = half ? 10 : 7;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int spacing = std::max(lowest, exponent - 1 - fraction_bits);
  const auto steps = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(std::fabs(value), -spacing)));
  if (value == 0 || steps == 0) return sign;
  // Bits of a positive float count its predecessors: `steps` of the spacing's binade, and all below it.
  const std::uint64_t below =
      spacing == lowest ? 0 : static_cast<std::uint64_t>(spacing - lowest) << fraction_bits;
  return sign | std::min<std::uint64_t>(below + steps, half ? 0x7c00 : 0x7f80);
}

bool IrMachine::value_op(const ir::Op& op) {
  const ir::Value result = op.results.front();
  const ir::Type type = result.type();
  const unsigned lanes = elements_of(type);
  const std::size_t count = std::size_t{items()} * lanes;
  const auto all = [&](auto&& each) {
    Lanes& out = set(result);
    for (std::size_t i = 0; i < count; ++i) out[i] = each(i);
  };
  // Element `index` of an operand of another shape, for each element of the result.
  const auto from = [&](const ir::Value& value, auto&& lane_of) {
    const Lanes& in = get(value);
    const unsigned in_lanes = elements_of(value.type());
    all([&](std::size_t i) { return in[i / lanes * in_lanes + lane_of(i % lanes)]; });
  };
  switch (op.kind) {
    case OpKind::fadd:
    case OpKind::fsub:
    case OpKind::fmul:
    case OpKind::fma:
    case OpKind::fneg:
    case OpKind::fmax:
    case OpKind::exp2:
    case OpKind::log2:
    case OpKind::rcp: {
      if (type.scalar != Scalar::f32) throw std::runtime_error("float arithmetic on another type than f32");
      const Lanes& a = get(op.operands.front());
      const Lanes& b = get(op.operands[op.operands.size() > 1 ? 1 : 0]);
      const Lanes& c = get(op.operands.back());
      all([&](std::size_t i) { return float_op(op.kind, f32_of(a[i]), f32_of(b[i]), f32_of(c[i])); });
      return true;
    }
    case OpKind::icmp:
    case OpKind::fcmp: {
      const Lanes &a = get(op.operands[0]), &b = get(op.operands[1]);
      const auto predicate = static_cast<Predicate>(*op.attr(ir::Attr::predicate));
      const ir::Type operand_type = op.operands[0].type();
      all([&](std::size_t i) { return compare(predicate, operand_type, a[i], b[i]) ? 1U : 0U; });
      return true;
    }
    case OpKind::select: {
      const Lanes &condition = get(op.operands[0]), &a = get(op.operands[1]), &b = get(op.operands[2]);
      all([&](std::size_t i) { return condition[i / lanes] != 0 ? a[i] : b[i]; });
      return true;
    }
    case OpKind::zext:
    case OpKind::trunc:
    case OpKind::sext:
    case OpKind::fptrunc:
    case OpKind::fpext: {
      const Lanes& a = get(op.operands[0]);
      const ir::Type in = op.operands[0].type();
      all([&](std::size_t i) {
        if (in.is_float()) return from_float(type, to_float(in, a[i]));
        return (op.kind == OpKind::sext ? static_cast<std::uint64_t>(as_signed(in, a[i])) : a[i]) &
               mask_of(type);
      });
      return true;
    }
    case OpKind::bitcast: {
      const Lanes& a = get(op.operands[0]);
      const ir::Type in = op.operands[0].type();
      const unsigned in_bits = ir::scalar_bits(in), bits = ir::scalar_bits(type);
      const unsigned in_lanes = elements_of(in);
      Lanes& out = set(result);
      for (unsigned item = 0; item < items(); ++item)
        for (unsigned bit = 0; bit < ir::total_bits(type); ++bit) {
          const std::uint64_t one = a[item * in_lanes + bit / in_bits] >> bit % in_bits & 1;
          out[item * lanes + bit / bits] |= one << bit % bits;
        }
      return true;
    }
    case OpKind::extract:
    case OpKind::slice:
      from(op.operands[0],
           [&](std::size_t lane) { return static_cast<std::size_t>(*op.attr(ir::Attr::index)) + lane; });
      return true;
    case OpKind::splat:
      from(op.operands[0], [](std::size_t) { return std::size_t{0}; });
      return true;
    case OpKind::build:
      all([&](std::size_t i) { return get(op.operands[i % lanes])[i / lanes]; });
      return true;
    case OpKind::concat: {
      const Lanes &low = get(op.operands[0]), &high = get(op.operands[1]);
      const unsigned low_lanes = op.operands[0].type().lanes, high_lanes = op.operands[1].type().lanes;
      all([&](std::size_t i) {
        const std::size_t item = i / lanes, lane = i % lanes;
        return lane < low_lanes ? low[item * low_lanes + lane] : high[item * high_lanes + lane - low_lanes];
      });
      return true;
    }
    case OpKind::ptr_offset: {
      const Lanes &a = get(op.operands[0]), &b = get(op.operands[1]);
      all([&](std::size_t i) { return (a[i] + b[i]) & mask_of(type); });
      return true;
    }
    case OpKind::lds_address:
      all([&](std::size_t) { return static_cast<std::uint64_t>(*op.attr(ir::Attr::bytes)); });
      return true;
    case OpKind::make_buffer_resource: {
      const Lanes &base = get(op.operands[0]), &bytes = get(op.operands[1]);
      all([&](std::size_t i) { return i % 2 == 0 ? base[i / 2] : bytes[i / 2]; });
      return true;
    }
    case OpKind::workitem_id:
      all([](std::size_t i) { return i; });
      return true;
    case OpKind::workgroup_id:
      all([&](std::size_t) {
        return std::uint64_t{workgroup_.at(static_cast<std::size_t>(*op.attr(ir::Attr::index)))};
      });
      return true;
    case OpKind::load_argument: {
      if (same_in_all(op.operands[1], "the zero of an argument's address") != 0)
        report("an argument is read from another place");
      const Lanes& a = get(op.operands[0]);
      all([&](std::size_t i) { return a[i]; });
      return true;
    }
    case OpKind::readfirstlane:
    case OpKind::ballot:
    case OpKind::permlane32_swap:
      lane_op(op);
      return true;
    case OpKind::mfma_32x32x16:
      mfma(op);
      return true;
    default: {
      if (!type.is_integer() || op.operands.size() != 2) return false;
      const Lanes &a = get(op.operands[0]), &b = get(op.operands[1]);
      all([&](std::size_t i) { return integer_binary(op.kind, type, a[i], b[i]); });
      return true;
    }
  }
}

void IrMachine::lane_op(const ir::Op& op) {
  const Lanes& in = get(op.operands[0]);
  Lanes& out = set(op.results[0]);
  if (op.kind == OpKind::permlane32_swap) {
    // Lanes 0 to 31 of the second operand change places with lanes 32 to 63 of the first.
    const Lanes& second = get(op.operands[1]);
    Lanes& out_second = set(op.results[1]);
    for (std::size_t item = 0; item < items(); ++item) {
      const bool low = item % 64 < 32;
      out[item] = low ? in[item] : second[item - 32];
      out_second[item] = low ? in[item + 32] : second[item];
    }
    return;
  }
  for (std::size_t first = 0; first < items(); first += 64) {
    std::uint64_t mask = 0;
    for (unsigned lane = 0; lane < 64; ++lane) mask |= (in[first + lane] & 1) << lane;
    for (unsigned lane = 0; lane < 64; ++lane) {
      out[first + lane] = op.kind == OpKind::ballot ? mask : in[first];
      if (op.kind == OpKind::readfirstlane && in[first + lane] != in[first])
        report("readfirstlane of a value that differs between lanes");
    }
  }
}

void IrMachine::mfma(const ir::Op& op) {
  const Lanes &a = get(op.operands[0]), &b = get(op.operands[1]);
  const Lanes c = get(op.operands[2]);
  const ir::Type type = op.operands[0].type().element();
  Lanes& out = set(op.results[0]);
  std::array<std::array<float, 16>, 32> left{}, right{};  // A[i][k], B[k][j] as [j][k]
  for (unsigned wave = 0; wave < waves(); ++wave) {
    const std::size_t first = std::size_t{wave} * 64;
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned e = 0; e < 8; ++e) {
        left[lane % 32][8 * (lane / 32) + e] = to_float(type, a[(first + lane) * 8 + e]);
        right[lane % 32][8 * (lane / 32) + e] = to_float(type, b[(first + lane) * 8 + e]);
      }
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 16; ++r) {
        const auto& row = left[8 * (r / 4) + 4 * (lane / 32) + r % 4];
        const auto& column = right[lane % 32];
        double sum = f32_of(c[(first + lane) * 16 + r]);
        for (unsigned k = 0; k < 16; ++k) sum += static_cast<double>(row[k]) * static_cast<double>(column[k]);
        out[(first + lane) * 16 + r] = bits_of(static_cast<float>(sum));
      }
  }
}

}  // namespace wavesmith::test
