// plan_launch(): grid and arguments of a call, and every precondition refused with field and value.
#include "generator/attention_dense/launch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

constexpr std::int64_t two_31 = std::int64_t{1} << 31;

const Buffers buffers{0x1000, 0x2000, 0x3000, 0x4000};

Plan plan_of(int head_size = 64) {
  return test::resolved(test::spec(head_size, 40, 8));
}

Shapes shapes_of(const Plan& plan, std::int64_t batch = 2, std::int64_t seqlen_q = 300,
                 std::int64_t seqlen_kv = 500) {
  Shapes shapes;
  shapes.batch = batch;
  shapes.seqlen_q = seqlen_q;
  shapes.seqlen_kv = seqlen_kv;
  shapes.q = shapes.o = bshd(seqlen_q, plan.spec.num_query_heads, plan.spec.head_size);
  shapes.k = shapes.v = bshd(seqlen_kv, plan.spec.num_kv_heads, plan.spec.head_size);
  return shapes;
}

TEST_CASE("plan_launch: a workgroup for 256 rows, each query head and each batch") {
  const Plan plan = plan_of();
  for (const auto& [seqlen, blocks] :
       {std::pair{1, 1U}, {255, 1U}, {256, 1U}, {257, 2U}, {300, 2U}, {8192, 32U}}) {
    const auto launch = plan_launch(plan, shapes_of(plan, 3, seqlen), buffers);
    REQUIRE(launch);
    CHECK(launch->grid == std::array{blocks, 40U, 3U});
    CHECK(launch->block == std::array{512U, 1U, 1U});
  }
}

TEST_CASE("plan_launch: arguments in the Plan's order, with its types") {
  const Plan plan = plan_of();
  const auto launch = plan_launch(plan, shapes_of(plan), buffers);
  REQUIRE(launch);
  REQUIRE(launch->arguments.size() == plan.arguments.size());
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    CAPTURE(plan.arguments[i].name);
    CHECK(launch->arguments[i].name == plan.arguments[i].name);
    const ir::Type type = plan.arguments[i].type;
    const std::size_t kind = type == ir::global_ptr ? 0 : type == ir::i64 ? 1 : type == ir::i32 ? 2 : 3;
    CHECK(launch->arguments[i].value.index() == kind);
  }
  // Strides in elements of bshd: token = heads * head size, batch = tokens * token.
  CHECK(explain(*launch) ==
        "grid 2 x 40 x 2 workgroups of 512 work-items\n"
        "  q                4096\n"
        "  k                8192\n"
        "  v                12288\n"
        "  o                16384\n"
        "  q_stride_batch   768000\n"
        "  k_stride_batch   256000\n"
        "  v_stride_batch   256000\n"
        "  o_stride_batch   768000\n"
        "  q_stride_token   2560\n"
        "  k_stride_token   512\n"
        "  v_stride_token   512\n"
        "  o_stride_token   2560\n"
        "  q_stride_head    64\n"
        "  k_stride_head    64\n"
        "  v_stride_head    64\n"
        "  o_stride_head    64\n"
        "  seqlen_q         300\n"
        "  seqlen_kv        500\n"
        "  softmax_scale    0.125\n");
}

TEST_CASE("plan_launch: layouts are values of the strides") {
  // [3, 5, 7, 64] and [3, 7, 5, 64].
  const Strides token_major = bshd(5, 7, 64), head_major = bhsd(5, 7, 64);
  CHECK(std::tuple{token_major.batch, token_major.token, token_major.head} ==
        std::tuple{5 * 7 * 64, 7 * 64, 64});
  CHECK(std::tuple{head_major.batch, head_major.token, head_major.head} ==
        std::tuple{5 * 7 * 64, 64, 5 * 64});
}

TEST_CASE("plan_launch: the scale defaults to one over the root of the head size") {
  for (int head_size : {64, 128}) {
    const Plan plan = plan_of(head_size);
    Shapes shapes = shapes_of(plan);
    auto launch = plan_launch(plan, shapes, buffers);
    REQUIRE(launch);
    CHECK(std::get<float>(launch->arguments.back().value) ==
          static_cast<float>(1 / std::sqrt(double(head_size))));
    shapes.softmax_scale = 0.7F;
    launch = plan_launch(plan, shapes, buffers);
    REQUIRE(launch);
    CHECK(std::get<float>(launch->arguments.back().value) == 0.7F);
  }
}

// The only refusal of a call with one change, as "field = value"; empty where it is accepted.
template <class Change>
std::string refused(Change&& change) {
  const Plan plan = plan_of();
  Shapes shapes = shapes_of(plan);
  Buffers at = buffers;
  change(shapes, at);
  const auto launch = plan_launch(plan, shapes, at);
  if (launch) return "";
  CHECK(launch.error().kind == ErrorKind::invalid_request);
  REQUIRE(launch.error().refusals.size() == 1);
  CHECK_FALSE(launch.error().refusals[0].allowed.empty());
  return launch.error().refusals[0].field + " = " + launch.error().refusals[0].value;
}

template <class Member>
std::string refused_shape(Member member, std::int64_t value) {
  return refused([&](Shapes& shapes, Buffers&) { shapes.*member = value; });
}

TEST_CASE("plan_launch: lengths and batches out of range are refused") {
  CHECK(refused_shape(&Shapes::batch, 0) == "batch = 0");
  CHECK(refused_shape(&Shapes::batch, -1) == "batch = -1");
  CHECK(refused_shape(&Shapes::batch, 65535).empty());
  CHECK(refused_shape(&Shapes::batch, 65536) == "batch = 65536");
  CHECK(refused_shape(&Shapes::seqlen_q, 0) == "seqlen_q = 0");
  CHECK(refused_shape(&Shapes::seqlen_q, -300) == "seqlen_q = -300");
  CHECK(refused_shape(&Shapes::seqlen_kv, 0).empty());
  CHECK(refused_shape(&Shapes::seqlen_kv, -1) == "seqlen_kv = -1");
  // Rounded up to whole blocks and tiles, lengths must stay below 2^31.
  CHECK(refused_shape(&Shapes::seqlen_q, two_31 - 4097).empty());
  CHECK(refused_shape(&Shapes::seqlen_kv, two_31 - 4097).empty());
  CHECK(refused_shape(&Shapes::seqlen_q, two_31 - 1) == "seqlen_q = 2147483647");
  CHECK(refused_shape(&Shapes::seqlen_kv, two_31) == "seqlen_kv = 2147483648");
  CHECK(refused_shape(&Shapes::seqlen_kv, (std::int64_t{1} << 32) + 64) == "seqlen_kv = 4294967360");
}

TEST_CASE("plan_launch: strides that break a precondition are refused, for each tensor") {
  const std::array<std::pair<const char*, Strides Shapes::*>, 4> tensors{
      {{"q", &Shapes::q}, {"k", &Shapes::k}, {"v", &Shapes::v}, {"o", &Shapes::o}}};
  for (const auto& [name, tensor] : tensors) {
    CAPTURE(name);
    const auto with = [&](std::int64_t Strides::* axis, std::int64_t value) {
      return refused([&](Shapes& shapes, Buffers&) { shapes.*tensor.*axis = value; });
    };
    const std::string prefix = std::string(name) + "_stride_";
    CHECK(with(&Strides::token, 2564) == prefix + "token = 2564");
    CHECK(with(&Strides::head, 4) == prefix + "head = 4");
    CHECK(with(&Strides::batch, 768001) == prefix + "batch = 768001");
    CHECK(with(&Strides::token, 56) == prefix + "token = 56");
    CHECK(with(&Strides::token, 0) == prefix + "token = 0");
    CHECK(with(&Strides::token, -64) == prefix + "token = -64");
    CHECK(with(&Strides::token, 64).empty());
    CHECK(with(&Strides::head, -64) == prefix + "head = -64");
    CHECK(with(&Strides::head, 0).empty());
    CHECK(with(&Strides::head, two_31 - 8).empty());
    CHECK(with(&Strides::head, two_31) == prefix + "head = 2147483648");
    CHECK(with(&Strides::batch, -768000) == prefix + "batch = -768000");
    CHECK(with(&Strides::batch, 0).empty());
    CHECK(with(&Strides::batch, std::int64_t{1} << 40).empty());
    // 256 rows of Q and O, two tiles of 64 rows of K and V are addressed with 31 bits of bytes.
    const std::int64_t rows = *name == 'q' || *name == 'o' ? 256 : 128;
    const std::int64_t most = (two_31 / (2 * rows) - 1) / 8 * 8;
    CHECK(with(&Strides::token, most).empty());
    CHECK(with(&Strides::token, most + 8) == prefix + "token = " + std::to_string(most + 8));
  }
}

TEST_CASE("plan_launch: addresses that are not aligned are refused, for each tensor") {
  const std::array<std::pair<const char*, std::uint64_t Buffers::*>, 4> tensors{
      {{"q", &Buffers::q}, {"k", &Buffers::k}, {"v", &Buffers::v}, {"o", &Buffers::o}}};
  for (const auto& [name, tensor] : tensors)
    for (std::uint64_t low : {1U, 2U, 4U, 8U, 15U})
      CHECK(refused([&](Shapes&, Buffers& at) { at.*tensor = 0x1000 + low; }) ==
            fmt::format("{} = {:#x}", name, 0x1000 + low));
}

TEST_CASE("plan_launch: an LSE output has a pointer and two strides, contiguous where none are given") {
  Spec spec = test::spec(64, 40, 8);
  spec.lse = true;
  const Plan plan = test::resolved(spec);
  Shapes shapes = shapes_of(plan);  // 2 x 300 queries
  Buffers at = buffers;
  at.lse = 20484;
  const auto text = [&] {
    const auto launch = plan_launch(plan, shapes, at);
    if (!launch) return launch.error().message;
    REQUIRE(launch->arguments.size() == plan.arguments.size());
    for (std::size_t i = 0; i < plan.arguments.size(); ++i)
      CHECK(launch->arguments[i].name == plan.arguments[i].name);
    std::string found;
    for (const char* line : {"  lse              20484\n", "  lse_stride_batch 12000\n",
                             "  lse_stride_head  300\n", "  lse_stride_head  512\n"})
      if (explain(*launch).contains(line)) found += line;
    return found;
  };
  CHECK(text() == "  lse              20484\n  lse_stride_batch 12000\n  lse_stride_head  300\n");
  shapes.lse = LseStrides{.batch = 1 << 20, .head = 512};
  CHECK(text() == "  lse              20484\n  lse_stride_head  512\n");
  shapes.lse = LseStrides{.batch = -1, .head = two_31};
  at.lse = 20486;
  const auto refused = plan_launch(plan, shapes, at);
  REQUIRE_FALSE(refused);
  REQUIRE(refused.error().refusals.size() == 3);
  CHECK(refused.error().refusals[0].message() == "lse_stride_batch = -1 is refused: 0 to 72057594037927936");
  CHECK(refused.error().refusals[1].field == "lse_stride_head");
  CHECK(refused.error().refusals[2].message() == "lse = 0x5006 is refused: an address aligned to 4 bytes");
}

TEST_CASE("plan_launch: an LSE buffer for a kernel without that output is refused, not ignored") {
  CHECK(refused([](Shapes&, Buffers& at) { at.lse = 0x1000; }) == "lse = 0x1000");
  CHECK(refused([](Shapes& shapes, Buffers&) { shapes.lse = LseStrides{}; }) == "lse = strides");
}

TEST_CASE("plan_launch: a scale that is not finite and positive is refused") {
  const auto with = [](float scale) {
    return refused([&](Shapes& shapes, Buffers&) { shapes.softmax_scale = scale; });
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(with(0) == "softmax_scale = 0");
  CHECK(with(-0.125F) == "softmax_scale = -0.125");
  CHECK(with(infinity) == "softmax_scale = inf");
  CHECK(with(-infinity) == "softmax_scale = -inf");
  CHECK(with(std::numeric_limits<float>::quiet_NaN()) == "softmax_scale = nan");
  CHECK(with(1e-30F).empty());
}

TEST_CASE("plan_launch: all problems of a call are reported at once") {
  const Plan plan = plan_of();
  Shapes shapes;
  shapes.batch = 0;
  shapes.seqlen_kv = -1;
  shapes.q = shapes.k = shapes.v = shapes.o = {-1, -1, -1};
  shapes.softmax_scale = 0.0F;
  const auto launch = plan_launch(plan, shapes, {1, 2, 3, 4});
  REQUIRE_FALSE(launch);
  std::vector<std::string> expected{"batch", "k", "o", "q", "seqlen_kv", "seqlen_q", "softmax_scale", "v"};
  for (const char* tensor : {"q", "k", "v", "o"})
    for (const char* axis : {"batch", "head", "token"})
      expected.push_back(fmt::format("{}_stride_{}", tensor, axis));
  std::vector<std::string> found;
  for (const Refusal& refusal : launch.error().refusals) found.push_back(refusal.field);
  std::ranges::sort(expected);
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  CHECK(found == expected);
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
