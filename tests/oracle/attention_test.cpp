// The oracle against closed forms: it must not be judged by anything that shares its code.
#include "simulator/oracle/attention.h"

#include <bit>
#include <cmath>
#include <limits>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace oracle = wavesmith::oracle;

namespace {

// One head, head size 4; K is zero, so every visible key weighs the same and O is the mean of V over visible
// keys. V's row j is (j, 1, j * j, 0).
struct Uniform {
  std::vector<float> q, k, v;
  oracle::Problem problem;

  Uniform(std::int64_t queries, std::int64_t keys) {
    q.assign(static_cast<std::size_t>(queries) * 4, 1.0F);
    k.assign(static_cast<std::size_t>(keys) * 4, 0.0F);
    for (std::int64_t j = 0; j < keys; ++j)
      for (const float x : {static_cast<float>(j), 1.0F, static_cast<float>(j * j), 0.0F}) v.push_back(x);
    problem.query_heads = problem.kv_heads = 1;
    problem.head_size = 4;
    problem.seqlen_q = {queries};
    problem.seqlen_kv = {keys};
    problem.q = {q, 0, 4, 4};
    problem.k = {k, 0, 4, 4};
    problem.v = {v, 0, 4, 4};
    problem.softmax_scale = 0.5;
  }
};

void check_range(const oracle::Result& result, std::size_t query, std::int64_t first, std::int64_t last) {
  CAPTURE(query, first, last);
  const auto count = static_cast<double>(last - first + 1);
  CHECK(result.lse[query] == Catch::Approx(std::log(count)).margin(1e-12));
  CHECK(result.o[query * 4] == Catch::Approx(static_cast<double>(first + last) / 2));
  CHECK(result.o[query * 4 + 1] == Catch::Approx(1));
}

}  // namespace

TEST_CASE("oracle: bottom-right causal sees keys up to i + seqlen_kv - seqlen_q", "[oracle]") {
  Uniform u(3, 7);
  u.problem.window_right = 0;
  const oracle::Result result = attention(u.problem);
  check_range(result, 0, 0, 4);
  check_range(result, 1, 0, 5);
  check_range(result, 2, 0, 6);
}

TEST_CASE("oracle: top-left causal sees keys up to i", "[oracle]") {
  Uniform u(3, 7);
  u.problem.window_right = 0;
  u.problem.top_left = true;
  const oracle::Result result = attention(u.problem);
  check_range(result, 0, 0, 0);
  check_range(result, 2, 0, 2);
}

TEST_CASE("oracle: windows are inclusive on both sides", "[oracle]") {
  Uniform u(10, 10);
  u.problem.window_left = 2;
  u.problem.window_right = 1;
  const oracle::Result result = attention(u.problem);
  check_range(result, 0, 0, 1);
  check_range(result, 5, 3, 6);
  check_range(result, 9, 7, 9);
  u.problem.window_left = u.problem.window_right = 0;
  check_range(attention(u.problem), 4, 4, 4);
}

TEST_CASE("oracle: a row without a visible key gives zero and minus infinity, or the sink", "[oracle]") {
  Uniform u(5, 2);
  u.problem.window_right = 0;
  const oracle::Result result = attention(u.problem);
  for (std::size_t query = 0; query < 3; ++query) {
    CHECK(result.lse[query] == -std::numeric_limits<double>::infinity());
    for (std::size_t d = 0; d < 4; ++d) CHECK(result.o[query * 4 + d] == 0);
  }
  check_range(result, 3, 0, 0);
  const std::vector<float> sinks{0.75F};
  u.problem.sinks = sinks;
  CHECK(attention(u.problem).lse[0] == 0.75);
}

TEST_CASE("oracle: a sink joins the denominator only", "[oracle]") {
  Uniform u(1, 4);
  const std::vector<float> sinks{std::log(4.0F)};
  u.problem.sinks = sinks;
  const oracle::Result result = attention(u.problem);
  CHECK(result.o[1] == Catch::Approx(0.5).epsilon(1e-6));  // four keys of weight 1 and a sink of weight 4
  CHECK(result.lse[0] == Catch::Approx(std::log(8.0)).epsilon(1e-6));
}

TEST_CASE("oracle: softmax of two scores", "[oracle]") {
  Uniform u(1, 2);
  u.k = {0, 0, 0, 0, 3, 0, 0, 0};
  u.problem.k = {u.k, 0, 4, 4};
  const double weight = 1 / (1 + std::exp(1.5));  // score 3, scale 0.5
  CHECK(attention(u.problem).o[0] == Catch::Approx(1 - weight).epsilon(1e-14));
}

TEST_CASE("oracle: the rounded reference rounds probabilities and O once to the element type", "[oracle]") {
  Uniform u(1, 2);
  u.k = {0, 0, 0, 0, 2 * std::log(10.0F), 0, 0, 0};  // with the scale of 0.5: weights 1 and 10
  u.v = {10, 1, 3, 0, -1, 0, 3, 0};
  u.problem.k = {u.k, 0, 4, 4};
  u.problem.v = {u.v, 0, 4, 4};
  const oracle::Result exact = attention(u.problem);
  CHECK(exact.o[0] == Catch::Approx(0).margin(1e-6));
  // In bf16, 1/11 is 93 / 1024 and 10/11 is 233 / 256.
  const oracle::Result rounded = attention_rounded(u.problem, oracle::ElementType::bf16);
  CHECK(rounded.o[0] == 10 * 93.0 / 1024 - 233.0 / 256);
  CHECK(rounded.o[1] == 93.0 / 1024);
  CHECK(rounded.o[2] == 3);  // 3.0029 before O is rounded
  CHECK(rounded.lse[0] == Catch::Approx(exact.lse[0]).epsilon(1e-6));
}

TEST_CASE("oracle: query heads share key/value heads in order", "[oracle]") {
  oracle::Problem problem;
  problem.query_heads = 6;
  problem.kv_heads = 2;
  problem.head_size = 1;
  problem.seqlen_q = {1, 1};
  problem.seqlen_kv = {1, 1};
  const std::vector<float> q(12, 1), k(4, 1), v{10, 20, 30, 40};
  problem.q = {q, 6, 6, 1};
  problem.k = {k, 2, 2, 1};
  problem.v = {v, 2, 2, 1};
  problem.softmax_scale = 1;
  CHECK(attention(problem).o == std::vector<double>{10, 10, 10, 20, 20, 20, 30, 30, 30, 40, 40, 40});
}

TEST_CASE("oracle: one thread and many give the same bits", "[oracle]") {
  Uniform u(33, 65);
  for (std::size_t i = 0; i < u.k.size(); ++i) u.k[i] = std::sin(static_cast<float>(i));
  u.problem.k = {u.k, 0, 4, 4};
  u.problem.window_right = 0;
  CHECK(attention(u.problem, 1).o == attention(u.problem, 4).o);
}

TEST_CASE("oracle: rounding to bf16 and fp16 is nearest-even, with denormals and overflow", "[oracle]") {
  using oracle::ElementType;
  CHECK(round_to(ElementType::bf16, 1.0) == 0x3F80);
  CHECK(round_to(ElementType::bf16, 1.0 + 0x1p-8) == 0x3F80);  // a tie, to even
  CHECK(round_to(ElementType::bf16, 1.0 + 0x1p-8 + 0x1p-30) == 0x3F81);
  CHECK(round_to(ElementType::bf16, 1.0 + 3 * 0x1p-8) == 0x3F82);       // a tie, to even
  CHECK(round_to(ElementType::bf16, 3.3895313892515355e38) == 0x7F7F);  // the largest
  CHECK(round_to(ElementType::bf16, 3.4e38) == 0x7F80);
  CHECK(round_to(ElementType::bf16, -0x1p-133) == 0x8001);  // the smallest denormal
  CHECK(round_to(ElementType::bf16, 0x1p-134) == 0x0000);   // a tie, to even
  CHECK(round_to(ElementType::fp16, 65504.0) == 0x7BFF);
  CHECK(round_to(ElementType::fp16, 65519.99) == 0x7BFF);
  CHECK(round_to(ElementType::fp16, 65520.0) == 0x7C00);
  CHECK(round_to(ElementType::fp16, 0x1p-24) == 0x0001);
  CHECK(round_to(ElementType::fp16, 0x1p-14 - 0x1p-25) == 0x0400);  // rounds up into the normal range
  CHECK(round_to(ElementType::fp16, -0.0) == 0x8000);
  CHECK(std::isnan(widen(ElementType::fp16, round_to(ElementType::fp16, std::nan("")))));
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    for (ElementType type : {ElementType::bf16, ElementType::fp16}) {
      const float wide = widen(type, half);
      if (!std::isnan(wide)) REQUIRE(round_to(type, static_cast<double>(wide)) == half);
    }
  }
}
