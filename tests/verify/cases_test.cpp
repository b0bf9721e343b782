// The list of cases holds what cases.h promises of it.
#include "tests/verify/cases.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <catch2/catch_test_macros.hpp>

using namespace wavesmith::test;

TEST_CASE("cases: all kernels and all shapes are the product of their factors") {
  std::set<std::string> names;
  for (const Variant& variant : all_variants()) names.insert(variant.name());
  CHECK(names.size() == 8);
  std::set<std::string> shapes;
  for (const auto& shape : all_shapes()) shapes.insert(name(shape));
  CHECK(shapes.size() == 8 * 8 * 3);
}

TEST_CASE("cases: the covering set covers") {
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::size_t variant = 0; variant < 8; ++variant) {
    CAPTURE(variant);
    std::set<std::int64_t> queries, keys;
    std::set<std::pair<std::int64_t, bool>> placements;
    std::size_t fewer_keys = 0, more_keys = 0;
    for (std::size_t heads = 0; heads < all_heads.size(); ++heads)
      for (const auto& shape : covering_shapes(variant, heads)) {
        queries.insert(shape.seqlen_q);
        keys.insert(shape.seqlen_kv);
        placements.insert({shape.batch, shape.bhsd});
        pairs.insert({shape.seqlen_q, shape.seqlen_kv});
        fewer_keys += shape.seqlen_kv < shape.seqlen_q ? 1 : 0;
        more_keys += shape.seqlen_kv > shape.seqlen_q ? 1 : 0;
      }
    CHECK(queries.size() == lengths.size());
    CHECK(keys.size() == lengths.size());
    CHECK(placements.size() == 6);
    CHECK(fewer_keys >= 4);
    CHECK(more_keys >= 4);
  }
  CHECK(pairs.size() == lengths.size() * lengths.size());
}
