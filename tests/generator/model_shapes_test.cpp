// The shapes of public models: which of them are built, and that the others are refused for what they need.
#include "generator/model_shapes.h"

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "generator/families.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator {
namespace {

std::vector<std::string> refused_fields(const ModelShape& shape) {
  std::vector<std::string> names;
  const auto kernel = find_family("attention-dense")->resolve(fields_of(shape), "", test::target());
  if (!kernel)
    for (const Refusal& refusal : kernel.error().refusals) names.push_back(refusal.field);
  return names;
}

TEST_CASE("model_shapes: other head sizes are refused by field, all else is built") {
  const std::map<std::string_view, std::vector<std::string>> refused{{"gemma-2b", {"head_size"}},
                                                                     {"phi-3-mini-4k", {"head_size"}}};
  std::size_t built = 0;
  for (const ModelShape& shape : model_shapes()) {
    CAPTURE(shape.name);
    const auto expected = refused.find(shape.name);
    CHECK(refused_fields(shape) ==
          (expected == refused.end() ? std::vector<std::string>{} : expected->second));
    built += expected == refused.end() ? 1 : 0;
  }
  CHECK(built >= 12);
  CHECK(model_shapes().size() == built + refused.size());
}

TEST_CASE("model_shapes: the table is consistent") {
  std::set<std::string_view> names;
  for (const ModelShape& shape : model_shapes()) {
    CAPTURE(shape.name);
    CHECK(names.insert(shape.name).second);
    CHECK(find_model_shape(shape.name) == &shape);
    CHECK(model_shape_names().contains(shape.name));
    // A repository of a hub: owner/name.
    CHECK(std::ranges::count(shape.source, '/') == 1);
    CHECK(shape.query_heads % shape.kv_heads == 0);
    CHECK((shape.mask == "window") == (shape.window > 0));
  }
  CHECK(find_model_shape("llama") == nullptr);
  CHECK(find_model_shape("") == nullptr);
}

TEST_CASE("model_shapes: a shape sets what is computed, from the model's config") {
  // hidden_size 4096, num_attention_heads 32, num_key_value_heads 8.
  const ModelShape* llama = find_model_shape("llama-3.1-8b");
  REQUIRE(llama != nullptr);
  CHECK(fields_of(*llama) == FieldTexts{{"head_size", "128"},
                                        {"num_query_heads", "32"},
                                        {"num_kv_heads", "8"},
                                        {"mask", "causal"},
                                        {"sinks", "false"},
                                        {"dtype", "bf16"}});
  // hidden_size 4544, 71 heads, multi_query.
  const ModelShape* falcon = find_model_shape("falcon-7b");
  REQUIRE(falcon != nullptr);
  CHECK(falcon->head_size == 4544 / 71);
  CHECK(falcon->kv_heads == 1);
}

}  // namespace
}  // namespace wavesmith::generator
