// Each float expression below is one rounding: every target is compiled with contraction off
// (tools/cmake/WavesmithTargets.cmake).
#include "simulator/oracle/plan_score.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace wavesmith::oracle {
namespace {

static_assert(FLT_EVAL_METHOD == 0, "float expressions have to round to fp32");

ScoreLanes lane_sums(std::span<const float> query, std::span<const float> key, const ScoreSteps& steps) {
  const std::size_t size = query.size();
  const std::size_t chunks = (size + score_lanes - 1) / score_lanes;
  ScoreLanes sums{};
  for (std::size_t lane = 0; lane < std::min(size, score_lanes); ++lane) {
    bool bare = steps.first_product_bare;
    for (std::size_t step = 0; step < chunks; ++step) {
      const std::size_t chunk = steps.descending ? chunks - 1 - step : step;
      const std::size_t element = lane + score_lanes * chunk;
      if (element >= size) continue;
      const float q = query[element];
      const float k = key[element];
      if (steps.contracted && !bare) {
        sums[lane] = std::fma(q, k, sums[lane]);
      } else {
        const float product = q * k;
        sums[lane] = bare ? product : sums[lane] + product;
      }
      bare = false;
    }
  }
  return sums;
}

}  // namespace

std::span<const PlantedSteps> planted_score_steps() {
  static const std::array<PlantedSteps, 6> planted{{
      {"folds from 1 to 16", {.fold_masks = {1, 2, 4, 8, 16}}},
      {"four folds", {.fold_masks = {16, 8, 4, 2}}},
      {"contracted", {.contracted = true}},
      {"descending elements", {.descending = true}},
      {"first product bare", {.first_product_bare = true}},
      {"scaled before the folds", {.scaled_before_fold = true}},
  }};
  return planted;
}

ScoreLanes folded_lanes(std::span<const float> query, std::span<const float> key, float scale,
                        const ScoreSteps& steps) {
  ScoreLanes lanes = lane_sums(query, key, steps);
  if (steps.scaled_before_fold)
    for (float& lane : lanes) lane *= scale;
  for (const std::size_t mask : steps.fold_masks) {
    const ScoreLanes before = lanes;
    for (std::size_t lane = 0; lane < score_lanes; ++lane) lanes[lane] = before[lane] + before[lane ^ mask];
  }
  return lanes;
}

float plan_score(std::span<const float> query, std::span<const float> key, float scale,
                 const ScoreSteps& steps) {
  const float dot = folded_lanes(query, key, scale, steps)[0];
  return steps.scaled_before_fold ? dot : dot * scale;
}

ScoreBound plan_score_bound(std::span<const float> query, std::span<const float> key, float scale) {
  double sum = 0;
  double magnitude = 0;
  for (std::size_t element = 0; element < query.size(); ++element) {
    const double product = static_cast<double>(query[element]) * static_cast<double>(key[element]);  // exact
    sum += product;
    magnitude += std::abs(product);
  }
  // On its way an element is rounded as a product, in each later sum of its lane (the first, to +0, is
  // exact), in five folds and by the scale. A product or score among the denormals is off by half the least
  // of them.
  const double chunks = std::ceil(static_cast<double>(query.size()) / static_cast<double>(score_lanes));
  const double relative = std::pow(1 + std::ldexp(1.0, -24), chunks + 6) - 1;
  const double float64 = static_cast<double>(query.size() + 1) * std::ldexp(1.0, -52);
  const double factor = std::abs(static_cast<double>(scale));
  const double denormal = std::ldexp(1.0, -150);
  return {.value = sum * static_cast<double>(scale),
          .error = (relative + float64) * factor * magnitude +
                   denormal * (1 + 2 * factor * static_cast<double>(query.size()))};
}

float plan_score_scale(std::int64_t head_size) {
  return static_cast<float>(std::pow(static_cast<double>(head_size), -0.5));
}

std::vector<float> widen_all(ElementType type, std::span<const std::uint16_t> words) {
  std::vector<float> values(words.size());
  std::ranges::transform(words, values.begin(), [&](std::uint16_t word) { return widen(type, word); });
  return values;
}

std::vector<float> plan_scores(const PlanScoreProblem& problem, const ScoreSteps& steps) {
  const auto size = static_cast<std::size_t>(problem.head_size);
  const float scale = plan_score_scale(problem.head_size);
  const std::vector<float> keys = widen_all(problem.key_type, problem.keys);
  const std::int64_t group = problem.heads / problem.kv_heads;
  const auto rows = static_cast<std::int64_t>(problem.positions.size());
  std::vector<float> scores(static_cast<std::size_t>(rows * problem.heads * problem.span),
                            -std::numeric_limits<float>::infinity());
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto r = static_cast<std::size_t>(row);
    const std::int64_t visible = std::min(problem.positions[r] + 1, problem.span);
    for (std::int64_t head = 0; head < problem.heads; ++head) {
      const std::int64_t row_head = row * problem.heads + head;
      const std::int64_t kv_head = problem.slots[r] * problem.kv_heads + head / group;
      const auto query = problem.queries.subspan(static_cast<std::size_t>(row_head) * size, size);
      for (std::int64_t key = 0; key < visible; ++key) {
        const auto start = static_cast<std::size_t>(kv_head * problem.keys_per_slot + key) * size;
        scores[static_cast<std::size_t>(row_head * problem.span + key)] =
            plan_score(query, std::span(keys).subspan(start, size), scale, steps);
      }
    }
  }
  return scores;
}

}  // namespace wavesmith::oracle
