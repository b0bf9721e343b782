// The kernel's IR, run by the machine, gives attention: compared with the float64 oracle on shapes that reach
// every path (tails, no visible key, growing maxima, strides with gaps), with NaN wherever nothing may be
// read, and O untouched wherever nothing may be written. No hazard may be found on the way, however late
// copies arrive.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/attention_dense/emit.h"
#include "simulator/oracle/attention.h"
#include "tests/generator/machine_launch.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator::attention_dense {
namespace {

using test::IrMachine;

constexpr std::uint16_t not_a_number = 0xffff;  // in both element types

struct Case {
  Spec spec;
  std::int64_t batch, seqlen_q, seqlen_kv;
  bool head_major = false;      ///< bhsd instead of bshd
  std::int64_t gap = 0;         ///< elements of NaN between tokens
  double growth = 0;            ///< each key's scores are this much larger (log2) than the key's before it
  std::int64_t spike = -1;      ///< the score of this key is 30 larger (log2) than it were
  std::int64_t workgroups = 0;  ///< of a persistent kernel; 0: as plan_launch() says
};

constexpr float scale = 0.25F;

oracle::ElementType element(const Case& c) {
  return c.spec.dtype == DType::bf16 ? oracle::ElementType::bf16 : oracle::ElementType::fp16;
}

// One of q, k, v, o: values in their layout, NaN between tokens, and nothing behind the last element.
struct Laid {
  Strides strides;
  std::vector<float> values;

  [[nodiscard]] std::size_t at(std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t d) const {
    return static_cast<std::size_t>(b * strides.batch + t * strides.token + h * strides.head + d);
  }
  [[nodiscard]] oracle::Tensor tensor() const { return {values, strides.batch, strides.token, strides.head}; }
};

template <class ValueOf>
Laid lay_out(const Case& c, std::int64_t seqlen, std::int64_t heads, ValueOf&& value) {
  const std::int64_t row = c.spec.head_size + c.gap;
  Laid laid{c.head_major ? bhsd(seqlen, heads, row) : bshd(seqlen, heads, row), {}};
  if (seqlen == 0) return laid;
  laid.values.assign(laid.at(c.batch - 1, seqlen - 1, heads - 1, c.spec.head_size),
                     std::numeric_limits<float>::quiet_NaN());
  for (std::int64_t b = 0; b < c.batch; ++b)
    for (std::int64_t t = 0; t < seqlen; ++t)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t d = 0; d < c.spec.head_size; ++d)
          laid.values[laid.at(b, t, h, d)] =
              oracle::widen(element(c), oracle::round_to(element(c), value(t, d)));
  return laid;
}

struct Inputs {
  Laid q, k, v, o;

  explicit Inputs(const Case& c) {
    std::mt19937 random(7);
    // A sum of uniform numbers: the standard library's own distributions differ by host.
    const auto normal = [&] {
      double sum = -6;
      for (int n = 0; n < 12; ++n) sum += static_cast<double>(random()) * 0x1p-32;
      return sum;
    };
    // Column 0 of Q is 1, and that of K adds to the score of every query.
    const bool shaped = c.growth != 0 || c.spike >= 0;
    const double one_log2 = 1 / (static_cast<double>(scale) * std::log2(std::exp(1.0)));
    const auto added = [&](std::int64_t t) {
      return one_log2 * (c.growth * static_cast<double>(t) + (t == c.spike ? 30 : 0));
    };
    q = lay_out(c, c.seqlen_q, c.spec.num_query_heads,
                [&](std::int64_t, std::int64_t d) { return shaped && d == 0 ? 1 : normal(); });
    k = lay_out(c, c.seqlen_kv, c.spec.num_kv_heads,
                [&](std::int64_t t, std::int64_t d) { return shaped && d == 0 ? added(t) : normal(); });
    v = lay_out(c, c.seqlen_kv, c.spec.num_kv_heads, [&](std::int64_t, std::int64_t) { return normal(); });
    o = lay_out(c, c.seqlen_q, c.spec.num_query_heads, [](std::int64_t, std::int64_t) { return 0.0; });
  }
};

// Bits of O after the launch; findings of the machine are failures.
std::vector<std::uint16_t> run(const Case& c, const Inputs& inputs, IrMachine::Arrival arrival) {
  const Plan plan = test::resolved(c.spec);
  const auto kernel = build(plan);
  REQUIRE(kernel);
  IrMachine machine(**kernel, arrival);
  for (const auto& [name, laid] : {std::pair{"q", &inputs.q}, {"k", &inputs.k}, {"v", &inputs.v}})
    std::ranges::transform(
        laid->values, machine.tensor(name, laid->values.size()).data.begin(), [&](float value) {
          return std::isnan(value) ? not_a_number : oracle::round_to(element(c), static_cast<double>(value));
        });
  test::Tensor& o = machine.tensor("o", inputs.o.values.size());
  std::ranges::fill(o.data, not_a_number);
  Shapes shapes;
  shapes.batch = c.batch;
  shapes.seqlen_q = c.seqlen_q;
  shapes.seqlen_kv = c.seqlen_kv;
  shapes.softmax_scale = scale;
  if (c.workgroups > 0) shapes.num_persistent = c.workgroups;
  shapes.q = inputs.q.strides;
  shapes.k = inputs.k.strides;
  shapes.v = inputs.v.strides;
  shapes.o = inputs.o.strides;
  test::run_grid(machine, test::bind_launch(machine, plan, shapes));
  CHECK(fmt::format("{}", fmt::join(machine.findings, "; ")) == "");
  return o.data;
}

std::vector<double> expected(const Case& c, const Inputs& inputs) {
  oracle::Problem problem;
  problem.query_heads = c.spec.num_query_heads;
  problem.kv_heads = c.spec.num_kv_heads;
  problem.head_size = c.spec.head_size;
  problem.seqlen_q.assign(static_cast<std::size_t>(c.batch), c.seqlen_q);
  problem.seqlen_kv.assign(static_cast<std::size_t>(c.batch), c.seqlen_kv);
  problem.q = inputs.q.tensor();
  problem.k = inputs.k.tensor();
  problem.v = inputs.v.tensor();
  problem.softmax_scale = static_cast<double>(scale);
  problem.window_right = c.spec.mask == Mask::causal ? 0 : -1;
  return oracle::attention(problem, 1).o;
}

void check(const Case& c, IrMachine::Arrival arrival) {
  CAPTURE(c.spec.head_size, value_text(c.spec.dtype), value_text(c.spec.mask), c.spec.num_query_heads,
          c.spec.num_kv_heads, c.batch, c.seqlen_q, c.seqlen_kv, c.head_major, c.gap, c.growth, c.spike);
  const Inputs inputs(c);
  std::vector<std::uint16_t> o = run(c, inputs, arrival);
  const std::vector<double> wanted = expected(c, inputs);

  // P and O are rounded to the element type once each; the denominator is not rounded.
  const double tolerance = c.spec.dtype == DType::bf16 ? 0x1p-7 : 0x1p-10;
  double worst = 0;
  const auto head_size = static_cast<std::size_t>(c.spec.head_size);
  const double* row = wanted.data();
  for (std::int64_t b = 0; b < c.batch; ++b)
    for (std::int64_t t = 0; t < c.seqlen_q; ++t)
      for (std::int64_t h = 0; h < c.spec.num_query_heads; ++h, row += head_size) {
        double largest = 0;
        for (std::size_t d = 0; d < head_size; ++d) largest = std::max(largest, std::fabs(row[d]));
        for (std::size_t d = 0; d < head_size; ++d) {
          std::uint16_t& bits = o[inputs.o.at(b, t, h, static_cast<std::int64_t>(d))];
          const double error = std::fabs(static_cast<double>(oracle::widen(element(c), bits)) - row[d]);
          bits = not_a_number;
          // A row without a visible key is exactly zero.
          const double relative = error == 0 ? 0 : error / largest;
          if (!(relative <= worst))
            worst = std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
        }
      }
  CHECK(worst <= tolerance);
  CHECK(std::ranges::count(o, not_a_number) == std::ssize(o));  // nothing else was written
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

TEST_CASE("numbers: one key that dwarfs the others, in either half of the wave and in any tile") {
  // 2^30 is beyond fp16: a maximum that missed the key would make P infinite.
  for (std::int64_t spike : {0, 4, 63, 70, 150, 199})
    for (DType dtype : {DType::bf16, DType::fp16}) {
      Case c{test::spec(64, 1, 1, dtype, Mask::full), 1, 33, 200};
      c.spike = spike;
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

TEST_CASE("numbers: lengths near 2^31 stay within 32 bits, and base addresses need more") {
  // Only one workgroup of each launch is run, and only its rows exist. Of 2^31 - 4097 queries the first 2^31
  // - 4117 see none of 20 keys; the last block has 255 rows.
  constexpr std::int64_t seqlen_q = (std::int64_t{1} << 31) - 4097;
  constexpr unsigned last_block = (seqlen_q + 255) / 256 - 1;
  for (int head_size : {64, 128})
    for (unsigned block : {0U, last_block}) {
      CAPTURE(head_size, block);
      const std::int64_t rows = block == 0 ? 256 : seqlen_q - std::int64_t{last_block} * 256;
      // What the block computes is attention of its last rows on the same keys, or zero.
      const Case small{test::spec(head_size, 1, 1, DType::bf16, Mask::causal), 1, rows, 20};
      const Inputs inputs(small);
      const Plan plan = test::resolved(small.spec);
      const auto kernel = build(plan);
      REQUIRE(kernel);
      IrMachine machine(**kernel);
      for (const auto& [name, laid] : {std::pair{"q", &inputs.q}, {"k", &inputs.k}, {"v", &inputs.v}})
        std::ranges::transform(
            laid->values, machine.tensor(name, laid->values.size()).data.begin(), [](float value) {
              return oracle::round_to(oracle::ElementType::bf16, static_cast<double>(value));
            });
      std::ranges::fill(machine.tensor("o", inputs.o.values.size()).data, not_a_number);
      Shapes shapes;
      shapes.seqlen_q = seqlen_q;
      shapes.seqlen_kv = 20;
      shapes.q = shapes.o = {0, head_size, 0};
      shapes.k = shapes.v = {0, head_size, 0};
      shapes.softmax_scale = scale;
      test::bind_launch(machine, plan, shapes);
      const std::uint64_t skipped = std::uint64_t{block} * 256 * static_cast<std::uint64_t>(head_size) * 2;
      for (const char* name : {"q", "o"}) machine.argument(name, machine.address(name) - skipped);
      // Blocks come in falling order.
      machine.run_workgroup({last_block - block, 0, 0});
      CHECK(fmt::format("{}", fmt::join(machine.findings, "; ")) == "");
      const std::vector<double> wanted =
          block == 0 ? std::vector<double>(inputs.o.values.size()) : expected(small, inputs);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto got = static_cast<double>(oracle::widen(oracle::ElementType::bf16, machine.data("o")[i]));
        wrong += !(std::fabs(got - wanted[i]) <= 0x1p-7 * 4);  // of values below 4
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("numbers: a persistent kernel's work items overwrite nothing of one another") {
  for (int head_size : {64, 128})
    for (const auto& [seqlen_kv, workgroups] : {std::pair{40, 1}, {200, 2}, {300, 1}, {300, 5}}) {
      Spec spec = test::spec(head_size, 2, 1, DType::bf16, head_size == 64 ? Mask::full : Mask::causal);
      spec.persistent = true;
      const Case c{
          .spec = spec, .batch = 2, .seqlen_q = 40, .seqlen_kv = seqlen_kv, .workgroups = workgroups};
      check(c, IrMachine::Arrival::at_once);
      check(c, IrMachine::Arrival::as_late_as_waits_allow);
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
