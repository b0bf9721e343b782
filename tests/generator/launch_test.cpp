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
        "160 work items in the order chiplet\n"
        "  q                  4096\n"
        "  k                  8192\n"
        "  v                  12288\n"
        "  o                  16384\n"
        "  q_stride_batch     768000\n"
        "  k_stride_batch     256000\n"
        "  v_stride_batch     256000\n"
        "  o_stride_batch     768000\n"
        "  q_stride_token     2560\n"
        "  k_stride_token     512\n"
        "  v_stride_token     512\n"
        "  o_stride_token     2560\n"
        "  q_stride_head      64\n"
        "  k_stride_head      64\n"
        "  v_stride_head      64\n"
        "  o_stride_head      64\n"
        "  seqlen_q           300\n"
        "  seqlen_kv          500\n"
        "  softmax_scale      0.125\n"
        // Items are divided by 2 batches, 2 * 8 kv heads and 2 * 8 * 5 query heads: 2^31 and 2^31 with shifts
        // 32 and 35, ceil(2^38 / 80) with shift 38.
        "  grid_x             2\n"
        "  grid_xy            80\n"
        "  order_magic_1      -2147483648\n"
        "  order_magic_2      -2147483648\n"
        "  order_magic_3      -858993459\n"
        "  order_shifts       157920\n"
        "  order_place_0      1\n"
        "  order_place_1      327678\n"
        "  order_place_2      -2555904\n"
        "  order_place_3      -327680\n"
        "  order_block_0      0\n"
        "  order_block_1      0\n"
        "  order_block_2      0\n"
        "  order_block_3      -1\n"
        "  order_first_block  1\n");
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
    const auto scale_of = [](const Launch& one) {
      return std::get<float>(std::ranges::find(one.arguments, "softmax_scale", &Launch::Value::name)->value);
    };
    CHECK(scale_of(*launch) == static_cast<float>(1 / std::sqrt(double(head_size))));
    shapes.softmax_scale = 0.7F;
    launch = plan_launch(plan, shapes, buffers);
    REQUIRE(launch);
    CHECK(scale_of(*launch) == 0.7F);
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
    for (const char* line : {"  lse                20484\n", "  lse_stride_batch   12000\n",
                             "  lse_stride_head    300\n", "  lse_stride_head    512\n"})
      if (explain(*launch).contains(line)) found += line;
    return found;
  };
  CHECK(text() == "  lse                20484\n  lse_stride_batch   12000\n  lse_stride_head    300\n");
  shapes.lse = LseStrides{.batch = 1 << 20, .head = 512};
  CHECK(text() == "  lse                20484\n  lse_stride_head    512\n");
  shapes.lse = LseStrides{.batch = -1, .head = two_31};
  at.lse = 20486;
  const auto refused = plan_launch(plan, shapes, at);
  REQUIRE_FALSE(refused);
  REQUIRE(refused.error().refusals.size() == 3);
  CHECK(refused.error().refusals[0].message() == "lse_stride_batch = -1 is refused: 0 to 72057594037927936");
  CHECK(refused.error().refusals[1].field == "lse_stride_head");
  CHECK(refused.error().refusals[2].message() == "lse = 0x5006 is refused: an address aligned to 4 bytes");
}

TEST_CASE("plan_launch: a buffer that is missing is refused, but for keys where there are none") {
  Spec spec = test::spec(64, 8, 2);
  spec.lse = spec.sinks = true;
  const Plan plan = test::resolved(spec);
  Shapes shapes = shapes_of(plan);
  const auto missing = [&](const std::optional<Buffers>& at) {
    std::vector<std::string> fields;
    if (const auto launch = plan_launch(plan, shapes, at); !launch)
      for (const Refusal& refusal : launch.error().refusals) {
        CHECK(refusal.value == "0x0");
        fields.push_back(refusal.field);
      }
    return fields;
  };
  CHECK(missing(Buffers{}) == std::vector<std::string>{"q", "k", "v", "o", "lse", "sinks"});
  shapes.seqlen_kv = 0;
  CHECK(missing(Buffers{}) == std::vector<std::string>{"q", "o", "lse", "sinks"});
  // A plan without buffers, for callers who allocate later.
  CHECK(missing(std::nullopt).empty());
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

Plan persistent_plan(int query_heads = 16, int kv_heads = 4, Mask mask = Mask::causal, int block_m = 256) {
  Spec spec = test::spec(64, query_heads, kv_heads, DType::bf16, mask);
  spec.persistent = true;
  spec.block_m = block_m;
  return test::resolved(spec);
}

// Workgroups and order of a launch, or what is refused.
std::string shared_out(const Plan& plan, const Shapes& shapes) {
  const auto launch = plan_launch(plan, shapes, buffers);
  if (!launch) return launch.error().message;
  CHECK(launch->grid[1] == 1);
  CHECK(launch->grid[2] == 1);
  REQUIRE(launch->arguments.size() == plan.arguments.size());
  for (std::size_t i = 0; i < plan.arguments.size(); ++i)
    CHECK(launch->arguments[i].name == plan.arguments[i].name);
  return fmt::format("{} workgroups, {} items, {}{}", launch->grid[0], launch->work_items,
                     name_of(launch->order.order), launch->order.interleave ? " interleaved" : "");
}

TEST_CASE("plan_launch: a persistent kernel has as many workgroups as it is given, or as a GPU holds") {
  const Plan plan = persistent_plan();
  Shapes shapes = shapes_of(plan, 2, 300);
  CHECK(shared_out(plan, shapes) == "64 workgroups, 64 items, chiplet");
  shapes.num_persistent = 7;
  CHECK(shared_out(plan, shapes) == "7 workgroups, 64 items, chiplet");
  shapes.num_persistent = 1000;
  CHECK(shared_out(plan, shapes) == "1000 workgroups, 64 items, chiplet");
  CHECK(shared_out(plan, shapes_of(plan, 8, 3000)) == "256 workgroups, 1536 items, qb_major interleaved");
  // Two workgroups of four waves are resident where two waves a SIMD are asked for.
  const Plan small = persistent_plan(16, 4, Mask::full, 128);
  CHECK(shared_out(small, shapes_of(small, 8, 3000)) == "512 workgroups, 3072 items, qb_major");
  for (std::int64_t workgroups : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{8388608}}) {
    shapes.num_persistent = workgroups;
    // 8388607 * 512 work-items are the most below 2^32.
    CHECK(shared_out(plan, shapes) ==
          fmt::format("num_persistent = {} is refused: 1 to 8388607", workgroups));
  }
}

TEST_CASE("plan_launch: the pair orders are for their own number of workgroups and even sizes") {
  const Plan plan = persistent_plan(24, 4);
  Shapes shapes = shapes_of(plan, 3, 1000);  // 4 blocks
  for (const auto& [order, workgroups, items] :
       {std::tuple{Order::gqa_pair, 4 * 4 * 3, 288}, {Order::gqa_pair_2phase, 144, 288}}) {
    shapes.persist_decode = order;
    shapes.num_persistent.reset();
    CHECK(shared_out(plan, shapes) ==
          fmt::format("{} workgroups, {} items, {}", workgroups, items, name_of(order)));
    shapes.num_persistent = 256;
    CHECK(shared_out(plan, shapes) ==
          fmt::format("num_persistent = 256 is refused: {} with persist_decode {}", workgroups,
                      name_of(order)));
    shapes.num_persistent.reset();
    shapes.seqlen_q = 700;
    CHECK(
        shared_out(plan, shapes) ==
        fmt::format("persist_decode = {} is refused: for an even number of blocks of rows; seqlen_q makes 3",
                    name_of(order)));
    shapes.seqlen_q = 1000;
  }
  const Plan odd = persistent_plan(12, 4);
  shapes = shapes_of(odd, 3, 1000);
  shapes.persist_decode = Order::gqa_pair;
  CHECK(shared_out(odd, shapes) ==
        "persist_decode = gqa_pair is refused: for an even number of query heads to a key/value head; there "
        "are 3");
  shapes.persist_decode = Order::gqa_pair_2phase;
  CHECK(shared_out(odd, shapes) == "72 workgroups, 144 items, gqa_pair_2phase");
}

TEST_CASE("plan_launch: interleave is refused where it has no meaning") {
  const auto with = [](const Plan& plan, std::int64_t seqlen_q, Order order) {
    Shapes shapes = shapes_of(plan, 1, seqlen_q);
    shapes.persist_decode = order;
    shapes.interleave = true;
    return shared_out(plan, shapes);
  };
  const Plan causal = persistent_plan(), full = persistent_plan(16, 4, Mask::full);
  CHECK(with(causal, 300, Order::qb_major) == "32 workgroups, 32 items, qb_major interleaved");
  CHECK(with(causal, 300, Order::automatic) ==
        "interleave = true is refused: with persist_decode qb_major; auto chooses for itself");
  CHECK(with(causal, 300, Order::chiplet) == with(causal, 300, Order::automatic));
  CHECK(with(full, 300, Order::qb_major) ==
        "interleave = true is refused: with mask causal or causal_top_left");
  CHECK(with(causal, 256, Order::qb_major) ==
        "interleave = true is refused: with more than one block of rows");
}

TEST_CASE("plan_launch: a kernel of the default grid takes nothing of a persistent one") {
  CHECK(refused([](Shapes& shapes, Buffers&) { shapes.num_persistent = 256; }) == "num_persistent = 256");
  CHECK(refused([](Shapes& shapes, Buffers&) { shapes.persist_decode = Order::chiplet; }) ==
        "persist_decode = chiplet");
  CHECK(refused([](Shapes& shapes, Buffers&) { shapes.interleave = true; }) == "interleave = true");
}

TEST_CASE("plan_launch: work items are counted in 31 bits") {
  const auto with = [](const Plan& plan, std::int64_t batch, std::int64_t seqlen_q) {
    Shapes shapes = shapes_of(plan, batch, 300);
    shapes.seqlen_q = seqlen_q;
    const auto launch = plan_launch(plan, shapes, buffers);
    return launch ? std::string() : launch.error().refusals.at(0).field;
  };
  // 40 heads and 1000 batches of 53687 blocks are 2147480000 items; 2^31 are 2147483648.
  CHECK(with(plan_of(), 1000, 53687 * 256).empty());
  CHECK(with(plan_of(), 1000, 53688 * 256) == "seqlen_q");
  // A persistent kernel steps past the last item by up to 8388607.
  const Plan plan = persistent_plan(40, 8);
  CHECK(with(plan, 1000, 53477 * 256).empty());
  CHECK(with(plan, 1000, 53478 * 256) == "seqlen_q");
}

TEST_CASE("plan_launch: all problems of a call are reported at once") {
  const Plan plan = plan_of();
  Shapes shapes;
  shapes.batch = 0;
  shapes.seqlen_kv = -1;
  shapes.q = shapes.k = shapes.v = shapes.o = {-1, -1, -1};
  shapes.softmax_scale = 0.0F;
  const auto launch = plan_launch(plan, shapes, Buffers{1, 2, 3, 4});
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
