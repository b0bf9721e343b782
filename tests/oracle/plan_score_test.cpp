// The emulation of plan-score against the contract written differently (a tree of sums, in double precision
// and integers of the result), cases worked out by hand, bounds from float64, and the share of scores that
// each planted departure changes, which was measured beforehand by another program.
#include "simulator/oracle/plan_score.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include <catch2/catch_test_macros.hpp>

namespace oracle = wavesmith::oracle;
using oracle::ElementType;

namespace {

constexpr std::size_t samples = 4000;

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// fp32 arithmetic as double arithmetic rounded once more. A double holds a product of two floats exactly, and
// a sum to more than twice their bits and two, so that rounding it again gives what rounding once would.
float product(float a, float b) {
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b));
}
float sum(float a, float b) {
  return static_cast<float>(static_cast<double>(a) + static_cast<double>(b));
}

struct Operands {
  std::vector<float> query;
  ElementType type = ElementType::bf16;
  std::vector<std::uint16_t> key;

  float key_at(std::size_t element) const { return oracle::widen(type, key[element]); }
  std::vector<float> wide_key() const { return oracle::widen_all(type, key); }
};

// The sum of lane `lane` after the element at `element`.
float chain(const Operands& operands, std::size_t element) {
  const float before = element < 32 ? 0.0F : chain(operands, element - 32);
  return sum(before, product(operands.query[element], operands.key_at(element)));
}

// Sum of the lanes first, first + stride, …: the fold by mask 1 comes last and joins even lanes with odd
// ones.
float tree(const Operands& operands, std::size_t first, std::size_t stride) {
  if (stride < 32) return sum(tree(operands, first, 2 * stride), tree(operands, first + stride, 2 * stride));
  const std::size_t size = operands.query.size();
  if (first >= size) return 0.0F;
  return chain(operands, first + (size - 1 - first) / 32 * 32);
}

float tree_score(const Operands& operands, float scale) {
  return product(tree(operands, 0, 1), scale);
}

float emulated(const Operands& o, float scale, const oracle::ScoreSteps& steps = {}) {
  return oracle::plan_score(o.query, o.wide_key(), scale, steps);
}

const oracle::ScoreSteps& planted(std::string_view name) {
  for (const oracle::PlantedSteps& one : oracle::planted_score_steps())
    if (one.name == name) return one.steps;
  throw std::out_of_range(std::string(name));
}

enum class Data : std::uint8_t {
  rounded,        // multiples of 1/1024 from -1 to 1
  full_mantissa,  // normal fp32 queries, normal keys of the cache's type
  activation,     // normal, both of the cache's type
  spread,         // full mantissas, exponents over 60 binades
  denormal,       // products about the least denormal
};

class Draw {
 public:
  Draw(Data data, ElementType type, std::size_t size) : data_(data), type_(type), size_(size) {}

  Operands next() {
    Operands operands{.query = {}, .type = type_, .key = {}};
    for (std::size_t element = 0; element < size_; ++element) {
      const double query = value();
      const std::uint16_t key = oracle::round_to(type_, data_ == Data::denormal ? normal_(engine_) : value());
      operands.query.push_back(data_ == Data::activation
                                   ? oracle::widen(type_, oracle::round_to(type_, query))
                                   : static_cast<float>(query));
      operands.key.push_back(key);
    }
    return operands;
  }

 private:
  double value() {
    switch (data_) {
      case Data::rounded:
        return static_cast<double>(step_(engine_)) / 1024;
      case Data::spread:
        return std::ldexp(normal_(engine_), exponent_(engine_));
      case Data::denormal:
        return std::ldexp(normal_(engine_), -147);
      case Data::full_mantissa:
      case Data::activation:
        break;
    }
    return normal_(engine_);
  }

  Data data_;
  ElementType type_;
  std::size_t size_;
  std::mt19937_64 engine_{20261201};
  std::normal_distribution<double> normal_;
  std::uniform_int_distribution<int> step_{-1024, 1023};
  std::uniform_int_distribution<int> exponent_{-14, 15};
};

// Of each departure, in the order of planted_score_steps().
std::vector<double> changed_percent(Data data, ElementType type, std::size_t size) {
  Draw draw(data, type, size);
  const float scale = oracle::plan_score_scale(static_cast<std::int64_t>(size));
  std::vector<std::size_t> changed(oracle::planted_score_steps().size());
  for (std::size_t i = 0; i < samples; ++i) {
    const Operands operands = draw.next();
    const std::uint32_t right = bits(emulated(operands, scale));
    for (std::size_t one = 0; one < changed.size(); ++one)
      changed[one] +=
          bits(emulated(operands, scale, oracle::planted_score_steps()[one].steps)) != right ? 1 : 0;
  }
  std::vector<double> percent;
  for (const std::size_t count : changed)
    percent.push_back(100.0 * static_cast<double>(count) / static_cast<double>(samples));
  return percent;
}

// Every key 1; queries 0 but for the given ones.
Operands ones(std::size_t size, std::initializer_list<std::pair<std::size_t, float>> queries) {
  Operands operands{.query = std::vector<float>(size),
                    .type = ElementType::bf16,
                    .key = std::vector<std::uint16_t>(size, 0x3f80)};
  for (const auto& [element, value] : queries) operands.query[element] = value;
  return operands;
}

}  // namespace

TEST_CASE("plan_score: the emulation has the bits of the tree of sums", "[oracle][plan_score]") {
  for (const ElementType type : {ElementType::bf16, ElementType::fp16})
    for (const Data data :
         {Data::rounded, Data::full_mantissa, Data::activation, Data::spread, Data::denormal})
      for (const std::size_t size : {1U, 31U, 32U, 33U, 64U, 80U, 96U, 128U, 192U, 256U}) {
        Draw draw(data, type, size);
        const float scale = oracle::plan_score_scale(static_cast<std::int64_t>(size));
        std::size_t wrong = 0;
        std::size_t unequal_lanes = 0;
        for (int i = 0; i < 100; ++i) {
          const Operands operands = draw.next();
          wrong += bits(emulated(operands, scale)) != bits(tree_score(operands, scale)) ? 1 : 0;
          const oracle::ScoreLanes lanes = oracle::folded_lanes(operands.query, operands.wide_key(), scale);
          unequal_lanes +=
              std::ranges::count_if(lanes, [&](float lane) { return bits(lane) != bits(lanes[0]); }) > 0;
        }
        CAPTURE(static_cast<int>(type), static_cast<int>(data), size);
        CHECK(wrong == 0);
        CHECK(unequal_lanes == 0);
      }
}

TEST_CASE("plan_score: cases worked out by hand tell each departure", "[oracle][plan_score]") {
  const float large = 0x1p24F;  // one more is a tie that goes to the even large

  // Mask 16 first: large + 1 is large, 0 + 1 is 1, and their sum large again. Mask 1 first: 1 + 1 comes
  // before.
  const Operands folds = ones(32, {{0, large}, {16, 1.0F}, {17, 1.0F}});
  CHECK(emulated(folds, 1) == large);
  CHECK(emulated(folds, 1, planted("folds from 1 to 16")) == large + 2);

  const Operands odd = ones(32, {{1, 1.0F}});
  CHECK(emulated(odd, 1) == 1);
  CHECK(emulated(odd, 1, planted("four folds")) == 0);

  const Operands in_lane = ones(96, {{0, large}, {32, 1.0F}, {64, 1.0F}});
  CHECK(emulated(in_lane, 1) == large);
  CHECK(emulated(in_lane, 1, planted("descending elements")) == large + 2);

  // (1 + 2^-23)(1 + 2^-7) - 1: the product's last bit, 2^-30, survives only without its own rounding.
  Operands fused = ones(64, {{0, -1.0F}, {32, 1 + 0x1p-23F}});
  fused.key[32] = 0x3f81;
  CHECK(emulated(fused, 1) == 0x1p-7F + 0x1p-23F);
  CHECK(emulated(fused, 1, planted("contracted")) == 0x1p-7F + 0x1p-23F + 0x1p-30F);

  // 2.5 (1 + 2^-23) is 2.5 + 2^-22 rounded. Apart, 1.5 (1 + 2^-23) is a tie that goes to 1.5 + 2^-22; with
  // 1 + 2^-23 it makes another, which goes to 2.5 + 2^-21.
  const Operands scaled = ones(32, {{0, 1.5F}, {16, 1.0F}});
  CHECK(emulated(scaled, 1 + 0x1p-23F) == 2.5F + 0x1p-22F);
  CHECK(emulated(scaled, 1 + 0x1p-23F, planted("scaled before the folds")) == 2.5F + 0x1p-21F);

  // The least denormal is kept; half of it is a tie that goes to zero.
  CHECK(bits(emulated(ones(32, {{0, 0x1p-149F}}), 1)) == 1);
  CHECK(bits(emulated(ones(32, {{0, 0x1p-149F}}), 0.5F)) == 0);
}

TEST_CASE("plan_score: rows of signed zeros score +0, and -0 without the first sum", "[oracle][plan_score]") {
  for (const ElementType type : {ElementType::bf16, ElementType::fp16})
    for (const std::size_t size : {32U, 64U, 128U, 256U})
      for (const bool negative_query : {false, true}) {
        // Zeros of one sign against numbers of the other: every product is -0.
        const std::uint16_t one = oracle::round_to(type, 1.0);
        const Operands operands{
            .query = std::vector<float>(size, negative_query ? -0.0F : 1.0F),
            .type = type,
            .key = std::vector<std::uint16_t>(size, negative_query ? one : std::uint16_t{0x8000})};
        CAPTURE(size, negative_query);
        CHECK(bits(emulated(operands, 0.125F)) == 0);
        CHECK(bits(tree_score(operands, 0.125F)) == 0);
        CHECK(bits(emulated(operands, 0.125F, planted("first product bare"))) == 0x80000000);
        CHECK(bits(emulated(operands, 0.125F, planted("contracted"))) == 0);
      }
}

TEST_CASE("plan_score: scores lie within their bounds about float64", "[oracle][plan_score]") {
  for (const ElementType type : {ElementType::bf16, ElementType::fp16})
    for (const Data data : {Data::full_mantissa, Data::spread, Data::denormal})
      for (const std::size_t size : {33U, 128U, 256U}) {
        Draw draw(data, type, size);
        const float scale = oracle::plan_score_scale(static_cast<std::int64_t>(size));
        double worst = 0;
        for (int i = 0; i < 200; ++i) {
          const Operands operands = draw.next();
          const oracle::ScoreBound bound =
              oracle::plan_score_bound(operands.query, operands.wide_key(), scale);
          const double off = std::abs(static_cast<double>(emulated(operands, scale)) - bound.value);
          worst = std::max(worst, off / bound.error);
        }
        CAPTURE(static_cast<int>(type), static_cast<int>(data), size);
        CHECK(worst <= 1);
        CHECK(worst > 1e-3);  // a bound that far off would bound nothing
      }
  CHECK(oracle::plan_score_scale(256) == 0.0625F);
  CHECK(bits(oracle::plan_score_scale(128)) == 0x3db504f3);  // 0.08838834764831845 = 0x1.6a09e667f3bcdp-4
}

TEST_CASE("plan_score: a score that drops a fold is out of bounds", "[oracle][plan_score]") {
  Draw draw(Data::full_mantissa, ElementType::bf16, 128);
  const float scale = oracle::plan_score_scale(128);
  for (int i = 0; i < 50; ++i) {
    const Operands o = draw.next();
    const oracle::ScoreBound bound = oracle::plan_score_bound(o.query, o.wide_key(), scale);
    CHECK(std::abs(static_cast<double>(emulated(o, scale, planted("four folds"))) - bound.value) >
          bound.error);
  }
}

TEST_CASE("plan_score: the share of scores that each departure changes", "[oracle][plan_score]") {
  // Of 100 scores, as another program measured them on other draws. Five in a hundred are over six standard
  // deviations of a share of this many samples.
  struct Share {
    Data data;
    ElementType type;
    std::size_t size;
    double contracted, folds, descending, scaled;
  };
  using enum Data;
  using enum ElementType;
  constexpr auto shares = std::to_array<Share>({
      {rounded, fp16, 256, 0, 0, 0, 0},
      {rounded, fp16, 128, 0, 0, 0, 64},
      {full_mantissa, bf16, 256, 66, 65, 71, 0},
      {full_mantissa, fp16, 256, 66, 65, 71, 0},
      {full_mantissa, bf16, 128, 56, 61, 59, 72},
      {full_mantissa, fp16, 128, 56, 61, 59, 72},
      {activation, bf16, 256, 0, 59, 7, 0},
      {activation, bf16, 128, 0, 43, 1.2, 70},
      {activation, fp16, 256, 0, 65, 65, 0},
      {activation, fp16, 128, 0, 61, 41, 73},
  });
  for (const Share& share : shares) {
    const std::vector<double> percent = changed_percent(share.data, share.type, share.size);
    // In the order of planted_score_steps(). Only rows of signed zeros show a bare first product.
    const std::array<double, 6> expected{share.folds,      100, share.contracted,
                                         share.descending, 0,   share.scaled};
    REQUIRE(percent.size() == expected.size());
    for (std::size_t one = 0; one < expected.size(); ++one) {
      const std::string name(oracle::planted_score_steps()[one].name);
      CAPTURE(static_cast<int>(share.data), static_cast<int>(share.type), share.size, name, percent[one],
              expected[one]);
      // The other program saw up to 0.005 of 100 sums of rounded numbers depend on their order.
      if (expected[one] == 0)
        CHECK(percent[one] <= (share.data == rounded ? 0.05 : 0.0));
      else
        CHECK(std::abs(percent[one] - expected[one]) <= std::min(5.0, expected[one] * 0.75));
    }
  }
}

TEST_CASE("plan_score: a launch scores what each row sees and no more", "[oracle][plan_score]") {
  constexpr std::size_t size = 64;
  constexpr std::int64_t heads = 6;
  constexpr std::int64_t kv_heads = 2;
  constexpr std::int64_t span = 9;
  Draw draw(Data::full_mantissa, ElementType::bf16, size);
  std::vector<float> queries;
  std::vector<std::uint16_t> keys;
  for (std::int64_t i = 0; i < 4 * heads; ++i)
    std::ranges::copy(draw.next().query, std::back_inserter(queries));
  for (std::int64_t i = 0; i < 2 * kv_heads * span; ++i)
    std::ranges::copy(draw.next().key, std::back_inserter(keys));
  // The last row's position is past the span: it sees all of it.
  const oracle::PlanScoreProblem problem{.heads = heads,
                                         .kv_heads = kv_heads,
                                         .head_size = size,
                                         .span = span,
                                         .positions = {0, 4, 8, 20},
                                         .slots = {1, 0, 0, 1},
                                         .queries = queries,
                                         .key_type = ElementType::bf16,
                                         .keys_per_slot = span,
                                         .keys = keys};
  const std::vector<float> scores = oracle::plan_scores(problem);
  REQUIRE(scores.size() == 4 * heads * span);
  const std::vector<std::size_t> visible{1, 5, 9, 9};
  std::size_t next = 0;
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t head = 0; head < heads; ++head)
      for (std::size_t key = 0; key < span; ++key) {
        const std::size_t slot = row == 0 || row == 3 ? 1 : 0;
        const std::size_t kv_head = head < 3 ? 0 : 1;
        const auto query = queries.begin() + static_cast<std::ptrdiff_t>((row * heads + head) * size);
        const auto words =
            keys.begin() + static_cast<std::ptrdiff_t>(((slot * kv_heads + kv_head) * span + key) * size);
        const Operands operands{
            .query = {query, query + size}, .type = ElementType::bf16, .key = {words, words + size}};
        const float expected =
            key < visible[row] ? tree_score(operands, 0.125F) : -std::numeric_limits<float>::infinity();
        CAPTURE(row, head, key);
        CHECK(bits(scores[next++]) == bits(expected));
      }
}

TEST_CASE("plan_score: elements of 16 bits widen exactly", "[oracle][plan_score]") {
  const std::vector<std::uint16_t> words{0x3f80, 0x8000, 0x0001, 0xff80};
  const std::vector<float> bf16 = oracle::widen_all(ElementType::bf16, words);
  for (std::size_t i = 0; i < words.size(); ++i) CHECK(bits(bf16[i]) == std::uint32_t{words[i]} << 16);
  const std::vector<std::uint16_t> halves{0x3c00, 0x8000, 0x0001, 0x7bff, 0xfc00};
  const std::vector<float> fp16 = oracle::widen_all(ElementType::fp16, halves);
  const std::vector<std::uint32_t> expected{bits(1.0F), 0x80000000, bits(0x1p-24F), bits(65504.0F),
                                            0xff800000};
  for (std::size_t i = 0; i < halves.size(); ++i) CHECK(bits(fp16[i]) == expected[i]);
}
