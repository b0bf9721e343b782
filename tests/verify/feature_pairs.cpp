// The features, and the search.
#include "tests/verify/feature_pairs.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/attention_dense/plan.h"
#include "tools/verify/attention.h"
#include "tools/verify/data.h"

namespace wavesmith::test {
namespace {

const lowering::TargetId target{.processor = "gfx950"};

struct Heads {
  int query, kv;
};
constexpr std::array<Heads, 5> head_counts{{{2, 2}, {4, 1}, {8, 1}, {16, 1}, {10, 2}}};

struct Window {
  std::int64_t left, right;
};
constexpr std::array<Window, 3> windows{{{127, 0}, {70, 3}, {-1, 1}}};

struct Pads {
  int k, v;
};
constexpr std::array<Pads, 4> pads{{{8, 32}, {0, 0}, {16, 8}, {24, 40}}};

struct Grid {
  dense::Order order;
  bool persistent, interleave;
};
constexpr std::array<Grid, 8> grids{{{dense::Order::automatic, false, false},
                                     {dense::Order::automatic, true, false},
                                     {dense::Order::qb_major, true, false},
                                     {dense::Order::qb_major, true, true},
                                     {dense::Order::hkv_major, true, false},
                                     {dense::Order::gqa_pair, true, false},
                                     {dense::Order::gqa_pair_2phase, true, false},
                                     {dense::Order::chiplet, true, false}}};

enum Index : std::uint8_t {
  head_size,
  dtype,
  mask,
  sequences,
  kv,
  sinks,
  lse,
  block_m,
  block_n,
  grid,
  lazy_rescale,
  heads,
  pad,
  waves,
  lengths,
  layout,
};

/// Lengths in rows of queries and keys: two blocks of rows, where `m` is block_m. Sequences of different
/// lengths get others beside the first.
struct Lengths {
  std::int64_t query, key;
};
Lengths lengths_of(std::size_t index, std::int64_t m) {
  switch (index) {
    case 0:
      return {2 * m, 2 * m};  // whole blocks and tiles
    case 1:
      return {m + 11, m + 11};  // neither
    case 2:
      return {m + 1, m + 90};  // more keys than rows
    default:
      return {m + 70, m - 31};  // fewer: rows without a key
  }
}

using Pair =
    std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;  // feature, value, feature, value

std::set<Pair> all_pairs() {
  std::set<Pair> pairs;
  for (std::size_t a = 0; a < features().size(); ++a)
    for (std::size_t b = a + 1; b < features().size(); ++b)
      for (std::size_t x = 0; x < features()[a].values.size(); ++x)
        for (std::size_t y = 0; y < features()[b].values.size(); ++y) pairs.insert({a, x, b, y});
  return pairs;
}

/// Pairs among `open` of a value for feature `order[next]` with the choice's features before it in that
/// order.
std::size_t covered(const Choice& choice, const std::vector<std::size_t>& order, std::size_t next,
                    std::size_t value, const std::set<Pair>& open) {
  std::size_t count = 0;
  const std::size_t b = order[next];
  for (std::size_t i = 0; i < next; ++i) {
    const std::size_t a = order[i];
    count += open.contains(a < b ? Pair{a, choice[a], b, value} : Pair{b, value, a, choice[a]}) ? 1 : 0;
  }
  return count;
}

/// Whether features that are chosen can go together, when those that are not yet get a value that goes with
/// most.
bool can_go_together(const Choice& choice, const std::vector<bool>& chosen) {
  const auto with = [&](std::size_t small_tiles, std::size_t few_rows, std::size_t pair_of_heads) {
    Choice filled(choice.size());
    filled[block_n] = small_tiles;
    filled[block_m] = few_rows;
    filled[heads] = pair_of_heads;
    filled[mask] = 1;  // causal
    for (std::size_t i = 0; i < choice.size(); ++i)
      if (chosen[i]) filled[i] = choice[i];
    return is_accepted(row_of(filled));
  };
  return with(0, 0, 1) || with(1, 1, 1);
}

/// A row with the pair in it and, by greedy choices in a random order of the other features, many open ones.
Choice candidate(const Pair& pair, const std::set<Pair>& open, verify::Random& random) {
  const auto [a, x, b, y] = pair;
  std::vector<std::size_t> order{a, b};
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < features().size(); ++i)
    if (i != a && i != b) others.push_back(i);
  while (!others.empty()) {
    const auto next = others.begin() + static_cast<std::ptrdiff_t>(random.next() % others.size());
    order.push_back(*next);
    others.erase(next);
  }
  Choice choice(features().size());
  std::vector<bool> chosen(features().size());
  choice[a] = x;
  choice[b] = y;
  chosen[a] = chosen[b] = true;
  if (!can_go_together(choice, chosen)) return choice;
  for (std::size_t i = 2; i < order.size(); ++i) {
    const std::size_t feature = order[i];
    // Values by how many open pairs they cover, from a random one on among equals.
    struct Candidate {
      std::size_t covered, turns_left, value;
      auto operator<=>(const Candidate&) const = default;
    };
    std::vector<Candidate> values;
    const std::size_t count = features()[feature].values.size(), first = random.next() % count;
    for (std::size_t v = 0; v < count; ++v) {
      const std::size_t value = (first + v) % count;
      values.push_back({covered(choice, order, i, value, open), count - v, value});
    }
    std::ranges::sort(values, std::greater());
    chosen[feature] = true;
    for (const Candidate& next : values) {
      choice[feature] = next.value;
      if (can_go_together(choice, chosen)) break;
    }
  }
  return choice;
}

std::size_t close(const Choice& choice, std::set<Pair>& open) {
  std::size_t closed = 0;
  for (std::size_t a = 0; a < choice.size(); ++a)
    for (std::size_t b = a + 1; b < choice.size(); ++b) closed += open.erase({a, choice[a], b, choice[b]});
  return closed;
}

std::string text_of(const Pair& pair) {
  const auto [a, x, b, y] = pair;
  return fmt::format("{} {} with {} {}", features()[a].name, features()[a].values[x], features()[b].name,
                     features()[b].values[y]);
}

}  // namespace

const std::vector<Feature>& features() {
  static const std::vector<Feature> all{
      {"head_size", {"64", "128"}},
      {"dtype", {"bf16", "fp16"}},
      {"mask", {"full", "causal", "causal_top_left", "window 127,0", "window 70,3", "window -1,1"}},
      {"sequences", {"batch", "varlen", "ragged"}},
      {"kv", {"contiguous", "paged 16", "paged 32", "paged 64", "paged 128"}},
      {"sinks", {"no sinks", "sinks"}},
      {"lse", {"no lse", "lse"}},
      {"block_m", {"256", "128"}},
      {"block_n", {"64", "32", "128"}},
      {"grid",
       {"default", "auto", "qb_major", "qb_major interleaved", "hkv_major", "gqa_pair", "gqa_pair_2phase",
        "chiplet"}},
      {"lazy_rescale", {"lazy", "exact"}},
      {"heads", {"2/2", "4/1", "8/1", "16/1", "10/2"}},
      {"pads", {"8,32", "0,0", "16,8", "24,40"}},
      {"waves_per_eu", {"2", "1", "3"}},
      {"lengths", {"whole", "tails", "more keys", "fewer keys"}},
      {"layout", {"bshd", "bhsd"}},
  };
  return all;
}

std::string FeatureRow::name() const {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < choice.size(); ++i) values.push_back(features()[i].values[choice[i]]);
  return fmt::format("{}", fmt::join(values, " | "));
}

FeatureRow row_of(const Choice& choice) {
  FeatureRow row{.choice = choice, .spec = {}, .shape = {.softmax_scale = {}}};
  dense::Spec& spec = row.spec;
  verify::AttentionCase& shape = row.shape;
  const auto is = [&](Index feature) { return choice.at(feature) == 1; };
  spec.head_size = is(head_size) ? 128 : 64;
  spec.dtype = is(dtype) ? dense::DType::fp16 : dense::DType::bf16;
  constexpr std::array masks{dense::Mask::full, dense::Mask::causal, dense::Mask::causal_top_left};
  if (choice[mask] < masks.size()) {
    spec.mask = masks.at(choice[mask]);
  } else {
    spec.mask = dense::Mask::window;
    shape.window_left = windows.at(choice[mask] - masks.size()).left;
    shape.window_right = windows.at(choice[mask] - masks.size()).right;
  }
  spec.sequences = static_cast<dense::Sequences>(choice[sequences]);
  if (choice[kv] > 0) {
    spec.kv = dense::Kv::paged;
    spec.page_size = 8 << choice[kv];
  }
  spec.sinks = is(sinks);
  spec.lse = is(lse);
  spec.block_m = is(block_m) ? 128 : 256;
  spec.block_n = std::array{64, 32, 128}.at(choice[block_n]);
  spec.persistent = grids.at(choice[grid]).persistent;
  shape.persist_decode = grids.at(choice[grid]).order;
  shape.interleave = grids.at(choice[grid]).interleave;
  spec.lazy_rescale = !is(lazy_rescale);
  spec.num_query_heads = head_counts.at(choice[heads]).query;
  spec.num_kv_heads = head_counts.at(choice[heads]).kv;
  spec.lds_k_group_pad = spec.lds_k_row_pad = pads.at(choice[pad]).k;
  spec.lds_v_group_pad = spec.lds_v_row_pad = pads.at(choice[pad]).v;
  spec.waves_per_eu = std::array{2, 1, 3}.at(choice[waves]);
  const Lengths most = lengths_of(choice[lengths], spec.block_m);
  shape.seqlen_q = most.query;
  shape.seqlen_kv = most.key;
  shape.bhsd = is(layout);
  if (dense::reads_seqlen_kv(spec)) {
    // Beside it one of a row and a key, and what has no keys or, where queries differ too, no rows.
    shape.batch = 3;
    shape.seqlens_q = {most.query, 1, 0};
    shape.seqlens_kv = {most.key, 1, 65};
    if (!dense::reads_seqlen_q(spec)) {
      shape.batch = 2;
      shape.seqlens_q.clear();
      shape.seqlens_kv = {most.key, 0};
    }
  }
  // The pair orders say how many workgroups there are; otherwise one of them has several items.
  const bool pairs =
      shape.persist_decode == dense::Order::gqa_pair || shape.persist_decode == dense::Order::gqa_pair_2phase;
  if (spec.persistent && !pairs) shape.num_persistent = 3;
  return row;
}

bool is_accepted(const FeatureRow& row) {
  const Expected<dense::Plan> plan = dense::resolve(row.spec, target);
  return plan && verify::check_case(*plan, row.shape);
}

CoveringArray covering_array() {
  constexpr int tries = 60, tries_of_last_resort = 100;
  CoveringArray array;
  verify::Random random(1);
  std::set<Pair> open = all_pairs();
  while (!open.empty()) {
    const Pair pair = *open.begin();
    FeatureRow best;
    std::size_t most = 0;
    for (int i = 0; i < (most == 0 ? tries_of_last_resort : tries); ++i) {
      FeatureRow row = row_of(candidate(pair, open, random));
      if (!is_accepted(row)) continue;
      std::set<Pair> still_open = open;
      if (const std::size_t closed = close(row.choice, still_open); closed > most) {
        most = closed;
        best = std::move(row);
      }
    }
    if (most == 0) {
      array.impossible.push_back(text_of(pair));
      open.erase(pair);
      continue;
    }
    close(best.choice, open);
    array.rows.push_back(std::move(best));
  }
  return array;
}

}  // namespace wavesmith::test
