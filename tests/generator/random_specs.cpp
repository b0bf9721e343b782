#include "tests/generator/random_specs.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/identity.h"
#include "tests/generator/field_values.h"
#include "tests/generator/specs.h"

namespace wavesmith::test {
namespace {

using Values = std::vector<std::string>;

/// Values of fields whose validity depends on others; field_values() has the rest.
struct Pool {
  Values valid, invalid;
};
const std::map<std::string, Pool>& pools() {
  static const std::map<std::string, Pool> all{
      {"num_query_heads", {{"1", "2", "8", "24", "40", "64"}, {"0", "-8", "65536", "many"}}},
      {"num_kv_heads", {{"1", "2", "4", "8"}, {"0", "-2", "few"}}},
      {"waves_per_eu", {{"1", "2", "2", "2", "3", "4", "5", "8"}, {"0", "-1", "9", "2.0"}}},
      {"lds_v_row_pad", {{"0", "8", "16", "24", "32", "40", "64"}, {"4", "-8", "72"}}},
  };
  return all;
}

int number(const generator::FieldTexts& texts, const std::string& field, int fallback) {
  const auto text = texts.find(field);
  if (text == texts.end()) return fallback;
  int value = 0;
  const auto [end, error] =
      std::from_chars(text->second.data(), text->second.data() + text->second.size(), value);
  return error == std::errc() && end == text->second.data() + text->second.size() ? value : 0;
}

// What several fields decide together. All of them are valid one by one.
void refuse_resources(const generator::FieldTexts& texts, std::set<std::string>& refused) {
  const auto value = [&](const std::string& field, int fallback) { return number(texts, field, fallback); };
  const int head_size = value("head_size", 0), block_m = value("block_m", 256),
            block_n = value("block_n", 64);
  const auto is = [&](const std::string& field, std::string_view text) {
    const auto found = texts.find(field);
    return found != texts.end() && found->second == text;
  };
  const bool persistent = is("persistent", "true"), window = is("mask", "window");
  if (persistent && is("sinks", "true") && block_n == 128) refused.insert("sinks");
  if (persistent && is("kv", "paged") && block_n == 128) refused.insert("kv");
  const bool small = head_size == 64;
  const std::string k_pad = small ? "lds_k_group_pad" : "lds_k_row_pad",
                    v_pad = small ? "lds_v_group_pad" : "lds_v_row_pad";
  const int k = value(k_pad, 8), v = value(v_pad, small ? 0 : 32);
  // Two buffers of [rows, 128 + pad] elements of two bytes for each operand; head size 64 has two rows in
  // one.
  const int rows = small ? block_n / 2 : block_n;
  const int lds = 2 * rows * (128 + k + 128 + v) * 2;
  constexpr int lds_of_cu = 163840;
  if (lds > lds_of_cu) {
    refused.insert({k_pad, v_pad});
    return;
  }
  if (refused.contains("waves_per_eu")) return;
  // What no variant spills for, measured.
  static const std::map<std::pair<int, int>, int> most_by_registers{
      {{64, 32}, 4}, {{64, 64}, 3}, {{64, 128}, 2}, {{128, 32}, 3}, {{128, 64}, 2}, {{128, 128}, 2}};
  int by_registers = most_by_registers.at({head_size, block_n});
  if (head_size == 128 && block_n == 32 && (persistent || window)) by_registers = 2;
  const int waves = block_m / 32;
  const int most = std::min(by_registers, lds_of_cu / lds * waves / 4);
  if (std::max(value("waves_per_eu", 2), waves / 4) > most) refused.insert("waves_per_eu");
}

}  // namespace

RandomRequest RandomRequests::next() {
  RandomRequest request;
  for (const FieldValues& field : field_values()) {
    const bool required = field.field == "head_size" || field.field.ends_with("_heads");
    if (!required && below(2) == 0) continue;
    if (required && below(60) == 0) {
      request.refused.insert(field.field);
      continue;
    }
    const auto pool = pools().find(field.field);
    const bool invalid = below(25) == 0;
    if (invalid) request.refused.insert(field.field);
    request.texts[field.field] = pool == pools().end()
                                     ? one_of(invalid ? field.refused : field.accepted)
                                     : one_of(invalid ? pool->second.invalid : pool->second.valid);
  }
  if (below(60) == 0) {
    request.texts["head_sise"] = "64";
    request.refused.insert("head_sise");
  }
  request.preset = one_of({"", "", "", "default", "published"});
  if (below(60) == 0) {
    request.preset = "fastest";
    request.refused.insert("preset");
  }
  request.target.processor = "gfx950";
  const bool elsewhere = below(40) == 0;
  if (elsewhere) request.target.processor = one_of({"gfx942", "gfx1100", "gfx90a"});

  const int query = number(request.texts, "num_query_heads", 0),
            kv = number(request.texts, "num_kv_heads", 0);
  if (query >= 1 && kv >= 1 && query % kv != 0) request.refused.insert("num_query_heads");
  const auto is_fine = [&](const std::string& field) { return !request.refused.contains(field); };
  if (elsewhere)
    request.refused.insert("target");
  else if (std::ranges::all_of(Values{"head_size", "block_m", "block_n", "lds_k_group_pad", "lds_k_row_pad",
                                      "lds_v_group_pad", "lds_v_row_pad", "dma_width"},
                               is_fine))
    refuse_resources(request.texts, request.refused);
  return request;
}

void RequestCheck::finding(const RandomRequest& request, std::string what) {
  std::string words;
  for (const auto& [name, value] : request.texts) words += fmt::format(" {}={}", name, value);
  findings.wrong.push_back(fmt::format("{}:{} preset={} target={}", std::move(what), words, request.preset,
                                       to_string(request.target)));
}

std::string RequestCheck::check(const RandomRequest& request) {
  ++findings.requests;
  const generator::Family& family = *generator::find_family("attention-dense");
  const auto kernel = family.resolve(request.texts, request.preset, request.target);
  const auto supported = family.supports(request.texts, request.preset, request.target);
  if (supported.has_value() != kernel.has_value()) finding(request, "supports() and resolve() disagree");
  std::set<std::string> refused;
  if (!kernel)
    for (const Refusal& refusal : kernel.error().refusals) {
      if (!refused.insert(refusal.field).second) finding(request, refusal.field + " is refused twice");
      if (refusal.allowed.empty()) finding(request, refusal.field + " is refused without what is allowed");
      const auto text = request.texts.find(refusal.field);
      if (text != request.texts.end() && refusal.value != text->second)
        finding(request, fmt::format("{} is refused with the value {}", refusal.field, refusal.value));
    }
  if (refused != request.refused)
    finding(request, fmt::format("refused for {} and not for {}", refused, request.refused));
  if (!kernel) return "";
  ++findings.kernels;
  std::string ir;
  for (const lowering::Flavour& flavour : lowering::all_flavours()) {
    const auto text = (*kernel)->emit(flavour, {});
    if (!text)
      finding(request, fmt::format("does not emit for {}: {}", flavour.name, text.error().message));
    else if (flavour.name == "llvm22")
      ir = *text;
  }
  compare(request, **kernel, ir);
  return ir;
}

void RequestCheck::compare(const RandomRequest& request, const generator::ResolvedKernel& kernel,
                           const std::string& ir) {
  // Of the head counts, the text has the ratio.
  std::string spec, ratio_spec;
  int query = 0;
  for (const auto& [name, value] : kernel.spec()) {
    spec += name + "=" + value + "\n";
    if (name == "num_query_heads")
      query = std::stoi(value);
    else if (name == "num_kv_heads")
      ratio_spec += fmt::format("ratio={}\n", query / std::stoi(value));
    else
      ratio_spec += name + "=" + value + "\n";
  }
  const std::string text = generator::sha256_hex(masked(ir, kernel.symbol()));
  const auto other_spec = spec_of_text_.try_emplace(text, ratio_spec);
  if (other_spec.first->second != ratio_spec) finding(request, "has the text of another spec");
  if (text_of_spec_.try_emplace(ratio_spec, text).first->second != text)
    finding(request, "has another text than the same spec before");
  const std::string key = kernel.key("llvm22", "", "");
  if (text_of_key_.try_emplace(key, spec).first->second != spec)
    finding(request, "has the key of another spec");
  findings.distinct = spec_of_text_.size();
}

}  // namespace wavesmith::test
