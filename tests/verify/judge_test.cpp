// The judge itself: it must see every kind of wrong output, and its tolerances must be what the header says.
#include <cmath>
#include <limits>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tools/verify/accuracy.h"
#include "tools/verify/data.h"
#include "tools/verify/report.h"

namespace oracle = wavesmith::oracle;
using namespace wavesmith::verify;

namespace {

constexpr auto type = oracle::ElementType::bf16;

// Two rows of two columns with gaps; the exact results are 1, 2, 3, 4, of which the reference gets one wrong
// by 1/64.
struct Example {
  TensorShape shape{.batch = 1, .tokens = 2, .heads = 1, .head_size = 2, .strides = {16, 8, 2}};
  oracle::Result exact{{1, 2, 3, 4}, {}}, rounded{{1, 2, 3, 4 + 1.0 / 64}, {}};
  std::vector<std::uint16_t> output = poisoned(shape).bits;

  Example() {
    for (const double value : exact.o) write(static_cast<std::size_t>(value) - 1, value);
  }
  // Element i of the tensor.
  void write(std::size_t i, double value) { output.at(i / 2 * 8 + i % 2) = oracle::round_to(type, value); }
  [[nodiscard]] Accuracy judged() const {
    return judge(shape, type, std::vector{Sample{output, exact, rounded}});
  }
};

}  // namespace

TEST_CASE("verification: exact output is right, and the tolerances come from the reference's errors") {
  const Accuracy accuracy = Example().judged();
  CHECK(accuracy.ok());
  CHECK(accuracy.elements == 4);
  CHECK(accuracy.max_abs_error == 0);
  CHECK(accuracy.tolerance() == Catch::Approx(1.5 / 64));
  CHECK(accuracy.rms_tolerance() == Catch::Approx(1.1 / 64 / 2));
}

TEST_CASE("verification: errors are absolute, and relative to the largest element of their row") {
  Example example;
  example.write(2, 3 + 1.0 / 64);
  const Accuracy accuracy = example.judged();
  CHECK(accuracy.ok());
  CHECK(accuracy.max_abs_error == 1.0 / 64);
  CHECK(accuracy.max_rel_error == 1.0 / 64 / 4);
  CHECK(accuracy.rms_error == 1.0 / 64 / 2);
}

TEST_CASE("verification: an error beyond 1.5 times the reference's largest is a mismatch with its place") {
  Example example;
  example.write(1, 2 + 1.0 / 32);
  const Accuracy accuracy = example.judged();
  CHECK_FALSE(accuracy.ok());
  CHECK(accuracy.mismatched == 1);
  REQUIRE(accuracy.mismatches.size() == 1);
  CHECK(accuracy.mismatches[0].where == "o[batch 0, query 0, head 0, column 1]");
  CHECK(accuracy.mismatches[0].expected == 2);
  CHECK(accuracy.mismatches[0].actual == 2 + 1.0 / 32);
}

TEST_CASE("verification: too large an RMS error is wrong though no element is") {
  Example example;
  example.write(0, 1 + 1.0 / 64);
  example.write(1, 2 + 1.0 / 64);
  const Accuracy accuracy = example.judged();
  CHECK(accuracy.mismatched == 0);
  CHECK(accuracy.rms_error > accuracy.rms_tolerance());
  CHECK_FALSE(accuracy.ok());
}

TEST_CASE("verification: NaN, infinity and elements that were never written are mismatches") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Example with_nan, with_infinity, unwritten;
  with_nan.write(3, nan);
  with_infinity.write(3, infinity);
  unwritten.output[9] = poison_bits;
  CHECK(with_nan.judged().mismatched == 1);
  CHECK(std::isnan(with_nan.judged().max_abs_error));
  CHECK(std::isnan(with_nan.judged().rms_error));
  CHECK(accuracy_json(with_nan.judged())["max_abs_error"] == "nan");
  CHECK(with_infinity.judged().mismatched == 1);
  CHECK(with_infinity.judged().max_abs_error == infinity);
  REQUIRE(unwritten.judged().mismatched == 1);
  CHECK(unwritten.judged().mismatches[0].where == "o[batch 0, query 1, head 0, column 1], never written");
}

TEST_CASE("verification: infinity is right where the element type overflows, and there only") {
  Example example;
  example.exact.o[3] = 1e39;
  example.rounded.o[3] = std::numeric_limits<double>::infinity();
  example.write(3, std::numeric_limits<double>::infinity());
  example.rounded.o[0] += 1.0 / 64;
  CHECK(example.judged().ok());
  CHECK(example.judged().max_abs_error == 0);
  CHECK(example.judged().tolerance() == Catch::Approx(1.5 / 64));
  example.write(3, 3e38);
  CHECK_FALSE(example.judged().ok());
}

TEST_CASE("verification: a write outside the named elements is a mismatch") {
  for (const std::size_t gap : {2U, 7U}) {
    Example example;
    example.output.at(gap) = 0;
    const Accuracy accuracy = example.judged();
    REQUIRE(accuracy.mismatched == 1);
    CHECK(accuracy.mismatches[0].where ==
          "element " + std::to_string(gap) + " of the buffer of o, which is no output");
  }
}

TEST_CASE("verification: several runs are judged together") {
  Example first, second;
  second.write(1, 2 + 1.0 / 64);
  second.rounded.o[3] = 4;
  const std::vector samples{Sample{first.output, first.exact, first.rounded},
                            Sample{second.output, second.exact, second.rounded}};
  const Accuracy accuracy = judge(first.shape, type, samples);
  CHECK(accuracy.ok());
  CHECK(accuracy.elements == 8);
  CHECK(accuracy.reference_rms == Catch::Approx(1.0 / 64 / std::sqrt(8)));
  CHECK(accuracy.rms_error == Catch::Approx(1.0 / 64 / std::sqrt(8)));
  second.write(1, 2.5);
  const Accuracy wrong =
      judge(first.shape, type, std::vector{samples[0], Sample{second.output, second.exact, second.rounded}});
  REQUIRE(wrong.mismatched == 1);
  CHECK(wrong.mismatches[0].where == "run 1: o[batch 0, query 0, head 0, column 1]");
}

TEST_CASE("verification: a row of zeros admits no error at all") {
  Example example;
  example.exact.o = example.rounded.o = {0, 0, 3, 4};
  example.write(0, 0);
  example.write(1, 0x1p-100);
  CHECK_FALSE(example.judged().ok());
  CHECK(example.judged().max_rel_error == std::numeric_limits<double>::infinity());
}

TEST_CASE("verification: all mismatches are counted, a few are listed") {
  TensorShape shape{.batch = 1, .tokens = 100, .heads = 1, .head_size = 2, .strides = {200, 2, 2}};
  const oracle::Result zeros{std::vector<double>(200), {}};
  const Accuracy accuracy =
      judge(shape, type, std::vector{Sample{std::vector<std::uint16_t>(200, 0x3f80), zeros, zeros}});
  CHECK(accuracy.mismatched == 200);
  CHECK(accuracy.mismatches.size() == 8);
}

TEST_CASE("verification: tensors are poison between rows, heads and batches, and end with the last element") {
  for (const bool bhsd : {false, true}) {
    CAPTURE(bhsd);
    const TensorShape shape = shape_with_gaps(bhsd, 2, 5, 3, 64, 4);
    Random random(1);
    const TensorData tensor = normal(shape, type, 1, random);
    CHECK(shape.offset(1, 4, 2) + 64 == shape.extent());
    CHECK(static_cast<std::int64_t>(tensor.bits.size()) == shape.extent());
    std::vector<bool> named(tensor.bits.size());
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t t = 0; t < 5; ++t)
        for (std::int64_t h = 0; h < 3; ++h)
          for (std::int64_t d = 0; d < 64; ++d) {
            const auto at = static_cast<std::size_t>(shape.offset(b, t, h) + d);
            CHECK_FALSE(named[at]);  // no two elements share a place
            named[at] = true;
          }
    std::size_t gaps = 0;
    for (std::size_t i = 0; i < named.size(); ++i) {
      CHECK((tensor.bits[i] == poison_bits) == !named[i]);
      CHECK(std::isnan(tensor.values[i]) == !named[i]);
      gaps += named[i] ? 0 : 1;
    }
    CHECK(gaps > 0);
    for (const std::int64_t stride : {shape.strides.batch, shape.strides.token, shape.strides.head})
      CHECK(stride % 8 == 0);
    for (const auto element : {oracle::ElementType::bf16, oracle::ElementType::fp16})
      CHECK(std::isnan(oracle::widen(element, poison_bits)));
  }
}

TEST_CASE("verification: random numbers are reproducible, full of mantissa bits and normal") {
  // First outputs of SplitMix64 with seed 1234567, from the paper's reference implementation.
  Random known(1234567);
  CHECK(known.next() == 6457827717110365317U);
  CHECK(known.next() == 3203168211198807973U);
  Random random(7);
  double sum = 0, squares = 0, fourth = 0;
  constexpr int count = 100'000;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  // Five standard errors of mean, variance and kurtosis.
  CHECK(sum / count == Catch::Approx(0).margin(5 / std::sqrt(count)));
  CHECK(squares / count == Catch::Approx(1).margin(5 * std::sqrt(2.0 / count)));
  CHECK(fourth / count == Catch::Approx(3).margin(5 * std::sqrt(96.0 / count)));
}
