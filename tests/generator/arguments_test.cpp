// The argument block: what the code object's metadata says of it is what the Plan and plan_launch() say.
#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/launch.h"
#include "tests/generator/code_objects.h"
#include "tests/generator/specs.h"

namespace wavesmith::test {
namespace {

void check_block(const dense::Spec& kernel_spec) {
  const dense::Plan plan = resolved(kernel_spec);
  const Compiled compiled = compile(emitted(kernel_spec));
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
      CHECK(found.actual_access ==
            (expected.name == "o" || expected.name == "lse" ? "write_only" : "read_only"));
    }
    offset += size;
  }
  CHECK(kernel.kernarg_bytes == offset);
  for (std::size_t i = plan.arguments.size(); i < kernel.arguments.size(); ++i)
    CHECK(kernel.arguments[i].hidden());
}

TEST_CASE("arguments: names, offsets, sizes and kinds of the metadata are the Plan's") {
  for (const auto& [head_size, lse, persistent] : {std::tuple{64, false, false},
                                                   {64, true, false},
                                                   {128, false, false},
                                                   {128, true, false},
                                                   {64, false, true},
                                                   {128, true, true}}) {
    dense::Spec with_lse = spec(head_size, 32, 8);
    with_lse.lse = lse;
    with_lse.persistent = persistent;
    // 4 pointers, 4 batch strides, 8 other strides, 2 lengths, 1 scale; LSE has a pointer and two strides;
    // the order has 2 sizes of the grid, 3 factors, their shifts, 4 places and 4 blocks of quotients and the
    // first block. Persistent kernels have 2 quotients more and 3 numbers for what is folded.
    CHECK(resolved(with_lse).arguments.size() == (lse ? 22U : 19U) + (persistent ? 24U : 15U));
    check_block(with_lse);
  }
}

TEST_CASE("arguments: those of sequences, pages, windows and sinks too") {
  using dense::Kv;
  using dense::Sequences;
  for (const auto& [sequences, kv, extra] : {std::tuple{Sequences::varlen, Kv::contiguous, false},
                                             {Sequences::ragged, Kv::contiguous, true},
                                             {Sequences::batch, Kv::paged, false},
                                             {Sequences::varlen, Kv::paged, true},
                                             {Sequences::ragged, Kv::paged, false}}) {
    dense::Spec s = spec(64, 32, 8);
    s.sequences = sequences;
    s.kv = kv;
    s.lse = s.sinks = s.persistent = extra;
    if (extra) s.mask = dense::Mask::window;
    check_block(s);
  }
}

}  // namespace
}  // namespace wavesmith::test
