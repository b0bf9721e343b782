// Comparing one case.
#include "golden/case_diff.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/emission.h"

namespace wavesmith::golden {
namespace {

struct Texts {
  std::string before, now;
};

// What one compiler makes of both; a text that it refuses is a reason, not an end.
Expected<void> compare_code(const Case& golden_case, const Compiler& compiler, const Texts& texts,
                            runtime::CompilerPool& pool, CaseDiff& result) {
  const auto before = measure(pool, compiler, texts.before, golden_case.target);
  const auto now = measure(pool, compiler, texts.now, golden_case.target);
  for (const auto& [side, measured] : {std::pair{"base", &before}, std::pair{"present", &now}})
    if (!*measured) {
      result.not_checked.push_back(
          {compiler.name, fmt::format("the {} text does not compile: {}", side, measured->error().message)});
      return {};
    }
  Expected<TextDiff> instructions = diff_texts(before->disassembly, now->disassembly);
  if (!instructions) return std::unexpected(instructions.error());
  const std::string id = golden_case.id();
  ResourceResult compared =
      compare_resources(compiler.name, {{id, before->resources}}, {{id, now->resources}}, Slack{});
  result.code.push_back({compiler.name, std::move(*instructions), before->resources, now->resources,
                         std::move(compared.changes)});
  return {};
}

}  // namespace

bool CaseDiff::same() const {
  return new_flavours.empty() &&
         std::ranges::all_of(ir, [](const IrDiff& group) { return group.diff.hunks.empty(); });
}

Expected<CaseDiff> diff_case(const BaseRevision& base, const Case& golden_case, std::string_view flavour,
                             runtime::CompilerPool& pool) {
  CaseDiff result;
  std::map<std::string, Texts, std::less<>> texts;
  for (const lowering::Flavour& one : lowering::all_flavours()) {
    if (!flavour.empty() && one.name != flavour) continue;
    Expected<Emission> now = emit(golden_case, one);
    if (!now) return std::unexpected(now.error());
    Expected<std::optional<std::string>> before = base.text(one.name, golden_case.id());
    if (!before) return std::unexpected(before.error());
    if (!*before) {
      result.new_flavours.emplace_back(one.name);
      continue;
    }
    Expected<TextDiff> diff = diff_texts(**before, now->text);
    if (!diff) return std::unexpected(diff.error());
    const auto group =
        std::ranges::find_if(result.ir, [&](const IrDiff& other) { return other.diff.hunks == diff->hunks; });
    if (group != result.ir.end())
      group->flavours.emplace_back(one.name);
    else
      result.ir.push_back({{std::string(one.name)}, std::move(*diff)});
    texts.emplace(one.name, Texts{std::move(**before), std::move(now->text)});
  }
  CompilersAtHand at_hand = compilers_at_hand(pool);
  result.not_checked = std::move(at_hand.absent);
  for (const Compiler& compiler : at_hand.found) {
    const auto both = texts.find(compiler.flavour->name);
    if (both == texts.end()) continue;
    if (const auto done = compare_code(golden_case, compiler, both->second, pool, result); !done)
      return std::unexpected(done.error());
  }
  return result;
}

}  // namespace wavesmith::golden
