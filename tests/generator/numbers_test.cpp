// The kernel's IR, run by the machine, gives attention: compared with float64 on shapes that reach every path
// (tails, no visible key, growing maxima, strides with gaps), with NaN wherever nothing may be read, and O
// untouched wherever nothing may be written. No hazard may be found on the way, however late copies arrive.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/attention_dense/emit.h"
#include "tests/generator/machine_launch.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

using test::IrMachine;
using test::Tensor;

constexpr std::uint16_t not_a_number = 0xffff;  // in both element types

struct Case {
  Spec spec;
  std::int64_t batch, seqlen_q, seqlen_kv;
  bool head_major = false;  ///< bhsd instead of bshd
  std::int64_t gap = 0;     ///< elements of NaN between tokens
  double growth = 0;        ///< each key's scores are this much larger (log2) than the key's before it
  float scale = 0.25F;
};

Strides strides_of(const Case& c, std::int64_t seqlen, std::int64_t heads) {
  const std::int64_t row = c.spec.head_size + c.gap;
  return c.head_major ? bhsd(seqlen, heads, row) : bshd(seqlen, heads, row);
}

std::size_t index(const Strides& s, std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t d) {
  return static_cast<std::size_t>(b * s.batch + t * s.token + h * s.head + d);
}

// One output row in float64; empty where no key is visible.
std::vector<double> reference_row(const Case& c, const Shapes& shapes, const auto& number, std::int64_t b,
                                  std::int64_t i, std::int64_t head) {
  const std::int64_t kv_head = head / gqa_ratio(c.spec);
  const std::int64_t keys = c.spec.mask == Mask::full
                                ? c.seqlen_kv
                                : std::clamp<std::int64_t>(i + c.seqlen_kv - c.seqlen_q + 1, 0, c.seqlen_kv);
  if (keys == 0) return {};
  std::vector<double> scores(static_cast<std::size_t>(keys)), row(static_cast<std::size_t>(c.spec.head_size));
  for (std::int64_t j = 0; j < keys; ++j) {
    double dot = 0;
    for (std::int64_t d = 0; d < c.spec.head_size; ++d)
      dot += number("q", index(shapes.q, b, i, head, d)) * number("k", index(shapes.k, b, j, kv_head, d));
    scores[static_cast<std::size_t>(j)] = dot * static_cast<double>(c.scale);
  }
  const double top = std::ranges::max(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - top);
  for (std::int64_t j = 0; j < keys; ++j)
    for (std::int64_t d = 0; d < c.spec.head_size; ++d)
      row[static_cast<std::size_t>(d)] +=
          scores[static_cast<std::size_t>(j)] / sum * number("v", index(shapes.v, b, j, kv_head, d));
  return row;
}

void check(const Case& c, IrMachine::Arrival arrival) {
  CAPTURE(c.spec.head_size, value_text(c.spec.dtype), value_text(c.spec.mask), c.spec.num_query_heads,
          c.spec.num_kv_heads, c.batch, c.seqlen_q, c.seqlen_kv, c.head_major, c.gap, c.growth);
  const Plan plan = test::resolved(c.spec);
  const auto kernel = build(plan);
  REQUIRE(kernel);
  IrMachine machine(**kernel, arrival);

  const ir::Type element = c.spec.dtype == DType::bf16 ? ir::bf16 : ir::f16;
  Shapes shapes;
  shapes.batch = c.batch;
  shapes.seqlen_q = c.seqlen_q;
  shapes.seqlen_kv = c.seqlen_kv;
  shapes.softmax_scale = c.scale;
  shapes.q = shapes.o = strides_of(c, c.seqlen_q, c.spec.num_query_heads);
  shapes.k = shapes.v = strides_of(c, c.seqlen_kv, c.spec.num_kv_heads);
  std::mt19937 random(7);
  const auto normal =
      [&] {  // sum of uniform numbers: the standard library's own distributions differ by host
        double sum = -6;
        for (int n = 0; n < 12; ++n) sum += static_cast<double>(random()) * 0x1p-32;
        return sum;
      };
  const auto fill = [&](std::string_view name, const Strides& strides, std::int64_t seqlen,
                        std::int64_t heads, auto&& value) -> Tensor& {
    // Up to the last element that belongs to the tensor and not one more.
    const std::size_t size =
        seqlen == 0 ? 0 : index(strides, c.batch - 1, seqlen - 1, heads - 1, c.spec.head_size - 1) + 1;
    Tensor& tensor = machine.tensor(name, size);
    std::ranges::fill(tensor.data, not_a_number);
    for (std::int64_t b = 0; b < c.batch; ++b)
      for (std::int64_t t = 0; t < seqlen; ++t)
        for (std::int64_t h = 0; h < heads; ++h)
          for (std::int64_t d = 0; d < c.spec.head_size; ++d)
            tensor.data[index(strides, b, t, h, d)] =
                static_cast<std::uint16_t>(test::from_float(element, static_cast<float>(value(t, d))));
    return tensor;
  };
  // With growth, column 0 of Q is 1 and that of K rises from key to key.
  const double rise = c.growth / static_cast<double>(c.scale) / std::log2(std::exp(1.0));
  std::map<std::string_view, Tensor*> tensors;
  tensors["q"] = &fill("q", shapes.q, c.seqlen_q, c.spec.num_query_heads,
                       [&](std::int64_t, std::int64_t d) { return rise != 0 && d == 0 ? 1 : normal(); });
  tensors["k"] = &fill("k", shapes.k, c.seqlen_kv, c.spec.num_kv_heads, [&](std::int64_t t, std::int64_t d) {
    return rise != 0 && d == 0 ? rise * static_cast<double>(t) : normal();
  });
  tensors["v"] = &fill("v", shapes.v, c.seqlen_kv, c.spec.num_kv_heads,
                       [&](std::int64_t, std::int64_t) { return normal(); });
  Tensor& o = fill("o", shapes.o, c.seqlen_q, c.spec.num_query_heads,
                   [](std::int64_t, std::int64_t) { return std::numeric_limits<double>::quiet_NaN(); });
  std::ranges::fill(o.data, not_a_number);
  const auto number = [&](std::string_view name, std::size_t at) {
    return static_cast<double>(test::to_float(element, tensors.at(name)->data[at]));
  };

  test::run_grid(machine, test::bind_launch(machine, plan, shapes));
  CHECK(fmt::format("{}", fmt::join(machine.findings, "; ")).empty());

  // P and O are rounded to the element type once each; the denominator is not rounded.
  const double tolerance = c.spec.dtype == DType::bf16 ? 0x1p-7 : 0x1p-10;
  double worst = 0;
  std::vector<bool> expected(o.data.size());
  for (std::int64_t b = 0; b < c.batch; ++b)
    for (std::int64_t i = 0; i < c.seqlen_q; ++i)
      for (std::int64_t h = 0; h < c.spec.num_query_heads; ++h) {
        const std::vector<double> row = reference_row(c, shapes, number, b, i, h);
        double largest = row.empty() ? 1 : 0;
        for (double x : row) largest = std::max(largest, std::fabs(x));
        for (std::int64_t d = 0; d < c.spec.head_size; ++d) {
          const std::size_t at = index(shapes.o, b, i, h, d);
          expected[at] = true;
          const double got = static_cast<double>(test::to_float(element, o.data[at]));
          const double want = row.empty() ? 0 : row[static_cast<std::size_t>(d)];
          const double error = std::fabs(got - want) / largest;
          if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
        }
      }
  CHECK(worst <= tolerance);
  std::size_t touched = 0;
  for (std::size_t at = 0; at < o.data.size(); ++at) touched += !expected[at] && o.data[at] != not_a_number;
  CHECK(touched == 0);
}

void check(const Case& c) {
  check(c, IrMachine::Arrival::as_late_as_waits_allow);
}

TEST_CASE("numbers: full attention with tails in both lengths") {
  for (int head_size : {64, 128})
    for (DType dtype : {DType::bf16, DType::fp16}) {
      Spec spec = test::spec(head_size, 2, 1, dtype, Mask::full);
      check({spec, 1, 1, 1});
      check({spec, 1, 33, 64});
      check({spec, 1, 40, 65});
      check({spec, 2, 70, 200});
    }
}

TEST_CASE("numbers: causal, bottom-right, with more and with fewer keys than queries") {
  for (int head_size : {64, 128})
    for (DType dtype : {DType::bf16, DType::fp16}) {
      Spec spec = test::spec(head_size, 2, 1, dtype, Mask::causal);
      check({spec, 1, 130, 130});
      check({spec, 1, 50, 333});
      check({spec, 1, 270, 210});
    }
}

TEST_CASE("numbers: a row without a visible key is zero") {
  for (int head_size : {64, 128}) {
    // The first 256 rows see nothing: a whole workgroup has no tile.
    check({test::spec(head_size, 1, 1, DType::bf16, Mask::causal), 1, 300, 20});
    check({test::spec(head_size, 1, 1, DType::bf16, Mask::causal), 1, 10, 0});
    check({test::spec(head_size, 1, 1, DType::bf16, Mask::full), 2, 10, 0});
  }
}

TEST_CASE("numbers: growing row maxima rescale what was accumulated") {
  // By tile the maximum grows by 64 keys' worth: 6.4 stays below the threshold of 8 once, 32 exceeds it each
  // time.
  for (double growth : {0.1, 0.5, -0.5})
    for (DType dtype : {DType::bf16, DType::fp16}) {
      Case c{test::spec(64, 1, 1, dtype, Mask::full), 1, 33, 300};
      c.growth = growth;
      check(c);
      c.spec.mask = Mask::causal;
      check(c);
    }
}

TEST_CASE("numbers: query heads share key and value heads") {
  for (const auto& [query_heads, kv_heads] : {std::pair{1, 1}, {4, 1}, {8, 1}, {6, 2}, {5, 1}})
    check({test::spec(64, query_heads, kv_heads, DType::bf16, Mask::causal), 2, 20, 40});
}

TEST_CASE("numbers: strides decide the layout, and gaps stay untouched") {
  for (int head_size : {64, 128})
    for (bool head_major : {false, true})
      for (std::int64_t gap : {0, 8, 72}) {
        Case c{test::spec(head_size, 2, 1, DType::bf16, Mask::causal), 2, 37, 70};
        c.head_major = head_major;
        c.gap = gap;
        check(c);
      }
}

TEST_CASE("numbers: pads of the LDS layouts do not change them") {
  for (int pad : {0, 16, 24, 32, 64})
    for (int head_size : {64, 128}) {
      Spec spec = test::spec(head_size, 1, 1, DType::bf16, Mask::full);
      spec.lds_k_group_pad = spec.lds_v_group_pad = spec.lds_k_row_pad = spec.lds_v_row_pad = pad;
      check({spec, 1, 20, 200});
    }
}

TEST_CASE("numbers: copies that arrive at once overwrite nothing that is still read") {
  for (int head_size : {64, 128}) {
    const Case c{test::spec(head_size, 1, 1, DType::bf16, Mask::causal), 1, 256, 600};
    check(c, IrMachine::Arrival::at_once);
    check(c, IrMachine::Arrival::as_late_as_waits_allow);
  }
}

}  // namespace
}  // namespace wavesmith::generator::attention_dense
