// A covering array over everything that an attention_dense kernel and its launch can combine: each pair of
// values of two features that can go together stands in some row. feature_rows() makes it, with a greedy
// search that gives the same rows on every host.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "generator/attention_dense/spec.h"
#include "tools/verify/attention_case.h"

namespace wavesmith::test {

namespace dense = generator::attention_dense;

/// One feature and its values, by name.
struct Feature {
  std::string name;
  std::vector<std::string> values;
};
[[nodiscard]] const std::vector<Feature>& features();

/// A value for each feature, by index.
using Choice = std::vector<std::size_t>;

/// A kernel, and a launch with two blocks of query rows at least.
struct FeatureRow {
  Choice choice;
  dense::Spec spec;
  verify::AttentionCase shape;

  [[nodiscard]] std::string name() const;  ///< the values, in the order of features()
};
[[nodiscard]] FeatureRow row_of(const Choice& choice);

/// Whether the generator builds the row's kernel and plans its launch.
[[nodiscard]] bool is_accepted(const FeatureRow& row);

struct CoveringArray {
  std::vector<FeatureRow> rows;
  /// Pairs for which the search found no row: "num_query_heads/num_kv_heads 2/2 with grid gqa_pair".
  std::vector<std::string> impossible;
};
[[nodiscard]] CoveringArray covering_array();

}  // namespace wavesmith::test
