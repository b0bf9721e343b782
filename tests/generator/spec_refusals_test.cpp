// What a spec may ask for: every value of every field is either built, or refused with that field, that value
// and what is allowed; all problems of a spec at once.
#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "generator/families.h"
#include "tests/generator/field_values.h"
#include "tests/generator/specs.h"

namespace wavesmith::generator {
namespace {

using Catch::Matchers::ContainsSubstring;

const Family& family() {
  const Family* found = find_family("attention-dense");
  REQUIRE(found != nullptr);
  return *found;
}

auto resolve(const FieldTexts& texts, std::string_view preset = "") {
  return family().resolve(texts, preset, test::target());
}

std::vector<std::string> refused_fields(const FieldTexts& texts) {
  std::vector<std::string> names;
  const auto kernel = resolve(texts);
  if (!kernel)
    for (const Refusal& refusal : kernel.error().refusals) names.push_back(refusal.field);
  return names;
}

TEST_CASE("spec_refusals: the tables of these tests have every field of a spec, in order") {
  std::vector<std::string> in_code, in_table;
  for (const FieldInfo& field : family().fields()) in_code.push_back(field.name);
  for (const test::FieldValues& field : test::field_values()) in_table.push_back(field.field);
  CHECK(in_code == in_table);
}

TEST_CASE(
    "spec_refusals: `list` names as not built what the tables refuse of a field's values, and nothing else") {
  std::vector<FieldInfo> fields = family().fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const test::FieldValues& table = test::field_values().at(i);
    CAPTURE(table.field);
    for (const std::string& value : fields[i].not_built) {
      CAPTURE(value);
      CHECK(std::ranges::find(table.refused, value) != table.refused.end());
    }
    for (const std::string& value : table.accepted)
      CHECK(std::ranges::find(fields[i].not_built, value) == fields[i].not_built.end());
  }
  const auto mask = std::ranges::find(fields, "mask", &FieldInfo::name);
  CHECK(mask->not_built.empty());
  for (const FieldInfo& field : fields)
    CHECK(field.not_built ==
          (field.name == "dma_width" ? std::vector<std::string>{"16"} : std::vector<std::string>{}));
}

TEST_CASE("spec_refusals: a single change resolves and emits, or is refused by its field's name") {
  for (int head_size : {64, 128})
    for (const test::FieldValues& field : test::field_values()) {
      for (const std::string& value : field.accepted) {
        FieldTexts texts = test::base_texts(head_size);
        texts[field.field] = value;
        CAPTURE(head_size, field.field, value);
        const auto kernel = resolve(texts);
        REQUIRE(kernel);
        const auto text = (*kernel)->emit(*lowering::find_flavour("llvm22"), {});
        REQUIRE(text);
        CHECK_THAT(*text, ContainsSubstring((*kernel)->symbol()));
      }
      for (const std::string& value : field.refused) {
        FieldTexts texts = test::base_texts(head_size);
        texts[field.field] = value;
        CAPTURE(head_size, field.field, value);
        const auto kernel = resolve(texts);
        REQUIRE_FALSE(kernel);
        CHECK(kernel.error().kind == ErrorKind::invalid_request);
        const Refusal& refusal = kernel.error().refusals.front();
        if (field.field == "num_kv_heads" && (value == "3" || value == "16")) {
          // The heads are refused together: the first is no multiple of the second.
          CHECK(refusal.field == "num_query_heads");
          CHECK_THAT(refusal.allowed, ContainsSubstring("num_kv_heads (" + value + ")"));
        } else {
          CHECK(refusal.field == field.field);
          CHECK(refusal.value == value);
          CHECK_FALSE(refusal.allowed.empty());
        }
        // 65536 is out of range and, in addition, no divisor.
        CHECK(kernel.error().refusals.size() == (field.field == "num_kv_heads" && value == "65536" ? 2 : 1));
        CHECK_THAT(kernel.error().message, ContainsSubstring(refusal.message()));
      }
    }
}

TEST_CASE("spec_refusals: an error says field, value and what is allowed") {
  const auto text = [](const std::string& field, const std::string& value) {
    FieldTexts texts = test::base_texts(64);
    texts[field] = value;
    const auto kernel = resolve(texts);
    return kernel ? std::string() : kernel.error().message;
  };
  CHECK(text("lds_k_group_pad", "12") == "lds_k_group_pad = 12 is refused: 0 to 64, a multiple of 8");
  CHECK(text("lds_k_group_pad", "-8") == "lds_k_group_pad = -8 is refused: 0 to 64, a multiple of 8");
  CHECK(text("head_size", "96") == "head_size = 96 is refused: 64, 128");
  CHECK(text("num_query_heads", "33") == "num_query_heads = 33 is refused: a multiple of num_kv_heads (2)");
  CHECK(text("sequences", "thd") == "sequences = thd is refused: batch, varlen, ragged");
  CHECK(text("dtype", "fp32") == "dtype = fp32 is refused: bf16, fp16");
  CHECK(text("dma_width", "16") == "dma_width = 16 is refused: only 4 is built");
}

// What a spec with these changes is refused for, as "field = value: allowed".
std::vector<std::string> refusals(int head_size, const std::map<std::string, int>& changes) {
  FieldTexts texts = test::base_texts(head_size);
  for (const auto& [field, value] : changes) texts[field] = std::to_string(value);
  std::vector<std::string> found;
  if (const auto kernel = resolve(texts); !kernel)
    for (const Refusal& r : kernel.error().refusals)
      found.push_back(fmt::format("{} = {}: {}", r.field, r.value, r.allowed));
  return found;
}

TEST_CASE("spec_refusals: waves per SIMD beyond what registers permit") {
  // O, scores, Q and P: 16 registers for each 32 x 32 result, 4 for each operand of 32 x 16; and 48 to work.
  // Head size 64: 32 + 32 + 16 + 16 + 48 of 512; with tiles of 32 keys 32 + 16 + 16 + 8 + 48.
  CHECK(refusals(64, {{"waves_per_eu", 3}}).empty());
  CHECK(refusals(64, {{"waves_per_eu", 4}}) ==
        std::vector<std::string>{
            "waves_per_eu = 4: at most 3: a wave needs 144 of the 512 vector registers of a SIMD"});
  CHECK(refusals(64, {{"waves_per_eu", 4}, {"block_n", 32}}).empty());
  CHECK(refusals(64, {{"waves_per_eu", 5}, {"block_n", 32}}) ==
        std::vector<std::string>{
            "waves_per_eu = 5: at most 4: a wave needs 120 of the 512 vector registers of a SIMD"});
  CHECK(refusals(64, {{"waves_per_eu", 3}, {"block_n", 128}}).size() == 1);
  // Head size 128: 64 + 32 + 32 + 16 + 48, and 64 + 16 + 32 + 8 + 48.
  CHECK(refusals(128, {{"waves_per_eu", 3}}) ==
        std::vector<std::string>{
            "waves_per_eu = 3: at most 2: a wave needs 192 of the 512 vector registers of a SIMD"});
  CHECK(refusals(128, {{"waves_per_eu", 3}, {"block_n", 32}}).empty());
  CHECK(refusals(128, {{"waves_per_eu", 4}, {"block_n", 32}}).size() == 1);
}

TEST_CASE("spec_refusals: waves per SIMD beyond what LDS permits") {
  // A workgroup of four waves with two tiles of [128, 128 + 8] and [128, 128 + 32] elements: one of them fits
  // 163840 bytes, which is one wave a SIMD.
  const std::map<std::string, int> large{{"block_m", 128}, {"block_n", 128}};
  CHECK(refusals(128, large) ==
        std::vector<std::string>{"waves_per_eu = 2: at most 1: of workgroups with 4 waves and 151552 bytes "
                                 "of LDS, 1 fit a compute unit"});
  std::map<std::string, int> one = large;
  one["waves_per_eu"] = 1;
  CHECK(refusals(128, one).empty());
  // 2 * 64 * (136 + 184) * 2 = 81920 bytes, twice; from 81921 on there is room for one.
  CHECK(refusals(128, {{"block_m", 128}, {"lds_v_row_pad", 56}}).empty());
  CHECK(refusals(128, {{"block_m", 128}, {"lds_v_row_pad", 64}}).size() == 1);
}

TEST_CASE("spec_refusals: pads beyond LDS") {
  // 2 * 128 * (256 + both pads) * 2 bytes are at most 163840 with pads of 64 together.
  const auto with = [](int k, int v) {
    return refusals(128, {{"block_n", 128}, {"lds_k_row_pad", k}, {"lds_v_row_pad", v}});
  };
  CHECK(with(32, 32).empty());
  CHECK(with(0, 64).empty());
  CHECK(with(64, 0).empty());
  CHECK(with(64, 32) == std::vector<std::string>{
                            "lds_k_row_pad = 64: at most 32 beside lds_v_row_pad = 32 and block_n = 128: "
                            "K and V would need 180224 bytes of LDS, and there are 163840",
                            "lds_v_row_pad = 32: at most 0 beside lds_k_row_pad = 64 and block_n = 128: "
                            "K and V would need 180224 bytes of LDS, and there are 163840"});
  CHECK(with(64, 64).size() == 2);
  CHECK(with(40, 32).size() == 2);
  // They are reported with everything else that is wrong.
  FieldTexts texts = test::base_texts(128);
  texts["block_n"] = "128";
  texts["lds_k_row_pad"] = "64";
  texts["kv"] = "paged";
  texts["persistent"] = "true";
  CHECK(refused_fields(texts) == std::vector<std::string>{"kv", "lds_k_row_pad", "lds_v_row_pad"});
}

TEST_CASE(
    "spec_refusals: sinks or pages in a persistent kernel of 128 keys a tile, which would spill scalar "
    "registers") {
  FieldTexts texts = test::base_texts(64);
  texts["sinks"] = texts["persistent"] = "true";
  texts["kv"] = "paged";
  CHECK(refused_fields(texts).empty());
  texts["block_n"] = "128";
  CHECK(refused_fields(texts) == std::vector<std::string>{"sinks", "kv"});
  texts["persistent"] = "false";
  CHECK(refused_fields(texts).empty());
}

TEST_CASE("spec_refusals: all problems of a spec are reported at once") {
  FieldTexts texts;
  std::vector<std::string> expected;
  for (const test::FieldValues& field : test::field_values()) {
    texts[field.field] = field.refused.front();
    expected.push_back(field.field);
  }
  const auto kernel = family().resolve(texts, "fastest", {.processor = "gfx942"});
  REQUIRE_FALSE(kernel);
  expected.insert(expected.end(), {"preset", "target"});
  std::vector<std::string> found;
  for (const Refusal& refusal : kernel.error().refusals) found.push_back(refusal.field);
  std::ranges::sort(expected);
  std::ranges::sort(found);
  CHECK(found == expected);
  for (const std::string& field : expected)
    CHECK_THAT(kernel.error().message, ContainsSubstring(field + " = "));
}

TEST_CASE("spec_refusals: other targets") {
  for (const char* processor : {"gfx942", "gfx1151", "gfx1030", "gfx90a", "gfx000", "gfx95", "gfx9500", ""}) {
    CAPTURE(processor);
    const auto kernel = family().resolve(test::base_texts(64), "", {.processor = processor});
    REQUIRE_FALSE(kernel);
    REQUIRE(kernel.error().refusals.size() == 1);
    CHECK(kernel.error().refusals[0].field == "target");
    CHECK(kernel.error().refusals[0].value == processor);
    CHECK_THAT(kernel.error().refusals[0].allowed, ContainsSubstring("gfx950"));
  }
  using lowering::Feature;
  CHECK(family().resolve(test::base_texts(64), "", {"gfx950", Feature::on, Feature::off}));
}

TEST_CASE(
    "spec_refusals: every value of every field is built on a target, or refused there with the reason") {
  // Those of the specification: of this family, of the other one and of the simulator alone.
  for (const char* processor : {"gfx950", "gfx942", "gfx1030", "gfx1100", "gfx1151", "gfx1201"})
    for (const test::FieldValues& field : test::field_values())
      for (const auto* values : {&field.accepted, &field.refused})
        for (const std::string& value : *values) {
          CAPTURE(processor, field.field, value);
          FieldTexts texts = test::base_texts(64);
          texts[field.field] = value;
          const auto kernel = family().resolve(texts, "", {.processor = processor});
          const bool built = std::string_view(processor) == "gfx950" && values == &field.accepted;
          REQUIRE(kernel.has_value() == built);
          if (built) continue;
          std::vector<std::string> named;
          for (const Refusal& refusal : kernel.error().refusals) named.push_back(refusal.field);
          const bool target_named = std::ranges::find(named, "target") != named.end();
          CHECK(target_named == (std::string_view(processor) != "gfx950"));
          // Of the head counts the first is named for both.
          const bool field_named =
              std::ranges::find(named, field.field) != named.end() ||
              (field.field == "num_kv_heads" && std::ranges::find(named, "num_query_heads") != named.end());
          // How many waves registers permit is the target's affair.
          if (field.field == "waves_per_eu" && target_named && !field_named) continue;
          CHECK(field_named == (values == &field.refused));
        }
}

TEST_CASE("spec_refusals: names that are no field, and required fields that are missing") {
  FieldTexts misspelt = test::base_texts(64);
  misspelt["head_sise"] = "64";
  const auto kernel = resolve(misspelt);
  REQUIRE_FALSE(kernel);
  REQUIRE(kernel.error().refusals.size() == 1);
  CHECK(kernel.error().refusals[0].field == "head_sise");
  CHECK_THAT(kernel.error().refusals[0].allowed, ContainsSubstring("head_size"));

  CHECK(refused_fields({}) == std::vector<std::string>{"head_size", "num_query_heads", "num_kv_heads"});
}

TEST_CASE("spec_refusals: the defaults are the published kernel's choices") {
  // Name, type and default as the specification's table has them; no default where a field is required.
  const std::vector<std::array<std::string, 3>> expected{
      {"head_size", "integer", ""},       {"num_query_heads", "integer", ""},
      {"num_kv_heads", "integer", ""},    {"dtype", "choice", "bf16"},
      {"mask", "choice", "causal"},       {"sequences", "choice", "batch"},
      {"kv", "choice", "contiguous"},     {"page_size", "integer", "64"},
      {"sinks", "flag", "false"},         {"lse", "flag", "false"},
      {"block_m", "integer", "256"},      {"block_n", "integer", "64"},
      {"waves_per_eu", "integer", "2"},   {"persistent", "flag", "false"},
      {"lds_layout", "choice", "padded"}, {"lds_k_group_pad", "integer", "8"},
      {"lds_k_row_pad", "integer", "8"},  {"lds_v_group_pad", "integer", "0"},
      {"lds_v_row_pad", "integer", "32"}, {"dma_width", "integer", "4"},
      {"lazy_rescale", "flag", "true"},
  };
  std::vector<std::array<std::string, 3>> found;
  for (const FieldInfo& field : family().fields()) {
    found.push_back({field.name, field.type, field.default_value});
    CHECK_FALSE(field.meaning.empty());
    CHECK_FALSE(field.allowed.empty());
  }
  CHECK(found == expected);
}

TEST_CASE("spec_refusals: a preset sets fields, explicit ones win, and it leaves no trace") {
  FieldTexts texts = test::base_texts(64);
  const auto plain = resolve(texts), published = resolve(texts, "published"),
             defaults = resolve(texts, "default");
  REQUIRE(plain);
  REQUIRE(published);
  REQUIRE(defaults);
  CHECK((*published)->key("llvm22", "", "c") == (*plain)->key("llvm22", "", "c"));
  CHECK((*defaults)->key("llvm22", "", "c") == (*plain)->key("llvm22", "", "c"));
  // Spelled out here as it is published: it stays when a default moves.
  const auto published_spec = (*published)->spec();
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, std::string>>{{"block_m", "256"},
                                                        {"block_n", "64"},
                                                        {"waves_per_eu", "2"},
                                                        {"persistent", "false"},
                                                        {"lds_layout", "padded"},
                                                        {"lds_k_group_pad", "8"},
                                                        {"lds_k_row_pad", "8"},
                                                        {"lds_v_group_pad", "0"},
                                                        {"lds_v_row_pad", "32"},
                                                        {"dma_width", "4"},
                                                        {"lazy_rescale", "true"}})
    CHECK(std::ranges::find(published_spec, std::pair{field, value}) != published_spec.end());
  texts["lds_k_group_pad"] = "16";
  const auto explicit_pad = resolve(texts, "published");
  REQUIRE(explicit_pad);
  const auto spec = (*explicit_pad)->spec();
  CHECK(std::ranges::find(spec, std::pair<std::string, std::string>{"lds_k_group_pad", "16"}) != spec.end());
}

}  // namespace
}  // namespace wavesmith::generator
