// Stable text: emission and --explain give the same bytes each time, and the bytes of --explain are pinned.
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/emit.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

std::string pinned(const std::string& name) {
  std::ifstream file(std::string(WAVESMITH_TEST_DATA) + "/" + name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("explain: the text of two Plans is pinned") {
  CHECK(explain(test::resolved(test::spec(64, 32, 8))) == pinned("explain_d64.txt"));
  CHECK(explain(test::resolved(test::spec(128, 40, 8, DType::fp16, Mask::full))) ==
        pinned("explain_d128.txt"));
}

TEST_CASE("explain: every step of the Plan is a step of the kernel, and the other way round") {
  for (int head_size : {64, 128})
    for (bool persistent : {false, true}) {
      Spec spec = test::spec(head_size, 32, 8, DType::bf16, persistent ? Mask::full : Mask::causal);
      spec.persistent = persistent;
      const Plan plan = test::resolved(spec);
      const auto kernel = build(plan);
      REQUIRE(kernel);
      std::set<std::string_view> in_plan, in_kernel;
      for (const Step& step : plan.steps) in_plan.insert(step.name);
      // Step 0 is the kernel itself.
      for (std::size_t i = 1; i < (**kernel).steps.size(); ++i) in_kernel.insert((**kernel).steps[i]);
      CHECK(in_plan == in_kernel);
    }
}

TEST_CASE("explain: the bank table is that of the spec's own layout") {
  // Banks, lanes on each, cycles and conflict cycles of a K read: the published table, and the phases.
  const std::map<int, std::string> rows{
      {0, "16 16 32 28"}, {8, "64 4 4 0"}, {16, "64 4 8 4"}, {24, "64 4 4 0"}, {32, "32 8 16 12"}};
  for (const auto& [pad, expected] : rows) {
    Spec spec = test::spec(64, 32, 8);
    spec.lds_k_group_pad = pad;
    std::istringstream text(explain(test::resolved(spec)));
    std::string line, found;
    while (std::getline(text, line)) {
      std::istringstream words(line);
      std::string operand, access, word;
      if (!(words >> operand >> access) || operand != "K" || access != "ds_read_b128") continue;
      while (words >> word) found += (found.empty() ? "" : " ") + word;
    }
    CAPTURE(pad);
    CHECK(found == expected);
  }
}

TEST_CASE("determinism: emitting twice gives equal bytes, and options are not ignored") {
  const auto text = [](const Spec& spec, const lowering::LowerOptions& options) {
    const auto emitted = emit(test::resolved(spec), *lowering::find_flavour("llvm22"), options);
    REQUIRE(emitted);
    return *emitted;
  };
  for (int head_size : {64, 128})
    for (DType dtype : {DType::bf16, DType::fp16}) {
      const Spec spec = test::spec(head_size, 32, 8, dtype);
      CHECK(text(spec, {}) == text(spec, {}));
      CHECK(text(spec, {.line_table = true}) == text(spec, {.line_table = true}));
      CHECK(text(spec, {.line_table = true}) != text(spec, {}));
      CHECK(text(spec, {.code_object_version = 6}) != text(spec, {}));
      CHECK(explain(test::resolved(spec)) == explain(test::resolved(spec)));
    }
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
