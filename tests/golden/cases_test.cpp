// The list of golden cases: enough, well named, and no two that pin the same thing.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "generator/families.h"
#include "golden/check.h"
#include "golden/emission.h"

using wavesmith::golden::Case;
using wavesmith::golden::cases;
using wavesmith::golden::emit;

namespace {

std::string masked(std::string text, const std::string& symbol) {
  for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at))
    text.replace(at, symbol.size(), "SYMBOL");
  return text;
}

}  // namespace

TEST_CASE("golden cases have unique names of family, target and variant") {
  CHECK(cases().size() >= 60);
  std::set<std::string> ids;
  for (const Case& one : cases()) {
    CHECK(ids.insert(one.id()).second);
    CHECK(std::ranges::count(one.id(), '/') == 2);
    CHECK(wavesmith::generator::find_family(one.family) != nullptr);
  }
  for (const std::string head_size : {"64", "128"})
    for (const std::string dtype : {"bf16", "fp16"})
      for (const std::string mask : {"full", "causal"})
        for (const std::string heads : {"q32_kv32", "q32_kv8", "q64_kv8", "q40_kv8"})
          CHECK(
              ids.contains("attention-dense/gfx950/d" + head_size + "_" + dtype + "_" + mask + "_" + heads));
  for (const std::string model : {"llama-3.1-405b", "qwen2.5-0.5b", "qwen2.5-7b", "falcon-7b"})
    CHECK(ids.contains("attention-dense/gfx950/model_" + model));
  for (const std::string pad : {"kpad0", "kpad16"})
    CHECK(ids.contains("attention-dense/gfx950/d64_bf16_causal_q32_kv8_" + pad));
}

TEST_CASE("golden cases have every built value of every field that is a choice, at both head sizes") {
  for (const std::string head_size : {"64", "128"})
    for (const auto& [field, values] :
         std::map<std::string, std::vector<std::string>>{{"block_n", {"32", "64", "128"}},
                                                         {"block_m", {"128", "256"}},
                                                         {"mask", {"full", "causal", "causal_top_left"}},
                                                         {"dtype", {"bf16", "fp16"}},
                                                         {"lse", {"false", "true"}},
                                                         {"lazy_rescale", {"false", "true"}},
                                                         {"waves_per_eu", {"1", "2", "3"}}})
      for (const std::string& value : values) {
        CAPTURE(head_size, field, value);
        CHECK(std::ranges::any_of(cases(), [&](const Case& one) {
          const auto emission = emit(one, wavesmith::lowering::all_flavours().front());
          if (!emission) return false;
          const auto has = [&](const std::string& name, const std::string& wanted) {
            return std::ranges::find(emission->spec, std::pair{name, wanted}) != emission->spec.end();
          };
          return has("head_size", head_size) && has(field, value);
        }));
      }
}

TEST_CASE("no two golden cases have the same text under another name") {
  for (const auto& flavour : wavesmith::lowering::all_flavours()) {
    std::map<std::string, std::string> texts;
    for (const Case& one : cases()) {
      const auto emission = emit(one, flavour);
      REQUIRE(emission);
      CHECK(emission->text.find("@" + emission->entry.symbol + "(") != std::string::npos);
      const auto [other, fresh] = texts.emplace(masked(emission->text, emission->entry.symbol), one.id());
      INFO(one.id() << " and " << other->second);
      CHECK(fresh);
    }
  }
}

TEST_CASE("no two golden cases share a symbol") {
  std::set<std::string> symbols;
  for (const Case& one : cases())
    CHECK(symbols.insert(emit(one, wavesmith::lowering::all_flavours().front())->entry.symbol).second);
}

TEST_CASE("a case that is refused fails by its name") {
  const Case refused{
      .family = "attention-dense", .target = "gfx942", .variant = "x", .preset = "", .fields = {}};
  const auto emission = emit(refused, *wavesmith::lowering::find_flavour("llvm22"));
  REQUIRE_FALSE(emission);
  CHECK(emission.error().kind == wavesmith::ErrorKind::check_failed);
  CHECK(emission.error().message.find("attention-dense/gfx942/x does not emit for llvm22") !=
        std::string::npos);
  CHECK(emission.error().message.find("head_size") != std::string::npos);
}
