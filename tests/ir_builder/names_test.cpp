// Names: whatever hints a generator gives, no two values of a finished kernel share a name.
#include <array>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/ir_builder/every_op.h"

namespace wavesmith::ir::testing {
namespace {

void collect_names(const Region& region, std::vector<std::string>& names) {
  for (const Value& argument : region.arguments) names.push_back(argument.name());
  for (const Op* op : region.ops) {
    for (const Region* inner : op->regions) collect_names(*inner, names);
    for (const Value& result : op->results) names.push_back(result.name());
  }
}

std::vector<std::string> unique_names(const Kernel& kernel) {
  std::vector<std::string> names;
  collect_names(kernel.body(), names);
  std::set<std::string> seen;
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(!name.empty());
    CHECK(seen.insert(name).second);
  }
  return names;
}

using LoopBody = Builder::LoopBody;

TEST_CASE("names: nested loops with the same hints, carried values and inductions are made unique") {
  TestKernel k;
  Builder& b = k.b;
  const auto loop = [&](Value start, const LoopBody& body) {
    const std::array carried{Carried{"acc", start}, Carried{"acc", start}};
    return b.for_loop(b.i32(0), k.count, b.i32(1), "i", carried, body)[1];
  };
  const Value sum = loop(k.x, [&](Value, std::span<const Value> outer) {
    const Value inner_sum = loop(outer[0], [&](Value, std::span<const Value> inner) {
      return std::vector{inner[0] * inner[1], inner[1]};
    });
    return std::vector{inner_sum, outer[1]};
  });
  loop(sum, [&](Value, std::span<const Value> again) { return std::vector{again[1], again[0]}; });
  const FinishedKernel finished = k.finish();
  const std::vector<std::string> names = unique_names(*finished);
  // 5 parameters; three loops of 1 induction, 2 carried values and 2 results; one product.
  CHECK(names.size() == 5 + 3 * 5 + 1);
  CHECK(std::set<std::string>(names.begin(), names.end()).contains("i.2"));
  CHECK(std::set<std::string>(names.begin(), names.end()).contains("acc.11"));
}

TEST_CASE("names: a parameter keeps its name though an operation asks for it") {
  TestKernel k;
  const Value count = k.b.binary(OpKind::add, k.count, k.count, "count");
  k.keep(count);
  const FinishedKernel finished = k.finish();
  unique_names(*finished);
  CHECK(k.count.name() == "count");
  CHECK(count.name() == "count.1");
}

TEST_CASE("names: all kinds of operations twice in one kernel") {
  TestKernel k;
  const Operands o(k);
  for (int round = 0; round < 2; ++round)
    for (const OpInfo& op : all_ops()) {
      const Op* sample = append_sample(k, o, op.kind);
      if (op.effect == Effect::none) k.keep(sample->results.front());
    }
  const FinishedKernel finished = k.finish();
  unique_names(*finished);
}

TEST_CASE("names: parameters of one name are told apart") {
  TestKernel k;
  const Value again = k.b.parameter(i32, "count", "another");
  const FinishedKernel finished = k.finish();
  unique_names(*finished);
  CHECK(again.name() == "count.1");
}

TEST_CASE("names: a hint that could run into a made name, or that LLVM cannot read, is refused") {
  // "x", "x" and "x.1" would give two values the name x.1.
  for (const std::string hint : {"x.1", "", "a b", "9lives", "acc-next", "a\"b", "\xc3\xa9"}) {
    CAPTURE(hint);
    TestKernel k;
    k.b.parameter(i32, hint, "a parameter");
    const auto findings = k.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0] == "\"" + hint + "\" is no name for a value: letters, digits and _ are allowed");
  }
  TestKernel k;
  const std::array carried{Carried{"m.next", k.x}};
  k.b.for_loop(k.b.i32(0), k.count, k.b.i32(1), "1", carried,
               [](Value, std::span<const Value> m) { return std::vector{m[0]}; });
  CHECK(k.findings().size() == 3);  // the induction, the carried value and the loop's result
  TestKernel valid;
  valid.b.parameter(i32, "_Kv2", "a parameter");
  CHECK(valid.findings().empty());
}

TEST_CASE("names: a kernel's name is an identifier, and a step's name can be quoted") {
  const auto message = [](const std::string& name, const std::string& step_name) {
    auto kernel = std::make_unique<Kernel>(name, KernelAttributes{});
    {
      const Builder b(*kernel);
      const Builder::Step step(b, step_name);
    }
    const Expected<FinishedKernel> finished = finish(std::move(kernel));
    return finished ? std::string()
                    : finished.error().message.substr(finished.error().message.find('\n') + 1);
  };
  CHECK(message("attention_d64", "load K tile") == "");
  CHECK(message("attention d64", "qk") ==
        "\"attention d64\" is no name for a kernel: letters, digits and _ are allowed");
  CHECK(message("llvm.trap", "qk") ==
        "\"llvm.trap\" is no name for a kernel: letters, digits and _ are allowed");
  CHECK(message("k", "a\"b") == "step \"a\"b\" has a quote, a backslash or a line break");
  CHECK(message("k", "a\\b") == "step \"a\\b\" has a quote, a backslash or a line break");
}

}  // namespace
}  // namespace wavesmith::ir::testing
