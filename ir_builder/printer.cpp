// Text of the kernel IR.
#include "ir_builder/printer.h"

#include <bit>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wavesmith::ir {
namespace {

std::string definition(const Value& value) {
  return fmt::format("%{} : {}", value.name(), to_string(value.type()));
}

class Printer {
 public:
  std::string text;

  void region(const Region& region, unsigned depth) {
    for (const Op* op : region.ops) this->op(*op, depth);
  }

 private:
  void op(const Op& op, unsigned depth) {
    auto out = std::back_inserter(text);
    fmt::format_to(out, "{:{}}", "", 2 * depth);
    std::vector<std::string> parts;
    for (const Value& result : op.results) parts.push_back(definition(result));
    if (!parts.empty()) fmt::format_to(out, "{} = ", fmt::join(parts, ", "));
    fmt::format_to(out, "{}", info(op.kind).name);
    parts.clear();
    for (const Value& operand : op.operands) parts.push_back(print_operand(operand));
    fmt::format_to(out, "({})", fmt::join(parts, ", "));
    parts.clear();
    for (const auto& [key, value] : op.attrs)
      parts.push_back(key == Attr::predicate
                          ? fmt::format("{} = {}", to_string(key), to_string(static_cast<Predicate>(value)))
                          : fmt::format("{} = {}", to_string(key), value));
    if (!parts.empty()) fmt::format_to(out, " {{{}}}", fmt::join(parts, ", "));
    text += '\n';
    for (const Region* inner : op.regions) {
      parts.clear();
      for (const Value& argument : inner->arguments) parts.push_back(definition(argument));
      fmt::format_to(out, "{:{}}({}) {{\n", "", 2 * depth, fmt::join(parts, ", "));
      region(*inner, depth + 1);
      fmt::format_to(out, "{:{}}}}\n", "", 2 * depth);
    }
  }
};

}  // namespace

std::string print_operand(const Value& value) {
  if (!value.is_constant()) return fmt::format("%{}", value.name());
  const std::string type = to_string(value.type());
  if (value.type().scalar == Scalar::f32)
    return fmt::format("{} : {}", std::bit_cast<float>(static_cast<std::uint32_t>(value.constant_bits())),
                       type);
  const unsigned shift = 64 - scalar_bits(value.type());
  return fmt::format("{} : {}", static_cast<std::int64_t>(value.constant_bits() << shift) >> shift, type);
}

std::string print(const Kernel& kernel) {
  Printer printer;
  std::vector<std::string> parameters;
  for (const Value& parameter : kernel.body().arguments) parameters.push_back(definition(parameter));
  fmt::format_to(std::back_inserter(printer.text), "kernel {}({}) {{lds = {}, workgroup = {}}} {{\n",
                 kernel.name, fmt::join(parameters, ", "), kernel.lds_bytes(),
                 kernel.attributes.workgroup_size);
  printer.region(kernel.body(), 1);
  printer.text += "}\n";
  return std::move(printer.text);
}

}  // namespace wavesmith::ir
