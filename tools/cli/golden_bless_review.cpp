// The summary of a bless: as JSON, for people, as JUnit, and as a patch.
#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/text_diff.h"
#include "tools/cli/golden_bless.h"
#include "tools/cli/golden_resources.h"
#include "tools/cli/golden_text.h"

namespace wavesmith::cli {
namespace {

using Changes = std::map<std::string, std::vector<std::string>>;

// A re-check of no changed case compares nothing, and is right.
bool reproduces(const golden::ResourceResult& result) {
  return result.changes.empty();
}

Json changes_json(const Changes& changes) {
  Json list = Json::array();
  for (const auto& [id, flavours] : changes) list.push_back({{"case", id}, {"flavours", flavours}});
  return list;
}

Json base_json(const std::optional<BaseRecheck>& base) {
  if (!base) return {{"skipped", "--no-base"}};
  Json json = {{"revision", base->revision}, {"commit", base->commit}};
  json.update(text_check_json(base->text));
  json["ok"] = base->ok();
  json["resources"] = Json::array();
  for (const golden::ResourceResult& result : base->resources)
    for (const golden::ResourceChange& change : result.changes) {
      Json one = {{"compiler", result.compiler}};
      one.update(resource_change_json(change));
      json["resources"].push_back(std::move(one));
    }
  return json;
}

std::string unmoved_text(std::size_t cases) {
  return cases == 0   ? "does no case that stayed"
         : cases == 1 ? "does 1 case that stayed"
                      : fmt::format("do {} cases that stayed", cases);
}

std::vector<ReviewBlock> base_blocks(const Bless& bless) {
  if (!bless.base)
    return {
        {.lines = {"base: none was re-checked (--no-base); the summary is against the files in the folder"}}};
  const BaseRecheck& base = *bless.base;
  if (base.ok())
    return {{.lines = {fmt::format("base: {}; what it pins is what its sources make, {}", base.name,
                                   text_check_counts(base.text))}}};
  ReviewBlock text = text_check_block(base.text);
  text.title = fmt::format("pinned at {} and not what its own sources emit", base.name);
  text.lines = {text_check_counts(base.text)};
  std::vector<ReviewBlock> blocks;
  if (!base.text.ok()) blocks.push_back(std::move(text));
  for (ReviewBlock& block : resource_blocks({.results = base.resources, .not_checked = {}})) {
    block.title = fmt::format("pinned at {} and not what its own text needs, {}", base.name, block.title);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

ReviewBlock plan_block(const golden::BlessPlan& plan) {
  ReviewBlock block{.columns = {"", "case", "flavours"}};
  const auto rows = [&](std::string_view what, const Changes& changes) {
    for (const auto& [id, flavours] : changes)
      block.rows.push_back({std::string(what), id, fmt::format("{}", fmt::join(flavours, ", "))});
  };
  rows("moved", plan.moved);
  rows("added", plan.added);
  rows("removed", plan.removed);
  return block;
}

ReviewBlock counts_block(const golden::BlessPlan& plan) {
  ReviewBlock block;
  block.lines = {
      fmt::format("cases: {} moved, {} added, {} removed, {} did not move", plan.moved.size(),
                  plan.added.size(), plan.removed.size(), plan.unmoved_cases),
      fmt::format("cases x flavours: {} moved, {} did not move", plan.moved_entries, plan.unmoved_entries),
      fmt::format("cases x flavours x fields (symbol, sha256, bytes): {} did not move", plan.unmoved_values)};
  if (plan.moved.empty()) return block;
  if (plan.common.empty())
    block.lines.emplace_back("the moved cases have no spec field in common that the list of cases varies");
  for (const golden::CommonField& field : plan.common)
    block.lines.push_back(fmt::format("every moved case has {} = {}; so {}", field.field, field.value,
                                      unmoved_text(field.unmoved)));
  return block;
}

std::string verdict(const Bless& bless) {
  if (bless.refused())
    return fmt::format(
        "refused: what is pinned at {} is not what its sources make, so nobody could tell what this change "
        "moves; bless that revision first, or name one that agrees with --base",
        bless.base->name);
  if (!bless.changes()) return "nothing to bless";
  std::vector<std::string> files;
  for (const BlessedFile& file : bless.files)
    if (file.changes()) files.push_back(file.path);
  return fmt::format("{}: {}", fmt::join(files, ", "),
                     bless.written ? "written" : "not written; --yes writes");
}

}  // namespace

bool BaseRecheck::ok() const {
  return text.ok() && std::ranges::all_of(resources, reproduces);
}

bool Bless::changes() const {
  return std::ranges::any_of(files, &BlessedFile::changes);
}

Json bless_json(const Bless& bless) {
  const golden::BlessPlan& plan = bless.plan;
  Json common = Json::array(), files = Json::array();
  for (const golden::CommonField& field : plan.common)
    common.push_back({{"field", field.field}, {"value", field.value}, {"unmoved_cases", field.unmoved}});
  for (const BlessedFile& file : bless.files)
    files.push_back({{"file", file.path}, {"changes", file.changes()}});
  return {{"ok", bless.ok()},
          {"written", bless.written},
          {"refused", bless.refused()},
          {"base", base_json(bless.base)},
          {"files", std::move(files)},
          {"moved", changes_json(plan.moved)},
          {"added", changes_json(plan.added)},
          {"removed", changes_json(plan.removed)},
          {"moved_entries", plan.moved_entries},
          {"unmoved_entries", plan.unmoved_entries},
          {"unmoved_cases", plan.unmoved_cases},
          {"unmoved_values", plan.unmoved_values},
          {"common_fields", std::move(common)},
          {"resources", resource_check_json(bless.resources)},
          {"patch", bless.patch.empty() ? Json(nullptr) : Json(bless.patch)}};
}

Review bless_review(const Bless& bless) {
  Review review{.title = "golden bless", .verdict = verdict(bless), .ok = bless.ok()};
  review.blocks = base_blocks(bless);
  if (bless.refused()) return review;
  if (ReviewBlock block = plan_block(bless.plan); !block.rows.empty())
    review.blocks.push_back(std::move(block));
  review.blocks.push_back(counts_block(bless.plan));
  for (ReviewBlock& block : resource_blocks(bless.resources)) review.blocks.push_back(std::move(block));
  review.blocks.push_back({.lines = resource_verdicts(bless.resources)});
  return review;
}

std::vector<JUnitCase> bless_cases(const Bless& bless) {
  using enum JUnitCase::Outcome;
  std::vector<JUnitCase> cases;
  if (!bless.base) {
    cases.push_back({.suite = "base", .name = "re-check", .outcome = skipped, .message = "--no-base"});
  } else {
    append_text_cases(bless.base->text, "base, ", cases);
    for (const golden::ResourceResult& result : bless.base->resources)
      for (const golden::ResourceChange& change : result.changes)
        cases.push_back({.suite = fmt::format("base, resources by {}", result.compiler),
                         .name = fmt::format("{} {}", change.id, change.field),
                         .outcome = failed,
                         .message = fmt::format("{} -> {}", change.golden, change.measured)});
    if (bless.refused()) return cases;
  }
  const auto outcome = bless.ok() ? passed : failed;
  const auto add = [&](std::string_view what, const Changes& changes) {
    for (const auto& [id, flavours] : changes)
      cases.push_back({.suite = fmt::format("{} cases", what),
                       .name = id,
                       .outcome = outcome,
                       .message = fmt::format("{} and not blessed", what),
                       .output = fmt::format("{}: {}", what, fmt::join(flavours, ", "))});
  };
  add("moved", bless.plan.moved);
  add("added", bless.plan.added);
  add("removed", bless.plan.removed);
  for (const BlessedFile& file : bless.files)
    cases.push_back({.suite = "golden files",
                     .name = file.place,
                     .outcome = file.changes() && !bless.written ? failed : passed,
                     .message = "would change; --yes writes it"});
  return cases;
}

Expected<std::string> bless_patch(const Bless& bless) {
  Review review = bless_review(bless);
  review.verdict = bless.changes() ? "git apply takes the rest of this file" : "nothing to bless";
  std::string text = review_text(review);
  for (const BlessedFile& file : bless.files) {
    const Expected<golden::TextDiff> diff = golden::diff_texts(file.before.value_or(""), file.now);
    if (!diff) return std::unexpected(diff.error());
    if (!diff->hunks.empty()) text += "\n" + golden::patch_text(file.place, *diff, !file.before);
  }
  return text;
}

}  // namespace wavesmith::cli
