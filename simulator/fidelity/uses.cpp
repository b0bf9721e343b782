// Merging and telling.
#include "simulator/fidelity/uses.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "simulator/fidelity/classification.h"
#include "simulator/findings.h"

namespace wavesmith::simulator {

std::string_view name(InexactUseKind kind) {
  constexpr std::array<std::string_view, 3> names{"address", "branch", "exec"};
  return names.at(static_cast<std::size_t>(kind));
}

void InexactUseLog::merge(const InexactUseLog& other) {
  for (const auto& [key, theirs] : other.entries_) {
    Entry& ours = entries_[key];
    merge_entry(ours, theirs);
    ours.origins |= theirs.origins;
  }
}

std::vector<InexactUse> InexactUseLog::list(const FlowTable& table, const Program& program) const {
  constexpr std::array<std::string_view, 3> sentences{"an address depends on {}", "a branch depends on {}",
                                                      "which lanes are active depends on {}"};
  std::vector<InexactUse> uses;
  for (const auto& [key, entry] : entries_) {
    InexactUse use{.use = std::string(name(key.second)),
                   .first = entry.first,
                   .step = {},
                   .count = entry.count,
                   .from = {}};
    std::vector<std::string> named;
    for (std::size_t bit = 0; bit < table.origins.size(); ++bit) {
      if ((entry.origins >> bit & 1) == 0) continue;
      const FlowTable::Origin& origin = table.origins[bit];
      use.from.push_back({origin.mnemonic, origin.fidelity});
      named.push_back(fmt::format("{} ({})", origin.mnemonic, name(origin.fidelity)));
    }
    use.first.what =
        fmt::format(fmt::runtime(sentences.at(static_cast<std::size_t>(key.second))), fmt::join(named, ", "));
    if (!program.steps.empty()) use.step = program.steps[key.first];
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace wavesmith::simulator
