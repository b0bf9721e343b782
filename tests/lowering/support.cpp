// Lowered kernels and LLVM's tools.
#include "tests/lowering/support.h"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

namespace wavesmith::lowering::testing {

using ir::OpKind;
using ir::Type;
using ir::Value;

const TargetFacts& gfx950() {
  const TargetFacts* target = find_target("gfx950");
  REQUIRE(target != nullptr);
  return *target;
}

const Flavour& llvm22() {
  const Flavour* flavour = find_flavour("llvm22");
  REQUIRE(flavour != nullptr);
  return *flavour;
}

std::string lowered(TestKernel& kernel, const LowerOptions& options) {
  const ir::FinishedKernel finished = kernel.finish();
  const Expected<std::string> text = lower(finished, gfx950(), llvm22(), options);
  INFO((text ? std::string() : text.error().message));
  REQUIRE(text.has_value());
  return *text;
}

void store(TestKernel& kernel, const Operands& operands, Value value) {
  ir::Builder& b = kernel.b;
  const Type type = value.type();
  if (type == ir::i1) return store(kernel, operands, b.zext(value, ir::i32));
  if (type == ir::global_ptr) return store(kernel, operands, b.make_buffer_resource(value, kernel.count));
  if (type == ir::buffer_resource)
    return store(kernel, operands, b.buffer_load(value, operands.lane, ir::i32));
  if (type == ir::lds_ptr)
    return store(kernel, operands, b.lds_load(value, ir::i32, 4, ir::AliasScope::lds_read));
  const unsigned lanes_at_once = 128 / ir::scalar_bits(type);
  if (type.lanes <= lanes_at_once) return b.buffer_store(value, operands.out, operands.lane);
  for (unsigned first = 0; first < type.lanes; first += lanes_at_once)
    b.buffer_store(b.slice(value, first, lanes_at_once), operands.out, operands.lane);
}

void build_every_op(TestKernel& kernel) {
  const Operands operands(kernel);
  for (const ir::OpInfo& op : ir::all_ops()) {
    const ir::Builder::Step step(kernel.b, op.name);
    const std::vector<Value> results = append_sample(kernel, operands, op.kind)->results;
    for (const Value& result : results) store(kernel, operands, result);
  }
}

std::string opt(std::string_view text, std::string_view passes, std::string_view options) {
  const test::TemporaryFolder folder;
  test::write_text(folder.file("k.ll"), text);
  return test::run(
      fmt::format("{} -S -passes='{}' {} {} -o -", WAVESMITH_OPT, passes, options, folder.file("k.ll")));
}

std::string assembly(std::string_view text, std::string_view processor) {
  const test::TemporaryFolder folder;
  test::write_text(folder.file("k.ll"), text);
  test::run(fmt::format("{} -S -O3 -mcpu={} {} -o {}", WAVESMITH_OPT, processor, folder.file("k.ll"),
                        folder.file("o.ll")));
  return test::run(fmt::format("{} -O3 -mcpu={} {} -o -", WAVESMITH_LLC, processor, folder.file("o.ll")));
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<std::string> lines_with(std::string_view text, std::string_view part) {
  std::vector<std::string> lines = split_lines(text);
  std::erase_if(lines, [&](const std::string& line) { return line.find(part) == std::string::npos; });
  return lines;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

}  // namespace wavesmith::lowering::testing
