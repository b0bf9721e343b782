// The argument block: what the code object's metadata says of it is what the Plan and plan_launch() say.
#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/launch.h"
#include "tests/generator/code_objects.h"
#include "tests/generator/specs.h"

namespace wavesmith::test {
namespace {

TEST_CASE("arguments: names, offsets, sizes and kinds of the metadata are the Plan's") {
  for (int head_size : {64, 128}) {
    const dense::Plan plan = resolved(spec(head_size, 32, 8));
    const Compiled compiled = compile(emitted(spec(head_size, 32, 8)));
    const runtime::Kernel& kernel = compiled.kernel();
    CHECK(kernel.name == plan.symbol);
    REQUIRE(kernel.arguments.size() >= plan.arguments.size());
    std::uint32_t offset = 0;
    for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
      const dense::Argument& expected = plan.arguments[i];
      const runtime::KernelArgument& found = kernel.arguments[i];
      CAPTURE(expected.name);
      // Natural alignment: each argument begins at a multiple of its size.
      const std::uint32_t size = expected.type == ir::global_ptr || expected.type == ir::i64 ? 8 : 4;
      offset = (offset + size - 1) / size * size;
      CHECK(found.name == expected.name);
      CHECK(found.offset == offset);
      CHECK(found.size == size);
      CHECK(found.kind ==
            (expected.type.is_pointer() ? runtime::ValueKind::global_buffer : runtime::ValueKind::by_value));
      if (expected.type.is_pointer()) {
        CHECK(found.address_space == "global");
        CHECK(found.actual_access == (expected.name == "o" ? "write_only" : "read_only"));
      }
      offset += size;
    }
    CHECK(kernel.kernarg_bytes == offset);
    for (std::size_t i = plan.arguments.size(); i < kernel.arguments.size(); ++i)
      CHECK(kernel.arguments[i].hidden());
  }
}

}  // namespace
}  // namespace wavesmith::test
