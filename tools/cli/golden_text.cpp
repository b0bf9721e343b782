// JSON, tables and JUnit cases of comparisons of text.
#include "tools/cli/golden_text.h"

#include <algorithm>
#include <span>
#include <tuple>

#include <fmt/format.h>

namespace wavesmith::cli {
namespace {

Json names_json(std::span<const golden::CaseName> names) {
  Json list = Json::array();
  for (const golden::CaseName& name : names) list.push_back({{"case", name.id}, {"flavour", name.flavour}});
  return list;
}

Json entry_json(const golden::Entry& entry) {
  return {{"symbol", entry.symbol}, {"sha256", entry.sha256}, {"bytes", entry.bytes}};
}

std::string hashes(const golden::Drift& drift, std::size_t digits) {
  if (drift.golden.sha256 == drift.emitted.sha256) return "only the symbol or the length in the file";
  return fmt::format("{} -> {}", drift.golden.sha256.substr(0, digits),
                     drift.emitted.sha256.substr(0, digits));
}

constexpr std::size_t shown_digits = 12, all_digits = 64;

}  // namespace

Json text_check_json(const golden::CheckResult& result) {
  Json drifted = Json::array();
  for (const golden::Drift& drift : result.drifted)
    drifted.push_back({{"case", drift.name.id},
                       {"flavour", drift.name.flavour},
                       {"golden", entry_json(drift.golden)},
                       {"emitted", entry_json(drift.emitted)}});
  return {{"ok", result.ok()},
          {"checked", result.checked},
          {"drifted", std::move(drifted)},
          {"missing", names_json(result.missing)},
          {"unexpected", names_json(result.unexpected)},
          {"unread", result.unread}};
}

ReviewBlock text_check_block(const golden::CheckResult& result) {
  ReviewBlock block{.columns = {"", "flavour", "case", "pinned and emitted SHA-256"}};
  for (const golden::Drift& drift : result.drifted)
    block.rows.push_back({"drifted", drift.name.flavour, drift.name.id, hashes(drift, shown_digits)});
  for (const golden::CaseName& name : result.missing)
    block.rows.push_back({"missing", name.flavour, name.id, "not in the golden file"});
  for (const golden::CaseName& name : result.unexpected)
    block.rows.push_back({"unexpected", name.flavour, name.id, "no case or flavour of this build"});
  for (const std::string& file : result.unread)
    block.rows.push_back({"unread", "", file, "no check reads this file"});
  return block;
}

std::string text_check_counts(const golden::CheckResult& result) {
  return fmt::format("{} checked, {} drifted, {} missing, {} unexpected", result.checked,
                     result.drifted.size(), result.missing.size(), result.unexpected.size());
}

void append_text_cases(const golden::CheckResult& result, std::string_view suite_prefix,
                       std::vector<JUnitCase>& cases) {
  using enum JUnitCase::Outcome;
  std::vector<JUnitCase> own;
  const auto add = [&](const golden::CaseName& name, JUnitCase::Outcome outcome, std::string message) {
    own.push_back({.suite = fmt::format("{}{}", suite_prefix, name.flavour),
                   .name = name.id,
                   .outcome = outcome,
                   .message = std::move(message)});
  };
  for (const golden::CaseName& name : result.agreed) add(name, passed, "");
  for (const golden::Drift& drift : result.drifted) add(drift.name, failed, hashes(drift, all_digits));
  for (const golden::CaseName& name : result.missing) add(name, failed, "not in the golden file");
  for (const golden::CaseName& name : result.unexpected)
    add(name, failed, "no case or flavour of this build");
  std::ranges::sort(own, {}, [](const JUnitCase& one) { return std::tie(one.suite, one.name); });
  const std::string files = fmt::format("{}golden files", suite_prefix);
  for (const std::string& file : result.unread)
    own.push_back({.suite = files, .name = file, .outcome = failed, .message = "no check reads this file"});
  if (result.checked == 0)
    own.push_back(
        {.suite = files, .name = "comparison", .outcome = failed, .message = "nothing was compared"});
  cases.insert(cases.end(), own.begin(), own.end());
}

}  // namespace wavesmith::cli
