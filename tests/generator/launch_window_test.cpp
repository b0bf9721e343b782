// plan_launch(): windows and sinks.
#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "generator/attention_dense/launch.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

constexpr Buffers buffers{.q = 0x1000, .k = 0x2000, .v = 0x3000, .o = 0x4000};

Plan plan_of(Mask mask, bool sinks = false) {
  Spec spec = test::spec(64, 8, 2);
  spec.mask = mask;
  spec.sinks = sinks;
  return test::resolved(spec);
}

Shapes shapes_of(std::int64_t seqlen_q, std::int64_t seqlen_kv) {
  Shapes shapes;
  shapes.seqlen_q = seqlen_q;
  shapes.seqlen_kv = seqlen_kv;
  shapes.q = shapes.o = bhsd(1, 8, 64);
  shapes.k = shapes.v = bhsd(1, 2, 64);
  return shapes;
}

using Texts = std::vector<std::string>;

Texts refusals(const Plan& plan, const Shapes& shapes, const Buffers& at = buffers) {
  Texts texts;
  if (const auto launch = plan_launch(plan, shapes, at); !launch)
    for (const Refusal& refusal : launch.error().refusals) texts.push_back(refusal.message());
  return texts;
}

std::int32_t argument(const Launch& launch, std::string_view name) {
  return std::get<std::int32_t>(std::ranges::find(launch.arguments, name, &Launch::Value::name)->value);
}

TEST_CASE("plan_launch: widths of a window, bounded by the lengths so that no sum overflows") {
  const Plan plan = plan_of(Mask::window);
  struct Width {
    std::optional<std::int64_t> left, right;
    std::int32_t passed_left, passed_right;
  };
  for (const auto& [left, right, passed_left, passed_right] : {Width{0, 0, 0, 0},
                                                               {127, 3, 127, 3},
                                                               {-1, -1, 500, 300},
                                                               {{}, {}, 500, 300},
                                                               {std::int64_t{1} << 40, 299, 500, 299},
                                                               {500, std::int64_t{1} << 62, 500, 300}}) {
    Shapes shapes = shapes_of(300, 500);
    shapes.window_left = left;
    shapes.window_right = right;
    const auto launch = plan_launch(plan, shapes, buffers);
    REQUIRE(launch);
    CHECK(argument(*launch, "window_left") == passed_left);
    CHECK(argument(*launch, "window_right") == passed_right);
  }
}

TEST_CASE("plan_launch: windows that have no meaning are refused") {
  Shapes shapes = shapes_of(300, 500);
  shapes.window_left = -2;
  shapes.window_right = 0;
  CHECK(refusals(plan_of(Mask::window), shapes) ==
        Texts{"window_left = -2 is refused: a number of keys, or -1 for no bound"});
  shapes.window_left.reset();
  for (const Mask mask : {Mask::full, Mask::causal, Mask::causal_top_left})
    CHECK(refusals(plan_of(mask), shapes) ==
          Texts{"window_right = 0 is refused: nothing: the kernel was built without mask window"});
  // 2^31 - 4097 is the longest sequence of all.
  CHECK(refusals(plan_of(Mask::window), shapes_of(1 << 30, (1 << 30) - 4097)).empty());
  CHECK(refusals(plan_of(Mask::window), shapes_of(1 << 30, (1 << 30) - 4096)) ==
        Texts{"seqlen_kv = 1073737728 is refused: at most 1073737727 with mask window and seqlen_q = "
              "1073741824"});
}

TEST_CASE("plan_launch: sinks are passed to a kernel that takes them, and refused by others") {
  const Plan plan = plan_of(Mask::causal, true);
  Buffers with_sinks = buffers;
  with_sinks.sinks = 0x5004;
  const auto launch = plan_launch(plan, shapes_of(300, 500), with_sinks);
  REQUIRE(launch);
  CHECK(std::get<std::uint64_t>(std::ranges::find(launch->arguments, "sinks", &Launch::Value::name)->value) ==
        0x5004);
  CHECK(refusals(plan_of(Mask::causal), shapes_of(300, 500), with_sinks) ==
        Texts{"sinks = 0x5004 is refused: nothing: the kernel was built without sinks"});
  with_sinks.sinks = 0x5002;
  CHECK(refusals(plan, shapes_of(300, 500), with_sinks) ==
        Texts{"sinks = 0x5002 is refused: an address aligned to 4 bytes"});
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
