// The scores of a planned decode walk, bit for bit: 32 logical lanes, every product and sum rounded to fp32
// in the order that every plan-score kernel has to keep, wherever it places lanes and keys. It shares no code
// with the generator or the executor. ScoreSteps can depart from the contract, which is how controls show
// that a comparison of bits sees a kernel that does. The bits of NaNs are no part of the contract.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/oracle/attention.h"

namespace wavesmith::oracle {

inline constexpr std::size_t score_lanes = 32;
using ScoreLanes = std::array<float, score_lanes>;

/// How one score is computed; as constructed, what the contract says.
struct ScoreSteps {
  std::vector<std::size_t> fold_masks{16, 8, 4, 2, 1};  ///< lane l adds lane l ^ mask, all lanes at once
  bool contracted = false;                              ///< one rounding for a product and its sum
  bool descending = false;                              ///< a lane's elements from the last to the first
  bool first_product_bare = false;  ///< not added to +0, so that a product of -0 stays one
  bool scaled_before_fold = false;
};

/// One departure from the contract.
struct PlantedSteps {
  std::string_view name;
  ScoreSteps steps;
};
[[nodiscard]] std::span<const PlantedSteps> planted_score_steps();

/// All lanes after the last fold, before the scale unless that comes first. By the contract they are equal.
/// `query` and `key`: one head's, of the same size, widened where memory has 16 bits; lane l has elements l,
/// l + 32, l + 64, …
[[nodiscard]] ScoreLanes folded_lanes(std::span<const float> query, std::span<const float> key, float scale,
                                      const ScoreSteps& steps = {});

/// Lane 0 of folded_lanes(), scaled.
[[nodiscard]] float plan_score(std::span<const float> query, std::span<const float> key, float scale,
                               const ScoreSteps& steps = {});

/// The score in double precision, and how far from it the contract's roundings can lead while none overflows.
struct ScoreBound {
  double value = 0, error = 0;
};
[[nodiscard]] ScoreBound plan_score_bound(std::span<const float> query, std::span<const float> key,
                                          float scale);

/// The scale of a head size: its inverse square root, rounded once to fp32 from double.
[[nodiscard]] float plan_score_scale(std::int64_t head_size);

/// Elements of a 16-bit type as the fp32 values a kernel multiplies; exact.
[[nodiscard]] std::vector<float> widen_all(ElementType type, std::span<const std::uint16_t> words);

/// A launch, its keys laid out flat: paging moves keys and changes no score.
struct PlanScoreProblem {
  std::int64_t heads = 0, kv_heads = 0, head_size = 0;
  std::int64_t span = 0;                ///< scores of a row and head
  std::vector<std::int64_t> positions;  ///< of each row; it sees the keys up to its own position
  std::vector<std::int64_t> slots;      ///< of each row: whose keys it scores
  std::span<const float> queries;       ///< [row, head, element]
  ElementType key_type = ElementType::bf16;
  std::int64_t keys_per_slot = 0;       ///< at least what any row sees
  std::span<const std::uint16_t> keys;  ///< [slot, key/value head, key, element]
};

/// [row, head, key] for all `span` keys: -infinity from the first key that the row does not see.
[[nodiscard]] std::vector<float> plan_scores(const PlanScoreProblem& problem, const ScoreSteps& steps = {});

}  // namespace wavesmith::oracle
